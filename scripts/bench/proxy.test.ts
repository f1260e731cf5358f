import { expect, _baseTest as test } from '@playwright/test';
import { judgeProxy, type ProxyRound } from './proxy.ts';

/** The bare proxy answers 100 requests a second, takes 20 ms of CPU time for each, and adds 0.5 ms to 0.25 ms. */
const round = (cpuPerRequest: number, p99: number): ProxyRound => ({
  others: 0,
  of: {
    proxy: { requestsPerSecond: 60, cpuPerRequest, coresInUse: 1, p50: 1, p99 },
    plain: { requestsPerSecond: 100, cpuPerRequest: 20_000, coresInUse: 1, p50: 1, p99: 0.75 },
    direct: { requestsPerSecond: 200, cpuPerRequest: 10_000, coresInUse: 1, p50: 1, p99: 0.25 },
  },
});
const goalsOf = (one: ProxyRound) => judgeProxy([one]).text.split('\n').slice(2);

test('the goals of the proxy are half of what a bare proxy answers, and less than 2 ms', () => {
  expect(goalsOf(round(40_000, 2.24))).toEqual([
    '✓ met     mrs proxy ≥ 0.5 × bare proxy, by CPU  0.50 ± 0.00',
    '· shown   the same, requests per second        0.60 ± 0.00',
    '✓ met     added to p99, one client < 2 ms      1.99 ms',
    '· shown   added by the bare proxy              0.50 ms',
  ]);
  expect(goalsOf(round(41_000, 2.25)).filter((line) => line.startsWith('✗ missed'))).toHaveLength(2);
});
