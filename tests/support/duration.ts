/** Durations as people write them: a bare number is seconds, and `500ms`, `15m`, `1h` are what they say. */
import ms, { type StringValue } from 'ms';
import { UsageError } from './usage-error.ts';

/** Seconds in `text`; `name` is the option or variable that it came from. Throws UsageError unless above zero. */
export function parseDuration(text: string, name = 'the duration'): number {
  const trimmed = text.trim();
  const seconds = /^[\d.]+$/.test(trimmed) ? Number(trimmed) : milliseconds(trimmed) / 1000;
  if (Number.isFinite(seconds) && seconds > 0) return seconds;
  throw new UsageError(
    `${name} is "${text}", which is not a duration above zero. Write seconds, or a number with a unit: 90, 15m, 1h.`,
  );
}

/** `seconds` in the largest unit that divides it: `900` is `15m`, `90` is `90s`. */
export function formatDuration(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds % size === 0) ?? ['ms', 0.001];
  return `${Math.round(seconds / size)}${unit}`;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

function milliseconds(text: string): number {
  return /^[\d.]+ ?[a-z]+$/i.test(text) ? ms(text as StringValue) : Number.NaN;
}

/** How early or late a token may expire: a tenth of its lifetime, and a second. */
export const firstMomentOf = (lifetimeSeconds: number): number => lifetimeSeconds * 0.9 - 1;
export const lastMomentOf = (lifetimeSeconds: number): number => lifetimeSeconds * 1.1 + 1;

/** The age up to which a token is watched that has outlived `lifetimeSeconds`: MRS-5.6a states it. */
export const endOfWatch = (lifetimeSeconds: number): number =>
  Math.max(lifetimeSeconds * 2, lifetimeSeconds + 10);
