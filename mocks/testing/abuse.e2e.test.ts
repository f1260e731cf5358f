/**
 * Requests that no well-meaning client sends. Each run begins with the same mock, so that fast-check can repeat and shrink a
 * failure by the seed and the path that it prints. `MRS_ABUSE=100000` sends more of them.
 */
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Mock, startMock } from '../index.ts';
import { type Answer, createJudge } from './documented.ts';

interface Sent {
  method: string;
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body: string;
}

type Change = (sent: Sent) => Sent;

const RUNS = Number(process.env.MRS_ABUSE ?? 600);
const KEY = 'a-key-of-the-control';
/** What Node.js answers to bytes that it cannot read, which the mock is never shown. */
const OF_NODE = [400, 408, 413, 417, 431];

const FORM = 'application/x-www-form-urlencoded';
const form = (body: string): Sent => ({
  ...{ method: 'POST', target: '/token/', body },
  headers: [['content-type', FORM]],
});
const DEMO = form('grant_type=client_credentials&client_id=demo&client_secret=demo-secret');
/** The tokens of this client have expired when they are issued. */
const SHORT = form('grant_type=client_credentials&client_id=short&client_secret=demo-secret');

/** Every operation of the contract and of the control API; the events are left out, since their answer has no end. */
const goodRequests = (live: string, expired: string): Sent[] => {
  const get = (target: string, token?: string, method = 'GET', body?: object): Sent => ({
    ...{ method, target, body: body ? JSON.stringify(body) : '' },
    headers: [
      ['accept', 'application/json'],
      ...(token ? [['authorization', `Bearer ${token}`] as const] : []),
    ],
  });
  const order = (method: string, target: string, body?: object) =>
    get(`/__mock/${target}`, KEY, method, body);
  const service = [
    ...[
      DEMO,
      DEMO,
      form('client_id=scripted&client_secret=demo%2Dsecret&grant_type=client_credentials&scope=x'),
    ],
    ...[get('/ods_data/', live), get('/ods_data/', live), get('/ods_data/', expired), get('/health/')],
  ];
  const script = [{ on: 'obtainToken', nth: 2, do: { answer: { status: 401 } } }];
  return [
    ...Array.from({ length: 10 }, () => service).flat(),
    ...['health', 'clock', 'clients', 'clients/demo', 'contract', 'journal?since=3&limit=2'].map((path) =>
      get(`/__mock/${path}`, KEY),
    ),
    order('PUT', 'clock', { action: 'advance', until: 'next-expiry', client: 'demo', delta: -1 }),
    order('PUT', 'clock', { action: 'set', to: '2031-02-03T04:05:06Z' }),
    order('PUT', 'clients/demo', { tokenLifetime: ['15m', 10] }),
    order('PUT', 'clients/scripted', { secret: 'demo-secret' }),
    order('PUT', 'clients/scripted/script', script),
    order('PUT', 'clients/demo/script', [{ on: 'obtainToken', every: 2, do: { expire: 'client' } }]),
    order('PUT', 'clients/scripted/script', []),
    order('DELETE', 'clients/scripted'),
    order('POST', 'expire', { client: 'demo', revoke: true }),
    order('POST', 'expire', { token: 'demo#1' }),
    order('DELETE', 'journal'),
    order('POST', 'verify', { client: 'demo', operation: 'obtainToken', atMost: 1 }),
    order('POST', 'reset'),
  ];
};

const pick = fc.constantFrom;
const charactersOf = (first: number, last: number) =>
  fc
    .integer({ min: first, max: last })
    .filter((code) => code !== 0x7f && code !== 0x23)
    .map((code) => String.fromCharCode(code));
const visible = fc.string({ unit: charactersOf(0x21, 0x7e), maxLength: 40 });
const latin = fc.string({ unit: charactersOf(0x20, 0xff), maxLength: 40 });
const escaped = pick(...'%00 %0d%0a %2f %2e%2e %zz % %c3%28 %f0%9f%98%80 %ff %25 %5f'.split(' '));
const name = pick('__proto__', 'constructor', 'toString', 'then', 'length', '', '[]');
const long = fc
  .tuple(pick('=', 'x', '~+/', 'a:b,'), fc.nat(3_000))
  .map(([part, times]) => part.repeat(times));
