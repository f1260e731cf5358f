import { expect, _baseTest as test } from '@playwright/test';
import { shapeOf } from './json.ts';

const itemsOf = (list: unknown[]) => shapeOf(list, (text) => text).items;
const A = { types: ['number'] };

for (const [what, list, expected] of [
  ['the same members', [{ a: 1 }, { a: 2 }], { types: ['object'], members: { a: A }, required: ['a'] }],
  [
    'a member that one lacks',
    [{ a: 1, b: 1 }, { a: 2 }],
    { types: ['object'], members: { a: A, b: A }, required: ['a'] },
  ],
  [
    'a member that one adds',
    [{ a: 1 }, { a: 1, b: 1 }],
    { types: ['object'], members: { a: A, b: A }, required: ['a'] },
  ],
  [
    'a member that one names after an inherited one',
    [{ a: 1 }, { toString: 1 }],
    { types: ['object'], members: { a: A, toString: A }, required: [] },
  ],
  ['keys in the place of names', [{ a: 1 }, { '12345678-9': 1 }], { types: ['object'] }],
  ['another type', [1, null, 2], { types: ['null', 'number'] }],
  ['the same text', ['x', 'x'], { types: ['string'], value: 'x' }],
  ['another text', ['x', 'y'], { types: ['string'] }],
  [
    'times of one form',
    ['2031-02-03T04:05:06Z', '2032-02-03T04:05:06Z'],
    { types: ['string'], time: '2030-01-01T00:00:00Z' },
  ],
  ['times of two forms', ['2031-02-03T04:05:06Z', '2032-02-03 04:05:06'], { types: ['string'] }],
  ['lists of which one is empty', [[], [1]], { types: ['array'], items: A }],
] as const)
  test(`items with ${what} have the shape that they share`, () => {
    expect(itemsOf([...list])).toEqual(expected);
    expect(itemsOf([...list, ...list])).toEqual(expected);
  });
