/** Clients that press a service which is in trouble, or give up too soon. */
import { type Client, Exit } from '../client.ts';
import { leavesRefusals, reactive } from '../parts.ts';
import type { WrongClient } from '../subject.ts';

/** As good as none, and yet it leaves the others in this process their turn. */
const HARDLY_A_PAUSE = 0.01;

/** A token of its own for each reader, and the last of them is kept. */
async function renewAlone(client: Client) {
  client.token = await client.ask();
  return client.token;
}

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
  async refused(client, _, turn) {
    return (await client.read(await renewAlone(client), turn)).status === 200;
  },
};

export const wrongInTrouble: WrongClient[] = [
  {
    name: 'loops-on-403',
    summary: 'renews and repeats for as long as it is refused, without a pause',
    catches: { 'no-loop': /^\d+ attempts in a row were refused/ },
    also: ['refresh-once', 'token-reuse'],
    behaviour: {
      async refused(client, token, turn) {
        for (let old = token; ; await client.pause(HARDLY_A_PAUSE)) {
          const fresh = await client.renew(old);
          if ((await client.read(fresh, turn)).status === 200) return true;
          old = fresh;
        }
      },
    },
  },
  {
    name: 'loops-with-pauses',
    summary: 'renews and repeats for as long as it is refused, with a pause after each renewal',
    catches: { 'no-loop': /^\d+ reads in a row were refused, and each time another token was asked for/ },
    also: ['retry'],
    behaviour: {
      async refused(client, token, turn) {
        for (let old = token; ; ) {
          const fresh = await client.renew(old);
          await client.pause(0.5);
          if ((await client.read(fresh, turn)).status === 200) return true;
          old = fresh;
        }
      },
    },
  },
  {
    name: 'hammers-data',
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
  {
    name: 'three-tokens-per-refusal',
    summary: 'tries three new tokens in a row on one refused call',
    catches: { 'refresh-once': /^4 attempts in a row were refused/ },
    also: ['no-loop', 'token-reuse'],
    behaviour: {
      async refused(client, token, turn) {
        let old = token;
        for (let tried = 0; tried < 3; tried++) {
          old = await client.renew(old);
          if ((await client.read(old, turn)).status === 200) return true;
        }
        return false;
      },
    },
  },
  {
    name: 'stampede',
    summary: 'has five readers that each renew for themselves when they are refused',
    catches: {
      stampede: /^[2-5] token requests were under way at once/,
      'token-reuse': /tokens .*where \d would do/,
    },
    also: ['refresh-once'],
    behaviour: { ...inStep(5), ...racing },
  },
  {
    name: 'slow-crowd',
    summary:
      'has eight readers that read once a second and each renew the token that they share when they are refused',
    catches: { 'token-reuse': /tokens .*where \d would do/ },
    also: ['stampede', 'refresh-once', 'retry-after'],
    behaviour: { ...inStep(8, 1), ...racing },
  },
  {
    name: 'crowd-by-the-clock',
    summary:
      'has eight readers that each renew the token that they share when four fifths of its life are over',
    catches: { 'token-reuse': /tokens .*where \d would do/ },
    also: ['stampede', 'margin', 'renewal', 'refresh-once'],
    behaviour: {
      ...inStep(8),
      ...leavesRefusals,
      async choose(client) {
        const { token, env, clock } = client;
        const isYoung = token && clock.now() - token.askedAt < 800 * env.tokenLifetimeSeconds;
        return isYoung ? token : renewAlone(client);
      },
    },
  },
  {
    name: 'hammers-token-endpoint',
    summary: 'asks for a token without a pause for as long as it gets none',
    catches: {
      'back-off': /token requests came without a pause while the token endpoint failed/,
      'token-reuse': /^\d+ token requests in \d+\.\d s, with hardly a pause, while the token endpoint failed/,
    },
    also: ['retry-after'],
    behaviour: { tokenFailed: (client) => client.pause(HARDLY_A_PAUSE) },
  },
  {
    name: 'ignores-retry-after',
    summary: 'does not wait for as long as Retry-After says',
    catches: { 'retry-after': /^Asked to wait 2 s, the client called again after/ },
    behaviour: { tokenFailed: (client, failures) => reactive.tokenFailed(client, failures, undefined) },
  },
  {
    name: 'dies-on-reset',
    summary: 'ends when a connection is reset while it reads',
    catches: { recovers: /^The client ended by itself with exit code 1/ },
    behaviour: {
      async unreachable(_, error) {
        throw new Exit(1, String(error));
      },
    },
  },
  {
    name: 'dies-without-token',
    summary: 'ends when it is once not given a token',
    catches: { recovers: /^The client ended by itself with exit code 1/ },
    also: ['renewal', 'retry', 'back-off', 'retry-after'],
    behaviour: {
      async tokenFailed(_client, _failures, answer) {
        throw new Exit(1, `no token: ${answer?.status ?? 'no answer'}`);
      },
    },
  },
  {
    name: 'dies-on-500',
    summary: 'ends when a read is answered with 500',
    catches: { recovers: /^The client ended by itself with exit code 1/ },
    behaviour: {
      async send(client, request) {
        const answer = await reactive.send(client, request);
        if (request.method === 'GET' && answer.status === 500) throw new Exit(1, 'a read failed');
        return answer;
      },
    },
  },
  {
    name: 'renews-on-500',
    summary: 'takes a read that is answered with 500 for one whose token has expired',
    catches: { 'token-reuse': /where 1 would do.*Each time a read had failed before/ },
    behaviour: {
      async send(client, request) {
        const answer = await reactive.send(client, request);
        return request.method === 'GET' && answer.status === 500 ? { ...answer, status: 403 } : answer;
      },
    },
  },
];
