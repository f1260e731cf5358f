import { expect, test } from 'vitest';
import { acceptIn, createKeeper, jsonAcceptance, type RecordedExchange } from './exchange.ts';
import { exchangeOf } from './har.ts';
import { entryOf, RECORDS, reads } from './testing/har.ts';

for (const [value, expected] of [
  [undefined, undefined],
  [' ', undefined],
  ['application/json', 'named'],
  ['APPLICATION/JSON', 'named'],
  ['application/json;charset=utf-8', 'named'],
  ['application/json;q=0, application/json', 'named'],
  ['application/json, */*;q=0', 'named'],
  ['text/x;a="1,2", application/json', 'named'],
  ['application/*', 'allowed'],
  ['*/*', 'allowed'],
  ['application/json;q=0', 'refused'],
  ['application/json;q=0, */*', 'refused'],
  ['text/csv', 'refused'],
  ['text/x;a="1,application/json,2"', 'refused'],
  ['application/json;a="x;q=0.0;y"', 'named'],
] as const)
  test(`an Accept header "${value}" has JSON ${expected}`, () => {
    expect(jsonAcceptance(value)).toBe(expected);
  });

test('an Accept header on two lines is read as one', () => {
  const headers = [
    ['accept', 'text/csv'],
    ['host', 'mrs.example'],
    ['accept', 'application/json'],
  ] as const;
  expect(acceptIn(headers)).toBe('text/csv, application/json');
  expect(acceptIn([['host', 'mrs.example']])).toBeUndefined();
});

const exchange = (at: number, headers: Record<string, string> = {}): RecordedExchange => {
  const call = reads(at, 1, { headers, body: RECORDS, answerHeaders: { Date: `day ${at}` } });
  return exchangeOf(entryOf(call), 1 + at) as RecordedExchange;
};

test('a hundred thousand polls with an id each take up no more than their ids', () => {
  const keeper = createKeeper();
  keeper.keep(exchange(0));
  const before = keeper.characters;
  const first = exchange(1);
  for (let nth = 0; nth < 100_000; nth++) {
    const id = `id-${String(nth).padStart(7, '0')}`;
    keeper.keep({ ...first, headers: [...first.headers, ['x-request-id', id]] });
  }
  // Ten characters each, and now and then the common ones again.
  expect(keeper.characters - before).toBeLessThan(100_000 * 10 * 1.1);
});
