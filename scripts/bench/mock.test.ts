import { expect, _baseTest as test } from '@playwright/test';
import { judgeMock, type MockResults } from './mock.ts';

const turn = (requestsPerSecond: number, cpuPerRequest: number, coresInUse: number) => ({
  ...{ requestsPerSecond, cpuPerRequest, coresInUse, p50: 0.1, p99: 12, memoryLoaded: 119e6 },
  ...{ start: 1000, memoryStarted: 100e6 },
});

/** What a run measured, the servers saturated, and the mock just good enough; with `changes` to the mock. */
function measured(changes: Partial<ReturnType<typeof turn>> = {}, others = 0.05): MockResults {
  const of = {
    mock: { ...turn(45_000, 22, 1), start: 700, ...changes },
    bare: { ...turn(60_000, 16.5, 0.97), start: 80, memoryStarted: 50e6 },
    prism: turn(4_500, 220, 1),
    quiet: turn(9_000, 110, 1),
  };
  const rounds = [0, 1].map(() => ({ others, of }));
  return { starts: rounds, turns: rounds };
}
const linesOf = (results: MockResults) => judgeMock(results).text.split('\n');

test('a goal that is just reached is met', () => {
  expect(judgeMock(measured()).goals).toEqual([
    { what: 'requests per second ≥ 0.75 × bare', figure: '0.75 ± 0.00', met: true },
    { what: 'requests per second ≥ 10 × prism', figure: '10.0 ± 0.0', met: true },
    { what: 'requests per second : quiet', figure: '5.00 ± 0.00' },
    { what: 'start ≤ 0.7 × prism', figure: '0.70 ± 0.00', met: true },
    { what: 'memory, started ≤ prism', figure: '1.00 ± 0.00', met: true },
    { what: 'memory, under load ≤ prism', figure: '1.00 ± 0.00', met: true },
  ]);
});

for (const [what, changes, missed] of [
  ['too few requests', { requestsPerSecond: 44_000 }, [0, 1]],
  ['a slow start', { start: 701 }, [3]],
  ['more memory at the start', { memoryStarted: 101e6 }, [4]],
  ['more memory under load', { memoryLoaded: 120e6 }, [5]],
] as const)
  test(`${what}: that goal is missed, and no other`, () => {
    const { goals } = judgeMock(measured(changes));
    expect(goals.flatMap(({ met }, at) => (met === false ? [at] : []))).toEqual(missed);
  });

test('of a server with time left, the CPU time of a request is compared instead, and the text says so', () => {
  const { goals, text } = judgeMock(
    measured({ coresInUse: 0.6, requestsPerSecond: 1, cpuPerRequest: 33 }, 0.5),
  );
  expect(goals[0]).toMatchObject({ figure: '0.50 ± 0.00 by CPU time', met: false });
  expect(text).toContain(
    '\nmock was not saturated: go by its CPU per request.\nOther programs had up to 0.50',
  );
  expect(judgeMock(measured()).text).not.toMatch(/saturated|Other programs/);
});

test('the table names what it measured, with units, next to the ratios', () => {
  const [head, requests, cpu, cores, p50, p99] = linesOf(measured()).slice(2);
  expect(head).toMatch(/^ +mock +bare +prism +quiet +to bare +to prism$/);
  expect(requests).toMatch(/^requests a second +45 000 +60 000 +4 500 +9 000 +0\.75 ± 0\.00 +10\.0 ± 0\.0$/);
  expect(cpu).toContain('16.5 µs');
  expect(cores).toMatch(/1\.00 +0\.97 +1\.00 +1\.00$/);
  expect([p50, p99].join()).toMatch(/ 0\.10 ms .* 12 ms /s);
});

test('all lines fit 80 columns', () => {
  const large = { requestsPerSecond: 999_999, start: 99_999, memoryLoaded: 99_999e6, coresInUse: 0.1 };
  expect(linesOf(measured(large, 1.5)).filter((line) => line.length > 80)).toEqual([]);
});
