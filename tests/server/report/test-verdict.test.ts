import { expect, test } from '@playwright/test';
import { verdictOf } from './test-verdict.ts';

const title = 'MRS-1 it must';
const exchange = { type: 'exchange', description: 'x1' };
const told = { id: 'MRS-1', exchanges: ['x1'] };

for (const [status, annotations, verdict] of [
  ['passed', [], { verdict: 'passed' }],
  ['failed', [{ type: 'expected', description: 'a b' }], { verdict: 'failed', expected: 'a b' }],
  ['skipped', [{ type: 'could-not-run', description: 'no c' }], { verdict: 'could-not-run', reason: 'no c' }],
  ['skipped', [{ type: 'not-applicable', description: 'd' }], { verdict: 'not-applicable', reason: 'd' }],
  ['skipped', [], { verdict: 'could-not-run', reason: 'The test was skipped.' }],
] as const)
  test(`${status} with ${annotations[0]?.type ?? 'nothing said'} is ${verdict.verdict}`, () => {
    const result = { status, annotations: [exchange, ...annotations] };
    expect(verdictOf({ title }, result)).toEqual({ ...told, ...verdict });
  });

test('the answer that breaks the requirement is told first', () => {
  const annotations = [
    exchange,
    { type: 'expected', description: 'a b' },
    { type: 'exchange', description: 'x2' },
  ];
  expect(verdictOf({ title }, { status: 'failed', annotations })).toMatchObject({ exchanges: ['x2', 'x1'] });
});

for (const status of ['failed', 'timedOut', 'interrupted'] as const)
  test(`${status} without a verdict on the deployment is the suite's own fault, told in one line`, () => {
    const error = { message: '\x1b[31mTypeError: x is not a function\x1b[39m\n    at y' };
    expect(verdictOf({ title }, { status, annotations: [exchange], error })).toEqual({
      ...{ ...told, verdict: 'could-not-run', reason: `The test itself ${status}.` },
      problem: `The test "${title}" ${status}: x is not a function`,
    });
  });
