/** Several measurements of one thing as one figure, and what is asked of it. */

/** Half of the measurements lie between `low` and `high`: what disturbed the others is left outside. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

/** Of at least one value. */
export function spreadOf(values: readonly number[]): Spread {
  return { median: quantile(values, 0.5), low: quantile(values, 0.25), high: quantile(values, 0.75) };
}

/** How many times the second the first is, in each round by itself: there both met the same machine. */
export function ratioOf(first: readonly number[], second: readonly number[]): Spread {
  return spreadOf(first.map((value, round) => value / (second[round] ?? Number.NaN)));
}

/** The value below which `share` of all lie, between two by its place among them. NaN without any. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [below = Number.NaN, above = below] = sorted.slice(Math.floor(place), Math.floor(place) + 2);
  return below + (above - below) * (place - Math.floor(place));
}

/** `0.76 ± 0.02`: the median, and half the width of the middle half. */
export function inWords({ median, low, high }: Spread): string {
  const digits = median < 10 ? 2 : median < 100 ? 1 : 0;
  return `${median.toFixed(digits)} ± ${((high - low) / 2).toFixed(digits)}`;
}

export interface Goal {
  what: string;
  /** In words. */
  figure: string;
  /** Undefined where the figure is shown and nothing is asked of it. */
  met?: boolean;
}

export const renderGoals = (goals: readonly Goal[]): string =>
  goals
    .map(({ what, figure, met }) => {
      const mark = met === undefined ? '· shown ' : met ? '✓ met   ' : '✗ missed';
      return `${mark}  ${what.padEnd(35)}  ${figure}`;
    })
    .join('\n');
