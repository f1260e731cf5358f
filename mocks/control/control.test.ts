import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Mock, type Step, startMock } from '../index.ts';
import { ask, KEY, obtainToken, START, startFrozen as start, statusOf } from '../testing/described.ts';

const SECRET = 'hush-hush';
const examiner = {
  certificate: () => ({
    outcome: 'incomplete',
    strategy: 'none',
    tokens: { asked: 0, needed: 0 },
    rules: [],
    scenarios: [],
  }),
};
const script = (...steps: object[]) => JSON.stringify(steps);

/** `method path`, the body, the status, and what the answer has or says. `ask` fails where an answer is not described. */
type Row = [asked: string, body: unknown, status: number, answer?: Record<string, unknown> | RegExp];

/** One after the other, with a mock whose client acme/one is made by the first. Its clock is frozen. */
const COURSE: readonly Row[] = [
  ['GET health', undefined, 200, { status: 'ok' }],
  ['GET contract', undefined, 200, { basePath: '', operations: [{ id: 'obtainToken' }, {}, {}] }],
  ['GET scenarios', undefined, 200],
  [
    'PUT clients/acme%2Fone',
    { secret: SECRET, tokenLifetime: ['15m', '10s'] },
    200,
    { id: 'acme/one', tokenLifetimesSeconds: [900, 10], tokensIssued: 0 },
  ],
  ['PUT clients/acme%2Fone', { tokenLifetime: 5 }, 200, { tokenLifetimesSeconds: [5] }],
  ['GET clients/acme%2Fone', undefined, 200, { id: 'acme/one', tokens: [] }],
  ['GET clients/missing', undefined, 404, /^There is no client "missing"\. There are demo, acme\/one\.$/],
  ['GET clients', undefined, 200, { clients: [{ id: 'demo' }, { id: 'acme/one' }] }],
  [
    'PUT clients/demo/script',
    [{ nth: 2, do: { delay: 0 } }],
    200,
    { script: [{ nth: 2, do: { delay: 0 } }] },
  ],
  ['GET clients/demo', undefined, 200, { script: [{ nth: 2, do: { delay: 0 } }] }],
  ['PUT clients/demo/script', [], 200, { script: [] }],
  [
    'GET clock',
    undefined,
    200,
    { mode: 'frozen', now: '2030-01-01T00:00:00.000Z', nextExpiry: '2030-01-01T00:15:00.000Z' },
  ],
  ['PUT clock', { action: 'advance', by: 90 }, 200, { now: '2030-01-01T00:01:30.000Z' }],
  ['PUT clock', { action: 'advance', by: '-90' }, 200, { now: '2030-01-01T00:00:00.000Z' }],
  ['PUT clock', { action: 'set', to: '2031-02-03T04:05:06Z' }, 200, { now: '2031-02-03T04:05:06.000Z' }],
  ['PUT clock', { action: 'resume' }, 200, { mode: 'real' }],
  ['PUT clock', { action: 'reset' }, 200, { mode: 'real', now: '2030-01-01T00:00:00.000Z' }],
  ['PUT clock', { action: 'freeze' }, 200, { mode: 'frozen' }],
  [
    'PUT clock',
    { action: 'advance', until: 'next-expiry', delta: '-1s' },
    200,
    { now: '2030-01-01T00:14:59.000Z' },
  ],
  ['POST expire', { token: 'demo#1' }, 200, { ended: 1 }],
  [
    'PUT clock',
    { action: 'advance', until: 'next-expiry' },
    409,
    /^No token is valid, so none can expire next\.$/,
  ],
  ['POST expire', { client: 'demo', revoke: true }, 200, { ended: 0 }],
  ['POST expire', { all: true }, 200, { ended: 0 }],
  ['POST expire', { client: 'c' }, 404],
  ['POST expire', { token: 'demo#9' }, 404, /There is no token "demo#9"/],
  ['POST expire', { client: 'demo', all: true }, 400],
  [
    'GET journal',
    undefined,
    200,
    {
      lost: 0,
      entries: [
        { seq: 1, reason: 'issued', token: { name: 'demo#1', remainingSeconds: 900 } },
        { seq: 2, reason: 'served', client: 'demo' },
        { seq: 3, status: 404, reason: 'no-path' },
      ],
    },
  ],
  ['GET journal?client=demo&operation=readData', undefined, 200, { entries: [{ seq: 2 }] }],
  ['GET journal?status=404', undefined, 200, { entries: [{ seq: 3 }] }],
  ['GET journal?token=demo%231&since=1', undefined, 200, { entries: [{ seq: 2 }] }],
  ['GET journal?client=demmo', undefined, 404],
  ...[
    'token=demo',
    'status=4030',
    'limit=x',
    'status=',
    'colour=red',
    'reason=expierd',
    'operation=getData',
  ].map((query): Row => [`GET journal?${query}`, undefined, 400]),
  ['POST verify', { client: 'demo', operation: 'obtainToken', atMost: 1 }, 200, { passed: true, count: 1 }],
  ['POST verify', { operation: 'readData', atLeast: 2 }, 200, { passed: false, count: 1 }],
  ['POST verify', { status: 403, atMost: 0 }, 200, { passed: true, count: 0 }],
  [
    'POST verify',
    { client: 'demo', operation: 'obtainToken', exactly: 2 },
    200,
    {
      passed: false,
      message:
        'Expected exactly 2 calls with client demo, operation obtainToken; seen: 1 (number 1: POST /token/ 200 issued).',
    },
  ],
  ['POST verify', { operation: 'obtainToken', exactly: 1 }, 200, { passed: true, count: 1 }],
  ['POST verify', { exactly: 1, atLeast: 1 }, 400, /exactly/],
  ['POST verify', { client: 'missing', atMost: 2 }, 404],
  ['POST verify', { reason: 'expierd', atMost: 0 }, 400],
  ['GET certificate?client=demo&processes=2', undefined, 200, { outcome: 'incomplete' }],
  ['GET certificate?client=demo&processes=0', undefined, 400],
  ['GET certificate?client=missing', undefined, 404],
  ['DELETE journal', undefined, 204],
  ['GET journal', undefined, 200, { entries: [] }],
  ['DELETE clients/acme%2Fone', undefined, 204],
  ['DELETE clients/acme%2Fone', undefined, 404],
  ['POST reset', undefined, 204],
  ['GET clocks', undefined, 404],
  ['DELETE clock', undefined, 405],
];

