/** Rules about what a record observes: its band, the motion of its target, and other records at the same time. */
import { createOverlaps } from './overlap.ts';
import { isShort, type JsonRecord, type RecordContext } from './record-rule.ts';
import type { Interval } from './time-rules.ts';

export function createObservationRules({ report, pointerTo }: RecordContext) {
  const overlaps = createOverlaps();

  function checkBand({ freq_lower_hz: lower, freq_upper_hz: upper }: JsonRecord, index: number): void {
    if (typeof upper !== 'number') return;
    if (upper < 1e7 || upper > 1e12)
      report('frequency-unit', index, 'freq_upper_hz', () =>
        upper < 1e7 ? `${upper} Hz: is this in megahertz?` : `${upper} Hz: is the unit right?`,
      );
    if (typeof lower === 'number' && lower >= upper)
      report('frequency-order', index, 'freq_lower_hz', () => `from ${lower} Hz to ${upper} Hz`);
  }

  function checkOverlap(record: JsonRecord, interval: Interval, isMoving: boolean, index: number): void {
    const { site_id: siteId, src_ra_j2000_deg: raDeg, src_dec_j2000_deg: decDeg } = record;
    const { freq_lower_hz: lowerHz, freq_upper_hz: upperHz } = record;
    if (!isShort(siteId) || typeof raDeg !== 'number' || typeof decDeg !== 'number') return;
    if (typeof lowerHz !== 'number' || typeof upperHz !== 'number') return;
    const earlier = overlaps.earlierOf({
      index,
      siteId,
      subarray: record.subarray ?? undefined,
      startMs: interval.startMs,
      endMs: interval.endMs,
      lowerHz,
      upperHz,
      raDeg,
      decDeg,
      target: isShort(record.src_id) ? record.src_id : undefined,
      isMoving,
    });
    if (earlier)
      report(
        'overlap',
        index,
        undefined,
        () => `it overlaps ${pointerTo(earlier.index)}, which has another target`,
      );
  }

  return {
    checkBand,

    checkInterval(record: JsonRecord, interval: Interval, index: number): void {
      const seconds = (interval.endMs - interval.startMs) / 1000;
      const rate = Math.max(speed(record.trk_rate_ra_deg_per_sec), speed(record.trk_rate_dec_deg_per_sec));
      if (rate * seconds > 1)
        report(
          'moving-target',
          index,
          undefined,
          () => `${rate} degrees per second for ${Math.round(seconds)} s`,
        );
      checkOverlap(record, interval, rate > 0, index);
    },

    isPartial: overlaps.isPartial,
  };
}

const speed = (rate: unknown): number => (typeof rate === 'number' ? Math.abs(rate) : 0);
