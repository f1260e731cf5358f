/** Every client that an examination of clients must accept, however unlike the others it is. */
import { type Client, Exit, type Parts } from './client.ts';
import {
  asking,
  leavesRefusals,
  pages,
  proactive,
  reactive,
  reading,
  renewingAt,
  renewingBefore,
} from './parts.ts';
import { rowsIn } from './subject.ts';

/** The last thing in the queue of a client. */
const queues = new WeakMap<Client, Promise<unknown>>();

/** Does one thing after the other: requests that wait keep the token that they were made with. */
function queued<Result>(client: Client, act: () => Promise<Result>): Promise<Result> {
  const result = (queues.get(client) ?? Promise.resolve()).then(act);
  queues.set(
    client,
    result.catch(() => undefined),
  );
  return result;
}

/** One connection for all that it sends. */
const onOneConnection: Pick<Parts, 'send'> = {
  send: (client, request) => queued(client, () => reactive.send(client, request)),
};

/** Begins thirty reads at a time, and pauses when it has them all. */
const thirtyAtATime: Pick<Parts, 'beside'> = {
  async beside(client) {
    for (; ; await client.pause(0.3)) await Promise.all(Array.from({ length: 30 }, () => client.turn()));
  },
};

/** Begins a read each 150 ms, whatever comes back. */
const byTimer: Pick<Parts, 'beside'> = {
  async beside(client) {
    for (; ; await client.pause(0.15)) client.turn().catch(() => client.end());
  },
};

/** A read and what follows from it wait in one queue, with the token that it had as it came there. */
const inOneQueue: Pick<Parts, 'send' | 'refused'> = {
  ...leavesRefusals,
  async send(client, request) {
    if (request.method === 'POST') return reactive.send(client, request);
    return queued(client, async () => {
      const answer = await reactive.send(client, request);
      if (answer.status !== 403) return answer;
      const isNewest = request.headers.Authorization === `Bearer ${client.token?.value}`;
      const token = isNewest ? await client.renew() : await reactive.choose(client);
      return reactive.send(client, reactive.dataRequest(client, token, 0));
    });
  },
};

const behaviours: Readonly<Record<string, Partial<Parts>>> = {
  // In when and how often they do something.
  'thirty-queued-reads': { ...thirtyAtATime, ...onOneConnection },
  'queued-requests': { ...thirtyAtATime, ...inOneQueue },
  'reads-by-timer': { ...byTimer, ...onOneConnection },
  'queues-by-timer': { ...byTimer, ...inOneQueue },
  'checks-by-head': {
    async send(client, request) {
      if (request.method === 'POST') return reactive.send(client, request);
      const head = await reactive.send(client, { ...request, method: 'HEAD' });
      return head.status === 200 ? reactive.send(client, request) : head;
    },
  },
  reactive: {},
  proactive: proactive,
  'both-strategies': renewingAt(0.8),
  'ignores-403': { ...renewingAt(0.8), refused: async () => true },
  'renews-late': { ...renewingAt(0.9), ...leavesRefusals },
  'fixed-margin': { ...renewingBefore(60), ...leavesRefusals },
  'reserve-and-403': renewingBefore(60),
  'tries-again-soon': {
    tokenFailed: (client, failures, answer) =>
      client.pause(Math.max(0.15 * 2 ** failures, answer?.retryAfterSeconds ?? 0)),
  },
  timer: {
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
  'slow-poll': { pollSeconds: 1 },
  pages: pages,
  'retries-after-a-moment': {
    async refused(client, token, turn) {
      const fresh = await client.renew(token);
      await client.pause(0.04);
      return client.reread(fresh, turn);
    },
  },
  'parallel-readers': { readers: 5 },
  'parallel-proactive': { ...proactive, readers: 5 },
  'token-per-reader-at-start': {
    readers: 5,
    async start(client) {
      const tokens = await Promise.all(Array.from({ length: 5 }, () => client.ask()));
      client.token = tokens.at(-1);
    },
  },
  'parallel-both': { ...renewingAt(0.8), readers: 5 },
  'two-proactive-processes': { ...proactive, processes: 2 },
  'three-processes': { processes: 3 },
  'exits-on-lasting-403': {
    async refused(client, token, turn, answer) {
      if (await reactive.refused(client, token, turn, answer)) return true;
      throw new Exit(1, 'a fresh token was refused');
    },
  },
  'odd-case': reading(({ headers }, { value }) => ({
    headers: { ...headers, Authorization: `bearer ${value}` },
  })),
  'accept-list': reading(({ headers }) => ({
    headers: { ...headers, Accept: 'application/json, text/plain;q=0.5, */*;q=0.1' },
  })),
  'form-charset': asking(({ headers }) => ({
    headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded;charset=UTF-8' },
  })),
  'form-percent-20': asking(({ body }) => ({ body: String(body).replaceAll('+', '%20') })),
  'scope-in-form': asking(({ body }) => ({ body: `scope=read&${body}` })),
  'health-checks': {
    async beside(client) {
      if (client.turns % 3 !== 1) return;
      const request = {
        method: 'GET',
        url: `${client.env.baseUrl}/health/`,
        headers: { Accept: 'application/json' },
      } as const;
      await client.send(request).catch(() => {});
    },
  },
};

/** From rows `name | summary | warnings, as patterns | strategy`; without a strategy: reactive. */
export const permittedClients = rowsIn(
  String.raw`
  thirty-queued-reads | has thirty reads at a time on one connection, and repeats each that was refused with the one new token
  queued-requests | has thirty requests in a queue, and repeats each that was refused before it sends the next
  reads-by-timer | begins a read each 150 ms, whatever comes back, on one connection for them and for token requests
  queues-by-timer | begins one each 150 ms, and each waits until the one before was repeated, if it was refused
  checks-by-head | asks by HEAD before each read, and reads only if that is answered with 200
  reactive | renews when it is refused, and makes the refused call again
  proactive | renews only by its clock | | proactive
  ignores-403 | renews only by its clock, and keeps its pace when it is refused | renewal: ^Token 1 was sent \d+ more times after its 403, and the client seems to renew only by its clock\.$ | proactive
  both-strategies | renews by its clock, and when it is refused anyway | | both
  renews-late | renews when nine tenths of the lifetime are over | | proactive
  fixed-margin | renews a minute before its token expires, however short the lifetime is | | proactive
  reserve-and-403 | renews a minute before its token expires, and when it is refused anyway | | both
  tries-again-soon | repeats a token request that failed after a moment, and waits longer each time
  timer | renews by a timer, whether anything is read or not | | proactive
  slow-poll | reads once a second
  pages | asks for another page each time, and for the refused one again
  retries-after-a-moment | waits for 40 ms before it makes the refused call again
  parallel-readers | has five readers that share each token request
  parallel-proactive | has five readers that share a token which is renewed by the clock | | proactive
  token-per-reader-at-start | has five readers that each ask for a token at the start, and share the last
  parallel-both | has five readers that share a token which is renewed by the clock and on a 403 | | both
  two-proactive-processes | runs as two processes that each renew by their clock | | proactive
  three-processes | runs as three processes with the same credentials, each with a token of its own
  exits-on-lasting-403 | ends with exit code 1 when a fresh token is refused as well
  odd-case | writes the word bearer in lower case
  accept-list | accepts other types besides JSON, with less weight, when it reads
  form-charset | says the charset of its form
  form-percent-20 | writes a space in its form as %20
  scope-in-form | asks for a scope in its form
  health-checks | asks for the health of the service in between, without a token`,
  behaviours,
).map(({ also, ...row }) => ({ ...row, strategy: also || 'reactive' }));
