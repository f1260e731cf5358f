import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createClients } from './clients.ts';
import type { Expectation, Filter } from './contract/control-contract.ts';
import { createJournal, type Exchange, type Journal } from './exchange.ts';
import { trafficOf, verify } from './journal.ts';
import { exchange, withToken } from './testing/exchange.ts';
import type { IssuedToken } from './tokens.ts';

const seqs = (journal: Journal, filter?: Filter) => journal.list(filter).map(({ seq }) => seq);
const added = (journal: Journal, count: number): Journal => {
  for (let nth = 0; nth < count; nth++) journal.add(exchange());
  return journal;
};

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

for (const [what, filter, found] of [
  ['a client', { client: 'a' }, [1, 2]],
  ['a reason', { reason: 'expired' }, [3]],
  ['a token', { token: 'a#1' }, [2, 4]],
  ['a since', { since: 3 }, [4, 5]],
  ['a limit', { limit: 2 }, [4, 5]],
  ['a limit of more than there are', { limit: 9 }, [1, 2, 3, 4, 5]],
  ['all', { client: 'b', operation: 'readData', status: 403, reason: 'expired', since: 2, limit: 1 }, [3]],
] as [string, Filter, number[]][])
  test(`a journal is filtered by ${what}`, () => {
    const journal = createJournal(10_000);
    journal.add(exchange({ client: 'a', operation: 'obtainToken' }));
    journal.add(exchange({ client: 'a', operation: 'readData', ...withToken('a#1') }));
    journal.add(exchange({ client: 'b', operation: 'readData', status: 403, reason: 'expired' }));
    journal.add(exchange({ ...withToken('a#1'), status: 403 }));
    journal.add(exchange());
    expect(seqs(journal, filter)).toEqual(found);
  });

test('a listener receives each later exchange until it stops, and one that fails does not affect the others', () => {
  const journal = added(createJournal(0), 1);
  const heard: [string, number][] = [];
  const listener = (name: string) => journal.listen(({ seq }) => void heard.push([name, seq]));
  const [first, second] = [listener('first'), listener('second')];
  added(journal, 1);
  first();
  first();
  const failing = journal.listen(({ seq }) => {
    journal.listen((later) => void heard.push(['later', later.seq]));
    throw new Error(`the listener failed at ${seq}`);
  });
  expect(() => added(journal, 1)).toThrow('the listener failed at 3');
  failing();
  added(journal, 1);
  second();
  expect(heard).toEqual([
    ['first', 2],
    ['second', 2],
    ['second', 3],
    ['second', 4],
    ['later', 4],
  ]);
});

/** A journal of this number of calls, of the client a and of no client in turn. */
function journalOf(calls: number, capacity = 10_000): Journal {
  const journal = createJournal(capacity);
  for (let nth = 0; nth < calls; nth++) journal.add(exchange(nth % 2 === 0 ? { client: 'a' } : {}));
  return journal;
}

for (const [calls, size, expected, passed, message] of [
  [3, 9, {}, true, 'Expected 1 or more calls; seen: 3.'],
  [0, 9, {}, false, 'Expected 1 or more calls; seen: 0.'],
  [3, 9, { atLeast: 4 }, false, 'Expected 4 or more calls; seen: 3.'],
  [3, 9, { atMost: 2 }, false, 'Expected 0 to 2 calls; seen: 3.'],
  [0, 9, { atMost: 0 }, true, 'Expected 0 calls; seen: 0.'],
  [3, 9, { atLeast: 2, atMost: 3 }, true, 'Expected 2 to 3 calls; seen: 3.'],
  [7, 4, { atMost: 9 }, false, 'Expected 0 to 9 calls; seen: 4. The journal has lost 3.'],
  [7, 4, { atMost: 9, since: 3 }, true, 'Expected 0 to 9 calls; seen: 4.'],
] as [number, number, Expectation, boolean, string][])
  test(`${JSON.stringify(expected)} of ${calls} calls, ${size} of them kept, is ${passed}`, () => {
    expect(verify(journalOf(calls, size), expected)).toMatchObject({ passed, message });
  });

