/** Clients that differ in when and how often they do something. */
import { type Client, Exit, type Parts } from '../client.ts';
import { pages } from '../pages.ts';
import { leavesRefusals, proactive, reactive, renewingAt } from '../parts.ts';
import type { PermittedClient } from '../subject.ts';

/** Renews this number of seconds before the agreed expiry. */
const renewingBefore = (reserveSeconds: number): Pick<Parts, 'choose'> => ({
  async choose(client) {
    const { token, env, clock } = client;
    const left = token && token.askedAt / 1000 + env.tokenLifetimeSeconds - clock.now() / 1000;
    return token && left !== undefined && left > reserveSeconds ? token : client.renew();
  },
});

/** How many reads it has in a turn, and how long it pauses after the last of them, in seconds. */
const QUEUE = 6;
const QUEUE_PAUSE = 0.3;

/** Its requests, one after the other: those that wait for the connection keep the token that they were made with. */
const connections = new WeakMap<Client, Promise<unknown>>();

/** Those of its readers that are done with their turn. */
const done = new WeakMap<Client, (() => void)[]>();

/** Until all readers are done, and a pause after that: on a busy machine, too, their turns stay apart. */
async function turnOfAll(client: Client): Promise<void> {
  const { signal } = client.connections;
  signal.throwIfAborted();
  const waiting = done.get(client) ?? [];
  const release = () => waiting.splice(0).forEach((resolve) => void resolve());
  if (!done.has(client)) signal.addEventListener('abort', release); // a reader that was stopped never comes
  done.set(client, waiting);
  const next = new Promise<void>((resolve) => waiting.push(resolve));
  if (waiting.length === QUEUE) await client.pause(QUEUE_PAUSE).finally(release);
  return next;
}

export const permittedInTime: PermittedClient[] = [
  {
    name: 'queued-reads',
    summary:
      'has six reads at a time on one connection, and repeats each that was refused with the one new token',
    strategy: 'reactive',
    behaviour: {
      readers: QUEUE,
      pollSeconds: 0,
      beside: turnOfAll,
      send(client, request) {
        const before = connections.get(client) ?? Promise.resolve();
        const answer = before.then(() => reactive.send(client, request));
        connections.set(
          client,
          answer.catch(() => undefined),
        );
        return answer;
      },
    },
  },
  {
    name: 'checks-by-head',
    summary: 'asks by HEAD before each read, and reads only if that is answered with 200',
    strategy: 'reactive',
    behaviour: {
      async send(client, request) {
        if (request.method === 'POST') return reactive.send(client, request);
        const head = await reactive.send(client, { ...request, method: 'HEAD' });
        return head.status === 200 ? reactive.send(client, request) : head;
      },
    },
  },
  {
    name: 'reactive',
    summary: 'renews when it is refused, and makes the refused call again',
    strategy: 'reactive',
    behaviour: {},
  },
  {
    name: 'proactive',
    summary: 'renews only by its clock',
    strategy: 'proactive',
    behaviour: proactive,
  },
  {
    name: 'both-strategies',
    summary: 'renews by its clock, and when it is refused all the same',
    strategy: 'both',
    behaviour: renewingAt(0.8),
  },
  {
    name: 'renews-far-ahead',
    summary: 'renews when half of the lifetime is over',
    strategy: 'proactive',
    behaviour: { ...renewingAt(0.5), ...leavesRefusals },
  },
  {
    name: 'renews-late',
    summary: 'renews when nine tenths of the lifetime are over',
    strategy: 'proactive',
    behaviour: { ...renewingAt(0.9), ...leavesRefusals },
  },
  {
    name: 'fixed-margin',
    summary: 'renews a minute before its token expires, however short the lifetime is',
    strategy: 'proactive',
    behaviour: { ...renewingBefore(60), ...leavesRefusals },
  },
  {
    name: 'ten-seconds-in-reserve',
    summary: 'renews ten seconds before its token expires, however short the lifetime is',
    strategy: 'proactive',
    behaviour: { ...renewingBefore(10), ...leavesRefusals },
  },
  {
    name: 'reserve-and-403',
    summary: 'renews a minute before its token expires, and when it is refused all the same',
    strategy: 'both',
    behaviour: renewingBefore(60),
  },
  {
    name: 'tries-again-soon',
    summary: 'repeats a token request that failed after a moment, and waits longer each time',
    strategy: 'reactive',
    behaviour: {
      tokenFailed: (client, failures, answer) =>
        client.pause(Math.max(0.15 * 2 ** failures, answer?.retryAfterSeconds ?? 0)),
    },
  },
  {
    name: 'timer',
    summary: 'renews by a timer, whether anything is read or not',
    strategy: 'proactive',
    behaviour: {
      ...leavesRefusals,
      async start(client) {
        await client.renew();
        const renewing = async () => {
          for (;;) {
            await client.pause(0.7 * client.env.tokenLifetimeSeconds);
            await client.renew();
          }
        };
        renewing().catch(() => client.end());
      },
    },
  },
  {
    name: 'slow-poll',
    summary: 'reads once a second',
    strategy: 'reactive',
    behaviour: { pollSeconds: 1 },
  },
  {
    name: 'fast-poll',
    summary: 'reads thirty times a second',
    strategy: 'reactive',
    behaviour: { pollSeconds: 0.03 },
  },
  {
    name: 'pages',
    summary: 'asks for another page each time, and for the refused one again',
    strategy: 'reactive',
    behaviour: pages,
  },
  {
    name: 'retries-after-a-moment',
    summary: 'waits for 40 ms before it makes the refused call again',
    strategy: 'reactive',
    behaviour: {
      async refused(client, token, turn) {
        const fresh = await client.renew(token);
        await client.pause(0.04);
        return (await client.read(fresh, turn)).status === 200;
      },
    },
  },
  {
    name: 'parallel-readers',
    summary: 'has five readers that share each token request',
    strategy: 'reactive',
    behaviour: { readers: 5 },
  },
  {
    name: 'parallel-proactive',
    summary: 'has five readers that share a token which is renewed by the clock',
    strategy: 'proactive',
    behaviour: { ...proactive, readers: 5 },
  },
  {
    name: 'token-per-reader-at-start',
    summary: 'has five readers that each ask for a token at the start, and share the last',
    strategy: 'reactive',
    warns: {
      stampede: /token requests were under way at once/,
    },
    behaviour: {
      readers: 5,
      async start(client) {
        const tokens = await Promise.all(Array.from({ length: 5 }, () => client.ask()));
        client.token = tokens.at(-1);
      },
    },
  },
  {
    name: 'parallel-both',
    summary: 'has five readers that share a token which is renewed by the clock and on a 403',
    strategy: 'both',
    behaviour: { ...renewingAt(0.8), readers: 5 },
  },
  {
    name: 'two-proactive-processes',
    summary: 'runs as two processes that each renew by their clock',
    strategy: 'proactive',
    processes: 2,
    behaviour: proactive,
  },
  {
    name: 'three-processes',
    summary: 'runs as three processes with the same credentials, each with a token of its own',
    strategy: 'reactive',
    processes: 3,
    behaviour: {},
  },
  {
    name: 'exits-on-lasting-403',
    summary: 'ends with exit code 1 when a fresh token is refused as well',
    strategy: 'reactive',
    behaviour: {
      async refused(client, token, turn, answer) {
        if (await reactive.refused(client, token, turn, answer)) return true;
        throw new Exit(1, 'a fresh token was refused');
      },
    },
  },
];
