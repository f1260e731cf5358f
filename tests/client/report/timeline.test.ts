import { expect, _baseTest as test } from '@playwright/test';
import type { Call } from '../traffic.ts';
import { groupRules, numberFindings } from './groups.ts';
import { broken } from './testing/sample-certificates.ts';
import { asks, loop, reads, readsEvery, refused, scenario } from './testing/sample-traffic.ts';
import { axisOf, kindOf, lanesOf, runsOf } from './timeline.ts';

const of = (calls: Parameters<typeof scenario>[2], lifetime = 3, endedAt: Record<number, number> = {}) =>
  scenario(['some', 'Something happens.'], [lifetime, lifetime], calls, { endedAt });

for (const [what, call, kind] of [
  ['a token that was issued', asks(0, { token: 1 }), 'issued'],
  ['a token endpoint that failed', asks(0, { status: 503 }), 'no-token'],
  ['a token that did not arrive', asks(0, { ended: 'cut' }), 'no-token'],
  ['the data', reads(0, 1), 'served'],
  ['a 403', refused(0, 1), 'refused'],
  ['a 401', reads(0, 1, { status: 401 }), 'refused'],
  ['a 429', reads(0, 1, { status: 429 }), 'failed'],
  ['a connection that was reset', reads(0, 1, { ended: 'reset' }), 'failed'],
  ['half of a 403', refused(0, 1, { ended: 'cut' }), 'failed'],
  ['a health check', reads(0, 1, { kind: 'health' }), 'other'],
] as const)
  test(`${what} is drawn as ${kind}`, () => {
    expect(kindOf({ id: 1, ...call } as Call)).toBe(kind);
  });

test('token requests, each token, and calls without a known one have a lane', () => {
  const { token: _, ...without } = reads(300, 1, { status: 401 });
  const lanes = lanesOf(
    of([asks(0, { token: 1 }), reads(20, 1), asks(100, { token: 2 }), without, reads(310, 7)]),
  );
  expect(lanes.map(({ label, calls, replacedMs }) => [label, calls.map(({ id }) => id), replacedMs])).toEqual(
    [
      ['token requests', [1, 3], undefined],
      ['token 1', [2], 101],
      ['token 2', [], undefined],
      ['no known token', [4, 5], undefined],
    ],
  );
});

test('of many tokens the middle ones share a lane, and no call is lost', () => {
  const many = of([asks(0, { token: 1 }), ...loop(99, 30, 1)]);
  const lanes = lanesOf(many);
  expect(lanes.map(({ label }) => label)).toEqual([
    ...['token requests', 'token 1', 'token 2', 'token 3', 'token 4', 'token 5'],
    ...['43 more tokens', 'token 49', 'token 50'],
  ]);
  expect(lanes.flatMap(({ calls }) => calls.map(({ id }) => id)).sort((a, b) => a - b)).toEqual(
    many.calls.map(({ id }) => id),
  );
});

test('calls of one kind that are near to each other are one run, though another kind is between them', () => {
  const [, lane] = lanesOf(
    of([asks(0, { token: 1 }), ...readsEvery(10, 100, 150, 1), refused(125, 1), reads(900, 1)]),
  );
  if (!lane) throw new Error('There is a token.');
  expect(runsOf(lane, 20).map(({ kind, calls, fromMs, toMs }) => [kind, calls.length, fromMs, toMs])).toEqual(
    [
      ['served', 5, 101, 141],
      ['refused', 1, 126, 126],
      ['served', 1, 901, 901],
    ],
  );
});

test('the axis reaches over all calls, and to the end of a token that is near', () => {
  const calls = [asks(0, { token: 1 }), reads(2800, 1)];
  expect(axisOf(of(calls, 3)).endMs).toBeGreaterThan(3001);
  expect(axisOf(of(calls, 900)).endMs).toBeLessThan(3000);
  expect(axisOf(of(calls, 900, { 1: 2000 })).endMs).toBeGreaterThan(2801);
  expect(axisOf(of(calls, 3)).ticksMs).toEqual([0, 500, 1000, 1500, 2000, 2500, 3000]);
  expect(axisOf(of([asks(0)])).endMs).toBe(500);
  expect(axisOf(of([asks(0), asks(10_000_000)])).ticksMs.length).toBeLessThan(20);
});

test('rules are read by clause, as numbers, and good practice after them', () => {
  const [one] = broken.rules;
  if (!one) throw new Error('The sample has rules.');
  const { clause: _, ...practice } = one;
  const rules = [
    practice,
    ...['MRS-10.1', 'MRS-5.10a', 'MRS-5.2', 'MRS-5c'].map((clause) => ({ ...one, clause })),
  ];
  expect(groupRules(rules).map(({ title }) => title)).toEqual([
    ...['Clause 5', 'Clause 5.2', 'Clause 5.10', 'Clause 10.1', 'Good practice'],
  ]);
  expect(groupRules([])).toEqual([]);
});

test('findings are numbered in the order in which they are read', () => {
  const found = numberFindings(broken.rules).map(({ number, rule, scenario }) => [number, rule.id, scenario]);
  expect(found).toEqual([
    [1, 'no-loop', '403-stays'],
    [2, 'token-reuse', 'steady'],
    [3, 'token-reuse', 'parallel'],
    [4, 'stampede', 'parallel'],
  ]);
});
