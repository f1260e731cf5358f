/** The results in words and columns, 80 wide. */
import type { Goal } from './goals.ts';
import { type Measure, type Results, unsaturated } from './results.ts';
import { NAMES } from './server.ts';
import { ratioOf, type Spread, spreadOf } from './spread.ts';

const whole = (value: number): string => Math.round(value).toLocaleString('en').replaceAll(',', ' ');
export const megabytes = (bytes: number): string =>
  bytes < 1e10 ? `${whole(bytes / 1e6)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
const milliseconds = (ms: number): string =>
  ms < 1e4 ? `${ms < 10 ? ms.toFixed(2) : whole(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;

const ROWS: [label: string, Measure, show: (value: number) => string][] = [
  ['requests a second', 'requestsPerSecond', whole],
  ['CPU per request', 'cpuPerRequest', (micros) => `${micros.toFixed(1)} µs`],
  ['cores in use', 'coresInUse', (cores) => cores.toFixed(2)],
  ['p50, one client', 'p50', milliseconds],
  ['p99, one client', 'p99', milliseconds],
  ['start', 'start', milliseconds],
  ['memory, started', 'memoryStarted', megabytes],
  ['memory, under load', 'memoryLoaded', megabytes],
];

export function renderTable(results: Results): string {
  const { mock, bare, prism } = results;
  const rows = ROWS.map(([label, measure, show]) =>
    line(
      label,
      NAMES.map((name) => show(spreadOf(results[name][measure]).median)),
      measure === 'coresInUse'
        ? []
        : [bare, prism].map((other) => inWords(ratioOf(mock[measure], other[measure]))),
    ),
  );
  return [line('', [...NAMES], ['to bare', 'to prism']), ...rows].join('\n');
}

const line = (label: string, cells: string[], ratios: string[]): string =>
  [label.padEnd(18), ...cells.map((cell) => cell.padStart(8)), ...ratios.map((one) => one.padStart(12))].join(
    ' ',
  );

export function renderGoals(goals: readonly Goal[]): string {
  return goals
    .map(({ what, sign, bound, than, ratio, met, note }) => {
      const goal =
        bound === undefined
          ? `${what} : ${than}`
          : `${what} ${sign} ${bound === 1 ? '' : `${bound} × `}${than}`;
      const mark = bound === undefined ? '· shown ' : met ? '✓ met   ' : '✗ missed';
      return `${mark}  ${goal.padEnd(35)}  ${inWords(ratio)}${note ? ` ${note}` : ''}`;
    })
    .join('\n');
}

/** What to know before believing the table; `others`: the cores that other programs had in use. */
export function renderDoubts(results: Results, others: number): string {
  const idle = unsaturated(results).map((name) => `${name} was not saturated: go by its CPU per request.`);
  const busy = others < 0.1 ? [] : [`Other programs had up to ${others.toFixed(2)} cores in use meanwhile.`];
  return [...idle, ...busy].join('\n');
}

/** `0.76 ± 0.02`: the median, and half the width of the middle half. */
export function inWords({ median, low, high }: Spread): string {
  const digits = median < 10 ? 2 : median < 100 ? 1 : 0;
  return `${median.toFixed(digits)} ± ${((high - low) / 2).toFixed(digits)}`;
}
