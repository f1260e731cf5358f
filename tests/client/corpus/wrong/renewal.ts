/** Clients that do the wrong thing when their token has expired. */
import { Exit } from '../client.ts';
import { pages } from '../pages.ts';
import { leavesRefusals, reactive, renewingAt } from '../parts.ts';
import type { WrongClient } from '../subject.ts';

/** Calls refused in a row, of each client. */
const refusals = new WeakMap<object, number>();

/** Those that were once not given a token. */
const givenUp = new WeakSet<object>();

export const wrongRenewals: WrongClient[] = [
  {
    name: 'never-renews',
    summary: 'goes on with its token for ever',
    catches: { renewal: /^No new token was asked for: token 1 was sent \d+ more times/ },
    also: ['retry', 'recovers', 'no-loop'],
    behaviour: leavesRefusals,
  },
  {
    name: 'dies-on-403',
    summary: 'ends when it is refused',
    catches: {
      renewal: /^On the 403 the client ended by itself with exit code 1, and asked for no new token/,
    },
    also: ['retry', 'recovers'],
    behaviour: {
      async refused() {
        throw new Exit(1, 'refused');
      },
    },
  },
  {
    name: 'three-strikes',
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
  {
    name: 'asks-only-once',
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
        return (await client.read(client.token, turn)).status === 200;
      },
    },
  },
  {
    name: 'renews-too-late',
    summary: 'renews only by its clock, half a lifetime after the token has expired',
    catches: { renewal: /more times? after its 403 before a new one was asked for/ },
    also: ['margin', 'retry', 'recovers'],
    behaviour: { ...renewingAt(1.5), ...leavesRefusals },
  },
  {
    name: 'no-retry',
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
  {
    name: 'waits-its-turn',
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
  {
    name: 'forgets-its-token',
    summary: 'lets go of its token when it is refused, and asks for another when its next turn comes',
    catches: { retry: /^A new token was asked for only when the next read was due/ },
    behaviour: {
      async refused(client) {
        client.token = undefined;
        return true;
      },
    },
  },
  {
    name: 'retries-other-request',
    summary: 'renews when it is refused, and asks for something else then',
    catches: { retry: /asks for something else than the refused one/ },
    behaviour: {
      ...pages,
      async refused(client, token) {
        const { status } = await client.read(await client.renew(token), ++client.turns);
        return status === 200;
      },
    },
  },
  {
    name: 'parses-403-body',
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
];