const json = fc.oneof(
  fc.json(),
  pick('1e999', '-1e999', 'NaN', '9'.repeat(300), '['.repeat(60_000), '{"a":1,"a":2}', '"\\ud800"'),
);
/** A header with these values, in place of those that it has. */
const header = (named: fc.Arbitrary<string>, values: fc.Arbitrary<string>): fc.Arbitrary<Change> =>
  fc.tuple(named, fc.array(values, { maxLength: 2 })).map(([name, all]) => ({ headers, ...sent }) => ({
    ...sent,
    headers: [...headers.filter(([other]) => other !== name), ...all.map((value) => [name, value] as const)],
  }));
/** A part of the text in another's place, anywhere. */
const spliced = (part: fc.Arbitrary<string>) =>
  fc.tuple(part, fc.nat(), fc.nat(8)).map(([put, where, length]) => (whole: string) => {
    const at = where % (whole.length + 1);
    return whole.slice(0, at) + put + whole.slice(at + length);
  });
const inTarget = (change: fc.Arbitrary<(target: string) => string>): fc.Arbitrary<Change> =>
  change.map((edit) => (sent) => ({ ...sent, target: edit(sent.target) }));
const inBody = (change: fc.Arbitrary<(body: string) => string>): fc.Arbitrary<Change> =>
  change.map((edit) => (sent) => ({ ...sent, body: edit(sent.body) }));
const MEDIA_TYPES = [
  ...['application/json', FORM, 'text/html', '*/*', '*', '', 'application/*', 'a/b/c', '*/*;q=0'],
  ...[`${FORM}; charset=utf-16`, 'application/json;q=0, */*;q=0.1', 'multipart/form-data; boundary=x'],
];

