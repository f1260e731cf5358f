import { expect, _baseTest as test } from '@playwright/test';
import { judgeGoals } from './goals.ts';
import { type Measure, type Results, resultsOf, throughputOf, unsaturated } from './results.ts';
import { renderDoubts, renderGoals, renderTable } from './table.ts';

const turn = (requestsPerSecond: number, cpuPerRequest: number, coresInUse: number) => ({
  requestsPerSecond,
  cpuPerRequest,
  coresInUse,
  p50: 0.1,
  p99: 12,
  memoryLoaded: 119e6,
});

/** What a run measured, the servers saturated, and the mock just good enough; with `changes` to the mock. */
function measured(changes: Partial<Record<Measure, number>> = {}): Results {
  const start = { start: 700, memoryStarted: 100e6 };
  const mock = { ...start, ...turn(45_000, 22, 1), ...changes };
  const bare = { start: 80, memoryStarted: 50e6, ...turn(60_000, 16.5, 0.97) };
  const prism = { start: 1000, memoryStarted: 100e6, ...turn(4_500, 220, 1) };
  const round = { others: 0, of: { mock, bare, prism, quiet: { ...prism, ...turn(9_000, 110, 1) } } };
  return resultsOf([round], [round, round]);
}

test('each value is at the place of its round', () => {
  const { mock, prism } = measured();
  expect([mock.start, mock.requestsPerSecond, prism.p99]).toEqual([[700], [45_000, 45_000], [12, 12]]);
});

test('a goal that is just reached is met', () => {
  const goals = judgeGoals(measured());
  expect(goals.map(({ ratio, met }) => [ratio.median, met])).toEqual([
    [0.75, true],
    [10, true],
    [5, true],
    [0.7, true],
    [1, true],
    [1, true],
  ]);
});

for (const [what, changes, missed] of [
  ['too few requests', { requestsPerSecond: 44_000 }, [0, 1]],
  ['a slow start', { start: 701 }, [3]],
  ['more memory at the start', { memoryStarted: 101e6 }, [4]],
  ['more memory under load', { memoryLoaded: 120e6 }, [5]],
] as const)
  test(`${what}: that goal is missed, and no other`, () => {
    const goals = judgeGoals(measured(changes));
    expect(goals.flatMap(({ met }, at) => (met ? [] : [at]))).toEqual(missed);
  });

test('of a server with time left, the CPU time of a request is compared instead', () => {
  const results = measured({ coresInUse: 0.6, requestsPerSecond: 1, cpuPerRequest: 33 });
  expect(unsaturated(results)).toEqual(['mock']);
  expect(throughputOf(results, 'mock', 'bare')).toMatchObject({ by: 'cpu', median: 0.5 });
  expect(throughputOf(results, 'bare', 'prism')).toMatchObject({ by: 'requests' });
  expect(renderGoals(judgeGoals(results))).toContain('0.50 ± 0.00 by CPU time');
});

test('the limits of the figures are printed, and nothing if there are none', () => {
  expect(renderDoubts(measured(), 0.05)).toBe('');
  expect(renderDoubts(measured({ coresInUse: 0.6 }), 0.5).split('\n')).toEqual([
    'mock was not saturated: go by its CPU per request.',
    'Other programs had up to 0.50 cores in use meanwhile.',
  ]);
});

test('the table names what it measured, with units, next to the ratios', () => {
  const [head, requests, cpu, cores, p50, p99] = renderTable(measured()).split('\n');
  expect(head).toMatch(/^ +mock +bare +prism +quiet +to bare +to prism$/);
  expect(requests).toMatch(/^requests a second +45 000 +60 000 +4 500 +9 000 +0\.75 ± 0\.00 +10\.0 ± 0\.0$/);
  expect(cpu).toContain('16.5 µs');
  expect(cores).toMatch(/1\.00 +0\.97 +1\.00 +1\.00$/);
  expect([p50, p99].join()).toMatch(/ 0\.10 ms .* 12 ms /s);
});

test('table, goals and doubts fit 80 columns', () => {
  const large = measured({
    requestsPerSecond: 999_999,
    start: 99_999,
    memoryLoaded: 99_999e6,
    coresInUse: 0.1,
  });
  const text = [renderTable(large), renderGoals(judgeGoals(large)), renderDoubts(large, 1.5)].join('\n');
  expect(text.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
