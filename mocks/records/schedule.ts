/** A schedule without beginning or end: current and coming records at a moment, as the body of the data. */
import { pointerSegments } from '@hyperjump/json-pointer';
import type { Random } from '../state/random.ts';
import type { Site } from './instruments.ts';
import { createPlans, HANDOVER_MS, isInCalendar, planAt, tracksOf } from './plan.ts';
import { type Slice, sliceOf } from './slice.ts';
import type { Records } from './source.ts';

export interface ScheduleParts {
  sites: readonly Site[];
  /** Number of records in each body. */
  count: number;
  /** JSON Pointer to their list in the body. */
  list: string;
  random: Random;
}

/** A body, and the first and the last moment for which it is valid. */
interface Made {
  fromMs: number;
  untilMs: number;
  bytes: Buffer;
}

/**
 * Of all records that have not ended, the first by their start: a record that ends makes room for one at the
 * horizon, and nothing else changes. At the end of the calendar there are fewer. Rebuilt only when a
 * record ends.
 */
export function createSchedule({ sites, count, list, random }: ScheduleParts): Records {
  const plan = createPlans(tracksOf(sites, count, random), random);
  const [head, tail] = around(list);
  /** The slices of the last body, by number. */
  let kept = new Map<number, Slice>();
  let last: Made | undefined;

  function make(nowMs: number): Made {
    const used: typeof kept = new Map();
    const pieces: Buffer[] = [];
    let left = count;
    let untilMs = Number.POSITIVE_INFINITY;
    for (let number = planAt(nowMs - HANDOVER_MS); left > 0 && isInCalendar(number); number++) {
      const one = kept.get(number) ?? sliceOf(plan(number), number);
      used.set(number, one);
      const { text, at, endsMs } = one;
      // Consecutive records are one piece: a piece for each would cost more than all the bytes.
      for (let nth = 0, first = 0; nth < endsMs.length && left > 0; nth++) {
        const endMs = endsMs[nth] as number;
        if (endMs < nowMs) {
          first = nth + 1;
          continue;
        }
        untilMs = Math.min(untilMs, endMs);
        left--;
        const next = endsMs[nth + 1];
        if (next === undefined || next < nowMs || left === 0)
          pieces.push(text.subarray(at[first], at[nth + 1]));
      }
    }
    kept = used;
    return { fromMs: nowMs, untilMs, bytes: enclosed(head, pieces, tail) };
  }

  return {
    body(now) {
      const nowMs = Math.floor(now);
      if (last === undefined || nowMs < last.fromMs || nowMs > last.untilMs) last = make(nowMs);
      return last.bytes;
    },
  };
}

/** Without the comma after the last piece. */
function enclosed(head: string, pieces: Buffer[], tail: string): Buffer {
  const last = pieces.pop();
  return Buffer.concat([
    Buffer.from(head),
    ...pieces,
    ...(last ? [last.subarray(0, -1)] : []),
    Buffer.from(tail),
  ]);
}

/** The text before and after the list that the JSON Pointer leads to (RFC 6901 section 4). */
function around(pointer: string): [string, string] {
  const names = [...pointerSegments(pointer)];
  return [`${names.map((name) => `{${JSON.stringify(name)}:`).join('')}[`, `]${'}'.repeat(names.length)}`];
}