const acme = createClients(900).add({ id: 'acme', secret: 'x' });
const issued = (number: number, more: Partial<IssuedToken> = {}): IssuedToken => ({
  ...{ client: acme, number, issuedAt: 1000, expiresAt: 4000 },
  ...more,
});
const data: Partial<Exchange> = {
  client: 'acme',
  operation: 'readData',
  path: '/ods_data/',
  target: 'readData',
};

function seen(exchanges: readonly Partial<Exchange>[], { size = 100, known = [] as IssuedToken[] } = {}) {
  const journal = createJournal(size);
  for (const one of exchanges) journal.add(exchange(one));
  const current = (issued: IssuedToken) => known.find(({ number }) => number === issued.number) ?? issued;
  return trafficOf({ journal, tokens: { current, listOf: () => [] } as never }, 'acme');
}

test('a call has the facts of its journal entry, with times since the first call', () => {
  const facts = {
    method: 'POST',
    path: '/token/',
    target: 'obtainToken',
    status: 429,
    reason: 'script',
    query: ['f'],
    accept: 'a/b',
    contentType: 'c/d',
    fields: ['e'],
    authorization: 'malformed',
    ended: 'cut',
  } as const;
  const { calls } = seen([
    { ...data, started: 5000, duration: 20, at: 70_000, issued: issued(3), tokenStatus: 'valid' },
    {
      ...{ client: 'acme', operation: 'obtainToken', started: 5100, duration: 30, at: 71_000 },
      ...{ ...facts, headers: { 'retry-after': '2' }, misplaced: [{ what: 'token', where: 'query' }] },
    },
  ]);
  expect(calls).toEqual([
    {
      ...{
        id: 1,
        kind: 'data',
        startMs: 0,
        endMs: 20,
        atMs: 0,
        method: 'GET',
        path: '/ods_data/',
        query: [],
      },
      ...{ target: 'readData', status: 200, reason: 'served', misplaced: [], token: 3, standing: 'valid' },
    },
    {
      ...{ id: 2, kind: 'token', startMs: 100, endMs: 130, atMs: 1000, retryAfterSeconds: 2 },
      ...{ ...facts, misplaced: [{ what: 'token', where: 'query' }] },
    },
  ]);
  const dated = seen([{ ...data, headers: { 'retry-after': 'Wed, 21 Oct 2026 07:28:00 GMT' } }]);
  expect(dated.calls[0]?.retryAfterSeconds).toBeUndefined();
});

test('calls are in the order in which their requests arrived', () => {
  const paths = [30, 40, 20].map((started, nth) => ({
    ...data,
    started,
    duration: 99 - nth,
    path: `/${nth}/`,
  }));
  expect(seen(paths).calls.map(({ id, path, startMs }) => [id, path, startMs])).toEqual([
    [1, '/2/', 0],
    [2, '/0/', 10],
    [3, '/1/', 20],
  ]);
  expect(seen(paths, { size: 1 })).toMatchObject({ lost: 2, calls: [{ path: '/2/' }] });
  expect(seen([])).toEqual({ calls: [], lives: [], durationMs: 0, lost: 0 });
});

test('calls that show no client are those of the only one, and of none where two called', () => {
  const unowned = [{ operation: 'checkHealth' as const }, { path: '/nowhere/' }];
  const kinds = (...more: Partial<Exchange>[]) => seen([...more, ...unowned]).calls.map(({ kind }) => kind);
  expect(kinds(data)).toEqual(['data', 'health', 'other']);
  expect(kinds()).toEqual(['health', 'other']);
  expect(kinds(data, { ...data, client: 'other' })).toEqual(['data']);
});

test('each token has one life, in the order of the tokens, with its current end', () => {
  const uses = [3, 3, 2].map((number) => ({ ...data, issued: issued(number), at: 500 }));
  const life = { issuedMs: 500, expiresMs: 3500 };
  expect(seen(uses).lives).toEqual([
    { number: 2, ...life },
    { number: 3, ...life },
  ]);
  const known = [issued(3, { endedAt: 2000 })];
  expect(seen(uses, { known }).lives).toMatchObject([{ number: 2 }, { number: 3, endedMs: 1500 }]);
});
