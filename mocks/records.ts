/** The records that the data consists of: a schedule on the mock's clock, or the content of a file. */
import { statSync } from 'node:fs';
import { pointerSegments } from '@hyperjump/json-pointer';
import { timeText, withinCalendar } from './clock.ts';
import type { Contract } from './contract/contract.ts';
import type { Assumption } from './contract/document.ts';
import { MockError } from './contract/mock-error.ts';
import { loadProfile, readRegularFile, SPECIFICATION } from './contract/profile.ts';

/** Where the body of the data comes from: a schedule or a file. */
export interface Records {
  /** The body of the data at a moment, in milliseconds since the epoch. The same buffer while the body is the same. */
  body(nowMs: number): Buffer;
}

/** The place of an instrument: one of `x-records.sites` in a profile's document. */
export interface Site {
  id: string;
  latDeg: number;
  lonDeg: number;
  elM: number;
  /** Other names, under which records may have it. */
  aliases?: readonly string[];
  dishM?: number;
  /** The lowest and the highest frequency of its receivers. */
  receiversHz?: readonly number[];
}

/** What a profile declares about records: `x-records` of its document. */
interface DeclaredRecords {
  /** JSON Pointer to their list in the body. */
  list: string;
  sites: readonly Site[];
  otherSites?: readonly Site[];
  /** Names of the sites in a schedule, as records have them; undefined: the ids of `sites`. */
  scheduledSites?: readonly string[];
  /** Records of each observation in a schedule: what each has in place of its fields; undefined: one as it is. */
  scheduledRecords?: readonly Fields[];
}

type Fields = Readonly<Record<string, unknown>>;

interface RecordsParts {
  /** Number of records of a schedule, or name of a file; default: 20 if the profile declares records. */
  given: number | string | undefined;
  /** Absent if the profile declares no records. */
  declared: DeclaredRecords | undefined;
  /** Called once for each state of a file in which it cannot be read. */
  onFault: (error: unknown) => void;
}

const USUAL = 20;
const MOST = 100_000;

/** `x-records` of a contract. Throws MockError if no schedule can be made from it. */
export function declaredIn(document: Readonly<Record<string, unknown>>): DeclaredRecords | undefined {
  const declared = document['x-records'] as DeclaredRecords | undefined;
  if (!declared) return undefined;
  const sites = scheduledSites(declared);
  if (!sites.includes(undefined) && (declared.scheduledSites === undefined || sites.length > 0))
    return declared;
  throw new MockError(
    'x-records of the profile has no sites, or scheduledSites that are not names of sites. Write them as ods-record does.',
  );
}

/** The sites of a schedule, under the names that its records have; undefined for a name of none. */
function scheduledSites({ sites, otherSites = [], scheduledSites }: DeclaredRecords): (Site | undefined)[] {
  if (!scheduledSites) return [...sites];
  const known = [...sites, ...otherSites].flatMap((site) =>
    [site.id, ...(site.aliases ?? [])].map((id) => ({ ...site, id })),
  );
  return scheduledSites.map((name) => known.find(({ id }) => id === name));
}

/** Whether records are given by their number, and not by the name of a file. */
const isCount = (given: number | string | undefined): boolean =>
  typeof given === 'number' || /^[+-]?[\d.]+$/.test(given ?? '');

/** Undefined: the data is the contract's example. Throws MockError for records that cannot be served. */
export function createRecords({ given, declared, onFault }: RecordsParts): Records | undefined {
  const count = given ?? (declared ? USUAL : undefined);
  if (count === undefined) return undefined;
  if (count === '')
    throw new MockError('`records` is empty: use a number of records or a file name, or leave it out.');
  if (!isCount(count)) return readRecordsFile(String(count), onFault);
  const number = Number(count);
  if (!Number.isInteger(number) || number < 0 || number > MOST)
    throw new MockError(
      `${count} is not a number of records. Use a whole number from 0 to ${MOST}, or the name of a JSON file.`,
    );
  if (!declared)
    throw new MockError(
      `The profile does not declare records, so the mock cannot make ${number} of them. ` +
        'Leave out --profile, use --profile nrao-ods, or give the name of a JSON file.',
    );
  const sites = scheduledSites(declared).filter((site) => site !== undefined);
  return createSchedule(sites, number, declared.list, declared.scheduledRecords);
}

/** How long a record lasts, up to a few milliseconds. */
const RECORD_MS = 5 * 60_000;
/** Records do not begin at full hours, to which clocks are often set. */
const OFFSET_MS = 77_000;
/** With fewer records of a site, none of them would be still to come. */
const RECORDS_OF_SITE = 3;
/** Direct to device, and down to the users of a satellite. */
const BANDS_HZ = [
  [1.99e9, 1.995e9],
  [10.7e9, 12.7e9],
] as const;

/**
 * Records by number, counted from the epoch. The sites take turns, and each observes without a gap; fewer records are of
 * fewer sites. Of all that have not ended, the data has the first `count` by their start: a record that ends makes room for
 * one at the far end, and nothing else changes. Where the calendar ends there are fewer. `list` is a JSON Pointer.
 */
