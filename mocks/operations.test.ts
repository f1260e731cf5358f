import { expect, _baseTest as test } from '@playwright/test';
import { request } from 'undici';
import { type Entry, type Mock, MockError, type MockOptions, type Step, startMock } from './index.ts';
import { createRandom } from './testing/chance.ts';

const clients = [
  { id: 'acme', secret: 'x' },
  { id: 'other', secret: 'y', tokenLifetime: 60 },
];
const start = (more: MockOptions = {}) => startMock({ clients, clock: 'frozen', seed: 'a seed', ...more });

async function obtain(mock: Mock, id = 'acme'): Promise<string> {
  const secret = mock.client(id).secret;
  const body = `grant_type=client_credentials&client_id=${id}&client_secret=${secret}`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await request(`${mock.url}/token/`, { method: 'POST', headers, body });
  return ((await answer.body.json()) as { token: string }).token;
}
async function read(mock: Mock, token: string, method: 'GET' | 'HEAD' = 'GET'): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await request(`${mock.url}/ods_data/`, { method, headers });
  await answer.body.dump();
  return answer.statusCode;
}

test('a client is had by its id, with its terms as they are now', async () => {
  await using mock = await start();
  expect(mock.clients.map(({ id }) => id)).toEqual(['acme', 'other']);
  const other = mock.client('other');
  expect(other).toMatchObject({ id: 'other', secret: 'y', tokenLifetimesSeconds: [60] });
  other.change({ secret: 'z', tokenLifetime: ['1m', 5] });
  expect(other).toMatchObject({ secret: 'z', tokenLifetimesSeconds: [60, 5] });
  expect(() => other.change({ tokenLifetime: -2 })).toThrow(MockError);
  expect(() => mock.client('nobody')).toThrow('There is no client "nobody". There are acme, other.');
  expect(() => mock.client('nobody')).toThrow(MockError);
});

test('a token is had by its name, and is what has become of it', async () => {
  await using mock = await start();
  const values = [await obtain(mock), await obtain(mock), await obtain(mock)];
  const [first, second, third] = mock.client('acme').tokens();
  first?.expire();
  second?.revoke();
  expect([first, second, third]).toMatchObject([
    { name: 'acme#1', status: 'expired' },
    { name: 'acme#2', status: 'unknown' },
    { name: 'acme#3', status: 'valid' },
  ]);
  expect(await Promise.all(values.map((value) => read(mock, value)))).toEqual([403, 401, 200]);
  mock.clock.advance('15m');
  expect(third?.status).toBe('expired');
  mock.reset();
  expect([third?.status, mock.client('acme').tokens()]).toEqual(['unknown', []]);
  third?.expire();
  expect(await read(mock, values[2] ?? '')).toBe(401);
});

for (const filter of [
  { reason: 'expierd' },
  { resaon: 'expired' },
  { operation: 'getData' },
  { status: 4030 },
  { client: 'acmee' },
  { token: 'acmee#1' },
  { token: 'acme' },
  { limit: -1 },
  { atMost: 1 },
])
  test(`the journal refuses the filter ${JSON.stringify(filter)}, which no call can match`, async () => {
    await using mock = await start();
    const [name] = Object.keys(filter);
    expect(() => mock.journal(filter as object)).toThrow(MockError);
    expect(() => mock.journal(filter as object)).toThrow(new RegExp(`${name}|"acmee"`));
  });

test('a listener that fails is reported to the operator, and its exchange is still answered', async () => {
  const faults: unknown[] = [];
  await using mock = await start({ onFault: (error) => faults.push(error) });
  mock.onExchange(() => {
    throw new Error('the listener failed');
  });
  expect(await read(mock, await obtain(mock))).toBe(200);
  expect(faults).toMatchObject([{ message: 'the listener failed' }, { message: 'the listener failed' }]);
  expect(mock.journal().length).toBe(2);
});

test('a script counts reads and no HEAD, and may begin with a token that was used before', async () => {
  await using mock = await start();
  const [first, second] = [await obtain(mock), await obtain(mock)];
  mock.client('acme').script([{ from: 2, reused: true, times: 1, do: { answer: { status: 403 } } }]);
  expect([await read(mock, first, 'HEAD'), await read(mock, first, 'HEAD')]).toEqual([200, 200]);
  expect([await read(mock, first), await read(mock, second)]).toEqual([200, 200]);
  expect([await read(mock, second, 'HEAD'), await read(mock, second)]).toEqual([200, 403]);
  expect(await read(mock, second)).toBe(200);
});

for (const seed of ['one', 'two'])
  test(`another client is answered as if it were the only one, whatever happens to the first: ${seed}`, async () => {
    await using mock = await start();
    await using alone = await start();
    const { share } = createRandom(seed);
    let draws = 0;
    const below = (most: number) => Math.floor(most * share(`${++draws}`));
    const steps: Step[][] = [
      [{ do: { expire: 'client' } }, { on: 'obtainToken', when: 'after', do: { advance: '1h' } }],
      [
        { every: 2, do: { advanceToExpiry: 0 } },
        { on: 'obtainToken', do: { expireOthers: true } },
      ],
      [{ do: { revoke: 'client', advance: '-1h' } }, { when: 'during', do: { revoke: 'token' } }],
      [
        { outsideContract: true, do: { answer: { status: 500 } } },
        { on: 'obtainToken', do: { sameToken: true } },
      ],
    ];
    const disturb = [
      () => mock.client('other').script(steps[below(steps.length)] ?? []),
      () => void mock.client('other').expire(),
      () => void mock.client('other').revoke(),
      () => mock.client('other').change({ tokenLifetime: below(90), skew: below(60) }),
    ];
    const own = [await obtain(mock)];
    expect(await obtain(alone)).toBe(own[0]);
    const theirs = [await obtain(mock, 'other')];
    for (let nth = 0; nth < 40; nth++) {
      disturb[below(disturb.length * 2)]?.();
      if (below(2) === 0) theirs.push(await obtain(mock, 'other'));
      await read(mock, theirs[below(theirs.length)] ?? '');
      const seconds = below(120);
      for (const one of [mock, alone]) one.clock.advance(seconds);
      const token = own[below(own.length)] ?? '';
      expect(await read(mock, token)).toBe(await read(alone, token));
      if (below(4) > 0) continue;
      own.push(await obtain(mock));
      expect(own.at(-1)).toBe(await obtain(alone));
    }
    const seen = ({ status, reason, token, at }: Entry) => ({ status, reason, token, at });
    expect(mock.client('acme').journal().map(seen)).toEqual(alone.journal().map(seen));
  });
