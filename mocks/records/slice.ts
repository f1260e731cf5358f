/** Four hours of a schedule: what each instrument observes in them, drawn from the seed and nothing else. */
import { withinCalendar } from '../state/clock.ts';
import type { Random } from '../state/random.ts';
import { instrumentAt, type Site } from './instruments.ts';

const SLICE_MS = 4 * 3600_000;
/** So that slices do not begin at full hours: clocks are set to those, and at its beginning a slice is all slewing. */
const OFFSET_MS = 97 * 60_000;
const DAY_MS = 24 * 3600_000;

/** The number of the slice in which a moment lies. No observation goes beyond its slice. */
export const sliceAt = (ms: number): number => Math.floor((ms - OFFSET_MS) / SLICE_MS);
const beginOf = (number: number): number => number * SLICE_MS + OFFSET_MS;

/** Whether the times of a slice can be written. */
export const isInCalendar = (number: number): boolean =>
  [beginOf(number), beginOf(number + 1)].every((ms) => ms === withinCalendar(ms));

/** Records sorted by their start, each with a comma behind it. */
export interface Slice {
  text: Buffer;
  /** Where each record begins in the text, and at last where the text ends. */
  at: readonly number[];
  /** When each record ends, in milliseconds since the epoch; it may be a part of a millisecond later. */
  endsMs: readonly number[];
}

/** One thing that an instrument can point at a time: an array has several. */
interface Track {
  name: string;
  site: Site;
  subarray: number;
  /** What all its records have in common: their beginning and their end. */
  head: string;
  tail: string;
}

/** Times are in microseconds from the beginning of the slice; since the epoch there are too many for a number. */
interface Observation {
  start: number;
  end: number;
  text: string;
}

/** The slices of a schedule by their number, which counts from the epoch. */
export function createSlices(sites: readonly Site[], random: Random): (number: number) => Slice {
  const tracks = sites.flatMap(tracksOf);
  return (number) => {
    const fromMs = beginOf(number);
    const observations = tracks.flatMap((track) =>
      observe(track, fromMs, drawsFrom(random.bytes(`slice ${number} of ${track.name}`))),
    );
    observations.sort((one, other) => one.start - other.start);
    const at = [0];
    for (const { text } of observations) at.push((at.at(-1) as number) + text.length);
    return {
      text: Buffer.from(observations.map(({ text }) => text).join(''), 'latin1'),
      at,
      endsMs: observations.map(({ end }) => fromMs + Math.floor(end / 1000)),
    };
  };
}

function tracksOf(site: Site): Track[] {
  const { configuration, dishM, subarrays } = instrumentAt(site);
  const id = `${site.id}${configuration}`;
  const position = `"site_lat_deg":${site.latDeg},"site_lon_deg":${site.lonDeg},"site_el_m":${site.elM}`;
  return Array.from({ length: subarrays }, (_, subarray) => ({
    name: `subarray ${subarray} of ${site.id}`,
    site,
    subarray,
    head: `{"site_id":${ascii(JSON.stringify(id))},${position}`,
    tail: `,"dish_diameter_m":${dishM},"corr_integ_time_sec":3,"subarray":${subarray},"version":"v1.0.0"},`,
  }));
}

const SECOND = 1_000_000;
const LAST = SLICE_MS * 1000 - 1000;
const SHORTEST = 30 * SECOND;
const LONGEST = 600 * SECOND;
const LONG = [1800 * SECOND, 3 * 3600 * SECOND];