/** What is refused: nothing changes by it. */
const REFUSED: readonly Row[] = [
  ['PUT clock', '{', 400, /^The body is not JSON\.$/],
  ['PUT clock', {}, 400, /^The body has no "action"\.$/],
  ['PUT clock', { action: 'stop' }, 400, /^action is "stop"\. Use freeze, resume, advance, set or reset\.$/],
  ['PUT clock', { action: 'advance' }, 400, /^The body has no "by"\.$/],
  [
    'PUT clock',
    { action: 'advance', by: 'soon' },
    400,
    /^by is "soon"\. Use seconds, or a number with a unit/,
  ],
  ['PUT clock', { action: 'advance', by: 1e15 }, 400, / is outside the calendar/],
  [
    'PUT clock',
    { action: 'set', to: 'noon' },
    400,
    /^to is "noon"\. Use a time such as 2030-01-01T00:00:00Z\.$/,
  ],
  ['PUT clock', { action: 'set', to: '2016-12-31T23:59:60Z' }, 400, /leap seconds are not supported/],
  [
    'PUT clock',
    { action: 'freeze', by: '1h' },
    400,
    /^The body has "by", which has no meaning there\. Use action\.$/,
  ],
  ['GET certificate', undefined, 400, /^The query has no "client"\.$/],
  ['POST verify', { atLeast: 2, atMost: 1 }, 400, /atLeast is 2, more than atMost, which is 1/],
  ['PUT clients/new', {}, 400, /There is no client "new", and a new client requires a secret/],
  [
    'PUT clients/new',
    { secret: 'x', script: [{ do: { answer: { status: 403, example: 'expierd' } } }] },
    400,
    /Step 1: the contract has no example "expierd" where it answers readData with 403/,
  ],
  ['PUT clients/demo', { script: [{ do: { delay: '1ms' } }], tokenLifetime: -1 }, 400],
  ['PUT clients/demo', '{"tokenLifetime":1e300}', 400],
  ['PUT clients/demo', { secret: 'x'.repeat(1024 * 1024) }, 413],
  ['PUT clients/demo/script', [{ nth: 2 }], 400, /^Step 1 has no "do"\.$/],
  ['PUT clients/demo/script', [{ do: {} }], 400, /^Step 1: do is empty\. Use expire, revoke, .*or reset\.$/],
  [
    'PUT clients/demo/script',
    [{ do: { reset: true } }, { do: { expier: 'token' } }],
    400,
    /^Step 2: do has "expier", which has no meaning there\. The nearest is "expire"\.$/,
  ],
  [
    'PUT clients/demo/script',
    [{ do: { expire: 'tokn' } }],
    400,
    /^Step 1: do\.expire is "tokn"\. Use token or client\.$/,
  ],
  [
    'PUT clients/demo/script',
    [{ nth: '2', do: { reset: true } }],
    400,
    /^Step 1: nth must be a whole number\.$/,
  ],
  [
    'PUT clients/demo/script',
    [{ do: { reset: false } }],
    400,
    /^Step 1: do\.reset is false\. Use true, or leave it out\.$/,
  ],
  [
    'PUT clients/demo/script',
    [{ when: 'after', do: { delay: 1 } }],
    400,
    /^Step 1: do must not have delay here\. Use expire, revoke or expireOthers\.$/,
  ],
  ['PUT clients/demo/script', {}, 400, /^The body must be a list\.$/],
  [
    'PUT clients/demo/script',
    script({ do: { answer: { status: 200, headers: { a: 'b\r\nc: d' } } } }),
    400,
    /pattern/,
  ],
  [
    'PUT clients/demo/script',
    [{ do: { answer: { status: 200, headers: { Trailer: 'x' } } } }],
    400,
    /header Trailer frames/,
  ],
  ['PUT clients/demo/script', '[{"on":"obtainToken","do":{"delay":1e999}}]', 400],
  [
    'PUT clients/demo/script',
    [{ do: { delay: '-1s' } }],
    400,
    /^Step 1: do\.delay is "-1s"\. Use seconds from 0 on, or/,
  ],
  [
    'PUT clients/demo/script',
    [{ ttl: -1, do: { reset: true } }],
    400,
    /^Step 1: ttl is -1\. Use 0 or more\.$/,
  ],
  ...[204, 205, 304].map(
    (status): Row => [
      'PUT clients/demo/script',
      [{ do: { answer: { status, body: 'x' } } }],
      400,
      /^Step 1: do\.answer\.body must NOT have more than 0 characters/,
    ],
  ),
];

