/**
 * Changes of a schedule while time passes: one at the end of each period, counted from the epoch. Which ones is drawn from
 * the seed, so that a schedule is a function of the seed and the time, whatever was asked before.
 */
import type { Random } from '../state/random.ts';
import { between, type Draw, drawsFrom } from './draw.ts';
import { beginOf, HANDOVER_MS, LATEST_START, type Observation, planAt, SECOND } from './plan.ts';
import { FORMS, type Form, type Slice, sliceOf, type Written } from './slice.ts';

export interface Churn {
  /** The records of a plan at a moment; undefined where nothing can have changed yet. */
  sliceAt(number: number, nowMs: number): Slice | undefined;
  /** The last millisecond before the next change. */
  untilMs(nowMs: number): number;
}

export interface ChurnParts {
  /** In milliseconds. */
  periodMs: number;
  /** Number of records in the data: only those that may be in it are changed. */
  count: number;
  plan(number: number): readonly Observation[];
  random: Random;
}

/** An observation and what has become of it. */
type Changing = Written & {
  /** When it was to start and to end at first. */
  readonly planned: Readonly<Observation>;
  isCancelled: boolean;
};

/** The place of an observation: the number of its plan, and its index there. */
interface Subject {
  number: number;
  index: number;
}

/** A plan with all changes up to a moment. */
interface Changed {
  observations: Changing[];
  /** The number of the last period whose change is in it. */
  tick: number;
  slice: Slice;
}

/** No change is to a record further ahead. */
const MOST_AHEAD = 40;

export function createChurn({ periodMs, count, plan, random }: ChurnParts): Churn {
  const plans = new Map<number, readonly Observation[]>();
  const changed = new Map<number, Changed>();

  const tickAt = (ms: number): number => Math.floor(ms / periodMs);
  /** The plan that is current: all before it are over. */
  const currentAt = (ms: number): number => planAt(ms - HANDOVER_MS);
  /** The first period in which a plan is current. */
  const firstTickOf = (number: number): number => Math.ceil((beginOf(number) + HANDOVER_MS) / periodMs);

  function planOf(number: number): readonly Observation[] {
    const known = plans.get(number) ?? plan(number);
    plans.set(number, known);
    return known;
  }

  /** The record that changes with a period: one of the next ones, as they were planned. */
  function subjectOf(tick: number, share: number): Subject | undefined {
    const current = currentAt(tick * periodMs);
    const most = Math.min(count, MOST_AHEAD);
    const nth = (wanted: number): Subject | number => {
      let passed = 0;
      for (const number of [current, current + 1]) {
        const since = (tick * periodMs - beginOf(number)) * 1000;
        for (const [index, { end }] of planOf(number).entries())
          if (end > since && passed++ === wanted) return { number, index };
      }
      return passed;
    };
    const found = nth(Math.floor(share * most));
    if (typeof found === 'object') return found;
    const last = nth(Math.floor(share * found));
    return typeof last === 'object' ? last : undefined;
  }

  /** Continues from what is known, or from the plan where time has gone back. */
  function advance(number: number, tick: number): Changed {
    const known = changed.get(number);
    const start =
      known && known.tick <= tick
        ? known
        : { tick: firstTickOf(number - 1) - 1, observations: unchanged(number) };
    const { observations } = start;
    let slice = start === known ? known.slice : undefined;
    for (let nth = start.tick + 1; nth <= tick; nth++) {
      const draw = drawsFrom(random.bytes(`change ${nth}`));
      const subject = subjectOf(nth, draw());
      if (subject?.number !== number) continue;
      change(observations, subject.index, (nth * periodMs - beginOf(number)) * 1000, draw);
      slice = undefined;
    }
    return { observations, tick, slice: slice ?? sliceOf(served(observations), number) };
  }

  const unchanged = (number: number): Changing[] =>
    planOf(number).map((planned) => ({ ...planned, planned, isCancelled: false }));

  return {
    sliceAt(number, nowMs) {
      const current = currentAt(nowMs);
      if (number < current || number > current + 1) return undefined;
      for (const known of [plans, changed])
        for (const one of known.keys()) if (one < current - 1 || one > current + 2) known.delete(one);
      const made = advance(number, tickAt(nowMs));
      changed.set(number, made);
      return made.slice;
    },
    untilMs: (nowMs) => (tickAt(nowMs) + 1) * periodMs - 1,
  };
}

