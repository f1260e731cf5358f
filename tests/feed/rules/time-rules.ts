/** Rules about the times of records, one by one and in their order. */
import { clip } from '../../report/text.ts';
import type { FeedVerdict } from '../findings.ts';
import { formatUtc, parseUtc } from '../time.ts';
import type { JsonRecord, RecordContext } from './record-rule.ts';

/** How long after its end a record may be served: clocks differ, and some services write their list every 30 s. */
const PAST_ALLOWANCE_MS = 60_000;

export interface Interval {
  startMs: number;
  endMs: number;
}

export function createTimeRules(nowMs: number, { report, pointerTo }: RecordContext) {
  let previousStartMs = Number.NEGATIVE_INFINITY;
  let style: { hasZ: boolean; index: number } | undefined;
  let span: [number, number] | undefined;
  let lastEnded: FeedVerdict['lastEnded'];

  function checkStyle(time: unknown, name: string, index: number): void {
    if (typeof time !== 'string' || Number.isNaN(parseUtc(time))) return;
    const hasZ = time.endsWith('Z');
    style ??= { hasZ, index };
    if (style.hasZ === hasZ) return;
    const first = style.index;
    report(
      'time-style',
      index,
      name,
      () => `${time}, but ${pointerTo(first)} ${hasZ ? 'has no Z' : 'has Z'}`,
    );
  }

  function checkStart(start: unknown, startMs: number, index: number): void {
    const earlierMs = previousStartMs;
    if (startMs < earlierMs)
      report(
        'order',
        index,
        'src_start_utc',
        () => `it starts ${start}, but follows a record that starts ${formatUtc(earlierMs)}`,
      );
    previousStartMs = startMs;
    span = [Math.min(span?.[0] ?? startMs, startMs), span?.[1] ?? startMs];
  }

  function checkEnd(end: unknown, endMs: number, index: number): void {
    span = [span?.[0] ?? endMs, Math.max(span?.[1] ?? endMs, endMs)];
    if (endMs >= nowMs - PAST_ALLOWANCE_MS) return;
    report(
      'past',
      index,
      'src_end_utc',
      () => `it ended ${end}, and the feed was served ${formatUtc(nowMs)}`,
    );
    if (endMs > (lastEnded?.endMs ?? Number.NEGATIVE_INFINITY))
      lastEnded = { endMs, pointer: pointerTo(index, 'src_end_utc'), seen: clip(String(end), 40) };
  }

  return {
    /** Returns the interval of the record; undefined where it has none. */
    check({ src_start_utc: start, src_end_utc: end }: JsonRecord, index: number): Interval | undefined {
      checkStyle(start, 'src_start_utc', index);
      checkStyle(end, 'src_end_utc', index);
      const startMs = typeof start === 'string' ? parseUtc(start) : Number.NaN;
      const endMs = typeof end === 'string' ? parseUtc(end) : Number.NaN;
      if (!Number.isNaN(startMs)) checkStart(start, startMs, index);
      if (!Number.isNaN(endMs)) checkEnd(end, endMs, index);
      if (startMs >= endMs)
        report('interval', index, 'src_end_utc', () => `it ends ${end}, but starts ${start}`);
      return startMs < endMs ? { startMs, endMs } : undefined;
    },

    summary: (): Pick<FeedVerdict, 'spanMs' | 'lastEnded'> => ({
      ...(span && { spanMs: span }),
      ...(lastEnded && { lastEnded }),
    }),
  };
}
