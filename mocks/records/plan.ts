/** Four hours of a schedule: what each instrument observes in them, without a gap, drawn from the seed only. */
import { withinCalendar } from '../state/clock.ts';
import type { Random } from '../state/random.ts';
import { between, type Draw, drawsFrom, oneOf } from './draw.ts';
import { type Instrument, instrumentAt, type Site } from './instruments.ts';
import { hourAngleOf, longestSlewSeconds, nameAt, slewSeconds, type Target, targetAt } from './sky.ts';

const PLAN_MS = 4 * 3600_000;
/** Plans do not begin at full hours, to which clocks are often set. */
const OFFSET_MS = 97 * 60_000;
/** How long after the end of a plan its last observations end: each track has its own moment. */
const EARLIEST_HANDOVER_MS = 6 * 60_000;
export const HANDOVER_MS = 15 * 60_000;

/** The number of the plan in which an observation that starts at this moment is. */
export const planAt = (ms: number): number => Math.floor((ms - OFFSET_MS) / PLAN_MS);
/** When a plan begins, in milliseconds since the epoch. */
export const beginOf = (number: number): number => number * PLAN_MS + OFFSET_MS;

/** Whether the times of a plan can be written. */
export const isInCalendar = (number: number): boolean =>
  [beginOf(number), beginOf(number + 1) + HANDOVER_MS].every((ms) => ms === withinCalendar(ms));

/** One pointing of an instrument: an array has several. */
export interface Track {
  name: string;
  site: Site;
  instrument: Instrument;
  /** The common beginning and end of all its records: members of JSON objects. */
  head: string;
  tail: string;
}

/**
 * Times are in microseconds from the beginning of the plan; since the epoch they would exceed a number's precision. An
 * observation starts with the slew to its source.
 */
export interface Observation {
  track: Track;
  start: number;
  end: number;
  /** The shortest length in which the dish arrives and observes. */
  least: number;
  /** The members before and after the times. */
  before: string;
  after: string;
}

export const SECOND = 1_000_000;
/** No observation of a plan starts later: the next plan follows it in the order of starts. */
export const LATEST_START = PLAN_MS * 1000 - 1;
const SHORTEST_S = 30;
const SHORT_S = [SHORTEST_S, 600] as const;
const LONG_S = [1800, 9000] as const;
/** The share of the sources that are far from the one before: another programme, not its calibrator. */
const FAR = 0.25;
const NEAR_DEG = 5;
const FAR_HOUR_ANGLE = 20;
const FAR_DEC = 40;
const MOVING = 0.04;

/** The plans of a schedule by number, counted from the epoch: observations sorted by start. */
export function createPlans(
  tracks: readonly Track[],
  random: Random,
): (number: number) => readonly Observation[] {
  /** When a track passes from one plan to the next, and at which source: the last of one and the first of the other agree. */
  function handoverOf({ name, site }: Track, number: number) {
    const draw = drawsFrom(random.bytes(`handover to ${number} of ${name}`));
    const atMs = between(EARLIEST_HANDOVER_MS, HANDOVER_MS, draw());
    const hourAngle = between(-NEAR_DEG, NEAR_DEG, draw());
    const dec = site.latDeg + between(-FAR_DEC, FAR_DEC, draw());
    return { at: Math.floor(atMs * 1000), target: targetAt(site, beginOf(number) + atMs, hourAngle, dec) };
  }

  return (number) =>
    tracks
      .flatMap((track) => {
        const draw = drawsFrom(random.bytes(`plan ${number} of ${track.name}`));
        const from = handoverOf(track, number);
        const to = handoverOf(track, number + 1);
        return observe(track, beginOf(number), draw, from, { ...to, at: to.at + PLAN_MS * 1000 });
      })
      .sort((one, other) => one.start - other.start);
}

interface Handover {
  /** In microseconds from the beginning of the plan. */
  at: number;
  target: Target;
}

