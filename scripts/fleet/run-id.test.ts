import { expect, _baseTest as test } from '@playwright/test';
import { readRunId, runIdOfEnvironment } from './run-id.ts';

test('run id is that of the workflow run or the pipeline, whichever job and attempt runs', () => {
  const attempt = { GITHUB_RUN_ID: '1658821493', GITHUB_RUN_ATTEMPT: '2', GITHUB_JOB: 'judge' };
  expect(runIdOfEnvironment(attempt)).toBe('1658821493');
  expect(runIdOfEnvironment({ CI_PIPELINE_ID: '71', CI_JOB_ID: '9' })).toBe('71');
  expect(runIdOfEnvironment({ GITHUB_RUN_ID: '', CI_PIPELINE_ID: '' })).toBeUndefined();
});

test('run id is one word', () => {
  expect(readRunId('nightly/2030-01-01T02:00:00+01:00', '--run-id')).toBe(
    'nightly/2030-01-01T02:00:00+01:00',
  );
  for (const text of ['', 'two words', 'x'.repeat(101), '\u001b[2J'])
    expect(() => readRunId(text, '--run-id')).toThrow('--run-id is "');
});