async function askRow(mock: Mock, [asked, body, status, expected]: Row): Promise<void> {
  const [method = '', path = ''] = asked.split(' ');
  const answer = await ask(mock, `/__mock/${path}`, { method, ...(body !== undefined && { body }) });
  expect(answer.status, `${asked} ${JSON.stringify(body)?.slice(0, 200)}`).toBe(status);
  expect(JSON.stringify(answer.body) ?? '').not.toMatch(new RegExp(`${SECRET}|demo-secret|${KEY}`));
  if (expected instanceof RegExp)
    expect(answer.body).toMatchObject({ error_description: expect.stringMatching(expected) });
  else if (expected) expect(answer.body).toMatchObject(expected);
}

test('each operation answers with each status that is described', async () => {
  await using mock = await start({ examiner });
  const token = await obtainToken(mock);
  await statusOf(mock, token);
  await statusOf(mock, token, '/ods_data');
  for (const row of COURSE) await askRow(mock, row);
  expect(mock.clients.map(({ id }) => id)).toEqual(['demo']);
  const { paths } = parse(
    readFileSync(fileURLToPath(import.meta.resolve('mrs-contract/control.openapi.yaml')), 'utf8'),
  );
  const tried = [...COURSE, ...REFUSED].map(([asked, , status]) => `${asked.replace(/\?.*/, '')} ${status}`);
  for (const [path, item] of Object.entries<Record<string, { responses?: object }>>(paths))
    for (const [method, { responses = {} }] of Object.entries(item))
      for (const status of Object.keys(responses).filter((one) => one !== '4XX')) {
        const name = path.slice('/__mock/'.length).replace(/\{\w+\}/, '[^/ ]+');
        expect(tried).toContainEqual(expect.stringMatching(`^${method.toUpperCase()} ${name} ${status}$`));
      }
});

