import { expect, _baseTest as test } from '@playwright/test';
import { mediaTypeProblem } from './media-type.ts';

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
