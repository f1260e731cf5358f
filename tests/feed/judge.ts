/** Judges records one by one as they come, and keeps none of them. */

import { clip } from '../report/text.ts';
import type { FeedContract } from './contract.ts';
import { createFieldFaults } from './field-faults.ts';
import { createFindings, escapedToken, type Finding, quote } from './findings.ts';
import { createDigests, createFingerprints } from './fingerprint.ts';
import { createOverlaps } from './overlap.ts';
import type { RuleId } from './rules.ts';
import { createSeenBefore } from './seen-before.ts';
import { createSites, misplacementOf } from './sites.ts';
import { parseUtc } from './time.ts';

/** What is known of a feed when it is read. Plain JSON, of a size that does not grow with the feed. */
export interface FeedVerdict {
  records: number;
  findings: Finding[];
  /** What could not be judged, as sentences; without any, every rule was looked at. */
  unjudged: string[];
  /** What else is worth a sentence, and changes nothing. */
  remarks: string[];
  /** Of the records in their order, and of the same whatever their order. */
  digest: string;
  setDigest: string;
  /** The moment that the feed was judged for, in milliseconds. */
  nowMs: number;
  /** The first start and the last end. */
  spanMs?: [start: number, end: number];
  /** How many instruments it names (at most a thousand are counted), and the first of them. */
  sites: { count: number; first: string[] };
  /** The latest end that had passed when it was read, by more than clocks and transfer explain. */
  lastEnded?: { endMs: number; pointer: string; seen: string };
}

export interface JudgeOptions {
  /** The moment at which the feed was served, in milliseconds. */
  nowMs: number;
  /** Where in the body the record begins that is being judged. */
  locate?: () => Where;
}

/** A byte of the body, counted from 0, and its line, counted from 1. */
export interface Where {
  byte: number;
  line: number;
}

export interface FeedJudge {
  /** `index` is the place of the record in the list. */
  record(value: unknown, index: number): void;
  /** Something is wrong with the body around the records. */
  fault(rule: 'not-json' | 'envelope', pointer: string, seen: string, where?: Where): void;
  /** Something was not read, for the reason that the sentence says. */
  leaveOut(sentence: string): void;
  done(): FeedVerdict;
}

/** How long after its end a record may be served: clocks differ, and some services write their list every half minute. */
const PAST_ALLOWANCE_MS = 60_000;
const MOST_NAMES = 1000;

type JsonRecord = Record<string, unknown>;

