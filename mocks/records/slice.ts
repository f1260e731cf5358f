/** Four hours of a schedule: what each instrument observes in them, drawn from the seed only. */
import { withinCalendar } from '../state/clock.ts';
import type { Random } from '../state/random.ts';
import { instrumentAt, type Site } from './instruments.ts';

const SLICE_MS = 4 * 3600_000;
/** Slices do not begin at full hours, to which clocks are often set: a slice begins with slewing only. */
const OFFSET_MS = 97 * 60_000;
const DAY_MS = 24 * 3600_000;

/** The number of the slice that contains a moment. No observation extends beyond its slice. */
export const sliceAt = (ms: number): number => Math.floor((ms - OFFSET_MS) / SLICE_MS);
const beginOf = (number: number): number => number * SLICE_MS + OFFSET_MS;

/** Whether the times of a slice can be written. */
export const isInCalendar = (number: number): boolean =>
  [beginOf(number), beginOf(number + 1)].every((ms) => ms === withinCalendar(ms));

/** Records sorted by start, each followed by a comma. */
export interface Slice {
  text: Buffer;
  /** Where each record begins in the text, and finally where the text ends. */
  at: readonly number[];
  /** When each record ends, in milliseconds since the epoch, rounded down. */
  endsMs: readonly number[];
}

/** One pointing of an instrument: an array has several. */
interface Track {
  name: string;
  site: Site;
  subarray: number;
  /** The common beginning and end of all its records. */
  head: string;
  tail: string;
}

/** Times are in microseconds from the beginning of the slice; since the epoch they would exceed a number's precision. */
interface Observation {
  start: number;
  end: number;
  text: string;
}

/** The slices of a schedule by number, counted from the epoch. */
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
    // The dish has arrived before most of an observation is over.
    const shownSlewS = Math.min(slewS, Math.floor((end - start) / SECOND) / 2);
    const middleMs = fromMs + (start + end) / 2000;
    const ra = round(risen(middleMs, site.lonDeg + between([-20, 20], draw())));
    const dec = round(Math.max(-89, Math.min(89, site.latDeg + between([-40, 40], draw()))));
    // A moving source moves less than half a degree in three hours.
    const moves = draw() < 0.04;
    const rate = () => (moves ? round(between([-4e-5, 4e-5], draw())) : 0);
    const [lower, upper] = bandsHz[Math.floor(draw() * bandsHz.length)] as readonly [number, number];
    found.push({
      start,
      end,
      text:
        `${head},"src_id":"${moves ? 'near-Earth object' : nameAt(ra, dec)}","src_ra_j2000_deg":${ra},` +
        `"src_dec_j2000_deg":${dec},"src_start_utc":"${timeAt(start)}","src_end_utc":"${timeAt(end)}",` +
        `"slew_sec":${shownSlewS},"trk_rate_ra_deg_per_sec":${rate()},"trk_rate_dec_deg_per_sec":${rate()},` +
        `"freq_lower_hz":${lower},"freq_upper_hz":${upper}${tail}`,
    });
    free = end + SECOND;
  }
}

/** A number from 0 up to, but not including, 1; a different one at each call. */
type Draw = () => number;

/** Mulberry32, fast enough for 100,000 records; seeded from the mock's seed. */
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

/** If every right ascension were below this, a reader could mistake degrees for hours. */
const LEAST_RA = 24;

/** The right ascension that culminates at a longitude: the sidereal time there, by its linear part. */
function risen(ms: number, lonDeg: number): number {
  const days = (ms - Date.UTC(2000, 0, 1, 12)) / DAY_MS;
  const ra = (((280.46061837 + 360.98564736629 * days + lonDeg) % 360) + 360) % 360;
  return ra < LEAST_RA ? ra + LEAST_RA : ra;
}

/** The name of a source by its position, as in catalogues: J1331+3030. */
function nameAt(raDeg: number, decDeg: number): string {
  const [ra, dec] = [Math.floor(raDeg * 4), Math.floor(Math.abs(decDeg) * 60)];
  return `J${pair(ra / 60)}${pair(ra % 60)}${decDeg < 0 ? '-' : '+'}${pair(dec / 60)}${pair(dec % 60)}`;
}

/** JSON text in which each character is one byte. */
const ascii = (json: string): string =>
  json.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Times as NRAO writes them: without a zone, with six digits of the second. */
function timesOf(fromMs: number): (microseconds: number) => string {
  const today = Math.floor(fromMs / DAY_MS) * DAY_MS;
  // A slice is shorter than a day, so it touches at most two.
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

// Looked up, since 100,000 records have more than two million of them.
const PAIRS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
const THREES = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'));
const pair = (number: number): string => PAIRS[Math.floor(number)] as string;
const three = (number: number): string => THREES[Math.floor(number)] as string;
