// @ts-check
/** A time axis that gives its width to what happens, and folds long times in which nothing does. */
import { moment } from './words.js';

/** @typedef {{ from: number, to: number }} Span in milliseconds */
/** @typedef {Span & { start: number, end: number }} Segment with where it is drawn */
/**
 * @typedef {object} Axis
 * @property {(at: number) => number} x where a moment is drawn; less than 0 before the first
 * @property {Segment[]} folds
 * @property {{ x: number, text: string }[]} ticks
 * @property {number} end the last moment that has a place
 */

/** Of a time in which nothing happens: folded where it is a longer share than this of all others. */
const FOLDED_SHARE = 0.25;
const FOLD_PX = 46;
const LEAST_PX = 30;
const TICK_PX = 84;
const SECOND = 1000;
const DAY = 86_400_000;
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500].concat(
  [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400].map(
    (seconds) => seconds * SECOND,
  ),
);

/** @param {Span[]} spans at least one @param {number} width @returns {Axis} */
export function createAxis(spans, width) {
  const kept = fitting(merged(spans), width);
  const room = width - (kept.length - 1) * FOLD_PX;
  const total = kept.reduce((sum, { from, to }) => sum + to - from, 0);
  const spare = Math.max(0, room - kept.length * LEAST_PX);
  let end = 0;
  const segments = kept.map(({ from, to }) => {
    const start = end === 0 ? 0 : end + FOLD_PX;
    end = start + LEAST_PX + (total > 0 ? (spare * (to - from)) / total : spare / kept.length);
    return { from, to, start, end };
  });
  const folds = segments.slice(1).flatMap(({ from, start }, index) => {
    const before = segments[index];
    return before ? [{ from: before.to, to: from, start: before.end, end: start }] : [];
  });
  const places = [...segments, ...folds].sort((a, b) => a.start - b.start);

  return {
    x(at) {
      const place = places.find(({ to }) => at <= to) ?? places.at(-1);
      if (!place || at < (places[0]?.from ?? 0)) return -1000;
      const share = place.to > place.from ? (at - place.from) / (place.to - place.from) : 0.5;
      return place.start + share * (place.end - place.start);
    },
    folds,
    ticks: segments.flatMap(ticksOf),
    end: places.at(-1)?.to ?? 0,
  };
}

/** Joins spans that are close together, so that only long times are left between. @param {Span[]} spans */
function merged(spans) {
  const sorted = joined(
    spans.map((span) => ({ ...span })).sort((a, b) => a.from - b.from),
    0,
  );
  const busy = sorted.reduce((sum, { from, to }) => sum + to - from, 0);
  return joined(sorted, Math.max(busy * FOLDED_SHARE, SECOND));
}

/** @param {Span[]} spans @param {number} gap */
function joined(spans, gap) {
  /** @type {Span[]} */
  const done = [];
  for (const span of spans) {
    const last = done.at(-1);
    if (last && span.from - last.to <= gap) last.to = Math.max(last.to, span.to);
    else done.push({ ...span });
  }
  return done;
}

/** The latest of them, so that no more than half of the width is folds. @param {Span[]} spans @param {number} width */
function fitting(spans, width) {
  const most = Math.max(1, Math.floor(width / 2 / FOLD_PX) + 1);
  return spans.slice(-most);
}

/** @param {Segment} segment */
function ticksOf({ from, to, start, end }) {
  const perPx = (to - from) / (end - start);
  if (end - start < TICK_PX || perPx === 0) return [];
  const step = stepFor(perPx * TICK_PX);
  const ticks = [];
  for (let at = Math.ceil(from / step) * step; at <= to && ticks.length < 50; at += step) {
    ticks.push({ x: start + (at - from) / perPx, text: labelOf(at, step) });
  }
  return ticks;
}

/** @param {number} least */
function stepFor(least) {
  const step = STEPS.find((one) => one >= least);
  if (step !== undefined) return step;
  const power = 10 ** Math.floor(Math.log10(least / DAY));
  return DAY * power * ([1, 2, 5, 10].find((many) => many * power * DAY >= least) ?? 10);
}

/** @param {number} at @param {number} step */
function labelOf(at, step) {
  const { date, time, fraction } = moment(at);
  if (step >= DAY) return date;
  if (step >= 60 * SECOND) return time.slice(0, 5);
  return step >= SECOND ? time : `${time.slice(3)}${fraction}`;
}
