import { expect, _baseTest as test } from '@playwright/test';
import {
  feedTraffic,
  meets,
  type Poll,
  readersRule,
  served,
  times,
  unchanged,
  verdictOf,
} from '../testing/feed-traffic.ts';

const inTrouble = (trouble: Poll, after = served(20)): Poll[] => [
  ...times(2, served(20)),
  ...times(3, trouble),
  ...times(4, after),
];

for (const [what, call, words] of [
  ['a status', { status: 500 }, 'status 500'],
  ['a reset', { ended: 'reset', reason: 'served' }, 'a connection that was reset'],
  ['half an answer', { ended: 'cut' }, 'an answer that was cut off'],
] as const) {
  const judged = (holds: number, late = false) =>
    verdictOf('keeps-schedule', feedTraffic('data-500', inTrouble(meets(call, holds)), { late }));

  test(`a reader that keeps its records after ${what} passes, and one that loses some fails`, () => {
    for (const late of [false, true]) {
      expect(judged(20, late)).toEqual(['passed']);
      expect(judged(0, late)).toEqual(['failed', `After ${words} the client holds 0 of 20 records.`]);
      expect(judged(19, late)).toEqual(['failed', `After ${words} the client holds 19 of 20 records.`]);
    }
  });
}

test('a reader that keeps its records when answers come too late passes, and one that loses some fails', () => {
  for (const holds of [20, 0]) {
    const polls = inTrouble(meets({ ended: 'gone', reason: 'served' }, holds));
    const { statements = [], ...traffic } = feedTraffic('data-timeout', polls);
    // The mock notices late that a client has left.
    const early = statements.map((one) =>
      one.after > 2 && one.after < 6 ? { ...one, after: one.after - 1 } : one,
    );
    for (const lines of [statements, early])
      expect(verdictOf('keeps-schedule', { ...traffic, statements: lines })).toEqual(
        holds === 20 ? ['passed'] : ['failed', 'After no answer in time the client holds 0 of 20 records.'],
      );
  }
});

test('a reader that waits for slow answers, or for most of them, is judged by other scenarios', () => {
  const gone = meets({ ended: 'gone', reason: 'served' }, 20);
  const slow = (count: number) =>
    feedTraffic('data-timeout', [...times(2, served(20)), ...times(count, gone), ...times(4, served(20))]);
  for (const count of [0, 1, 2]) expect(verdictOf('keeps-schedule', slow(count))[0]).toBe('could-not-run');
  const other = feedTraffic('data-500', inTrouble(meets({ status: 500 }, 20)));
  for (const count of [0, 1, 2])
    expect(readersRule('keeps-schedule', slow(count), other).verdict).toBe('passed');
});

test('a reader whose library repeats a failed call before it knows is judged by the line that follows', () => {
  const judged = (holds: number) => {
    const polls = [
      ...times(2, served(20)),
      ...times(3, meets({ status: 500 })),
      meets({ status: 500 }, holds),
      ...times(4, served(20)),
    ];
    return verdictOf('keeps-schedule', feedTraffic('data-500', polls));
  };
  expect(judged(20)).toEqual(['passed']);
  expect(judged(0)).toEqual(['failed', 'After status 500 the client holds 0 of 20 records.']);
});

test('a reader that keeps its records while it is sent away with 503 passes, and one that loses some fails', () => {
  const judged = (holds: number) =>
    verdictOf('keeps-schedule', feedTraffic('data-503', inTrouble(meets({ status: 503 }, holds))));
  expect(judged(20)).toEqual(['passed']);
  expect(judged(0)).toEqual(['failed', 'After status 503 the client holds 0 of 20 records.']);
});

test('where no scenario examines a rule, that is the reason, and not what the client printed', () => {
  const traffic = feedTraffic('data-text', times(6, served(20)));
  for (const rule of ['reads-records', 'checks-content', 'keeps-schedule'])
    expect(verdictOf(rule, traffic)).toEqual([
      'could-not-run',
      'No scenario of this run examines this: leave out --scenario, or name more scenarios.',
    ]);
});

test('a reader that takes an error object for a schedule fails for its content', () => {
  const judged = (holds: number) =>
    verdictOf('checks-content', feedTraffic('data-error', inTrouble(meets({}, holds))));
  expect(judged(20)).toEqual(['passed']);
  expect(judged(0)).toEqual([
    'failed',
    'After an answer that is not a schedule, with status 200, the client holds 0 of 20 records.',
  ]);
});

test('an answer with another media type may be taken for a schedule or not', () => {
  const traffic = feedTraffic('data-text', inTrouble(meets({}, 0)));
  for (const rule of ['checks-content', 'keeps-schedule'])
    expect(verdictOf(rule, traffic)[0]).toBe('could-not-run');
});

