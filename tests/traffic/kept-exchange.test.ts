import { expect, _baseTest as test } from '@playwright/test';
import type { RecordedExchange } from './exchange.ts';
import { exchangeOf } from './har.ts';
import { createKeeper } from './kept-exchange.ts';
import { entryOf, RECORDS, reads } from './testing/har.ts';

const exchange = (at: number, headers: Record<string, string> = {}): RecordedExchange => {
  const call = reads(at, 1, { headers, body: RECORDS, answerHeaders: { Date: `day ${at}` } });
  return exchangeOf(entryOf(call), 1 + at, 'a.har') as RecordedExchange;
};

test('equal parts of exchanges are kept once', () => {
  const { keep } = createKeeper();
  const [one, other] = [keep(exchange(0)), keep(exchange(1))];
  expect(other.headers).toBe(one.headers);
  expect(other.answer?.headers).toBe(one.answer?.headers);
});

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

test('a kept exchange has neither its body nor headers that nothing rests on', () => {
  const kept = createKeeper().keep(exchange(0, { 'user-agent': 'acme/1.0', cookie: 'a=b' }));
  expect(kept.answer?.readBody()).toBeUndefined();
  expect(kept.headers.map(([name]) => name)).toEqual(['accept', 'authorization', 'cookie']);
  expect(kept.answer?.headers.map(([name]) => name)).toEqual(['content-type']);
});

test('an answer of a proxy is kept as one', () => {
  const { keep } = createKeeper();
  expect(keep({ ...exchange(0), proxyAnswer: 'injected: expired' }).proxyAnswer).toBe('injected: expired');
});
