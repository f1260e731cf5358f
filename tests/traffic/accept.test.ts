import { expect, _baseTest as test } from '@playwright/test';
import { acceptIn, jsonAcceptance } from './accept.ts';

for (const [value, expected] of [
  [undefined, undefined],
  [' ', undefined],
  ['application/json', 'named'],
  ['APPLICATION/JSON', 'named'],
  ['text/html;q=0.5, application/json; q=0.9', 'named'],
  ['application/json;charset=utf-8', 'named'],
  ['application/json;q=0.001', 'named'],
  ['application/json;q=0, application/json', 'named'],
  ['application/json, application/json;q=0', 'named'],
  ['application/json, */*;q=0', 'named'],
  ['text/x;a="1,2", application/json', 'named'],
  ['application/*', 'allowed'],
  ['*/*', 'allowed'],
  ['application/*;q=0.1, */*;q=0', 'allowed'],
  ['application/json;q=0', 'refused'],
  ['application/json;q=0.000', 'refused'],
  ['application/json;q=0, */*', 'refused'],
  ['application/*;q=0, */*', 'refused'],
  ['text/csv', 'refused'],
  ['application/jsonlines', 'refused'],
  ['text/x;a="1,application/json,2"', 'refused'],
  ['application/json;a="x;q=0.0;y"', 'named'],
  [',', 'refused'],
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
