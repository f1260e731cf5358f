/** Rules about the times of records, one by one and in their order. */
import { clip } from '../../report/text.ts';
import type { FeedVerdict } from '../findings.ts';
import { formatUtc, parseUtc } from '../time.ts';
import type { JsonRecord, RecordContext } from './record.ts';

/** How long after its end a record may be served: clocks differ, and some services write their list every 30 s. */
const PAST_ALLOWANCE_MS = 60_000;

export interface Interval {
  startMs: number;
  endMs: number;
}

export function createTimeRules(nowMs: number, context: RecordContext) {
  const { report, pointerTo } = context;
  let previousStartMs = Number.NEGATIVE_INFINITY;
  let style: { hasZ: boolean; index: number } | undefined;
  let lastEnded: FeedVerdict['lastEnded'];

  /** NaN where the field holds no time. */
  function momentOf(time: unknown, name: string): number {
    const ms = typeof time === 'string' ? parseUtc(time) : Number.NaN;
    if (typeof time !== 'string' || Number.isNaN(ms)) return Number.NaN;
    const hasZ = time.endsWith('Z');
    style ??= { hasZ, index: context.index };
    if (style.hasZ !== hasZ)
      report('time-style', name, `${time}, but ${pointerTo(style.index)} ${hasZ ? 'has no Z' : 'has Z'}`);
    return ms;
  }

  return {
    /** Returns the interval of the record; undefined where it has none. */
    check({ src_start_utc: start, src_end_utc: end }: JsonRecord): Interval | undefined {
      const startMs = momentOf(start, 'src_start_utc');
      const endMs = momentOf(end, 'src_end_utc');
      if (startMs < previousStartMs) {
        const follows = `follows a record that starts ${formatUtc(previousStartMs)}`;
        report('order', 'src_start_utc', `it starts ${start}, but ${follows}`);
      }
      if (!Number.isNaN(startMs)) previousStartMs = startMs;
      if (endMs < nowMs - PAST_ALLOWANCE_MS) {
        report('past', 'src_end_utc', `it ended ${end}, and the feed was served ${formatUtc(nowMs)}`);
        const pointer = pointerTo(context.index, 'src_end_utc');
        if (endMs > (lastEnded?.endMs ?? Number.NEGATIVE_INFINITY))
          lastEnded = { endMs, pointer, seen: clip(String(end), 40) };
      }
      if (startMs >= endMs) report('interval', 'src_end_utc', `it ends ${end}, but starts ${start}`);
      return startMs < endMs ? { startMs, endMs } : undefined;
    },

    lastEnded: () => lastEnded,
  };
}
