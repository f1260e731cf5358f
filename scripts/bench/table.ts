/** The results in words and columns, 80 wide. */
import type { Goal } from './goals.ts';
import { type Measure, type Results, unsaturated } from './results.ts';
import { NAMES } from './server.ts';
import { ratioOf, type Spread, spreadOf } from './spread.ts';

const whole = (value: number): string => Math.round(value).toLocaleString('en').replaceAll(',', ' ');
export const megabytes = (bytes: number): string => `${whole(bytes / 1e6)} MB`;
const milliseconds = (ms: number): string => `${ms < 10 ? ms.toFixed(2) : whole(ms)} ms`;

const ROWS: [label: string, Measure, show: (value: number) => string][] = [
  ['requests per second', 'requestsPerSecond', whole],
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
  return [line('', [...NAMES], ['mock : bare', 'mock : prism']), ...rows].join('\n');
}

const line = (label: string, cells: string[], ratios: string[]): string =>
  [label.padEnd(19), ...cells.map((cell) => cell.padStart(9)), ...ratios.map((one) => one.padStart(13))].join(
    ' ',
  );

export function renderGoals(goals: readonly Goal[]): string {
  return goals
    .map(({ what, sign, bound, than, ratio, met, note }) => {
      const goal = `${what} ${sign} ${bound === 1 ? '' : `${bound} × `}${than}`;
      const mark = met ? '✓ met   ' : '✗ missed';
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
function inWords({ median, low, high }: Spread): string {
  const digits = median < 10 ? 2 : 1;
  return `${median.toFixed(digits)} ± ${((high - low) / 2).toFixed(digits)}`;
}