const served = (observations: readonly Changing[]): Changing[] =>
  observations.filter(({ isCancelled }) => !isCancelled).sort((one, other) => one.start - other.start);

/** Changes the observation at this place, or one after it, in a way that is possible; `now` is in the time of the plan. */
function change(observations: readonly Changing[], index: number, now: number, draw: Draw): void {
  const isChangeable = ({ end, isCancelled }: Changing) => end > now && !isCancelled;
  const subject =
    observations.find((one, at) => at >= index && isChangeable(one)) ?? observations.find(isChangeable);
  if (!subject) return;
  const ofTrack = observations.filter(({ track }) => track === subject.track);
  const first = Math.floor(draw() * KINDS.length);
  for (let nth = 0; nth < KINDS.length; nth++)
    if (KINDS[(first + nth) % KINDS.length]?.(subject, ofTrack, now, draw)) return;
}

/** Changes an observation, one of its track, and returns true; returns false where that is not possible. */
type Kind = (subject: Changing, ofTrack: readonly Changing[], now: number, draw: Draw) => boolean;

const SMALLEST = 10 * SECOND;
const LARGEST = 120 * SECOND;
/** The number of records before and after a cancelled one that are not cancelled. */
const APART = 3;

const cancel: Kind = (subject, ofTrack, now) => {
  const at = ofTrack.indexOf(subject);
  const near = ofTrack.slice(Math.max(0, at - APART), at + APART + 1);
  if (subject.start <= now || at === ofTrack.length - 1) return false;
  if (near.some(({ isCancelled }) => isCancelled)) return false;
  subject.isCancelled = true;
  return true;
};

const extend: Kind = (subject, ofTrack, _, draw) => {
  const by = Math.min(amount(draw), roomAfter(subject, ofTrack));
  if (by < SMALLEST) return false;
  endLater(subject, ofTrack, by);
  return true;
};

const slide: Kind = (subject, ofTrack, now, draw) => {
  if (subject.start <= now) return false;
  const earlier = Math.min(amount(draw), roomBefore(subject, ofTrack, now));
  const later = Math.min(amount(draw), roomAfter(subject, ofTrack), LATEST_START - subject.start);
  if (earlier >= SMALLEST) {
    subject.start -= earlier;
    subject.end -= earlier;
  } else if (later >= SMALLEST) {
    subject.start += later;
    endLater(subject, ofTrack, later);
  } else return false;
  return true;
};

/** Writes the record differently, although it means the same. */
const republish: Kind = (subject) => {
  subject.form = FORMS[(FORMS.indexOf(subject.form ?? 'plain') + 1) % FORMS.length] as Form;
  return true;
};

const KINDS: readonly Kind[] = [cancel, extend, slide, republish];

const amount = (draw: Draw): number => Math.round(between(SMALLEST, LARGEST, draw()));

const following = (subject: Changing, ofTrack: readonly Changing[]): Changing | undefined =>
  ofTrack.slice(ofTrack.indexOf(subject) + 1).find(({ isCancelled }) => !isCancelled);

/** How much later an observation can end: until the next one, which can start later as long as it gets to its source. */
function roomAfter(subject: Changing, ofTrack: readonly Changing[]): number {
  const next = following(subject, ofTrack);
  const latestEnd = next ? Math.min(next.end - next.least, LATEST_START) : subject.planned.end;
  return latestEnd - subject.end;
}

/** How much earlier an observation can start: neither before the one before it ends, nor in the past. */
function roomBefore(subject: Changing, ofTrack: readonly Changing[], now: number): number {
  const at = ofTrack.indexOf(subject);
  const previous = ofTrack.slice(0, at).findLast(({ isCancelled }) => !isCancelled);
  const free = previous ? previous.end : (ofTrack[0] as Changing).planned.start;
  return subject.start - Math.max(free, now + SMALLEST);
}

function endLater(subject: Changing, ofTrack: readonly Changing[], by: number): void {
  subject.end += by;
  const next = following(subject, ofTrack);
  if (next && next.start < subject.end) next.start = subject.end;
}
