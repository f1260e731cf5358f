/** Every client that an examination of clients must catch. */
import { type Client, Exit, type Parts } from './client.ts';
import type { Answered, Outgoing } from './connections.ts';
import { asking, leavesRefusals, pages, reactive, reading, renewingAt } from './parts.ts';
import { named, type WrongClient } from './subject.ts';

/** A form in the body of a GET, where nobody looks for one. */
const withForm = ({ headers }: Outgoing, body: string): Partial<Outgoing> => ({
  headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
  body,
});

const withoutToken = ({ headers: { Authorization: _, ...headers } }: Outgoing) => headers;

const withCredentials = ({ url }: Outgoing, { env }: Client): Partial<Outgoing> => ({
  url: `${url}?${new URLSearchParams({ client_id: env.clientId, client_secret: env.clientSecret })}`,
});

const withBasic = ({ headers }: Outgoing, { env }: Client) => {
  const credentials = Buffer.from(`${env.clientId}:${env.clientSecret}`).toString('base64');
  return { headers: { ...headers, Authorization: `Basic ${credentials}` } };
};

/** Sends another value than its token. */
const sendingAs = (change: (value: string) => string): Pick<Parts, 'choose'> => ({
  async choose(client) {
    const { value, askedAt } = await reactive.choose(client);
    return { value: change(value), askedAt };
  },
});

