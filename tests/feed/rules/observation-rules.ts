/** Rules about a record together with others at the same time, and about the motion of its target. */
import type { Site } from '../feed-contract.ts';
import { quote } from '../findings.ts';
import { createOverlaps } from './overlap.ts';
import { isShort, type JsonRecord, type RecordContext } from './record-rule.ts';
import { createSites, type Place } from './sites.ts';
import type { Interval } from './time-rules.ts';

export function createObservationRules(sites: readonly Site[], { report, pointerTo }: RecordContext) {
  const overlaps = createOverlaps();
  const siteOf = createSites(sites);

  function compare(record: JsonRecord, interval: Interval, isPlaced: boolean, index: number): void {
    const { site_id: siteId, src_ra_j2000_deg: raDeg, src_dec_j2000_deg: decDeg } = record;
    const { freq_lower_hz: lowerHz, freq_upper_hz: upperHz } = record;
    if (!isShort(siteId) || typeof raDeg !== 'number' || typeof decDeg !== 'number') return;
    if (typeof lowerHz !== 'number' || typeof upperHz !== 'number') return;
    const target = isShort(record.src_id) ? record.src_id : undefined;
    const found = overlaps.conflictOf({
      index,
      siteId,
      isSingleDish: isPlaced && siteOf(siteId)?.isSingleDish === true,
      subarray: record.subarray ?? undefined,
      startMs: interval.startMs,
      endMs: interval.endMs,
      lowerHz,
      upperHz,
      raDeg,
      decDeg,
      raRate: rateOf(record.trk_rate_ra_deg_per_sec),
      decRate: rateOf(record.trk_rate_dec_deg_per_sec),
      target,
    });
    if (!found) return;
    const { conflict, earlier } = found;
    const before = pointerTo(earlier.index);
    if (conflict === 'repeated') {
      const isSameTime = interval.startMs === earlier.startMs && interval.endMs === earlier.endMs;
      const difference =
        target !== earlier.target
          ? `under the name ${quote(target)} instead of ${quote(earlier.target)}`
          : isSameTime
            ? 'with another value in a field such as slew_sec'
            : 'with another start or end';
      const seen = () => `it is the same observation as ${before}, ${difference}`;
      report('repeated-observation', index, undefined, seen);
    } else
      report(
        'overlap',
        index,
        undefined,
        () =>
          `it points at ${raDeg}, ${decDeg} while ${before} points at ${earlier.raDeg}, ${earlier.decDeg}`,
        conflict === 'two targets of one dish' ? 'S' : 'H',
      );
  }

  return {
    /**
     * `place` is undefined where the position of the site is not known, or is wrong. `isRepeated`: the record equals an
     * earlier one, which is reported elsewhere.
     */
    check(
      record: JsonRecord,
      interval: Interval,
      place: Place | undefined,
      isRepeated: boolean,
      index: number,
    ): void {
      const seconds = (interval.endMs - interval.startMs) / 1000;
      const { trk_rate_ra_deg_per_sec: raRate, trk_rate_dec_deg_per_sec: decRate } = record;
      const rate = Math.max(Math.abs(rateOf(raRate)), Math.abs(rateOf(decRate)));
      if (rate * seconds > 1)
        report(
          'moving-target',
          index,
          undefined,
          () =>
            `${rate} degrees per second for ${Math.round(seconds)} s is ${Math.round(rate * seconds * 10) / 10} degrees`,
        );
      if (!isRepeated) compare(record, interval, place !== undefined, index);
    },

    isPartial: overlaps.isPartial,
  };
}

const rateOf = (rate: unknown): number => (typeof rate === 'number' ? rate : 0);
