import { expect, test } from 'vitest';
import { feedTraffic, pollsOf, readersRule, verdictOf } from './testing/feed-traffic.ts';
import { type Details, rowsOf, testRows } from './testing/scenes.ts';

const LOST = 'the client holds 0 of 20 records.';
const LEFT_OUT = 'No scenario of this run examines this: leave out --scenario, or name more scenarios.';

/**
 * The rule and its verdict, the scenario, what is read, and what the finding or the reason says; with `late` it is the same
 * where lines come late.
 */
for (const [judged = '', what, scenario = '', polls = '', says = ''] of rowsOf(`
  keeps-schedule passed | keeps its records after a status         | data-500 late | 2*20 3*!500:20 4*20
  keeps-schedule failed | loses its records after a status         | data-500 late | 2*20 3*!500:0 4*20 | After status 500 ${LOST}
  keeps-schedule failed | loses one record after a status          | data-500 late | 2*20 3*!500:19 4*20 | After status 500 the client holds 19 of 20 records.
  keeps-schedule passed | keeps its records after a reset          | data-500 late | 2*20 3*!reset:20 4*20
  keeps-schedule failed | loses its records after a reset          | data-500 late | 2*20 3*!reset:0 4*20 | After a connection that was reset ${LOST}
  keeps-schedule passed | keeps its records after half an answer   | data-500 late | 2*20 3*!cut:20 4*20
  keeps-schedule failed | loses its records after half an answer   | data-500 late | 2*20 3*!cut:0 4*20 | After an answer that was cut off ${LOST}
  keeps-schedule passed | loses its records after the trouble      | data-500 late | 2*20 3*!500:20 4*=0
  checks-content passed | takes no error for a schedule            | data-error late | 2*20 3*~:20 4*20
  checks-content failed | takes an error for a schedule            | data-error late | 2*20 3*~:0 4*20 | After an answer that is not a schedule, with status 200, ${LOST}
  reads-records passed  | empties its schedule with the feed       | data-emptied late | 2*20 4*~:0
  reads-records passed keeps-running passed | keeps what is under way | data-emptied late | 2*20 4*~:1
  reads-records passed keeps-running passed | keeps what is under way at several sites | data-emptied late | 2*20 4*~:7
  reads-records passed keeps-running passed | keeps what is under way, until it ends | data-emptied late | 2*20 2*~:2 2*~:1
  reads-records failed  | keeps what has not begun                 | data-emptied late | 2*20 4*~:8 | The feed has 0 records, and the client holds 8
  keeps-running warned  | drops what is under way                  | data-emptied late | 2*20 4*~:0 | dropped records under way
  keeps-running could-not-run  | says nothing                      | data-emptied | 2*20 4*~:- | did not print how many records
  reads-records failed  | keeps what the feed has no longer        | data-emptied late | 2*20 4*~:20 | The feed has 0 records, and the client holds 20 after reading it 4 times.
  keeps-schedule passed        | keeps its records when it is sent away | data-503 | 2*20 3*!503:20 4*20
  keeps-schedule failed        | loses its records when it is sent away | data-503 | 2*20 3*!503:0 4*20 | After status 503 ${LOST}
  keeps-schedule passed        | repeats calls before it knows          | data-500 | 2*20 3*!500:- !500:20 4*20
  keeps-schedule failed        | repeats calls, and loses its records   | data-500 | 2*20 3*!500:- !500:0 4*20 | After status 500 ${LOST}
  keeps-schedule passed        | had lost its records before            | data-500 | 20 =0 3*!500:0 4*20
  keeps-schedule could-not-run | prints nothing in trouble              | data-500 | 2*20 3*!500:- 4*20 | did not print how many records
  keeps-schedule could-not-run | meets little trouble                   | data-500 | 2*20 !500:20 4*20
  keeps-schedule could-not-run | waits for most slow answers            | data-timeout | 2*20 2*!gone:20 4*20
  keeps-schedule could-not-run | gets another media type                | data-text | 2*20 3*~:0 4*20
  checks-content could-not-run | gets another media type                | data-text | 2*20 3*~:0 4*20
  reads-records could-not-run  | is in another scenario                 | data-text | 6*20 | ${LEFT_OUT}
  checks-content could-not-run | is in another scenario                 | data-text | 6*20 | ${LEFT_OUT}
  keeps-schedule could-not-run | is in another scenario                 | data-text | 6*20 | ${LEFT_OUT}
  not-modified not-applicable  | sends no conditional request           | steady | 20 4*20
  reads-records failed         | reads each record twice                | rec-z-times | 20 40 60 80 | the client holds 40
  reads-records could-not-run  | says nothing                           | steady | 4*- | {"records": 20}`))
  for (const late of scenario.endsWith(' late') ? [false, true] : [false])
    test(`${judged}: a reader that ${what} in ${scenario}${late ? ', by lines that come late' : ''}`, () => {
      const words = judged.split(' ');
      const traffic = feedTraffic(scenario.replace(' late', ''), polls, { late });
      for (const [at, rule] of words.entries()) {
        if (at % 2 === 1) continue;
        const [verdict, seen] = verdictOf(rule, traffic);
        expect(verdict, rule).toBe(words[at + 1]);
        expect(seen).toContain(says);
      }
    });