export function createSchedule(
  sites: readonly Site[],
  count: number,
  list: string,
  recordsOfOne: readonly Fields[] = [{}],
): Records {
  const used = sites.slice(0, Math.max(1, Math.ceil(count / RECORDS_OF_SITE)));
  const stepMs = Math.floor(RECORD_MS / used.length);
  const lastsMs = stepMs * used.length;
  const names = [...pointerSegments(list)].map((name) => `{${JSON.stringify(name)}:`);
  const [head, tail] = [Buffer.from(`${names.join('')}[`), Buffer.from(`]${'}'.repeat(names.length)}`)];
  let last: { first: number; bytes: Buffer } | undefined;

  /** The records from this number on. */
  function textFrom(first: number): string {
    const texts: string[] = [];
    for (let number = first; number < first + Math.ceil(count / recordsOfOne.length); number++) {
      const [startMs, endMs] = [number * stepMs + OFFSET_MS, number * stepMs + OFFSET_MS + lastsMs];
      if (startMs !== withinCalendar(startMs) || endMs !== withinCalendar(endMs)) continue;
      const site = used.at(number % used.length) as Site;
      const record = recordOf(site, `target ${number}`, number, startMs, endMs);
      texts.push(...recordsOfOne.map((fields) => JSON.stringify({ ...record, ...fields })));
    }
    return texts.slice(0, count).join(',');
  }

  return {
    body(nowMs) {
      const first = Math.ceil((Math.floor(nowMs) - OFFSET_MS) / stepMs) - used.length;
      if (last?.first !== first)
        last = { first, bytes: Buffer.concat([head, Buffer.from(textFrom(first)), tail]) };
      return last.bytes;
    },
  };
}

/** A record in the shape that NRAO documents; every other `number` has another band, if the site has a receiver for it. */
export function recordOf(site: Site, source: string, number: number, startMs: number, endMs: number) {
  const { id, latDeg, lonDeg, elM, dishM = 25, receiversHz } = site;
  const [low, high] = BANDS_HZ;
  const isHigh = number % 2 !== 0 && (receiversHz?.[1] ?? high[1]) >= high[1];
  const [lower, upper] = isHigh ? high : low;
  return {
    site_id: id,
    site_lat_deg: latDeg,
    site_lon_deg: lonDeg,
    site_el_m: elM,
    src_id: source,
    // Between 30 and 330: a reader could mistake less than 24 for hours.
    src_ra_j2000_deg: (3_600 + ((number * 1_617) % 3_000)) / 20,
    // So near to the pole that it never sets.
    src_dec_j2000_deg: Number((Math.sign(latDeg || 1) * (90 - Math.abs(latDeg) / 2)).toFixed(4)),
    src_start_utc: withoutZone(startMs),
    src_end_utc: withoutZone(endMs),
    slew_sec: 12.5,
    trk_rate_ra_deg_per_sec: 0,
    trk_rate_dec_deg_per_sec: 0,
    freq_lower_hz: lower,
    freq_upper_hz: upper,
    dish_diameter_m: dishM,
    corr_integ_time_sec: 2,
    subarray: 0,
    version: 'v1.0.0',
  };
}

/** As NRAO writes times: without a zone, with six digits of the second. */
const withoutZone = (ms: number): string => `${timeText(ms).slice(0, -1)}000`;

const MOST_MIB = 256;

/**
 * While a file is half written or missing, the last whole one is served; `onFault` is called once for each such state.
 * Throws MockError if the file has no JSON at first.
 */
export function readRecordsFile(file: string, onFault: (error: MockError) => void): Records {
  let seen = markOf(file);
  let bytes = read(file);
  return {
    body() {
      const mark = markOf(file);
      if (mark === seen) return bytes;
      seen = mark;
      try {
        bytes = read(file);
      } catch (error) {
        onFault(new MockError(`${(error as Error).message} The mock serves what it read last.`));
      }
      return bytes;
    },
  };
}

/** Another text whenever the file is another, or has been written to. */
function markOf(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join();
  } catch {
    return 'gone';
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function read(file: string): Buffer {
  const fault = (why: string) => new MockError(`The file ${file} of the records ${why}`);
  let bytes: Buffer;
  try {
    bytes = readRegularFile(file, MOST_MIB);
  } catch (error) {
    throw fault(`cannot be read: ${(error as NodeJS.ErrnoException).code}. Check its name.`);
  }
  try {
    JSON.parse(utf8.decode(bytes));
    return bytes;
  } catch {
    // The parser's message quotes the file, so it is not repeated.
    throw fault(
      'is not valid JSON: it ends too early or does not parse. Use a valid file, or a number of records.',
    );
  }
}

/** The profile whose records are assumed. */
const DOCUMENTED = 'ods-record';
const RECORDS: Assumption = {
  answers: 'MRS-4.2g',
  choice: 'an object whose one member is named after the path and holds a list of generated records',
  reason: `They have the shape that NRAO documents publicly (profile ${DOCUMENTED}). With --records 0 the list is empty.`,
};

/** What the profile declares about records, and the assumptions: without a profile, a number of records is one of them. */
export async function recordsUnder(
  { profile, document, assumptions }: Contract,
  given: number | string | undefined,
): Promise<{ declared: DeclaredRecords | undefined; assumptions: readonly Assumption[] }> {
  if (profile !== SPECIFICATION || !isCount(given)) return { declared: declaredIn(document), assumptions };
  return {
    declared: declaredIn((await loadProfile(DOCUMENTED)).document),
    assumptions: assumptions.map((one) => (one.answers === RECORDS.answers ? RECORDS : one)),
  };
}
