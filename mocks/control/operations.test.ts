import { request } from 'undici';
import { expect, test } from 'vitest';
import { type Mock, MockError, type MockOptions, startMock } from '../index.ts';
import { obtainToken, statusOf } from '../testing/described.ts';

const start = (more: MockOptions = {}) =>
  startMock({ clients: [{ id: 'acme', secret: 'x' }], clock: 'frozen', ...more });
const obtain = (mock: Mock) => obtainToken(mock, 'acme', 'x');

for (const filter of [
  { reason: 'expierd' },
  { resaon: 'expired' },
  { client: 'acmee' },
  { token: 'acmee#1' },
  { token: 'acme' },
])
  test(`the journal refuses the filter ${JSON.stringify(filter)}, which no call can match`, async () => {
    await using mock = await start();
    const [name] = Object.keys(filter);
    expect(() => mock.journal(filter as object)).toThrow(MockError);
    expect(() => mock.journal(filter as object)).toThrow(new RegExp(`${name}|"acmee"`));
  });

for (const [what, call, sentence] of [
  ['advance of no duration', (mock) => mock.clock.advance('x'), '"x" is not a duration. Use seconds, or '],
  [
    'a client that is null',
    (mock) => mock.addClient(null as never),
    'A client is null. Give an object such as',
  ],
  ['terms that are null', (mock) => mock.client('acme').change(null as never), 'The new terms are null. '],
  [
    'a script that is null',
    (mock) => mock.client('acme').script(null as never),
    'It must be a list. A script is',
  ],
  [
    'a step that is null',
    (mock) => mock.client('acme').script([null as never]),
    'Step 1 must be an object. ',
  ],
  ['no client', (mock) => mock.client(undefined as never), 'There is no client "undefined". There are acme.'],
  [
    'no expectation',
    (mock) => mock.verify(undefined as never),
    'The expectation is invalid. It must be an object.',
  ],
  ['an id that is no text', (mock) => mock.addClient({ id: 5 as never, secret: 'x' }), 'A client has no id.'],
  [
    'scopes that are no list',
    (mock) => mock.client('acme').change({ scopes: 'x' as never }),
    'are not a list.',
  ],
] as [string, (mock: Mock) => unknown, string][])
  test(`${what} is refused with a sentence`, async () => {
    await using mock = await start();
    expect(() => call(mock)).toThrow(sentence);
  });

test('a listener that fails is reported to the operator, and its exchange is still answered', async () => {
  const faults: unknown[] = [];
  await using mock = await start({ onFault: (error) => faults.push(error) });
  mock.onExchange(() => {
    throw new Error('the listener failed');
  });
  expect(await statusOf(mock, await obtain(mock))).toBe(200);
  expect(faults).toMatchObject([{ message: 'the listener failed' }, { message: 'the listener failed' }]);
  expect(mock.journal().length).toBe(2);
});

const head = async (mock: Mock, token: string): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  return (await request(`${mock.url}/ods_data/`, { method: 'HEAD', headers })).statusCode;
};

test('a script counts reads and no HEAD, and may begin with a token that was used before', async () => {
  await using mock = await start();
  const [first, second] = [await obtain(mock), await obtain(mock)];
  mock.client('acme').script([{ from: 2, reused: true, times: 1, do: { answer: { status: 403 } } }]);
  expect([await head(mock, first), await head(mock, first)]).toEqual([200, 200]);
  expect([await statusOf(mock, first), await statusOf(mock, second)]).toEqual([200, 200]);
  expect([await head(mock, second), await statusOf(mock, second)]).toEqual([200, 403]);
  expect(await statusOf(mock, second)).toBe(200);
});