test('what is refused is refused with a sentence, and changes nothing', async () => {
  const faults: unknown[] = [];
  await using mock = await start({ onFault: (error) => faults.push(error) });
  const last = [{ do: { delay: 0 } }];
  mock.client('demo').script(last as Step[]);
  for (const row of REFUSED) await askRow(mock, row);
  expect(mock.clients.map(({ id, secret }) => [id, secret])).toEqual([['demo', 'demo-secret']]);
  expect(await ask(mock, '/__mock/clients/demo')).toMatchObject({
    body: { script: last, tokenLifetimesSeconds: [900] },
  });
  expect(mock.clock.now()).toBe(START);
  expect([await statusOf(mock, await obtainToken(mock)), faults]).toEqual([200, []]);
});

for (const [what, headers, status] of [
  ['no key', { authorization: '' }, 401],
  ['another key', { authorization: `Bearer ${KEY}x` }, 401],
  ['a key of another scheme', { authorization: `Basic ${KEY}` }, 401],
  ['another host', { host: 'rebound.example' }, 403],
  ['a page of another site', { origin: 'http://evil.example' }, 403],
  ['a browser that names another site', { 'sec-fetch-site': 'cross-site' }, 403],
] as const)
  test(`${what} changes nothing`, async () => {
    await using mock = await start();
    const answer = await ask(mock, '/__mock/clock', {
      method: 'PUT',
      headers,
      body: { action: 'advance', by: 60 },
    });
    expect([answer.status, mock.clock.now()]).toEqual([status, START]);
    expect(JSON.stringify(answer)).not.toContain(KEY);
  });

test('the page of the mock may move its clock, and health needs no key and no base path', async () => {
  await using mock = await start({ basePath: '/api' });
  const headers = { origin: new URL(mock.url).origin };
  const moved = await ask(mock, '/__mock/clock', { method: 'PUT', headers, body: { action: 'freeze' } });
  expect(moved).toMatchObject({ status: 200 });
  expect(await ask(mock, '/__mock/health', { headers: { authorization: '' } })).toMatchObject({
    status: 200,
  });
  expect(await ask(mock, '/api/__mock/health')).toMatchObject({
    status: 404,
    body: { error_description: expect.stringContaining('is at /__mock, without a base path.') },
  });
});

test('each mock has a key of its own, and without one there is nothing below /__mock', async () => {
  await using one = await startMock();
  await using other = await startMock();
  await using none = await start({ controlKey: false });
  expect(one.controlKey).toMatch(/^[\w-]{32}$/);
  expect(one.controlKey).not.toBe(other.controlKey);
  expect([none.controlKey, (await ask(none, '/__mock/health')).status]).toEqual([undefined, 404]);
});

test('a request that began before a reset has no effect after it', async () => {
  await using mock = await start();
  const steps = [
    { nth: 1, do: { delay: '300ms' } },
    { nth: 1, when: 'after', do: { expire: 'client' } },
  ];
  await askRow(mock, ['PUT clients/demo/script', steps, 200]);
  const slow = statusOf(mock, await obtainToken(mock));
  await expect.poll(async () => (await ask(mock, '/__mock/clients/demo')).status).toBe(200);
  await askRow(mock, ['POST reset', undefined, 204]);
  const token = await obtainToken(mock);
  expect([await slow, await statusOf(mock, token)]).toEqual([200, 200]);
  expect(mock.journal().map(({ reason }) => reason)).toEqual(['issued', 'served']);
  await askRow(mock, ['GET clients/demo', undefined, 200, { tokens: [{ status: 'valid' }] }]);
});
