import { expect, _baseTest as test } from '@playwright/test';
import {
  asks,
  every,
  forbidden,
  judgedBy,
  type Made,
  reads,
  refused,
  trafficOf,
  withToken,
} from './testing/traffic.ts';

const callers = (count: number) => Array.from({ length: count }, (_, nth) => nth);

/** Reads that are under way together, each with the token of its caller. */
const together = (at: number, tokens: readonly number[], make: typeof reads = reads) =>
  tokens.map((token, nth) => make(at + nth, token, { endMs: at + 40 + nth }));

/** Token requests that are under way together. */
const crowd = (at: number, count: number, token: number) =>
  callers(count).map((nth) => asks(at + nth, token + nth, { endMs: at + 100 + nth }));

const shared = (count: number, token: number) => callers(count).map(() => token);
const judge = (calls: readonly Made[], more = {}) => judgedBy('token-reuse', trafficOf(calls, more));
const start = [asks(0, 1), ...together(100, shared(8, 1)), ...together(600, shared(8, 1))];

test('eight callers that each replace the token that they share have failed', () => {
  const calls = [
    ...start,
    ...together(1100, shared(8, 1), forbidden),
    ...crowd(1200, 8, 2),
    ...together(
      1400,
      callers(8).map((nth) => nth + 2),
    ),
    ...[2000, 2500, 3000].flatMap((at) => together(at, shared(8, 9))),
  ];
  expect(judge(calls)).toMatchObject({
    verdict: 'failed',
    findings: [{ seen: expect.stringMatching(/^8 tokens were asked for at once, where 1 would do/) }],
  });
});

test('eight callers that each renew the token that they share by a clock have failed, at a slow pace too', () => {
  const short = { agreedSeconds: 12, name: 'expires' };
  const calls = [
    ...[asks(0, 1), ...[100, 3000, 6000, 9000].flatMap((at) => together(at, shared(8, 1)))],
    ...crowd(10_000, 8, 2),
    ...[10_200, 13_000, 16_000].flatMap((at) => together(at, shared(8, 9))),
  ];
  expect(judge(calls, short).verdict).toBe('failed');
});

test('two callers that race have passed, and so have three that do so once', () => {
  const racing = (count: number, times: number) =>
    judge([
      ...start,
      ...callers(times).flatMap((nth) => {
        const at = 1100 + nth * 2000;
        const token = 1 + nth * count;
        return [
          ...together(at, shared(8, token), forbidden),
          ...crowd(at + 100, count, token + 1),
          ...together(at + 600, shared(8, token + count)),
        ];
      }),
    ]).verdict;
  expect([racing(2, 5), racing(3, 1), racing(3, 2), racing(4, 1)]).toEqual([
    'passed',
    'passed',
    'failed',
    'failed',
  ]);
});

test('callers that each have a token of their own may replace them at the same time', () => {
  const own = (first: number) => callers(8).map((nth) => first + nth);
  const turns = [400, 900, 1400].flatMap((at) => together(at, own(1)));
  const begun = [...crowd(0, 8, 1), ...turns];
  const after = [2600, 3100, 3600].flatMap((at) => together(at, own(9)));
  const short = { agreedSeconds: 3, name: 'expires' };
  const refusedThen = [...begun, ...together(1900, own(1), refused), ...crowd(2000, 8, 9), ...after];
  expect(judge(refusedThen, short).findings).toEqual([]);
  expect(judge([...begun, ...crowd(2000, 8, 9), ...after], short).findings).toEqual([]);
});

test('more callers than were seen to read at once may each have a token from the start', () => {
  const apart = (at: number) => callers(4).map((nth) => reads(at + 20 * nth, nth + 1));
  const calls = [...crowd(0, 4, 1), ...[400, 900, 1400, 1900].flatMap(apart)];
  expect(judge(calls).verdict).toBe('passed');
});

test('each of several callers may ask for a token at the start, however long it takes to come', () => {
  const calls = [...crowd(0, 8, 1), ...every(200, 400, 2000, withToken(8))];
  expect(judge([...calls, ...together(2100, shared(8, 8))]).findings).toEqual([]);
});

test('processes with the same credentials are not a crowd', () => {
  const calls = [...start, ...together(1100, shared(8, 1), forbidden), ...crowd(1200, 8, 2)];
  expect(judge(calls, { processes: 8 }).findings).toEqual([]);
});
