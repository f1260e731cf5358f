import { expect, test } from 'vitest';
import { countMembers, mediaTypeProblem, repeatedMembers } from './body.ts';

test('the members of a value are counted at all depths', () => {
  expect(countMembers(JSON.parse('{"a": 1, "b": {"c": [{"d": 1}, 2, null]}, "__proto__": 3}'))).toBe(5);
  for (const value of [null, 7, 'a:b', [], [1, [2]]]) expect(countMembers(value)).toBe(0);
});

test('members of one name are found with their paths, in whatever way the name is written', () => {
  const text = '{"a": 1, "x": {"b": 1, "\\u0062": 2}, "y": [{"b": 1}, {"b": 1, "b": 1}], "a": 2}';
  expect(repeatedMembers(text, 9)).toEqual([['x', 'b'], ['y', '1', 'b'], ['a']]);
  expect(repeatedMembers(text, 1)).toEqual([['x', 'b']]);
});

for (const type of ['application/json', 'APPLICATION/JSON ; charset=utf-8', 'application/vnd.ods+json'])
  test(`${type} is the type of a feed`, () => {
    expect(mediaTypeProblem(type)).toBe(undefined);
  });

for (const type of [
  '',
  'text/html',
  'text/plain; charset=utf-8',
  'application/jsonl',
  'application/octet-stream',
  'application/json; charset=utf-8, text/html',
])
  test(`"${type}" is not the type of a feed`, () => {
    expect(mediaTypeProblem(type)).toContain('expected application/json');
  });