/** Requests this number of tokens in place of one that was refused, and uses the last. */
const renewingWith = (tokens: number, pauseSeconds: number): Pick<Parts, 'refused'> => ({
  async refused(client, _, turn) {
    for (let nth = 1; nth < tokens; nth++) {
      await client.ask();
      await client.pause(pauseSeconds);
    }
    return client.reread(await client.replace(), turn);
  },
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

/** When each reader of a client renewed its token. */
const clocks = new WeakMap<object, number[]>();

/** Calls refused in a row, of each client. */
const refusals = new WeakMap<object, number>();

/** Those that were once not given a token. */
const givenUp = new WeakSet<object>();

/** As good as none, and yet it leaves the others in this process their turn. */
const HARDLY_A_PAUSE = 0.01;

/** Readers that wait for the same moments: on a busy machine, those who each only pause would soon take turns. */
const inStep = (readers: number, pollSeconds?: number): WrongClient['behaviour'] => ({
  readers,
  pollSeconds: 0,
  async beside(client) {
    const period = pollSeconds ?? client.env.pollSeconds;
    await client.pause(period - ((client.clock.now() / 1000) % period));
  },
});

/** Each reader renews for itself. */
const racing: WrongClient['behaviour'] = {
  refused: async (client, _, turn) => client.reread(await client.replace(), turn),
};

const needlessTokens = { 'token-reuse': /where \d would do/ };
const endedByItself = { recovers: /^The client ended by itself with exit code 1/ };

export const wrongClients = named<WrongClient>({
  // Token requests that are wrong.
  'token-without-slash': {
    summary: 'leaves out the slash at the end of the path of the token endpoint',
    catches: {
      'token-path': /^It sent POST \/token, which is answered with 404.* Use the path \/token\/ as it is/,
    },
    behaviour: asking(({ url }) => ({ url: url.replace(/\/$/, '') })),
  },
  'form-not-encoded': {
    summary: 'puts its credentials into the form as they are, whatever they hold',
    catches: { 'form-fields': /not encoded as forms are/ },
    behaviour: asking((_, { env }) => ({
      body: `grant_type=client_credentials&client_id=${env.clientId}&client_secret=${env.clientSecret}`,
    })),
  },
  'json-body': {
    summary: 'sends its credentials as JSON',
    catches: { 'form-content-type': /was "application\/json"/ },
    also: ['form-fields', 'back-off'],
    behaviour: asking(({ headers, body }) => ({
      headers: { ...headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(Object.fromEntries(new URLSearchParams(body))),
    })),
  },
  'no-content-type': {
    summary: 'sends a form and does not say that it is one',
    catches: { 'form-content-type': /was none/ },
    also: ['form-fields', 'back-off'],
    behaviour: asking(({ headers: { Accept = '' } }) => ({ headers: { Accept } })),
  },
  'no-accept-on-token': {
    summary: 'asks for a token without a header Accept',
    catches: { 'token-accept': /was none/ },
    behaviour: asking(({ headers: { Accept: _, ...headers } }) => ({ headers })),
  },
  'no-grant-type': {
    summary: 'leaves grant_type out of the form',
    catches: { 'form-fields': /^A token request came without grant_type/ },
    also: ['back-off'],
    behaviour: asking(({ body }) => {
      const form = new URLSearchParams(body);
      form.delete('grant_type');
      return { body: String(form) };
    }),
  },
  'other-grant-type': {
    summary: 'writes the grant type in upper case',
    catches: { 'form-fields': /^A token request came with another grant_type than client_credentials/ },
    also: ['back-off'],
    behaviour: asking(({ body = '' }) => ({
      body: body.replace('client_credentials', 'CLIENT_CREDENTIALS'),
    })),
  },
  'secret-twice': {
    summary: 'has its secret in the form twice',
    catches: { 'form-fields': /with a field that is empty, is there twice, or was not encoded/ },
    also: ['back-off'],
    behaviour: asking(({ body }, { env }) => ({
      body: `${body}&${new URLSearchParams({ client_secret: env.clientSecret })}`,
    })),
  },
  'secret-in-query': {
    summary: 'sends its credentials in the query as well',
    catches: { 'credentials-place': /^The client secret was in the query of/ },
    behaviour: asking(withCredentials),
  },
  'secret-in-header': {
    summary: 'sends its credentials in the header Authorization as well',
    catches: { 'credentials-place': /^The client secret was in the header of/ },
    also: ['token-request-without-token'],
    behaviour: asking(withBasic),
  },
  'http-basic': {
    summary: 'sends its credentials by HTTP Basic, and none in the form',
    catches: {
      'form-fields':
        /^A token request came without client_id and client_secret\. .*HTTP Basic.*client_secret_post.*access_token\.$/,
      'credentials-place': /HTTP Basic.*client_secret_post/,
    },
    also: ['token-request-without-token', 'back-off'],
    behaviour: asking((right, client) => ({
      ...withBasic(right, client),
      body: 'grant_type=client_credentials',
    })),
  },
  'bearer-on-token-request': {
    summary: 'sends its old token when it asks for a new one',
    catches: { 'token-request-without-token': /token requests? had an Authorization header/ },
    also: ['dead-token'],
    behaviour: asking(({ headers }, { token }) => ({
      headers: token ? { ...headers, Authorization: `Bearer ${token.value}` } : headers,
    })),
  },
  'other-secret-on-renewal': {
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
  // Reads that are wrong, or take the token where it does not belong.
  'data-without-slash': {
    summary: 'leaves out the slash at the end of the path of the data',
    catches: {
      'data-path': /^It sent GET \/ods_data, which is answered with 404.* Use the path \/ods_data\/ as it is/,
    },
    behaviour: reading(({ url }) => ({ url: url.replace(/\/$/, '') })),
  },
  'double-slash': {
    summary: 'joins the base URL and the path of the data with two slashes',
    catches: { 'data-path': /^It sent GET \/\/ods_data\/, which is answered with 404.* one slash before it/ },
    behaviour: reading(({ url }) => ({ url: url.replace(/\/ods_data/, '//ods_data') })),
  },
  'posts-for-data': {
    summary: 'reads the data by POST',
    catches: {
      'data-path': /^It sent POST \/ods_data\/, which is answered with 405.* Use the method GET\.$/,
    },
    behaviour: reading(() => ({ method: 'POST' })),
  },
  'accepts-anything-on-data': {
    summary: 'accepts any type when it reads',
    catches: { 'data-accept': /^The accept header of \d+ reads? was "\*\/\*"/ },
    behaviour: reading(({ headers }) => ({ headers: { ...headers, Accept: '*/*' } })),
  },
  'token-in-cookie': {
    summary: 'sends its token in a cookie as well',
    catches: { 'token-place': /^A token was in the header of/ },
    behaviour: reading(({ headers }, { value }) => ({ headers: { ...headers, Cookie: `token=${value}` } })),
  },
  'token-in-own-header': {
    summary: 'sends its token in a header of its own making as well',
    catches: { 'token-place': /^A token was in the header of/ },
    behaviour: reading(({ headers }, { value }) => ({ headers: { ...headers, 'X-Access-Token': value } })),
  },
  'no-accept-on-data': {
    summary: 'reads without a header Accept',
    catches: { 'data-accept': /^The accept header of \d+ reads? was none/ },
    behaviour: reading(({ headers: { Accept: _, ...headers } }) => ({ headers })),
  },
  'token-in-query': {
    summary: 'sends its token in the query as well',
    catches: { 'token-place': /^A token was in the query of/ },
    behaviour: reading(({ url }, { value }) => ({ url: `${url}?access_token=${value}` })),
  },
  'token-in-body': {
    summary: 'sends its token in a body as well when it reads',
    catches: { 'token-place': /^A token was in the body of/ },
    behaviour: reading((right, { value }) => withForm(right, `access_token=${value}`)),
  },
  'secret-in-data-body': {
    summary: 'sends its credentials in a body when it reads',
    catches: { 'credentials-place': /^The client secret was in the body of/ },
    behaviour: reading((right, _, client) => withForm(right, reactive.tokenRequest(client).body ?? '')),
  },
  'secret-in-data-query': {
    summary: 'sends its credentials in the query when it reads',
    catches: { 'credentials-place': /^The client secret was in the query of/ },
    behaviour: reading((right, _, client) => withCredentials(right, client)),
  },
  'no-bearer-word': {
    summary: 'sends its token without the word Bearer',
    catches: { 'bearer-header': /an Authorization that is not Bearer and a token/ },
    also: ['renewal', 'retry'],
    behaviour: reading(({ headers }, { value }) => ({ headers: { ...headers, Authorization: value } })),
  },
  'first-call-without-token': {
    summary: 'tries its first call without a token',
    catches: { 'bearer-header': /^1 read came without the header Authorization/ },
    behaviour: {
      async start(client) {
        const right = reactive.dataRequest(client, { value: 'none', askedAt: 0 }, 0);
        await client.send({ ...right, headers: withoutToken(right) });
      },
    },
  },
  'every-fifth-call-without-token': {
    summary: 'leaves the token out of every fifth call',
    catches: { 'bearer-header': /reads? came without the header Authorization/ },
    also: ['renewal', 'retry'],
    behaviour: reading((right, _, { reads }) => (reads % 5 ? {} : { headers: withoutToken(right) })),
  },
  // Tokens that are not needed, or sent where they should not be.
  'token-per-call': {
    summary: 'asks for a token before each call',
    catches: { 'token-reuse': /where 1 would do/ },
    also: ['refresh-once', 'margin'],
    behaviour: { choose: (client) => client.renew() },
  },
  'new-token-every-third-call': {
    summary: 'asks for a new token on every third call',
    catches: { 'token-reuse': /where 1 would do/ },
    also: ['margin'],
    behaviour: {
      choose: (client) => (client.reads % 3 === 0 ? client.renew() : reactive.choose(client)),
    },
  },
  'throws-a-token-away': {
    summary: 'asks for two tokens at the start and never uses the first',
    catches: { 'token-reuse': /where 1 would do/ },
    behaviour: {
      async start(client) {
        await client.ask();
      },
    },
  },
  'six-tokens-per-refusal': {
    summary: 'asks for six tokens on each refusal, and uses the last',
    catches: needlessTokens,
    also: ['refresh-once'],
    behaviour: renewingWith(6, 0),
  },
  'two-tokens-per-refusal': {
    summary: 'asks for two tokens on each refusal, and uses the second',
    catches: needlessTokens,
    also: ['refresh-once'],
    behaviour: renewingWith(2, 0),
  },
  'tokens-a-moment-apart': {
    summary: 'asks for three tokens on each refusal, with a moment between them',
    catches: needlessTokens,
    also: ['refresh-once', 'retry'],
    behaviour: renewingWith(3, 0.3),
  },
  'tokens-in-store': {
    summary: 'asks for a token each second, and uses one only when the last is refused',
    catches: needlessTokens,
    also: ['refresh-once', 'stampede'],
    behaviour: {
      async start(client) {
        client.repeat(1, () => client.ask());
      },
    },
  },
  'counts-from-first-token': {
    summary: 'renews by its clock, and counts the age of each token from the time of the first',
    catches: needlessTokens,
    also: ['margin'],
    behaviour: {
      async choose(client) {
        const { token, first, env, clock } = client;
        if (!token || !first) return client.renew();
        return clock.now() - first.askedAt < 700 * env.tokenLifetimeSeconds ? token : client.renew();
      },
    },
  },
  'renews-for-each-reader': {
    summary: 'has five readers that share a token, and that each renew it by a clock of their own',
    catches: needlessTokens,
    also: ['stampede', 'margin'],
    behaviour: {
      readers: 5,
      async choose(client) {
        const reader = client.turns % 5;
        const token = await reactive.choose(client);
        const renewedAt = clocks.get(client) ?? [];
        clocks.set(client, renewedAt);
        renewedAt[reader] ??= token.askedAt;
        if (client.clock.now() - renewedAt[reader] < 700 * client.env.tokenLifetimeSeconds) return token;
        await client.pause(0.03 * reader); // as readers do that did not start together
        const fresh = await client.replace();
        renewedAt[reader] = fresh.askedAt;
        return fresh;
      },
    },
  },
  'looks-for-access-token': {
    summary:
      'looks for access_token in the answer, reports that it is missing, and asks again at its next turn',
    catches: { 'token-member': /none was ever sent: the client does not find the token/ },
    behaviour: {
      async choose(client) {
        await client.ask();
        throw new Error('access_token is missing');
      },
    },
  },
  'quotes-token': {
    summary: 'sends its token with the quotes that it has in the JSON',
    catches: { 'bearer-header': /Authorization/ },
    behaviour: sendingAs(JSON.stringify),
  },
  'sends-undefined': {
    summary: 'looks for access_token in the answer, and sends the text undefined',
    catches: { 'token-member': /none was ever sent: the reads carried another value as bearer token/ },
    also: ['bearer-header'],
    behaviour: sendingAs(() => 'undefined'),
  },
  'retries-with-old-token': {
    summary: 'renews its token, and makes the refused call and the next with the old one',
    catches: { 'dead-token': /after it had been refused and token 2 had come in its place/ },
    also: ['retry', 'renewal', 'refresh-once'],
    behaviour: {
      async refused(client, token, turn) {
        await client.renew(token);
        await client.read(token, turn);
        await client.read(token, turn);
        return false;
      },
    },
  },
  'keeps-old-token-now-and-then': {
    summary: 'sends its first token on every fourth call, however often it has renewed it',
    catches: { 'dead-token': /after it had been refused and token \d had come in its place/ },
    also: ['retry', 'renewal'],
    behaviour: {
      async choose(client) {
        const token = await reactive.choose(client);
        return client.reads % 4 === 3 ? (client.first ?? token) : token;
      },
    },
  },
  // What is wrong when a token has expired.
  'never-renews': {
    summary: 'goes on with its token for ever',
    catches: { renewal: /^No new token was asked for: token 1 was sent \d+ more times/ },
    also: ['retry', 'recovers', 'no-loop'],
    behaviour: leavesRefusals,
  },
  'dies-on-403': {
    summary: 'ends when it is refused',
    catches: {
      renewal: /^On the 403 the client ended by itself with exit code 1, and asked for no new token/,
    },
    also: ['retry', 'recovers'],
    behaviour: { refused: dies('refused') },
  },
  'three-strikes': {
    summary: 'renews when it was refused three times in a row',
    catches: { renewal: /^Token 1 was sent 2 more times after its 403 before/ },
    also: ['retry', 'no-loop'],
    behaviour: {
      async refused(client, token, turn, answer) {
        const strikes = (refusals.get(client) ?? 0) + 1;
        refusals.set(client, strikes % 3);
        return strikes === 3 && reactive.refused(client, token, turn, answer);
      },
    },
  },
  'asks-only-once': {
    summary: 'asks for no other token when a renewal has failed once, and reads on with the old one',
    catches: {
      renewal: /^After a token request that failed, none followed: token 1 was refused \d+ more times/,
    },
    also: ['retry', 'recovers', 'no-loop'],
    behaviour: {
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
  },
  'renews-too-late': {
    summary: 'renews only by its clock, half a lifetime after the token has expired',
    catches: { renewal: /more times? after its 403 before a new one was asked for/ },
    also: ['margin', 'retry', 'recovers'],
    behaviour: { ...renewingAt(1.5), ...leavesRefusals },
  },
  'no-retry': {
    summary: 'renews when it is refused, and leaves out what it was refused',
    catches: { retry: /asks for something else than the refused one/ },
    behaviour: {
      ...pages,
      async refused(client, token) {
        await client.renew(token);
        return false;
      },
    },
  },
  'waits-its-turn': {
    summary: 'renews when it is refused, and reads again when its next turn comes',
    catches: { retry: /^The refused request was not made again: with the new token in hand/ },
    also: ['no-loop'],
    behaviour: {
      async refused(client, token) {
        await client.renew(token);
        return true;
      },
    },
  },
  'forgets-its-token': {
    summary: 'lets go of its token when it is refused, and asks for another when its next turn comes',
    catches: { retry: /^A new token was asked for only when the next read was due/ },
    behaviour: {
      async refused(client) {
        client.token = undefined;
        return true;
      },
    },
  },
  'retries-other-request': {
    summary: 'renews when it is refused, and asks for something else then',
    catches: { retry: /asks for something else than the refused one/ },
    behaviour: {
      ...pages,
      refused: async (client, token) => client.reread(await client.renew(token), ++client.turns),
    },
  },
  'parses-403-body': {
    summary: 'reads the body of a 403 as JSON, and ends where it is none',
    catches: { renewal: /^On the 403 the client ended by itself with exit code 1/ },
    also: ['retry', 'recovers'],
    behaviour: {
      async refused(client, token, turn, answer) {
        try {
          JSON.parse(answer.text);
        } catch (error) {
          throw new Exit(1, String(error));
        }
        return reactive.refused(client, token, turn, answer);
      },
    },
  },
  // Pressing a service in trouble, or giving up too soon.
  'loops-on-403': {
    summary: 'renews and repeats for as long as it is refused, without a pause',
    catches: { 'no-loop': /^\d+ attempts in a row were refused/ },
    also: ['refresh-once', 'token-reuse'],
    behaviour: repeating(Number.POSITIVE_INFINITY, 0, HARDLY_A_PAUSE),
  },
  'loops-with-pauses': {
    summary: 'renews and repeats for as long as it is refused, with a pause after each renewal',
    catches: { 'no-loop': /^\d+ reads in a row were refused, and each time another token was asked for/ },
    also: ['retry'],
    behaviour: repeating(Number.POSITIVE_INFINITY, 0.5),
  },
  'hammers-data': {
    summary: 'repeats a refused call fifty times with the same token, without a pause, before it renews',
    catches: { 'no-loop': /^\d+ attempts in a row were refused/ },
    also: ['renewal', 'retry', 'refresh-once'],
    behaviour: {
      async refused(client, token, turn, answer) {
        for (let repeated = 0; repeated < 50; repeated++) {
          await client.read(token, turn);
          await client.pause(HARDLY_A_PAUSE);
        }
        return reactive.refused(client, token, turn, answer);
      },
    },
  },
  'three-tokens-per-refusal': {
    summary: 'tries three new tokens in a row on one refused call',
    catches: { 'refresh-once': /^4 attempts in a row were refused/ },
    also: ['no-loop', 'token-reuse'],
    behaviour: repeating(3),
  },
  stampede: {
    summary: 'has five readers that each renew for themselves when they are refused',
    catches: {
      stampede: /^[2-5] token requests were under way at once/,
      'token-reuse': /tokens .*where \d would do/,
    },
    also: ['refresh-once'],
    behaviour: { ...inStep(5), ...racing },
  },
  'slow-crowd': {
    summary:
      'has eight readers that read once a second and each renew the token that they share when they are refused',
    catches: { 'token-reuse': /tokens .*where \d would do/ },
    also: ['stampede', 'refresh-once', 'retry-after'],
    behaviour: { ...inStep(8, 1), ...racing },
  },
  'crowd-by-the-clock': {
    summary:
      'has eight readers that each renew the token that they share when four fifths of its life are over',
    catches: { 'token-reuse': /tokens .*where \d would do/ },
    also: ['stampede', 'margin', 'renewal', 'refresh-once'],
    behaviour: {
      ...inStep(8),
      ...leavesRefusals,
      ...renewingAt(0.8, (client) => client.replace()),
    },
  },
  'hammers-token-endpoint': {
    summary: 'asks for a token without a pause for as long as it gets none',
    catches: {
      'back-off': /token requests came without a pause while the token endpoint failed/,
      'token-reuse': /^\d+ token requests in \d+\.\d s, with hardly a pause, while the token endpoint failed/,
    },
    also: ['retry-after'],
    behaviour: { tokenFailed: (client) => client.pause(HARDLY_A_PAUSE) },
  },
  'ignores-retry-after': {
    summary: 'does not wait for as long as Retry-After says',
    catches: { 'retry-after': /^Asked to wait 2 s, the client called again after/ },
    behaviour: { tokenFailed: (client, failures) => reactive.tokenFailed(client, failures, undefined) },
  },
  'dies-on-reset': {
    summary: 'ends when a connection is reset while it reads',
    catches: endedByItself,
    behaviour: { unreachable: dies('no answer') },
  },
  'dies-without-token': {
    summary: 'ends when it is once not given a token',
    catches: endedByItself,
    also: ['renewal', 'retry', 'back-off', 'retry-after'],
    behaviour: { tokenFailed: dies('no token') },
  },
  'dies-on-500': {
    summary: 'ends when a read is answered with 500',
    catches: endedByItself,
    behaviour: taking500(() => {
      throw new Exit(1, 'a read failed');
    }),
  },
  'renews-on-500': {
    summary: 'takes a read that is answered with 500 for one whose token has expired',
    catches: { 'token-reuse': /where 1 would do.*Each time a read had failed before/ },
    behaviour: taking500((answer) => ({ ...answer, status: 403 })),
  },
});
