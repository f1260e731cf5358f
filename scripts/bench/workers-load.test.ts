import { expect, _baseTest as test } from '@playwright/test';
import { renderReplicas, replicaGoals, type WorkersRound } from './workers-load.ts';

/** One process answers 100, and 50 in a second of its CPU time. */
const round = (two: number, busy: number): WorkersRound => ({
  others: 0,
  of: {
    one: { requestsPerSecond: 100, requestsPerBusySecond: 50 },
    two: { requestsPerSecond: two, requestsPerBusySecond: busy },
    bare: { requestsPerSecond: 125, requestsPerBusySecond: 60 },
  },
});

test('the goal of two workers is judged by the CPU time of the busiest process', () => {
  expect(replicaGoals([round(120, 80)])).toMatchObject({
    speedup: { median: 1.6 },
    onThisMachine: { median: 1.2 },
    toBare: { median: 0.8 },
    met: true,
  });
  expect(replicaGoals([round(200, 79)])).toMatchObject({ met: false });
});

test('the goal and what is shown next to it are printed on separate lines', () => {
  expect(
    renderReplicas(replicaGoals([round(120, 80)]))
      .split('\n')
      .slice(2),
  ).toEqual([
    '✓ met     two workers ≥ 1.6 × one process      1.60 ± 0.00',
    '· shown   two : one, requests per second       1.20 ± 0.00',
    '· shown   one : bare, requests per second      0.80 ± 0.00',
  ]);
  expect(renderReplicas(replicaGoals([round(120, 70)]))).toContain('✗ missed  two workers');
});
