/** Every client that an examination of clients must catch. */
import { type Answered, type Client, Exit, type Outgoing, type Parts } from './client.ts';
import { asking, leavesRefusals, pages, reactive, reading, renewingAt } from './parts.ts';
import { wrongIn } from './subject.ts';

/** A form in the body of a GET, where no one looks for one. */
const withForm = ({ headers }: Outgoing, body: string): Partial<Outgoing> => ({
  headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
  body,
});

/** With a header of this value; without it where there is none. */
const withHeader = ({ headers }: Outgoing, name: string, value?: string): Partial<Outgoing> => {
  const { [name]: _, ...others } = headers;
  return { headers: value === undefined ? others : { ...others, [name]: value } };
};

const withCredentials = ({ url }: Outgoing, { env }: Client): Partial<Outgoing> => ({
  url: `${url}?${new URLSearchParams({ client_id: env.clientId, client_secret: env.clientSecret })}`,
});

const withBasic = (right: Outgoing, { env }: Client): Partial<Outgoing> => {
  const credentials = Buffer.from(`${env.clientId}:${env.clientSecret}`).toString('base64');
  return withHeader(right, 'Authorization', `Basic ${credentials}`);
};

/** Its form, with another field or without it. */
const withField = ({ body }: Outgoing, name: string, value?: string): Partial<Outgoing> => {
  const form = new URLSearchParams(body);
  if (value === undefined) form.delete(name);
  else form.set(name, value);
  return { body: String(form) };
};

/** Renews at each n-th call. */
const renewingEach = (calls: number): Pick<Parts, 'choose'> => ({
  choose: (client) => (client.reads % calls === 0 ? client.renew() : reactive.choose(client)),
});

/** Takes for its token what it finds in the text of an answer. */
const finding = (find: (text: string) => string | undefined): Pick<Parts, 'send'> => ({
  async send(client, request) {
    const answer = await reactive.send(client, request);
    const isToken = request.method === 'POST' && answer.status === 200;
    return isToken ? { ...answer, text: JSON.stringify({ token: find(answer.text) }) } : answer;
  },
});

/** As a join of URLs does, to which the path is absolute. */
const atRoot = ({ url }: Outgoing) => ({
  url: new URL(new URL(url).pathname.replace(/^.*(?=\/\w+\/$)/, ''), url).href,
});

/** Renews and repeats while it is refused, `times` at most. */
const repeating = (times: number, pauseBefore = 0, pauseAfter = 0): Pick<Parts, 'refused'> => ({
  async refused(client, token, turn) {
    for (let nth = 0, last = token; nth < times; nth++) {
      last = await client.renew(last);
      if (pauseBefore > 0) await client.pause(pauseBefore);
      if (await client.reread(last, turn)) return true;
      if (pauseAfter > 0) await client.pause(pauseAfter);
    }
    return false;
  },
});

/** Renews, and leaves what it was refused; waits longer before its next turn unless it takes it for read. */
const leavesRequest = (isTakenForRead: boolean): Pick<Parts, 'refused'> => ({
  async refused(client, token) {
    await client.renew(token);
    return isTakenForRead;
  },
});

/** Ends as a program does. */
const dies = (why: string) => async (): Promise<never> => {
  throw new Exit(1, why);
};

/** What it makes of a read that is answered with 500. */
const taking500 = (as: (answer: Answered) => Answered): Pick<Parts, 'send'> => ({
  async send(client, request) {
    const answer = await reactive.send(client, request);
    return request.method === 'GET' && answer.status === 500 ? as(answer) : answer;
  },
});

/** Those that were once not given a token. */
const givenUp = new WeakSet<object>();

/** As good as none, and yet it leaves the others in this process their turn. */
const HARDLY_A_PAUSE = 0.01;

/** Readers that wait for the same moments: on a busy machine, those who each only pause would soon take turns. */
const inStep = (readers: number): Partial<Parts> => ({
  readers,
  pollSeconds: 0,
  async beside(client) {
    const { pollSeconds: period } = client.env;
    await client.pause(period - ((client.clock.now() / 1000) % period));
  },
});

