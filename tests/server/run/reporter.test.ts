import { expect, _baseTest as test } from '@playwright/test';
import type { Judged } from '../judge.ts';
import { agreed } from './reporter.ts';

const judged: Judged = {
  verdicts: [
    { id: 'MRS-1', verdict: 'passed', exchanges: ['x1'] },
    { id: 'MRS-2', verdict: 'failed', expected: 'status 200', exchanges: ['x2'] },
    { id: 'MRS-3', verdict: 'could-not-run', reason: 'No token.', exchanges: [] },
    { id: 'MRS-4', verdict: 'not-applicable', reason: 'No body.', exchanges: [] },
  ],
  problems: [],
};
const ended = (...statuses: ('passed' | 'failed' | 'skipped' | 'timedOut')[]) =>
  new Map(
    statuses.map((status, nth) => {
      const id = `MRS-${nth + 1}`;
      return [id, { title: `${id} it must`, result: { status, error: { message: 'Error: too slow' } } }];
    }),
  );

test('verdicts whose tests report the same are kept', () => {
  expect(agreed(judged, ended('passed', 'failed', 'failed', 'skipped'))).toEqual(judged);
});

test('a verdict whose test did not run is dropped, so that it is not a pass', () => {
  const { verdicts, problems } = agreed(judged, new Map([...ended('passed')]));
  expect(verdicts.map(({ id }) => id)).toEqual(['MRS-1']);
  expect(problems).toEqual([]);
});

test('a test that ends differently from its verdict is a fault of the run, and no verdict', () => {
  const { verdicts, problems } = agreed(judged, ended('timedOut', 'failed', 'passed', 'skipped'));
  expect(verdicts.map(({ id }) => id)).toEqual(['MRS-2', 'MRS-4']);
  expect(problems).toEqual([
    'The test "MRS-1 it must" timedOut: too slow',
    'The test "MRS-3 it must" passed: too slow',
  ]);
});

test('a test of no requirement is a fault of the run', () => {
  const tests = ended('passed', 'failed', 'failed', 'skipped', 'passed');
  expect(agreed(judged, tests).problems).toEqual(['The test "MRS-5 it must" is of no requirement.']);
});
