import { expect, _baseTest as test } from '@playwright/test';
import { quantile, ratioOf, spreadOf } from './figure.ts';

test('half of the values lie within the spread, in whatever order they come', () => {
  expect(spreadOf([5, 1, 100, 2, 4])).toEqual({ median: 4, low: 2, high: 5 });
});

test('between two values, the quantile is as far as its share', () => {
  expect(quantile([10, 20], 0.5)).toBe(15);
  expect(quantile([10, 20, 30], 0.25)).toBe(15);
  expect([quantile([7], 0.99), quantile([1, 2], 1)]).toEqual([7, 2]);
});

test('values are compared as numbers, and stay in their order', () => {
  const values = [9, 10, 1];
  expect(quantile(values, 0.5)).toBe(9);
  expect(values).toEqual([9, 10, 1]);
});

test('without a value there is no figure', () => {
  expect(quantile([], 0.5)).toBeNaN();
});

test('a ratio is taken in each round: a machine that slows down changes nothing', () => {
  expect(ratioOf([80, 40, 8], [100, 50, 10])).toEqual({ median: 0.8, low: 0.8, high: 0.8 });
});
