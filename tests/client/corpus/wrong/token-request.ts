/** Clients that ask for a token in a wrong way. */
import type { Client } from '../client.ts';
import type { Outgoing } from '../connections.ts';
import { reactive } from '../parts.ts';
import type { WrongClient } from '../subject.ts';

/** Asks for a token as a correct client does, but for what `change` makes of it. */
const asking = (
  change: (right: Outgoing, client: Client) => Partial<Outgoing>,
): WrongClient['behaviour'] => ({
  tokenRequest(client) {
    const right = reactive.tokenRequest(client);
    return { ...right, ...change(right, client) };
  },
});

export const wrongTokenRequests: WrongClient[] = [
  {
    name: 'token-without-slash',
    summary: 'leaves out the slash at the end of the path of the token endpoint',
    catches: {
      'token-path': /^It sent POST \/token, which is answered with 404.* Use the path \/token\/ as it is/,
    },
    behaviour: asking(({ url }) => ({ url: url.replace(/\/$/, '') })),
  },
  {
    name: 'form-not-encoded',
    summary: 'puts its credentials into the form as they are, whatever they hold',
    catches: { 'form-fields': /not encoded as forms are/ },
    behaviour: asking((_, { env }) => ({
      body: `grant_type=client_credentials&client_id=${env.clientId}&client_secret=${env.clientSecret}`,
    })),
  },
  {
    name: 'json-body',
    summary: 'sends its credentials as JSON',
    catches: { 'form-content-type': /was "application\/json"/ },
    also: ['form-fields', 'back-off'],
    behaviour: asking(({ headers, body }) => ({
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(new URLSearchParams(body))),
    })),
  },
  {
    name: 'no-content-type',
    summary: 'sends a form and does not say that it is one',
    catches: { 'form-content-type': /was none/ },
    also: ['form-fields', 'back-off'],
    behaviour: asking(({ headers: { Accept = '' } }) => ({ headers: { Accept } })),
  },
  {
    name: 'no-accept-on-token',
    summary: 'asks for a token without a header Accept',
    catches: { 'token-accept': /was none/ },
    behaviour: asking(({ headers: { Accept: _, ...headers } }) => ({ headers })),
  },
  {
    name: 'no-grant-type',
    summary: 'leaves grant_type out of the form',
    catches: { 'form-fields': /^A token request came without grant_type/ },
    also: ['back-off'],
    behaviour: asking(({ body }) => {
      const form = new URLSearchParams(body);
      form.delete('grant_type');
      return { body: String(form) };
    }),
  },
  {
    name: 'other-grant-type',
    summary: 'writes the grant type in upper case',
    catches: { 'form-fields': /^A token request came with another grant_type than client_credentials/ },
    also: ['back-off'],
    behaviour: asking(({ body = '' }) => ({
      body: body.replace('client_credentials', 'CLIENT_CREDENTIALS'),
    })),
  },
  {
    name: 'secret-twice',
    summary: 'has its secret in the form twice',
    catches: { 'form-fields': /with a field that is empty, is there twice, or was not encoded/ },
    also: ['back-off'],
    behaviour: asking(({ body }, { env }) => ({
      body: `${body}&${new URLSearchParams({ client_secret: env.clientSecret })}`,
    })),
  },
  {
    name: 'secret-in-query',
    summary: 'sends its credentials in the query as well',
    catches: { 'credentials-place': /^The client secret was in the query of/ },
    behaviour: asking(({ url }, { env }) => ({
      url: `${url}?${new URLSearchParams({ client_id: env.clientId, client_secret: env.clientSecret })}`,
    })),
  },
  {
    name: 'secret-in-header',
    summary: 'sends its credentials in the header Authorization as well',
    catches: { 'credentials-place': /^The client secret was in the header of/ },
    also: ['token-request-without-token'],
    behaviour: asking(({ headers }, { env }) => {
      const credentials = Buffer.from(`${env.clientId}:${env.clientSecret}`).toString('base64');
      return { headers: { ...headers, Authorization: `Basic ${credentials}` } };
    }),
  },
  {
    name: 'http-basic',
    summary: 'sends its credentials by HTTP Basic, and none in the form',
    catches: {
      'form-fields':
        /^A token request came without client_id and client_secret\. .*HTTP Basic.*client_secret_post.*access_token\.$/,
      'credentials-place': /HTTP Basic.*client_secret_post/,
    },
    also: ['token-request-without-token', 'back-off'],
    behaviour: asking(({ headers }, { env }) => {
      const credentials = Buffer.from(`${env.clientId}:${env.clientSecret}`).toString('base64');
      return {
        headers: { ...headers, Authorization: `Basic ${credentials}` },
        body: 'grant_type=client_credentials',
      };
    }),
  },
  {
    name: 'bearer-on-token-request',
    summary: 'sends its old token when it asks for a new one',
    catches: { 'token-request-without-token': /token requests? had an Authorization header/ },
    also: ['dead-token'],
    behaviour: asking(({ headers }, { token }) => ({
      headers: token ? { ...headers, Authorization: `Bearer ${token.value}` } : headers,
    })),
  },
  {
    name: 'other-secret-on-renewal',
    summary: 'renews with another secret than the one that it was given',
    catches: { renewal: /came with other credentials than the first/ },
    also: ['retry', 'back-off'],
    behaviour: asking((right, client) => {
      if (client.asked === 1) return right;
      const form = new URLSearchParams(right.body);
      form.set('client_secret', `${client.env.clientSecret}-2`);
      return { body: String(form) };
    }),
  },
];
