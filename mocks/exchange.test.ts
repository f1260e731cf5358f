import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Expectation, Filter } from './contract/control-contract.ts';
import { createJournal, type Exchange, type Journal } from './exchange.ts';
import { verify } from './journal.ts';

const seqs = (journal: Journal, filter?: Filter) => journal.list(filter).map(({ seq }) => seq);
/** Only what selects it. */
const exchange = (more: Partial<Exchange> = {}) => ({ ...more }) as Exchange;

test('a journal keeps the latest exchanges, whatever is added and cleared', () => {
  const event = fc.oneof({ weight: 9, arbitrary: fc.constant('add') }, fc.constant('clear'));
  fc.assert(
    fc.property(fc.nat(5), fc.array(event, { maxLength: 40 }), fc.nat(40), (size, events, since) => {
      const journal = createJournal(size);
      let [all, cleared, seq]: [number[], number, number] = [[], 0, 0];
      for (const one of events) {
        if (one === 'add') all.push(++seq);
        else [all, cleared] = [[], seq];
        if (one === 'clear') journal.clear();
        else journal.add(exchange());
        const kept = size === 0 ? [] : all.slice(-size);
        expect(seqs(journal)).toEqual(kept);
        const gone = (kept[0] ?? seq + 1) - 1;
        expect(journal.lost(since)).toBe(Math.max(0, gone - Math.max(since, cleared)));
      }
    }),
    { seed: 7 },
  );
});

const READ = { method: 'GET', path: '/', status: 200, reason: 'served' };
/** As a message names them. */
const named = (...numbers: number[]) => numbers.map((one) => `number ${one}: GET / 200 served`).join(', ');

/** A journal of this number of calls, of the client a and of no client in turn. */
function journalOf(calls: number, capacity = 10_000): Journal {
  const journal = createJournal(capacity);
  for (let nth = 0; nth < calls; nth++)
    journal.add(exchange(nth % 2 === 0 ? { ...READ, client: 'a' } : READ));
  return journal;
}

for (const [calls, size, expected, passed, message] of [
  [3, 9, {}, true, `Expected 1 or more calls; seen: 3 (${named(1, 2, 3)}).`],
  [0, 9, {}, false, 'Expected 1 or more calls; seen: 0.'],
  [3, 9, { atLeast: 4 }, false, `Expected 4 or more calls; seen: 3 (${named(1, 2, 3)}).`],
  [3, 9, { atMost: 2 }, false, `Expected 0 to 2 calls; seen: 3 (${named(1, 2, 3)}).`],
  [0, 9, { atMost: 0 }, true, 'Expected exactly 0 calls; seen: 0.'],
  [3, 9, { atLeast: 2, atMost: 3 }, true, `Expected 2 to 3 calls; seen: 3 (${named(1, 2, 3)}).`],
  [
    7,
    4,
    { atMost: 9 },
    false,
    `Expected 0 to 9 calls; seen: 4 (${named(4, 5, 6, 7)}). The journal has lost 3.`,
  ],
  [
    7,
    4,
    { atMost: 9, since: 3 },
    true,
    `Expected 0 to 9 calls with since 3; seen: 4 (${named(4, 5, 6, 7)}).`,
  ],
  [
    9,
    9,
    { exactly: 9, client: 'a' },
    false,
    `Expected exactly 9 calls with client a; seen: 5 (${named(1, 3, 5, 7, 9)}).`,
  ],
  [7, 9, { exactly: 7 }, true, `Expected exactly 7 calls; seen: 7 (the latest are ${named(3, 4, 5, 6, 7)}).`],
] as [number, number, Expectation, boolean, string][])
  test(`${JSON.stringify(expected)} of ${calls} calls, ${size} of them kept, is ${passed}`, () => {
    expect(verify(journalOf(calls, size), expected)).toMatchObject({ passed, message });
  });
