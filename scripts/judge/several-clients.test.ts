/** Recordings of several clients: each has tokens and a lifetime of its own (clause 5.1). */
import { expect, test } from 'vitest';
import {
  asks,
  CLIENT_ID,
  FORM,
  type MadeCall,
  readsEvery,
  refused,
} from '../../tests/traffic/testing/har.ts';
import { clientsIn, factOf, reportOnCalls, withVerdict } from './testing/judged.ts';

const DEMO = { ...FORM, client_id: 'demo', client_secret: 'another secret of it' };

/** One token for the whole recording, and one client whose tokens live for eight seconds. */
const longAndShort: MadeCall[] = [
  asks(0, 'long'),
  ...readsEvery(5, 0.1, 60, 'long'),
  ...[1, 2, 3].flatMap((token) => [
    asks(token * 9, token, { form: DEMO }),
    ...readsEvery(2, token * 9 + 0.1, token * 9 + 8, token),
    ...(token < 3 ? [refused(token * 9 + 8.9, token)] : []),
  ]),
];

for (const given of [{ lifetimeSeconds: 900 }, {}])
  test(`two clients whose tokens live for 15 minutes and 8 seconds break nothing with ${JSON.stringify(given)}`, async () => {
    const report = await reportOnCalls(longAndShort, given);
    expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
  });

test('the lifetime of each client is reported', async () => {
  const report = await reportOnCalls(longAndShort);
  expect(factOf(report, 'Token lifetime')).toBe(
    'not given; the traffic does not show when a token ends · not given; seen: 6.1 s to 8.9 s',
  );
});

test('a lifetime that contradicts the tokens of one client is not judged as a fault, and is named', async () => {
  const report = await reportOnCalls(longAndShort, { lifetimeSeconds: 900 });
  expect(clientsIn(report)).toEqual([
    [CLIENT_ID, 'incomplete'],
    ['demo', 'incomplete'],
  ]);
  expect(report.remarks.join(' ')).toMatch(
    /Not seen of the client demo: token-reuse \(.*\), renewal \(.*\)\. The agreed token lifetime is 900 s, but tokens/,
  );
});

/** The service gives each client the same token, as long as it lives. */
const shared: MadeCall[] = [1, 2, 3].flatMap((token) => {
  const from = (token - 1) * 62;
  return [
    asks(from, token),
    asks(from + 0.5, token, { form: DEMO }),
    ...readsEvery(5, from + 1, from + 60, token),
    ...readsEvery(7, from + 1.5, from + 60, token),
    ...(token < 3 ? [refused(from + 61.9, token)] : []),
  ];
});

for (const lifetimeSeconds of [undefined, 60])
  test(`a service that gives two clients the same token breaks nothing, nor do they, where ${lifetimeSeconds ?? 'no'} lifetime is given`, async () => {
    const report = await reportOnCalls(shared, lifetimeSeconds === undefined ? {} : { lifetimeSeconds });
    expect(withVerdict(report, 'failed', 'warned')).toEqual([]);
    expect(factOf(report, 'Entries')).toContain(`, ${shared.length - 6} of an unknown client`);
    expect(clientsIn(report).map(([, outcome]) => outcome)).toEqual(['incomplete', 'incomplete']);
    expect(report.remarks.join(' ')).toContain('The service gave the same token to several clients');
  });

test('a service that refuses and accepts a token of two clients is judged', async () => {
  const report = await reportOnCalls([...shared, refused(20, 1)]);
  expect(withVerdict(report, 'failed', 'warned')).toEqual(['MRS-5.3b']);
});
