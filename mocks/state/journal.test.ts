import { expect, _baseTest as test } from '@playwright/test';
import type { Filter } from '../contract/control-types.ts';
import { createJournal, type Journal } from '../exchange.ts';
import { exchange, withToken } from '../testing/exchange.ts';

const added = (journal: Journal, count: number): Journal => {
  for (let nth = 0; nth < count; nth++) journal.add(exchange());
  return journal;
};
const seqs = (journal: Journal, filter?: Filter) => journal.list(filter).map(({ seq }) => seq);

test('exchanges are numbered from 1 as they are added, and listed as they came', () => {
  const journal = createJournal(10_000);
  expect([journal.list(), journal.next(), journal.lost()]).toEqual([[], 1, 0]);
  journal.add(exchange({ path: '/a' }));
  journal.add(exchange({ path: '/b' }));
  expect(journal.list()).toEqual([exchange({ seq: 1, path: '/a' }), exchange({ seq: 2, path: '/b' })]);
  expect(journal.next()).toBe(3);
});

test('ten thousand are kept, and the number lost is counted', () => {
  const journal = added(createJournal(10_000), 10_000);
  expect([journal.list().length, journal.lost()]).toEqual([10_000, 0]);
  added(journal, 3);
  expect([journal.list().length, journal.list()[0]?.seq, journal.lost()]).toEqual([10_000, 4, 3]);
  expect([0, 1, 2, 3, 4, 99_999].map((since) => journal.lost(since))).toEqual([3, 2, 1, 0, 0, 0]);
});

test('cleared, it is empty and has lost nothing, and numbers go on', () => {
  const journal = added(createJournal(3), 5);
  journal.clear();
  expect([journal.list(), journal.lost(), journal.lost(2), journal.next()]).toEqual([[], 0, 0, 6]);
  added(journal, 4);
  expect([seqs(journal), journal.lost(), journal.lost(6), journal.lost(7)]).toEqual([[7, 8, 9], 1, 0, 0]);
});

test('a journal of size 0 keeps nothing, counts what it loses, and still informs listeners', () => {
  const journal = createJournal(0);
  expect(journal.isUsed()).toBe(false);
  journal.skip();
  const heard: number[] = [];
  const stop = journal.listen(({ seq }) => heard.push(seq));
  expect(journal.isUsed()).toBe(true);
  added(journal, 2);
  stop();
  expect([journal.isUsed(), heard, journal.list(), journal.lost(), journal.next()]).toEqual([
    false,
    [2, 3],
    [],
    3,
    4,
  ]);
});

for (const [what, filter, found] of [
  ['nothing', {}, [1, 2, 3, 4, 5]],
  ['a client', { client: 'a' }, [1, 2]],
  ['an operation', { operation: 'readData' }, [2, 3]],
  ['a status', { status: 403 }, [3, 4]],
  ['a reason', { reason: 'expired' }, [3]],
  ['a token', { token: 'a#1' }, [2, 4]],
  ['a since', { since: 3 }, [4, 5]],
  ['a since of none', { since: 0 }, [1, 2, 3, 4, 5]],
  ['a limit', { limit: 2 }, [4, 5]],
  ['a limit of none', { limit: 0 }, []],
  ['a limit of more than there are', { limit: 9 }, [1, 2, 3, 4, 5]],
  [
    'all of them',
    { client: 'b', operation: 'readData', status: 403, reason: 'expired', since: 2, limit: 1 },
    [3],
  ],
  ['what is not there', { client: '' }, []],
  ['a token that is not there', { token: 'a#2' }, []],
] as [string, Filter, number[]][])
  test(`${what} is looked for`, () => {
    const journal = createJournal(10_000);
    journal.add(exchange({ client: 'a', operation: 'obtainToken' }));
    journal.add(exchange({ client: 'a', operation: 'readData', ...withToken('a#1') }));
    journal.add(exchange({ client: 'b', operation: 'readData', status: 403, reason: 'expired' }));
    journal.add(exchange({ ...withToken('a#1'), status: 403 }));
    journal.add(exchange());
    expect(seqs(journal, filter)).toEqual(found);
  });

test('a listener receives each later exchange until it stops', () => {
  const journal = added(createJournal(10_000), 1);
  const told: [string, number][] = [];
  const stop = journal.listen(({ seq }) => void told.push(['first', seq]));
  journal.listen(({ seq }) => void told.push(['second', seq]));
  added(journal, 1);
  stop();
  stop();
  added(journal, 1);
  expect(told).toEqual([
    ['first', 2],
    ['second', 2],
    ['second', 3],
  ]);
});

test('a listener that was added twice stops once each, and finds the exchange in the journal', () => {
  const journal = createJournal(10_000);
  const told: number[] = [];
  const listener = () => void told.push(...seqs(journal));
  const [first, second] = [journal.listen(listener), journal.listen(listener)];
  first();
  added(journal, 1);
  second();
  added(journal, 1);
  expect(told).toEqual([1]);
});

test('a listener added during a notification receives the next exchange', () => {
  const journal = createJournal(10_000);
  const told: number[] = [];
  journal.listen(({ seq }) => {
    if (seq === 1) journal.listen((later) => void told.push(later.seq));
  });
  added(journal, 2);
  expect(told).toEqual([2]);
});

test('a listener that fails does not affect the others', () => {
  const journal = createJournal(10_000);
  const told: number[] = [];
  journal.listen(() => {
    throw new Error('the listener failed');
  });
  journal.listen(({ seq }) => void told.push(seq));
  expect(() => added(journal, 1)).toThrow('the listener failed');
  expect([told, seqs(journal)]).toEqual([[1], [1]]);
});