/** Any HTTP server can read what they make. */
const odd: fc.Arbitrary<Change> = fc.oneof(
  // CONNECT is answered by closing.
  pick(...METHODS.filter((one) => one !== 'CONNECT')).map((method) => (sent: Sent) => ({ ...sent, method })),
  inTarget(fc.oneof(visible, long, escaped, name).map((part) => (target) => `${target}?limit=${part}`)),
  inTarget(fc.oneof(visible, long, escaped, name).map((part) => (target) => `${target}${part}`)),
  inTarget(
    pick('/x/..', '/', 'http://elsewhere.example', 'http://[').map((part) => (target) => part + target),
  ),
  inTarget(pick('*', '/ods_data', '/__mock', '/TOKEN/').map((other) => () => other)),
  inTarget(spliced(escaped).map((edit) => (target) => `/${edit(target.slice(1))}`)),
  header(
    pick('authorization'),
    fc.oneof(
      latin,
      long,
      name,
      latin.map((value) => `Bearer ${value}`),
    ),
  ),
  header(pick('authorization'), pick('Bearer', `Basic ${KEY}`, `bearer ${KEY}`, `Bearer ${KEY}x`)),
  header(pick('accept'), fc.oneof(pick(...MEDIA_TYPES), latin, long)),
  header(pick('content-type'), fc.oneof(pick(...MEDIA_TYPES), latin, long)),
  header(pick('host', 'origin', 'sec-fetch-site', 'if-none-match', 'x', 'cookie'), fc.oneof(latin, long)),
  fc
    .array(fc.tuple(pick('a', 'accept', 'cookie', 'x'), visible), { maxLength: 200 })
    .map((more) => (sent: Sent) => ({ ...sent, headers: [...sent.headers, ...more] })),
  inBody(spliced(fc.oneof(latin, escaped, pick('&__proto__=x&', '&client_id[]=x&', '&&=&')))),
  inBody(fc.oneof(latin, long).map((value) => (body) => `${body}&x=${value}&client_id=x`)),
  inBody(fc.oneof(json, latin, long).map((body) => () => body)),
  // A member of a JSON body with another value.
  inBody(json.map((value) => (body) => body.replace(/(?<=[:[])("[^"]*"|-?\d+)/, () => value))),
);

/** As it goes over the wire, one character for each byte. */
function wire({ method, target, headers, body }: Sent): string {
  const hosts = headers.some(([name]) => name === 'host') ? [] : ['host: 127.0.0.1'];
  const named = headers.map(([name, value]) => `${name}: ${value}`);
  const lines = [...hosts, ...named, ...(body ? [`content-length: ${body.length}`] : [])];
  return `${method} ${target} HTTP/1.1\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n${body}`;
}

/** The first answer that comes back; undefined if none does. */
async function answerTo(mock: Mock, bytes: string): Promise<Omit<Answer, 'method' | 'target'> | undefined> {
  const socket = connect(Number(new URL(mock.url).port), '127.0.0.1').setEncoding('latin1');
  socket.on('error', () => {}); // a reset ends the answer as well; what came before it counts
  socket.end(bytes, 'latin1');
  const received = (await text(socket).catch(() => '')).replace(/^HTTP\/1\.1 100 .*?\r\n\r\n/s, '');
  const [head = '', body = ''] = received.split(/\r\n\r\n(.*)/s);
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1]);
  const fields = head
    .split('\r\n')
    .slice(1)
    .map((line) => line.split(/: (.*)/s));
  const headers = Object.fromEntries(fields.map(([name = '', value = '']) => [name.toLowerCase(), value]));
  return status
    ? { status, headers, body: body.slice(0, Number(headers['content-length'] ?? 0)) }
    : undefined;
}

test('abuse gets only documented answers, and the mock goes on', async () => {
  const faults: unknown[] = [];
  await using mock = await startMock({
    clients: ['demo', 'scripted', 'short'].map((id) => ({
      ...{ id, secret: 'demo-secret', tokenLifetime: id === 'short' ? 0 : 900 },
    })),
    ...{ seed: 'a seed', clock: 'frozen', controlKey: KEY },
    onFault: (error) => faults.push(error),
  });
  const judge = createJudge();
  const seen = new Set<string>();
  const issue = async (sent: Sent): Promise<string> =>
    JSON.parse((await answerTo(mock, wire(sent)))?.body ?? '').token;
  const start = async () => [await issue(DEMO), await issue(SHORT)] as const;
  const good = goodRequests(...(await start()));
  const request = fc.record({
    sent: pick(...good),
    changes: fc.array(odd, { minLength: 1, maxLength: 3 }),
  });

  await fc.assert(
    fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 6 }), async (requests) => {
      mock.reset();
      await start();
      for (const { sent, changes } of requests) {
        const made = changes.reduce((one, change) => change(one), sent);
        const answer = await answerTo(mock, wire(made));
        expect(answer, 'a request without an answer').toBeDefined();
        if (!answer) continue;
        const isOfMock = answer.status === 204 || 'content-type' in answer.headers;
        if (!isOfMock) expect(OF_NODE).toContain(answer.status);
        else {
          const { method, target } = made;
          expect(judge({ ...answer, method, target }), `${answer.status} ${answer.body}`).toBeUndefined();
          seen.add(`${target} ${answer.status}`);
        }
      }
      expect(faults).toEqual([]);
    }),
    { numRuns: RUNS, seed: 20260101 },
  );
  mock.reset();
  const named = new Map<string, string>();
  mock.onToken((value, name) => named.set(value, name));
  expect(named.get((await start())[0])).toBe('demo#1');
  // With less, the abuse would not reach far enough to prove anything.
  expect(REACHED.filter((one) => !seen.has(one))).toEqual([]);
});

const REACHED = [
  ...[200, 400, 401, 406, 415].map((status) => `/token/ ${status}`),
  ...[200, 401, 403, 406].map((status) => `/ods_data/ ${status}`),
  ...[200, 406].map((status) => `/health/ ${status}`),
  ...[200, 400, 401].map((status) => `/__mock/clock ${status}`),
];