test('a reader that keeps its records when answers come too late passes, and one that loses some fails', () => {
  for (const holds of [20, 0]) {
    const { statements = [], ...traffic } = feedTraffic('data-timeout', `2*20 3*!gone:${holds} 4*20`);
    // The mock notices late that a client has left.
    const early = statements.map(({ after, records }) => ({
      records,
      after: after > 2 && after < 6 ? after - 1 : after,
    }));
    for (const lines of [statements, early])
      expect(verdictOf('keeps-schedule', { ...traffic, statements: lines })).toEqual(
        holds === 20 ? ['passed', ''] : ['failed', `After no answer in time ${LOST}`],
      );
  }
});

test('a reader that waits for slow answers, or for most of them, is judged by other scenarios', () => {
  const other = feedTraffic('data-500', '2*20 3*!500:20 4*20');
  for (const polls of ['6*20', '2*20 !gone:20 4*20', '2*20 2*!gone:20 4*20'])
    expect(readersRule('keeps-schedule', feedTraffic('data-timeout', polls), other).verdict).toBe('passed');
});

test('a reader that ends in trouble could not be judged by what it holds', () => {
  const traffic = feedTraffic('data-500', '2*20 !500:20', { ended: { code: 1 } });
  const reason = 'The client ended by itself before it had shown this, in data-500.';
  expect(verdictOf('keeps-schedule', traffic, 'ended')).toEqual(['could-not-run', reason]);
});

test('what is lost without a call is not held against the client', () => {
  const traffic = feedTraffic('steady', '20 4*=20');
  const [first = { after: 1, records: 20 }, ...more] = traffic.statements ?? [];
  // A connection that could not be made: a further line, and no further call.
  const statements = [first, { after: 1, records: 0 }, ...more];
  expect(verdictOf('not-modified', { ...traffic, statements })).toEqual(['passed', '']);
});

test('a reader that reads several times at once is not judged by its lines', () => {
  const polls = pollsOf('5*0').map(({ holds }) => ({ call: { endMs: 5000 }, holds }));
  const [verdict, reason] = verdictOf('reads-records', feedTraffic('steady', polls));
  expect(verdict).toBe('could-not-run');
  expect(reason).toContain('several times at once');
});

test('a reader whose disconnection is noticed after its next read is judged by its lines', () => {
  const left = { call: { ended: 'gone', endMs: 1010 } as const, holds: 20 };
  const polls = [...pollsOf('20'), left, ...pollsOf('5*20')];
  expect(verdictOf('reads-records', feedTraffic('steady', polls))).toEqual(['passed', '']);
});

const details: Details = {
  conditional: { isConditional: true },
  basic: { authorization: 'malformed' },
  query: { authorization: undefined, misplaced: [{ what: 'token', where: 'query' }] },
  bare: { authorization: undefined },
};

testRows(
  `
  recovers warned       | stops                          | r0 r500 r1000!500 | name=data-500 until=13010 | read nothing 12.0 s
  recovers could-not-run | had no time                   | r0 r500 r1000!500 | name=data-500 until=13009
  recovers could-not-run | stops while we are held up    | r0 r500 r1000!500 | name=data-500 until=13010 stalls=2000-12000
  recovers could-not-run | reads seldom                  | r0 r10000 r20000!500 | name=data-500 until=100000
  recovers warned       | reads seldom, and stops        | r0 r10000 r20000!500 | name=data-500 until=120000
  retry-after passed    | waits                          | r0 r500 r1000!503?2 r3100 | name=data-503
  pause warned          | pauses for 49 ms               | r0-250/50~1 | name=steady | 5 reads came one after the other
  pause passed          | pauses for 50 ms               | r0-255/51~1 | name=steady
  conditional-request not-applicable | reads twice       | r0 r500 | name=steady
  no-credentials warned | puts a token into the query    | r0@query | name=steady`,
  { details, judge: readersRule },
);
