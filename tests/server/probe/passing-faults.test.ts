/** Bans, accidents and limits that are over before a run ends, of services over HTTP. */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { createVirtualClock } from '../../support/clock.ts';
import { createSecrets } from '../../support/secrets.ts';
import { listening } from '../../support/testing/listening.ts';
import { judgeAll } from '../judge.ts';
import { type ProbeKey, requests } from '../requests.ts';
import { gather } from './run.ts';

const LIFETIME_SECONDS = 10;
const RECORDS = JSON.stringify([
  { id: 4711, source: 'J1331+3030' },
  { id: 4712, source: 'J0137+3309' },
]);

interface Answer {
  status: number;
  type: string;
  body: string;
  headers?: Record<string, string>;
}
const json = (status: number, body: string): Answer => ({ status, type: 'application/json', body });
const page = (status: number): Answer => ({ status, type: 'text/html', body: '<p>You are blocked.</p>' });
const refusal = (status: number) => json(status, '{"error":"refused"}');

interface Service {
  /** The answer to the request of this number and name, where the service does not answer it; undefined where it does. */
  instead?(nth: number, what: string): Answer | 'reset' | undefined;
  /** Headers of each refusal of the service. */
  refusalHeaders?: Record<string, string>;
  /** Whether it takes a form that is wrong, or a token that it never issued. */
  takes?(sent: { form?: URLSearchParams; token?: string; issued: string }): boolean;
}

/** A run against a service whose tokens live for ten seconds; `numbers` has the number of the request of each row. */
async function judged({ instead = () => undefined, takes = () => false, refusalHeaders = {} }: Service = {}) {
  const clock = createVirtualClock();
  const issued = new Map<string, number>();
  let nth = 0;
  let asked = '';
  const answerTo = (path: string, body: string, [scheme, token = ''] = ['']): Answer => {
    if (path === '/health/') return json(200, '{"status":"up"}');
    const last = [...issued.keys()].at(-1) ?? '';
    if (path === '/token/') {
      const form = new URLSearchParams(body);
      const isValid =
        body === 'grant_type=client_credentials&client_id=station&client_secret=Hunter2-hunter2';
      if (!isValid && !takes({ form, issued: last })) return refusal(400);
      const fresh = `t-${randomBytes(24).toString('hex')}`;
      issued.set(fresh, clock.now());
      return json(200, JSON.stringify({ token: fresh }));
    }
    const at = scheme === 'Bearer' ? issued.get(token) : undefined;
    if (at !== undefined)
      return clock.now() - at < LIFETIME_SECONDS * 1000 ? json(200, RECORDS) : refusal(403);
    return scheme === 'Bearer' && takes({ token, issued: last }) ? json(200, RECORDS) : refusal(401);
  };
  await using server = await listening(
    createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const own = answerTo(request.url ?? '', body, request.headers.authorization?.split(' ') as [string]);
        const answer = instead(++nth, asked) ?? own;
        if (answer === 'reset') return request.socket.resetAndDestroy();
        const { status, type, headers = status < 300 ? {} : refusalHeaders } = answer;
        return response.writeHead(status, { 'content-type': type, ...headers }).end(answer.body);
      });
    }),
  );
  const numbers: Partial<Record<ProbeKey, number>> = {};
  const evidence = await gather(
    {
      ...{ baseUrl: server.url.replace(/\/$/, ''), clientId: 'station', clientSecret: 'Hunter2-hunter2' },
      ...{ healthPaths: ['/health/'], tokenLifetimeSeconds: LIFETIME_SECONDS, maxWaitSeconds: 15 },
      ...{ timeoutSeconds: 10, safe: false },
    },
    {
      ...{ secrets: createSecrets(), clock },
      progress(text) {
        asked = text.replace('request: ', '');
        const row = requests.find(({ what }) => what === asked);
        if (row) numbers[row.key] ??= nth + 1;
      },
    },
  );
  const { verdicts } = judgeAll(evidence);
  const those = (verdict: string) => verdicts.filter((one) => one.verdict === verdict).map(({ id }) => id);
  return { failed: those('failed'), open: those('could-not-run'), numbers, evidence, clock };
}

const whatOf = (key: ProbeKey) => requests.find((row) => row.key === key)?.what;
const clean = judged();

test('a service without a ban passes every requirement', async () => {
  const { failed, open, evidence } = await clean;
  expect([failed, open, evidence.repeated]).toEqual([[], [], []]);
});

const cut: Service['takes'] = ({ token = '', issued }) => token !== '' && issued.startsWith(token);
const violations: [key: ProbeKey, id: string, what: string, NonNullable<Service['takes']>][] = [
  [
    'token.withoutClientId',
    'MRS-4.1g',
    'a form without client_id',
    ({ form }) => form?.has('client_id') === false,
  ],
  ['data.cutToken', 'MRS-5.5b', 'a cut token', cut],
  ['data.nullToken', 'MRS-5.5a', 'the token null', ({ token }) => token === 'null'],
  [
    'token.passwordGrant',
    'MRS-4.1f',
    'a password grant',
    ({ form }) => form?.get('grant_type') === 'password',
  ],
];
const looks: [what: string, Answer][] = [
  ['the refusals of the service', refusal(401)],
  ['a page with 403', page(403)],
  ['a page with 404', page(404)],
  ['a page with 200', page(200)],
];