const behaviours: Readonly<Record<string, Partial<Parts>>> = {
  // Token requests that are wrong.
  'token-without-slash': asking(({ url }) => ({ url: url.replace(/\/$/, '') })),
  'form-not-encoded': asking((_, { env }) => ({
    body: `grant_type=client_credentials&client_id=${env.clientId}&client_secret=${env.clientSecret}`,
  })),
  'client-id-not-encoded': asking(({ body = '' }, { env }) => ({
    body: body.replace(/client_id=[^&]*/, () => `client_id=${env.clientId}`),
  })),
  'loses-base-path': { ...asking(atRoot), ...reading(atRoot) },
  'loses-base-path-of-data': reading(atRoot),
  'json-body': asking(({ headers, body }) => ({
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(Object.fromEntries(new URLSearchParams(body))),
  })),
  'no-accept-on-token': asking((right) => withHeader(right, 'Accept')),
  'no-grant-type': asking((right) => withField(right, 'grant_type')),
  'secret-twice': asking(({ body }, { env }) => ({
    body: `${body}&${new URLSearchParams({ client_secret: env.clientSecret })}`,
  })),
  'secret-in-query': asking(withCredentials),
  'secret-in-header': asking(withBasic),
  'http-basic': asking((right, client) => ({
    ...withBasic(right, client),
    body: 'grant_type=client_credentials',
  })),
  'other-secret-on-renewal': asking((right, { asked, env }) =>
    asked === 1 ? right : withField(right, 'client_secret', `${env.clientSecret}-2`),
  ),
  // Reads that are wrong, or take the token where it does not belong.
  'data-without-slash': reading(({ url }) => ({ url: url.replace(/\/$/, '') })),
  'double-slash': reading(({ url }) => ({ url: url.replace(/\/ods_data/, '//ods_data') })),
  'posts-for-data': reading(() => ({ method: 'POST' })),
  'accepts-anything-on-data': reading((right) => withHeader(right, 'Accept', '*/*')),
  'token-in-cookie': reading((right, { value }) => withHeader(right, 'Cookie', `token=${value}`)),
  'no-accept-on-data': reading((right) => withHeader(right, 'Accept')),
  'token-in-query': reading(({ url }, { value }) => ({ url: `${url}?access_token=${value}` })),
  'token-in-body': reading((right, { value }) => withForm(right, `access_token=${value}`)),
  'secret-in-data-body': reading((right, _, client) =>
    withForm(right, reactive.tokenRequest(client).body ?? ''),
  ),
  'no-bearer-word': reading((right, { value }) => withHeader(right, 'Authorization', value)),
  'first-call-without-token': {
    async start(client) {
      const right = reactive.dataRequest(client, { value: 'none', askedAt: 0 }, 0);
      await client.send({ ...right, ...withHeader(right, 'Authorization') });
    },
  },
  // Tokens that are not needed, or sent where they should not be.
  'token-per-call': renewingEach(1),
  'new-token-every-third-call': renewingEach(3),
  'new-token-every-fortieth-call': renewingEach(40),
  'two-tokens-per-refusal': {
    async refused(client, _, turn) {
      await client.ask();
      return client.reread(await client.replace(), turn);
    },
  },
  'looks-for-access-token': {
    async choose(client) {
      await client.ask();
      throw new Error('access_token is missing');
    },
  },
  'cuts-tokens-at-1000': finding((text) => JSON.parse(text).token.slice(0, 1000)),
  'finds-token-by-pattern': finding((text) => /\{"token":"([^"]+)"/.exec(text)?.[1]),
  'takes-token-for-a-word': finding((text) => /"token"\s*:\s*"([\w-]+)/.exec(text)?.[1]),
  'quotes-token': finding((text) => JSON.stringify(JSON.parse(text).token)),
  'sends-undefined': finding(() => 'undefined'),
  'retries-with-old-token': {
    async refused(client, token, turn) {
      await client.renew(token);
      await client.read(token, turn);
      await client.read(token, turn);
      return false;
    },
  },
  'sends-old-token-once': {
    async refused(client, token, turn) {
      const fresh = await client.renew(token);
      await client.read(token, turn);
      return client.reread(fresh, turn);
    },
  },
  // What is wrong when a token has expired.
  'never-renews': leavesRefusals,
  'dies-on-403': { refused: dies('refused') },
  'asks-only-once': {
    async refused(client, _, turn) {
      if (givenUp.has(client)) return true; // it notices nothing
      const askedAt = client.clock.now();
      const answer = await client.send(client.parts.tokenRequest(client));
      if (answer.status !== 200) {
        givenUp.add(client);
        return true;
      }
      client.token = { value: JSON.parse(answer.text).token, askedAt };
      return client.reread(client.token, turn);
    },
  },
  'renews-too-late': { ...renewingAt(1.5), ...leavesRefusals },
  'no-retry': { ...pages, ...leavesRequest(false) },
  'waits-its-turn': leavesRequest(true),
  // Pressing a service in trouble, or giving up too soon.
  'loops-on-403': repeating(Number.POSITIVE_INFINITY, 0, HARDLY_A_PAUSE),
  'loops-with-pauses': repeating(Number.POSITIVE_INFINITY, 0.5),
  'hammers-data': {
    async refused(client, token, turn, answer) {
      for (let repeated = 0; repeated < 50; repeated++) {
        await client.read(token, turn);
        await client.pause(HARDLY_A_PAUSE);
      }
      return reactive.refused(client, token, turn, answer);
    },
  },
  'three-tokens-per-refusal': repeating(3),
  stampede: {
    ...inStep(5),
    refused: async (client, _, turn) => client.reread(await client.replace(), turn),
  },
  'crowd-by-the-clock': {
    ...inStep(8),
    ...leavesRefusals,
    ...renewingAt(0.8, (client) => client.replace()),
  },
  'hammers-token-endpoint': { tokenFailed: (client) => client.pause(HARDLY_A_PAUSE) },
  'ignores-retry-after': {
    tokenFailed: (client, failures) => reactive.tokenFailed(client, failures, undefined),
  },
  'dies-on-reset': { unreachable: dies('no answer') },
  'dies-without-token': { tokenFailed: dies('no token') },
  'dies-on-500': taking500(() => {
    throw new Exit(1, 'a read failed');
  }),
  'renews-on-500': taking500((answer) => ({ ...answer, status: 403 })),
};

export const wrongClients = wrongIn(
  String.raw`
  token-without-slash | leaves out the slash at the end of the path of the token endpoint | token-path: ^It sent POST /token, which is answered with 404.* Use the path /token/ as it is
  form-not-encoded | puts its credentials into the form as they are, whatever they hold | form-fields: not encoded as forms are
  client-id-not-encoded | encodes its secret as forms are, and not its client id | form-fields: not encoded as forms are
  loses-base-path | joins the paths of the specification to the host of the base URL | token-path: ^It sent POST /token/, which is answered with 404.* Keep the path of the base URL | back-off
  loses-base-path-of-data | joins the path of the data to the host of the base URL | data-path: ^It sent GET /ods_data/, which is answered with 404.* Keep the path of the base URL | token-member
  json-body | sends its credentials as JSON | form-content-type: was "application/json" | form-fields back-off
  no-accept-on-token | asks for a token without a header Accept | token-accept: was none
  no-grant-type | leaves grant_type out of the form | form-fields: ^A token request came without grant_type | back-off
  secret-twice | has its secret in the form twice | form-fields: with a field that is empty, is there twice, or was not encoded | back-off
  secret-in-query | sends its credentials in the query as well | credentials-place: ^The client secret was in the query of
  secret-in-header | sends its credentials in the header Authorization as well | credentials-place: ^The client secret was in the header of
  http-basic | sends its credentials by HTTP Basic, and none in the form | form-fields: came without client_id and client_secret\. .*HTTP Basic.*client_secret_post.*access_token ; credentials-place: HTTP Basic.*client_secret_post | back-off
  other-secret-on-renewal | renews with another secret than the one that it was given | renewal: came with other credentials than the first | retry back-off
  data-without-slash | leaves out the slash at the end of the path of the data | data-path: ^It sent GET /ods_data, which is answered with 404.* Use the path /ods_data/ as it is
  double-slash | joins the base URL and the path of the data with two slashes | data-path: ^It sent GET //ods_data/, which is answered with 404.* one slash before it
  posts-for-data | reads the data by POST | data-path: ^It sent POST /ods_data/, which is answered with 405.* Use the method GET\.$
  accepts-anything-on-data | accepts any type when it reads | data-accept: ^The accept header of \d+ reads? was "\*/\*"
  token-in-cookie | sends its token in a cookie as well | token-place: ^A token was in the header of
  no-accept-on-data | reads without a header Accept | data-accept: ^The accept header of \d+ reads? was none
  token-in-query | sends its token in the query as well | token-place: ^A token was in the query of
  token-in-body | sends its token in a body as well when it reads | token-place: ^A token was in the body of
  secret-in-data-body | sends its credentials in a body when it reads | credentials-place: ^The client secret was in the body of
  no-bearer-word | sends its token without the word Bearer | bearer-header: an Authorization that is not Bearer and a token | renewal retry
  first-call-without-token | tries its first call without a token | bearer-header: ^1 read came without the header Authorization
  token-per-call | asks for a token before each call | token-reuse: where 1 would do | no-loop
  new-token-every-third-call | asks for a new token on every third call | token-reuse: where 1 would do
  new-token-every-fortieth-call | asks for a new token on every fortieth call | token-reuse: where 1 would do
  two-tokens-per-refusal | asks for two tokens on each refusal, and uses the second | token-reuse: where \d would do | no-loop
  looks-for-access-token | looks for access_token in the answer, reports that it is missing, and asks again at its next turn | token-member: none was ever sent: the client does not find the token
  cuts-tokens-at-1000 | keeps the first thousand characters of its token | token-member: tokens of other forms.*whole and unchanged | bearer-header
  finds-token-by-pattern | finds its token by a pattern, and not where the JSON has spaces or several lines | token-member: tokens of other forms.*parser of JSON | bearer-header
  takes-token-for-a-word | finds its token by a pattern of letters, digits, dashes and underscores | token-member: tokens of other forms.*whatever characters it has | bearer-header
  quotes-token | sends its token with the quotes that it has in the JSON | bearer-header: Authorization
  sends-undefined | looks for access_token in the answer, and sends the text undefined | token-member: none was ever sent: the reads carried another value as bearer token | bearer-header
  retries-with-old-token | renews its token, and makes the refused call and the next with the old one | dead-token: after it had been refused and token 2 had come in its place | retry renewal no-loop
  sends-old-token-once | renews its token, and makes the refused call with the old one first, and then with the new one | dead-token: ^Token 1 was sent 1 more time after it had been refused and token 2 had come in its place | retry no-loop
  never-renews | goes on with its token forever | renewal: ^Token 1 was sent \d+ more times after its 403, and no new one | retry recovers no-loop
  dies-on-403 | ends when it is refused | renewal: ^On the 403 the client ended by itself with exit code 1, and asked for no new token | retry recovers
  asks-only-once | asks for no other token when a renewal has failed once, and reads on with the old one | renewal: ^After a token request that failed, none followed: token 1 was refused \d+ more times | retry recovers no-loop
  renews-too-late | renews only by its clock, half a lifetime after the token has expired | renewal: more times? after its 403 before a new one was asked for | retry recovers
  no-retry | renews when it is refused, and leaves out what it was refused | retry: asks for something else than the refused one
  waits-its-turn | renews when it is refused, and reads again when its next turn comes | retry: ^The refused request was not made again: with the new token in hand | no-loop
  loops-on-403 | renews and repeats for as long as it is refused, without a pause | no-loop: ^\d+ attempts in a row were refused | token-reuse
  loops-with-pauses | renews and repeats for as long as it is refused, with a pause after each renewal | no-loop: ^\d+ reads in a row were refused, and each time another token was asked for | retry
  hammers-data | repeats a refused call fifty times with the same token, without a pause, before it renews | no-loop: ^\d+ attempts in a row were refused | renewal retry
  three-tokens-per-refusal | tries three new tokens in a row on one refused call | no-loop: ^4 attempts in a row were refused | token-reuse
  stampede | has five readers that each renew for themselves when they are refused | token-reuse: tokens .*where \d would do | no-loop
  crowd-by-the-clock | has eight readers that each renew the token that they share when four fifths of its life are over | token-reuse: tokens .*where \d would do | renewal no-loop
  hammers-token-endpoint | asks for a token without a pause for as long as it gets none | back-off: requests came without a pause | retry-after
  ignores-retry-after | does not wait for as long as Retry-After says | retry-after: ^Asked to wait 2 s, the client called again after
  dies-on-reset | ends when a connection is reset while it reads | recovers: ^The client ended by itself with exit code 1
  dies-without-token | ends when it is once not given a token | recovers: ^The client ended by itself with exit code 1 | renewal retry back-off retry-after
  dies-on-500 | ends when a read is answered with 500 | recovers: ^The client ended by itself with exit code 1
  renews-on-500 | takes a read that is answered with 500 for one whose token has expired | token-reuse: where 1 would do.*Each time a read had failed before`,
  behaviours,
);