function observe({ site, head, tail }: Track, fromMs: number, draw: Draw): Observation[] {
  const { bandsHz, long } = instrumentAt(site);
  const found: Observation[] = [];
  const lasts = draw() < long ? LONG : [SHORTEST, LONGEST];
  const timeAt = timesOf(fromMs);
  for (let free = 0; ; ) {
    const slewS = Math.round(between([50, 1150], draw())) / 10;
    const start = free + Math.ceil(slewS * SECOND * draw());
    const end = Math.min(start + Math.floor(between(lasts, draw())), LAST);
    if (end - start < SHORTEST) return found;
    const middleMs = fromMs + (start + end) / 2000;
    const ra = round(risen(middleMs, site.lonDeg + between([-20, 20], draw())));
    const dec = round(Math.max(-89, Math.min(89, site.latDeg + between([-40, 40], draw()))));
    // What moves does so by less than half a degree in three hours.
    const moves = draw() < 0.04;
    const rate = () => (moves ? round(between([-4e-5, 4e-5], draw())) : 0);
    const [lower, upper] = bandsHz[Math.floor(draw() * bandsHz.length)] as readonly [number, number];
    found.push({
      start,
      end,
      text:
        `${head},"src_id":"${moves ? 'near-Earth object' : nameAt(ra, dec)}","src_ra_j2000_deg":${ra},` +
        `"src_dec_j2000_deg":${dec},"src_start_utc":"${timeAt(start)}","src_end_utc":"${timeAt(end)}",` +
        `"slew_sec":${slewS},"trk_rate_ra_deg_per_sec":${rate()},"trk_rate_dec_deg_per_sec":${rate()},` +
        `"freq_lower_hz":${lower},"freq_upper_hz":${upper}${tail}`,
    });
    free = end + SECOND;
  }
}

/** From 0 up to 1, 1 left out; another number at each call. */
type Draw = () => number;

/** Mulberry32, as quick as a hundred thousand records want it; what it starts from is drawn from the seed. */
function drawsFrom(bytes: Uint8Array): Draw {
  let state = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const between = ([least = 0, most = 0]: readonly number[], share: number): number =>
  least + (most - least) * share;

const round = (degrees: number): number => Math.round(degrees * 1e6) / 1e6;

/** Where every right ascension were below it, a reader could take the degrees for hours. */
const LEAST_RA = 24;

/** The right ascension that culminates at a longitude: the sidereal time there, by its linear part. */
function risen(ms: number, lonDeg: number): number {
  const days = (ms - Date.UTC(2000, 0, 1, 12)) / DAY_MS;
  const ra = (((280.46061837 + 360.98564736629 * days + lonDeg) % 360) + 360) % 360;
  return ra < LEAST_RA ? ra + LEAST_RA : ra;
}

/** As catalogues name a source, by where it is: J1331+3030. */
function nameAt(raDeg: number, decDeg: number): string {
  const [ra, dec] = [Math.floor(raDeg * 4), Math.floor(Math.abs(decDeg) * 60)];
  return `J${pair(ra / 60)}${pair(ra % 60)}${decDeg < 0 ? '-' : '+'}${pair(dec / 60)}${pair(dec % 60)}`;
}

/** Of JSON text, so that each of its characters is one byte. */
const ascii = (json: string): string =>
  json.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** As NRAO writes times: without a zone, and with six digits of the second. */
function timesOf(fromMs: number): (microseconds: number) => string {
  const today = Math.floor(fromMs / DAY_MS) * DAY_MS;
  // A slice is shorter than a day, so that it touches two days at most.
  const dates = [today, today + DAY_MS].map((ms) =>
    new Date(ms).toISOString().slice(0, 'yyyy-mm-ddT'.length),
  );
  return (all) => {
    const seconds = (fromMs - today) / 1000 + Math.floor(all / SECOND);
    const time = `${pair((seconds / 3600) % 24)}:${pair((seconds / 60) % 60)}:${pair(seconds % 60)}`;
    const below = all % SECOND;
    return `${dates[seconds < DAY_MS / 1000 ? 0 : 1]}${time}.${three(below / 1000)}${three(below % 1000)}`;
  };
}

// Looked up, since a hundred thousand records have more than two million of them.
const PAIRS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
const THREES = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));
const pair = (number: number): string => PAIRS[Math.floor(number)] as string;
const three = (number: number): string => THREES[Math.floor(number)] as string;
