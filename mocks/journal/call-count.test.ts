import { expect, _baseTest as test } from '@playwright/test';
import type { Expectation } from '../contract/control-types.ts';
import { createJournal, type Journal, verify } from '../exchange.ts';
import { exchange } from '../testing/exchange.ts';

/** A journal of so many calls, by turns of the client a and of no client. */
function journalOf(calls: number, capacity = 10_000): Journal {
  const journal = createJournal(capacity);
  for (let nth = 0; nth < calls; nth++) journal.add(exchange(nth % 2 === 0 ? { client: 'a' } : {}));
  return journal;
}

for (const [calls, expected, passed, message] of [
  [3, {}, true, 'Expected at least 1; seen: 3.'],
  [0, {}, false, 'Expected at least 1; seen: 0.'],
  [1, {}, true, 'Expected at least 1; seen: 1.'],
  [3, { atLeast: 3 }, true, 'Expected at least 3; seen: 3.'],
  [3, { atLeast: 4 }, false, 'Expected at least 4; seen: 3.'],
  [0, { atLeast: 0 }, true, 'Expected any number; seen: 0.'],
  [3, { atMost: 3 }, true, 'Expected at most 3; seen: 3.'],
  [3, { atMost: 2 }, false, 'Expected at most 2; seen: 3.'],
  [0, { atMost: 2 }, true, 'Expected at most 2; seen: 0.'],
  [0, { atMost: 0 }, true, 'Expected at most 0; seen: 0.'],
  [1, { atMost: 0 }, false, 'Expected at most 0; seen: 1.'],
  [3, { atLeast: 2, atMost: 3 }, true, 'Expected at least 2 and at most 3; seen: 3.'],
  [1, { atLeast: 2, atMost: 3 }, false, 'Expected at least 2 and at most 3; seen: 1.'],
  [3, { client: 'a', atLeast: 2, atMost: 2 }, true, 'Expected at least 2 and at most 2; seen: 2.'],
  [3, { client: 'b' }, false, 'Expected at least 1; seen: 0.'],
  [3, { client: 'a', since: 2 }, true, 'Expected at least 1; seen: 1.'],
] as [number, Expectation, boolean, string][])
  test(`of ${calls} calls, ${JSON.stringify(expected)} is ${passed ? 'met' : 'not met'}`, () => {
    expect(verify(journalOf(calls), expected)).toMatchObject({ passed, message });
  });

for (const [expected, passed, message] of [
  [{}, true, 'Expected at least 1; seen: 4, and 3 earlier exchanges are no longer in the journal.'],
  [
    { atLeast: 4 },
    true,
    'Expected at least 4; seen: 4, and 3 earlier exchanges are no longer in the journal.',
  ],
  [
    { atMost: 9 },
    false,
    'Expected at most 9; seen: 4, and 3 earlier exchanges are no longer in the journal.',
  ],
  [
    { atMost: 9, since: 2 },
    false,
    'Expected at most 9; seen: 4, and 1 earlier exchange is no longer in the journal.',
  ],
  [{ atMost: 9, since: 3 }, true, 'Expected at most 9; seen: 4.'],
] as [Expectation, boolean, string][])
  test(`where calls are lost, ${JSON.stringify(expected)} is ${passed ? 'met' : 'not vouched for'}`, () => {
    expect(verify(journalOf(7, 4), expected)).toMatchObject({ passed, message });
  });

test('the counted calls are listed by number, the latest hundred', () => {
  expect(verify(journalOf(5), { client: 'a' })).toEqual({
    passed: true,
    count: 3,
    message: 'Expected at least 1; seen: 3.',
    entries: [1, 3, 5],
  });
  const { count, entries } = verify(journalOf(103), {});
  expect([count, entries.length, entries[0], entries.at(-1)]).toEqual([103, 100, 4, 103]);
});