// Each look with each violation or position, and not with both.
for (const [row, [key, id, what, takes]] of violations.entries())
  for (const [column, [before, length]] of (
    [
      [3, 20],
      [10, 22],
      [17, 25],
    ] as const
  ).entries())
    for (const [look, answer] of [looks[(row + column) % looks.length] as (typeof looks)[number]])
      test(`a ban of ${length} requests, ${before} of them before ${what}, that looks like ${look} shows nothing`, async () => {
        const first = ((await clean).numbers[key] ?? Number.NaN) - before;
        const instead = (nth: number) => (nth >= first && nth < first + length ? answer : undefined);
        expect((await judged({ instead })).failed).toEqual([]);
        const { failed, open } = await judged({ instead, takes });
        expect([...failed, ...open]).toContain(id);
        expect(failed.filter((one) => one !== id)).toEqual([]);
      });

for (const [start, id, what, takes] of [
  ['data.watch', 'MRS-5.5b', 'a cut token', cut],
  ['data.watchForms', 'MRS-4.1h', 'a padded client_id', ({ form }) => form?.get('client_id') === 'station '],
] as [ProbeKey, string, string, NonNullable<Service['takes']>][])
  for (const [look, answer] of looks)
    test(`a ban that begins at ${whatOf(start)}, and hides ${what}, and looks like ${look} shows nothing`, async () => {
      const first = (await clean).numbers[start] ?? Number.NaN;
      const instead = (nth: number) => (nth >= first && nth < first + 20 ? answer : undefined);
      expect((await judged({ instead })).failed).toEqual([]);
      const { failed, open } = await judged({ instead, takes });
      expect([...failed, ...open]).toContain(id);
      expect(failed.filter((one) => one !== id)).toEqual([]);
    });

// Requests with valid credentials or a valid token.

const busy = (seconds: number): Answer => ({ ...refusal(403), headers: { 'retry-after': String(seconds) } });
const valid: ProbeKey[] = [
  ...(['token.valid', 'data.first', 'data.fifth', 'data.late', 'token.again', 'data.freshToken'] as const),
  ...(['token.another', 'data.newestToken', 'data.lastToken', 'data.watch', 'data.control'] as const),
];
const faults: [what: string, Answer | 'reset'][] = [
  ['500', refusal(500)],
  ['502', page(502)],
  ['a reset', 'reset'],
  ['403 and Retry-After', busy(1)],
];
const isForm = (what: string | undefined): boolean =>
  / valid credentials|the same credentials/.test(what ?? '');

// A form that is answered with 500 once is a violation, but for the first.
for (const [row, key] of valid.entries())
  for (const [what, fault] of [
    faults[key !== 'token.valid' && isForm(whatOf(key)) ? 1 + (row % 3) : row % 4] as (typeof faults)[number],
  ])
    test(`${whatOf(key)} that is answered by ${what} once is sent again, and fails nothing`, async () => {
      let isOver = false;
      const { failed, open, evidence } = await judged({
        instead(_, asked) {
          if (isOver || asked !== whatOf(key)) return undefined;
          isOver = true;
          return fault;
        },
      });
      expect([failed, open, isOver]).toEqual([[], [], true]);
      expect(evidence.repeated.map((one) => one.what)).toContain(whatOf(key));
    });

for (const [key, id, fault, what, isFailed] of [
  ['data.newestToken', 'MRS-4.2a', refusal(500), '500', true],
  ['data.lastToken', 'MRS-4.2a', refusal(500), '500', true],
  ['token.again', 'MRS-4.1m', refusal(500), '500', true],
  ['data.newestToken', 'MRS-4.2a', refusal(403), '403', true],
  ['token.again', 'MRS-4.1m', refusal(403), '403', true],
  ['data.newestToken', 'MRS-4.2a', 'reset', 'a reset', false],
  ['data.lastToken', 'MRS-4.2a', 'reset', 'a reset', false],
  ['data.lastToken', 'MRS-4.2a', page(503), '503', false],
  ...([1, 120] as const).flatMap((seconds) =>
    (
      [
        ['data.second', 'MRS-5.3b'],
        ['data.newestToken', 'MRS-4.2a'],
        ['data.lastToken', 'MRS-4.2a'],
        ['token.again', 'MRS-4.1m'],
      ] as const
    ).map(([key, id]) => [key, id, busy(seconds), `403 and Retry-After: ${seconds}`, false] as const),
  ),
] as [ProbeKey, string, Answer | 'reset', string, boolean][])
  test(`${whatOf(key)} that is always answered by ${what} ${isFailed ? 'violates' : 'leaves open'} ${id}`, async () => {
    const { failed, open } = await judged({
      instead: (_, asked) => (asked === whatOf(key) ? fault : undefined),
    });
    if (isFailed) expect(failed).toContain(id);
    else expect([failed, open]).toEqual([[], expect.arrayContaining([id])]);
  });

test('valid credentials that are always answered by 403 and Retry-After leave open whether a token is issued', async () => {
  const { failed, open } = await judged({ instead: (_, asked) => (isForm(asked) ? busy(1) : undefined) });
  expect([failed, open]).toEqual([[], expect.arrayContaining(['MRS-4.1a', 'MRS-4.1m', 'MRS-4.2a'])]);
});

test('a service that sends Retry-After with each refusal passes every requirement, and is not waited for', async () => {
  const { failed, open, clock } = await judged({ refusalHeaders: { 'retry-after': '7' } });
  expect([failed, open, clock.now()]).toEqual([[], [], (await clean).clock.now()]);
});
