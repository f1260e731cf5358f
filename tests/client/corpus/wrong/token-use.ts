/** Clients that obtain tokens which they do not need, or send those which they should not. */
import type { Token } from '../client.ts';
import { reactive } from '../parts.ts';
import type { WrongClient } from '../subject.ts';

/** The first token of each client; several run in one process. */
const firstTokens = new WeakMap<object, Token>();

/** When each reader of a client renewed its token. */
const clocks = new WeakMap<object, number[]>();

/** Requests this number of tokens in place of one that was refused, and uses the last. */
const renewingWith = (tokens: number, pauseSeconds: number): WrongClient['behaviour'] => ({
  async refused(client, _, turn) {
    let fresh = await client.ask();
    for (let nth = 2; nth <= tokens; nth++) {
      await client.pause(pauseSeconds);
      fresh = await client.ask();
    }
    client.token = fresh;
    return (await client.read(fresh, turn)).status === 200;
  },
});

export const wrongTokenUses: WrongClient[] = [
  {
    name: 'token-per-call',
    summary: 'asks for a token before each call',
    catches: { 'token-reuse': /where 1 would do/ },
    also: ['refresh-once', 'margin'],
    behaviour: { choose: (client) => client.renew() },
  },
  {
    name: 'new-token-every-third-call',
    summary: 'asks for a new token on every third call',
    catches: { 'token-reuse': /where 1 would do/ },
    also: ['margin'],
    behaviour: {
      choose: (client) => (client.reads % 3 === 0 ? client.renew() : reactive.choose(client)),
    },
  },
  {
    name: 'throws-a-token-away',
    summary: 'asks for two tokens at the start and never uses the first',
    catches: { 'token-reuse': /where 1 would do/ },
    behaviour: {
      async start(client) {
        await client.ask();
      },
    },
  },
  {
    name: 'six-tokens-per-refusal',
    summary: 'asks for six tokens on each refusal, and uses the last',
    catches: { 'token-reuse': /where \d would do/ },
    also: ['refresh-once'],
    behaviour: renewingWith(6, 0),
  },
  {
    name: 'two-tokens-per-refusal',
    summary: 'asks for two tokens on each refusal, and uses the second',
    catches: { 'token-reuse': /where \d would do/ },
    also: ['refresh-once'],
    behaviour: renewingWith(2, 0),
  },
  {
    name: 'tokens-a-moment-apart',
    summary: 'asks for three tokens on each refusal, with a moment between them',
    catches: { 'token-reuse': /where \d would do/ },
    also: ['refresh-once', 'retry'],
    behaviour: renewingWith(3, 0.3),
  },
  {
    name: 'tokens-in-store',
    summary: 'asks for a token each second, and uses one only when the last is refused',
    catches: { 'token-reuse': /where \d would do/ },
    also: ['refresh-once', 'stampede'],
    behaviour: {
      async start(client) {
        const storing = async () => {
          for (;;) {
            await client.pause(1);
            await client.ask();
          }
        };
        storing().catch(() => client.end());
      },
    },
  },
  {
    name: 'counts-from-first-token',
    summary: 'renews by its clock, and counts the age of each token from the time of the first',
    catches: { 'token-reuse': /where \d would do/ },
    also: ['margin'],
    behaviour: {
      async choose(client) {
        const { token, env, clock } = client;
        if (!token) {
          const first = await client.renew();
          firstTokens.set(client, first);
          return first;
        }
        const { askedAt } = firstTokens.get(client) ?? token;
        return clock.now() - askedAt < 700 * env.tokenLifetimeSeconds ? token : client.renew();
      },
    },
  },
  {
    name: 'renews-for-each-reader',
    summary: 'has five readers that share a token, and that each renew it by a clock of their own',
    catches: { 'token-reuse': /where \d would do/ },
    also: ['stampede', 'margin'],
    behaviour: {
      readers: 5,
      async choose(client) {
        const reader = client.turns % 5;
        const token = await reactive.choose(client);
        const renewedAt = clocks.get(client) ?? [];
        clocks.set(client, renewedAt);
        renewedAt[reader] ??= token.askedAt;
        if (client.clock.now() - (renewedAt[reader] ?? 0) < 700 * client.env.tokenLifetimeSeconds)
          return token;
        await client.pause(0.03 * reader); // as readers do that did not start together
        client.token = await client.ask();
        renewedAt[reader] = client.token.askedAt;
        return client.token;
      },
    },
  },
  {
    name: 'looks-for-access-token',
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
  {
    name: 'quotes-token',
    summary: 'sends its token with the quotes that it has in the JSON',
    catches: { 'bearer-header': /Authorization/ },
    behaviour: {
      async choose(client) {
        const { value, askedAt } = await reactive.choose(client);
        return { value: JSON.stringify(value), askedAt };
      },
    },
  },
  {
    name: 'sends-undefined',
    summary: 'looks for access_token in the answer, and sends the text undefined',
    catches: { 'token-member': /none was ever sent: the reads carried another value as bearer token/ },
    also: ['bearer-header'],
    behaviour: {
      async choose(client) {
        const { askedAt } = await reactive.choose(client);
        return { value: 'undefined', askedAt };
      },
    },
  },
  {
    name: 'retries-with-old-token',
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
  {
    name: 'keeps-old-token-now-and-then',
    summary: 'sends its first token on every fourth call, however often it has renewed it',
    catches: { 'dead-token': /after it had been refused and token \d had come in its place/ },
    also: ['retry', 'renewal'],
    behaviour: {
      async choose(client) {
        const token = await reactive.choose(client);
        const first = firstTokens.get(client) ?? token;
        firstTokens.set(client, first);
        return client.reads % 4 === 3 ? first : token;
      },
    },
  },
];