function observe(track: Track, fromMs: number, draw: Draw, from: Handover, to: Handover): Observation[] {
  const { site, instrument } = track;
  const found: Observation[] = [];
  const slowestS = longestSlewSeconds(instrument);
  const msAt = (microseconds: number) => fromMs + microseconds / 1000;
  let { at: start, target } = from;
  while (start < to.at) {
    // After this observation there is time to start another one; otherwise it is the last.
    const mostS = (LATEST_START - start) / SECOND - slowestS;
    const [least, most] = draw() < instrument.long && mostS > LONG_S[1] ? LONG_S : SHORT_S;
    const onSourceS = between(least, most, draw());
    const isLast = onSourceS > mostS;
    const next = isLast ? to.target : nextTarget(site, msAt(start + (onSourceS * SECOND) / 2), target, draw);
    const slewS = slewSeconds(instrument, site, msAt(start), target, next);
    const end = isLast ? to.at : start + Math.ceil((slewS + onSourceS) * SECOND);
    found.push({
      track,
      start,
      end,
      least: Math.ceil((slewS + SHORTEST_S) * SECOND),
      ...membersOf(track, next, slewS, draw),
    });
    start = end;
    target = next;
  }
  return found;
}

function nextTarget(site: Site, middleMs: number, before: Target, draw: Draw): Target {
  if (draw() < FAR)
    return targetAt(
      site,
      middleMs,
      between(-FAR_HOUR_ANGLE, FAR_HOUR_ANGLE, draw()),
      site.latDeg + between(-FAR_DEC, FAR_DEC, draw()),
    );
  return targetAt(
    site,
    middleMs,
    hourAngleOf(before, site, middleMs) + between(-NEAR_DEG, NEAR_DEG, draw()),
    before.decDeg + between(-NEAR_DEG, NEAR_DEG, draw()),
  );
}

function membersOf({ head, tail, instrument }: Track, target: Target, slewS: number, draw: Draw) {
  // A moving source moves less than half a degree in three hours.
  const moves = draw() < MOVING;
  const rate = () => (moves ? Math.round(between(-40, 40, draw())) / 1e6 : 0);
  const [lower, upper] = oneOf(instrument.bandsHz, draw());
  return {
    before:
      `${head},"src_id":"${moves ? 'near-Earth object' : nameAt(target)}",` +
      `"src_ra_j2000_deg":${target.raDeg},"src_dec_j2000_deg":${target.decDeg}`,
    after:
      `"slew_sec":${slewS},"trk_rate_ra_deg_per_sec":${rate()},"trk_rate_dec_deg_per_sec":${rate()},` +
      `"freq_lower_hz":${lower},"freq_upper_hz":${upper},"dish_diameter_m":${instrument.dishM},` +
      `"corr_integ_time_sec":${oneOf(instrument.integrationsS, draw())},${tail}`,
  };
}

/** The least number of records of a track in a feed: with fewer, none of them would be still to come. */
const RECORDS_OF_TRACK = 3;

/** The tracks of a feed with `count` records: of every site if there are enough records, each site's first one first. */
export function tracksOf(sites: readonly Site[], count: number, random: Random): Track[] {
  const tracks = sites.flatMap((site) => {
    const instrument = instrumentAt(site);
    const rank = random.share(`rank of ${site.id}`);
    return Array.from({ length: instrument.subarrays }, (_, subarray) => ({
      rank: subarray + rank,
      track: trackOf(site, instrument, subarray),
    }));
  });
  return tracks
    .sort((one, other) => one.rank - other.rank)
    .slice(0, Math.max(1, Math.ceil(count / RECORDS_OF_TRACK)))
    .map(({ track }) => track);
}

const trackOf = (site: Site, instrument: Instrument, subarray: number): Track => ({
  name: `subarray ${subarray} of ${site.id}`,
  site,
  instrument,
  head:
    `"site_id":${ascii(JSON.stringify(`${site.id}${instrument.configuration}`))},"site_lat_deg":${site.latDeg},` +
    `"site_lon_deg":${site.lonDeg},"site_el_m":${site.elM}`,
  tail: `"subarray":${subarray},"version":"v1.0.0"`,
});

/** JSON text in which each character is one byte. */
const ascii = (json: string): string =>
  json.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
