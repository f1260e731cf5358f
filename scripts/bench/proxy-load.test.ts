import { expect, _baseTest as test } from '@playwright/test';
import { type ProxyRound, proxyGoals, renderProxy } from './proxy-load.ts';

/** The bare proxy answers 100 requests, 50 in a second of its CPU time, and adds 0.5 ms to 0.25 ms. */
const round = (busy: number, p99: number): ProxyRound => ({
  others: 0,
  of: {
    proxy: { requestsPerSecond: 60, requestsPerBusySecond: busy, p99 },
    plain: { requestsPerSecond: 100, requestsPerBusySecond: 50, p99: 0.75 },
    direct: { requestsPerSecond: 200, requestsPerBusySecond: 90, p99: 0.25 },
  },
});

test('the goals of the proxy are half of what a bare proxy answers, and less than 2 ms', () => {
  expect(proxyGoals([round(25, 2.24)])).toMatchObject({ toPlain: { median: 0.5 }, met: [true, true] });
  expect(proxyGoals([round(24, 2.25)])).toMatchObject({ met: [false, false] });
});

test('the goals and what is shown next to them are printed on separate lines', () => {
  expect(
    renderProxy(proxyGoals([round(30, 1)]))
      .split('\n')
      .slice(2),
  ).toEqual([
    '✓ met     mrs proxy ≥ 0.5 × bare proxy, by CPU  0.60 ± 0.00',
    '· shown   the same, requests per second        0.60 ± 0.00',
    '✓ met     added to p99, one client < 2 ms      0.75 ms',
    '· shown   added by the bare proxy              0.50 ms',
  ]);
});