export function createFeedJudge(contract: FeedContract, { nowMs, locate }: JudgeOptions): FeedJudge {
  const findings = createFindings();
  const unjudged: string[] = [];
  const remarks: string[] = [];
  const fingerprintOf = createFingerprints(contract);
  const tellFieldFaults = createFieldFaults(contract);
  const siteOf = createSites(contract.sites);
  const seenBefore = createSeenBefore();
  const overlaps = createOverlaps();
  const list = contract.list.map((name) => `/${escapedToken(name)}`).join('');
  const pointerTo = (index: number, name?: string) =>
    `${list}/${index}${name === undefined ? '' : `/${escapedToken(name)}`}`;

  let records = 0;
  let judged = 0;
  const digests = createDigests();
  let span: [number, number] | undefined;
  let lastEnded: FeedVerdict['lastEnded'];
  let previousStart = Number.NEGATIVE_INFINITY;
  let style: { hasZ: boolean; index: number } | undefined;
  const siteIds = new Set<string>();
  const versions = new Map<string, number>();
  const unknown = new Map<string, { count: number; index: number; where: object }>();
  const hours = { count: 0, areAll: true, different: new Set<number>(), index: 0, where: {} };

  const tell = (
    rule: RuleId,
    index: number,
    name: string | undefined,
    seen: () => string,
    ruleClass?: 'D' | 'H',
  ) =>
    findings.tell(rule, () => ({ pointer: pointerTo(index, name), seen: seen(), ...locate?.() }), ruleClass);

  function judgeRecord(record: JsonRecord, index: number): void {
    const isWithoutVersion = record.version === undefined || record.version === null;
    const legacy = isWithoutVersion && contract.legacyFields.find((name) => Object.hasOwn(record, name));
    if (legacy) {
      tell('legacy-schema', index, undefined, () => `it has ${legacy} and no version`);
      return;
    }
    judged++;
    tellFieldFaults(record, (rule, name, seen) => tell(rule, index, name, seen));
    noteUnknown(record, index);
    judgeVersion(record.version, index);
    judgeCoordinates(record, index);
    judgeSite(record, index);
    judgeBand(record.freq_lower_hz, record.freq_upper_hz, index);
    judgeTimes(record, index);
  }

  function noteUnknown(record: JsonRecord, index: number): void {
    for (const name in record) {
      if (contract.fieldNames.has(name)) continue;
      const known = unknown.get(name);
      if (known) known.count++;
      else if (unknown.size < MOST_NAMES && isShort(name))
        unknown.set(name, { count: 1, index, where: locate?.() ?? {} });
    }
  }

  function judgeVersion(version: unknown, index: number): void {
    if (!isShort(version) || versions.has(version) || versions.size === MOST_NAMES) return;
    versions.set(version, index);
    if (versions.size > 1)
      tell(
        'one-version',
        index,
        'version',
        () => `${quote(version)}, after ${quote(versions.keys().next().value)}`,
      );
  }

  function judgeCoordinates(
    { src_ra_j2000_deg: ra, src_dec_j2000_deg: dec }: JsonRecord,
    index: number,
  ): void {
    if (typeof ra !== 'number') return;
    hours.count++;
    if (ra >= 24 || ra < 0) hours.areAll = false;
    if (hours.count === 1) Object.assign(hours, { index, where: locate?.() ?? {} });
    if (hours.different.size < DIFFERENT) hours.different.add(ra);
    if (typeof dec === 'number' && Math.abs(dec) > 90 && Math.abs(ra) <= 90)
      tell(
        'swapped-coordinates',
        index,
        'src_dec_j2000_deg',
        () => `declination ${dec} with right ascension ${ra}`,
      );
  }

  function judgeSite(record: JsonRecord, index: number): void {
    const { site_id: id, site_lat_deg: lat, site_lon_deg: lon, site_el_m: el } = record;
    if (typeof id !== 'string') return;
    if (siteIds.size < MOST_NAMES && isShort(id)) siteIds.add(id);
    const site = siteOf(id);
    if (!site || typeof lat !== 'number' || typeof lon !== 'number') return;
    const { degrees, metres } = misplacementOf(site, lat, lon, typeof el === 'number' ? el : site.elM);
    if (degrees <= 0.01 && metres <= 100) return;
    if (misplacementOf(site, lon, lat, site.elM).degrees <= 1)
      tell(
        'swapped-coordinates',
        index,
        'site_lat_deg',
        () => `latitude ${lat} and longitude ${lon} at ${site.id}`,
      );
    const isWrong = degrees > 1 || metres > 500;
    const isHeight = metres > (isWrong ? 500 : 100);
    const seen = () =>
      isHeight
        ? `${quote(id)} at ${el} m, where ${site.id} is known at ${site.elM} m`
        : `${quote(id)} at ${lat}, ${lon}, where ${site.id} is known at ${site.latDeg}, ${site.lonDeg}`;
    tell('site-position', index, isHeight ? 'site_el_m' : 'site_lat_deg', seen, isWrong ? 'D' : 'H');
  }

  function judgeBand(lower: unknown, upper: unknown, index: number): void {
    if (typeof upper !== 'number') return;
    if (upper < 1e7 || upper > 1e12)
      tell('frequency-unit', index, 'freq_upper_hz', () =>
        upper < 1e7 ? `${upper} Hz: are these megahertz?` : `${upper} Hz: is the unit right?`,
      );
    if (typeof lower === 'number' && lower >= upper)
      tell('frequency-order', index, 'freq_lower_hz', () => `from ${lower} Hz to ${upper} Hz`);
  }

  function judgeTimes(record: JsonRecord, index: number): void {
    const { src_start_utc: start, src_end_utc: end } = record;
    for (const name of ['src_start_utc', 'src_end_utc']) judgeStyle(record[name], name, index);
    const startMs = typeof start === 'string' ? parseUtc(start) : Number.NaN;
    const endMs = typeof end === 'string' ? parseUtc(end) : Number.NaN;
    if (!Number.isNaN(startMs)) {
      if (startMs < previousStart)
        tell(
          'order',
          index,
          'src_start_utc',
          () => `${start}, after a record that starts ${textOf(previousStart)}`,
        );
      previousStart = startMs;
      span = [Math.min(span?.[0] ?? startMs, startMs), span?.[1] ?? startMs];
    }
    if (!Number.isNaN(endMs)) {
      span = [span?.[0] ?? endMs, Math.max(span?.[1] ?? endMs, endMs)];
      if (endMs < nowMs - PAST_ALLOWANCE_MS) {
        tell('past', index, 'src_end_utc', () => `ended ${end}, and it was served ${textOf(nowMs)}`);
        if (endMs > (lastEnded?.endMs ?? Number.NEGATIVE_INFINITY))
          lastEnded = { endMs, pointer: pointerTo(index, 'src_end_utc'), seen: clip(String(end), 40) };
      }
    }
    if (startMs >= endMs) tell('interval', index, 'src_end_utc', () => `from ${start} to ${end}`);
    if (startMs < endMs) judgeObservation(record, index, startMs, endMs);
  }

  function judgeStyle(time: unknown, name: string, index: number): void {
    if (typeof time !== 'string' || Number.isNaN(parseUtc(time))) return;
    const hasZ = time.endsWith('Z');
    style ??= { hasZ, index };
    if (style.hasZ !== hasZ) {
      const first = style.index;
      tell(
        'time-style',
        index,
        name,
        () => `${time}, while ${pointerTo(first)} ${hasZ ? 'has no Z' : 'has Z'}`,
      );
    }
  }

  function judgeObservation(record: JsonRecord, index: number, startMs: number, endMs: number): void {
    const {
      src_ra_j2000_deg: ra,
      src_dec_j2000_deg: dec,
      freq_lower_hz: lower,
      freq_upper_hz: upper,
    } = record;
    const { trk_rate_ra_deg_per_sec: raRate, trk_rate_dec_deg_per_sec: decRate } = record;
    const seconds = (endMs - startMs) / 1000;
    const rate = Math.max(speed(raRate), speed(decRate));
    if (rate * seconds > 1)
      tell('moving-target', index, undefined, () => `${rate} degrees a second for ${Math.round(seconds)} s`);
    if (!isShort(record.site_id) || typeof ra !== 'number' || typeof dec !== 'number') return;
    if (typeof lower !== 'number' || typeof upper !== 'number') return;
    const earlier = overlaps.earlierOf({
      index,
      siteId: record.site_id,
      subarray: record.subarray ?? undefined,
      startMs,
      endMs,
      lowerHz: lower,
      upperHz: upper,
      raDeg: ra,
      decDeg: dec,
      target: isShort(record.src_id) ? record.src_id : undefined,
      isMoving: rate > 0,
    });
    if (earlier)
      tell(
        'overlap',
        index,
        undefined,
        () => `it overlaps ${pointerTo(earlier.index)}, which has another target`,
      );
  }

  return {
    record(value, index) {
      records++;
      const fingerprint = fingerprintOf(value);
      digests.add(fingerprint);
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        tell('type', index, undefined, () => `it is ${quote(value)}, where an object is due`);
        return;
      }
      const first = seenBefore.firstOf(fingerprint, index);
      if (first !== undefined)
        tell('duplicate', index, undefined, () => `it says the same as ${pointerTo(first)}`);
      judgeRecord(value as JsonRecord, index);
    },

    fault(rule, pointer, seen, where) {
      findings.tell(rule, () => ({ pointer, seen, ...where }));
    },

    leaveOut(sentence) {
      unjudged.push(sentence);
    },

    done() {
      if (hours.areAll && hours.different.size === DIFFERENT)
        findings.tell('hours-for-degrees', () => ({
          pointer: pointerTo(hours.index, 'src_ra_j2000_deg'),
          seen: `all ${hours.count} right ascensions are below 24`,
          ...hours.where,
        }));
      for (const [name, { count, index, where }] of unknown)
        findings.tell('unknown-field', () => ({
          pointer: pointerTo(index, name),
          seen: `${quote(name)}, in ${count} of ${judged} records`,
          ...where,
        }));
      if (seenBefore.isFull())
        unjudged.push(
          'duplicate: so many records are not all compared. Split the feed, and judge the parts.',
        );
      if (overlaps.isPartial())
        remarks.push('More records run at once than are compared: there may be other overlaps.');
      return {
        ...{ records, findings: findings.list(), unjudged, remarks, nowMs },
        ...digests.done(),
        ...(span && { spanMs: span }),
        sites: { count: siteIds.size, first: [...siteIds].slice(0, 5) },
        ...(lastEnded && { lastEnded }),
      };
    },
  };
}