test('what is lost after the trouble is not held against the client', () => {
  const polls = [...times(2, served(20)), ...times(3, meets({ status: 500 }, 20)), ...times(4, unchanged(0))];
  for (const late of [false, true])
    expect(verdictOf('keeps-schedule', feedTraffic('data-500', polls, { late }))).toEqual(['passed']);
});

test('a reader that lost its records before the trouble did not lose them by it', () => {
  const polls = [served(20), unchanged(0), ...times(3, meets({ status: 500 }, 0)), ...times(4, served(20))];
  expect(verdictOf('keeps-schedule', feedTraffic('data-500', polls))).toEqual(['passed']);
});

test('a reader that prints nothing in trouble is not judged by what it prints later', () => {
  const [verdict, reason] = verdictOf(
    'keeps-schedule',
    feedTraffic('data-500', inTrouble(meets({ status: 500 }))),
  );
  expect([verdict, reason]).toEqual([
    'could-not-run',
    expect.stringContaining('did not print how many records'),
  ]);
});

test('a reader that meets less of the trouble than shows what it holds is not judged', () => {
  const polls = [...times(2, served(20)), meets({ status: 500 }, 20), ...times(4, served(20))];
  expect(verdictOf('keeps-schedule', feedTraffic('data-500', polls))[0]).toBe('could-not-run');
});

test('a reader that ends in trouble could not be judged by what it holds', () => {
  const polls = [...times(2, served(20)), meets({ status: 500 }, 20)];
  expect(
    verdictOf('keeps-schedule', feedTraffic('data-500', polls, { ended: { code: 1 } }), 'ended'),
  ).toEqual(['could-not-run', 'The client ended by itself before it printed what it holds.']);
});

test('what is lost without a call is not held against the client', () => {
  const traffic = feedTraffic('steady', [served(20), ...times(4, unchanged(20))]);
  const [first, ...more] = traffic.statements ?? [];
  // A connection that could not be made: a further line, and no further call.
  const statements = [...(first ? [first] : []), { after: 1, records: 0 }, ...more];
  expect(verdictOf('not-modified', { ...traffic, statements })).toEqual(['passed']);
});

test('a reader that holds nothing after 304 fails, and one that sends no conditional request is not judged', () => {
  const judged = (poll: Poll) =>
    verdictOf('not-modified', feedTraffic('steady', [served(20), ...times(4, poll)]));
  expect(judged(unchanged(20))).toEqual(['passed']);
  expect(judged(unchanged(0))).toEqual(['failed', 'After status 304 the client holds 0 of 20 records.']);
  expect(judged(served(20))[0]).toBe('not-applicable');
});

test('a reader holds each record in each permitted form, and none twice', () => {
  const judged = (...holds: number[]) =>
    verdictOf('reads-records', feedTraffic('rec-z-times', holds.map(served)));
  expect(judged(20, 20, 20, 20)).toEqual(['passed']);
  expect(judged(0, 0, 0, 0)).toEqual([
    'failed',
    'The feed has 20 records, and the client holds 0 after reading it 4 times.',
  ]);
  expect(judged(20, 40, 60, 80)[1]).toContain('the client holds 40 ');
});

test('a reader of a feed that has become empty holds nothing', () => {
  const judged = (holds: number, late = false) =>
    verdictOf(
      'reads-records',
      feedTraffic('data-emptied', [...times(2, served(20)), ...times(4, meets({}, holds))], { late }),
    );
  for (const late of [false, true]) {
    expect(judged(0, late)).toEqual(['passed']);
    expect(judged(20, late)[1]).toBe(
      'The feed has 0 records, and the client holds 20 after reading it 4 times.',
    );
  }
});

test('a reader that does not say what it holds cannot be certified', () => {
  expect(verdictOf('reads-records', feedTraffic('steady', times(4, served())))).toEqual([
    'could-not-run',
    expect.stringContaining('{"records": 20}'),
  ]);
});

test('a reader that reads several times at once is not judged by its lines', () => {
  const polls = times(5, { call: { endMs: 5000 }, holds: 0 });
  expect(verdictOf('reads-records', feedTraffic('steady', polls))).toEqual([
    'could-not-run',
    expect.stringContaining('several times at once'),
  ]);
});

test('a reader whose disconnection is noticed after its next read is judged by its lines', () => {
  const left = meets({ ended: 'gone', endMs: 1010 }, 20);
  const verdict = verdictOf(
    'reads-records',
    feedTraffic('steady', [served(20), left, ...times(5, served(20))]),
  );
  expect(verdict).toEqual(['passed']);
});
