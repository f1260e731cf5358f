import { expect, _baseTest as test } from '@playwright/test';
import { answered } from '../testing/evidence.ts';
import type { Answered } from './evidence.ts';
import { allOf, couldNotRun, failed, notApplicable, passed } from './judgement.ts';

const [x1, x2, x3, x4] = [1, 2, 3, 4].map((nth) => answered(nth, 200)) as [
  Answered,
  Answered,
  Answered,
  Answered,
];

test('a violation outweighs what could not run, and its exchanges come first', () => {
  const all = allOf([passed(x1), couldNotRun('Too slow.', x2), failed('status 200', x3), passed(x4)]);
  expect(all).toEqual({ verdict: 'failed', expected: 'status 200', exchanges: ['x3', 'x1', 'x2'] });
});

test('what could not run outweighs what is not applicable and what passed', () => {
  const all = allOf([passed(x1), notApplicable('No body.'), couldNotRun('Too slow.', x2)]);
  expect(all).toEqual({ verdict: 'could-not-run', reason: 'Too slow.', exchanges: ['x1', 'x2'] });
});

test('judgements that all passed rest on each exchange once', () => {
  expect(allOf([passed(x1, x2), passed(x2, x3)])).toEqual({
    verdict: 'passed',
    exchanges: ['x1', 'x2', 'x3'],
  });
});

test('findings of one judgement are kept, whatever the others came to', () => {
  const findings = [{ rule: 'overlap' as const, class: 'H' as const, count: 1, places: [] }];
  expect(allOf([passed(x1), { ...passed(x2), findings }])).toMatchObject({ verdict: 'passed', findings });
});