/** A text that may be kept; one record may be of megabytes. */
const isShort = (text: unknown): text is string => typeof text === 'string' && text.length <= 200;

/** Fewer right ascensions than these may all be below 24 degrees by chance. */
const DIFFERENT = 5;

const speed = (rate: unknown): number => (typeof rate === 'number' ? Math.abs(rate) : 0);

/** A moment as records write it. */
export function textOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'at no time' : date.toISOString().replace(/(\.000)?Z$/, '');
}

/** Judges a body that was parsed already. */
export function judgeFeed(value: unknown, contract: FeedContract, options: JudgeOptions): FeedVerdict {
  const judge = createFeedJudge(contract, options);
  const records = listIn(value, contract, judge);
  records?.forEach((record, index) => {
    judge.record(record, index);
  });
  return judge.done();
}

/** The list of records; where the body itself is a list although it should be in one, that is told and taken for it. */
function listIn(body: unknown, { list }: FeedContract, judge: FeedJudge): unknown[] | undefined {
  let node = body;
  let pointer = '';
  for (const name of list) {
    const isObject = typeof node === 'object' && node !== null && !Array.isArray(node);
    if (!isObject || !Object.hasOwn(node as object, name)) {
      const members = isObject ? Object.keys(node as object) : undefined;
      judge.fault('envelope', pointer, misplaced(node, name, members));
      return pointer === '' && Array.isArray(node) ? node : undefined;
    }
    node = (node as JsonRecord)[name];
    pointer += `/${escapedToken(name)}`;
  }
  if (Array.isArray(node)) return node;
  judge.fault('envelope', pointer, notAList(node));
  return undefined;
}

/** Why the list is not where the profile has it; `members` of the object that stands in place of the envelope. */
export function misplaced(seen: unknown, name: string, members?: string[]): string {
  if (!members) return `it is ${quote(seen)}, where an object with the member ${quote(name)} is due`;
  const others = members.slice(0, 5).map(quote).join(', ');
  return `there is no ${quote(name)} in it, only ${others || 'nothing'}${members.length > 5 ? ' and more' : ''}`;
}

export const notAList = (seen: unknown): string => `it is ${quote(seen)}, where the list of records is due`;
