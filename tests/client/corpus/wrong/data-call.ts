/** Clients that read the data in a wrong way, or take the token where it does not belong. */
import type { Client, Token } from '../client.ts';
import type { Outgoing } from '../connections.ts';
import { reactive } from '../parts.ts';
import type { WrongClient } from '../subject.ts';

/** Reads as a correct client does, but for what `change` makes of it. */
const reading = (
  change: (right: Outgoing, token: Token, client: Client) => Partial<Outgoing>,
): WrongClient['behaviour'] => ({
  dataRequest(client, token, turn) {
    const right = reactive.dataRequest(client, token, turn);
    return { ...right, ...change(right, token, client) };
  },
});

/** A form in the body of a GET, where nobody looks for one. */
const withForm = ({ headers }: Outgoing, body: string): Partial<Outgoing> => ({
  headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
  body,
});

const withoutToken = ({ headers: { Authorization: _, ...headers } }: Outgoing) => headers;

export const wrongDataCalls: WrongClient[] = [
  {
    name: 'data-without-slash',
    summary: 'leaves out the slash at the end of the path of the data',
    catches: {
      'data-path': /^It sent GET \/ods_data, which is answered with 404.* Use the path \/ods_data\/ as it is/,
    },
    behaviour: reading(({ url }) => ({ url: url.replace(/\/$/, '') })),
  },
  {
    name: 'double-slash',
    summary: 'joins the base URL and the path of the data with two slashes',
    catches: { 'data-path': /^It sent GET \/\/ods_data\/, which is answered with 404.* one slash before it/ },
    behaviour: reading(({ url }) => ({ url: url.replace(/\/ods_data/, '//ods_data') })),
  },
  {
    name: 'posts-for-data',
    summary: 'reads the data by POST',
    catches: {
      'data-path': /^It sent POST \/ods_data\/, which is answered with 405.* Use the method GET\.$/,
    },
    behaviour: reading(() => ({ method: 'POST' })),
  },
  {
    name: 'accepts-anything-on-data',
    summary: 'accepts any type when it reads',
    catches: { 'data-accept': /^The accept header of \d+ reads? was "\*\/\*"/ },
    behaviour: reading(({ headers }) => ({ headers: { ...headers, Accept: '*/*' } })),
  },
  {
    name: 'token-in-cookie',
    summary: 'sends its token in a cookie as well',
    catches: { 'token-place': /^A token was in the header of/ },
    behaviour: reading(({ headers }, { value }) => ({ headers: { ...headers, Cookie: `token=${value}` } })),
  },
  {
    name: 'token-in-own-header',
    summary: 'sends its token in a header of its own making as well',
    catches: { 'token-place': /^A token was in the header of/ },
    behaviour: reading(({ headers }, { value }) => ({ headers: { ...headers, 'X-Access-Token': value } })),
  },
  {
    name: 'no-accept-on-data',
    summary: 'reads without a header Accept',
    catches: { 'data-accept': /^The accept header of \d+ reads? was none/ },
    behaviour: reading(({ headers: { Accept: _, ...headers } }) => ({ headers })),
  },
  {
    name: 'token-in-query',
    summary: 'sends its token in the query as well',
    catches: { 'token-place': /^A token was in the query of/ },
    behaviour: reading(({ url }, { value }) => ({ url: `${url}?access_token=${value}` })),
  },
  {
    name: 'token-in-body',
    summary: 'sends its token in a body as well when it reads',
    catches: { 'token-place': /^A token was in the body of/ },
    behaviour: reading((right, { value }) => withForm(right, `access_token=${value}`)),
  },
  {
    name: 'secret-in-data-body',
    summary: 'sends its credentials in a body when it reads',
    catches: { 'credentials-place': /^The client secret was in the body of/ },
    behaviour: reading((right, _, client) => withForm(right, reactive.tokenRequest(client).body ?? '')),
  },
  {
    name: 'secret-in-data-query',
    summary: 'sends its credentials in the query when it reads',
    catches: { 'credentials-place': /^The client secret was in the query of/ },
    behaviour: reading(({ url }, _, { env }) => ({
      url: `${url}?${new URLSearchParams({ client_id: env.clientId, client_secret: env.clientSecret })}`,
    })),
  },
  {
    name: 'no-bearer-word',
    summary: 'sends its token without the word Bearer',
    catches: { 'bearer-header': /an Authorization that is not Bearer and a token/ },
    also: ['renewal', 'retry'],
    behaviour: reading(({ headers }, { value }) => ({ headers: { ...headers, Authorization: value } })),
  },
  {
    name: 'first-call-without-token',
    summary: 'tries its first call without a token',
    catches: { 'bearer-header': /^1 read came without the header Authorization/ },
    behaviour: {
      async start(client) {
        const right = reactive.dataRequest(client, { value: 'none', askedAt: 0 }, 0);
        await client.send({ ...right, headers: withoutToken(right) });
      },
    },
  },
  {
    name: 'every-fifth-call-without-token',
    summary: 'leaves the token out of every fifth call',
    catches: { 'bearer-header': /reads? came without the header Authorization/ },
    also: ['renewal', 'retry'],
    behaviour: reading((right, _, { reads }) => (reads % 5 ? {} : { headers: withoutToken(right) })),
  },
];
