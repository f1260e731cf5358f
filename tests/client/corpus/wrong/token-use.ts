/** Clients that obtain tokens which they do not need, or send those which they should not. */
import type { Token } from '../client.ts';
import { reactive } from '../parts.ts';
import type { WrongClient } from '../subject.ts';

/** The first token of each client; several run in one process. */
const firstTokens = new WeakMap<object, Token>();

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
    catches: { 'unused-token': /^1 token of \d+ never carried a call/ },
    also: ['token-reuse'],
    behaviour: {
      async start(client) {
        await client.ask();
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
