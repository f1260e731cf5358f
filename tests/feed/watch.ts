/**
 * What goes wrong with a feed over time: a function of what is known of the feed and of one read of it. Nothing here waits,
 * fetches or prints. README.md says when each event is raised.
 */
import { createHash } from 'node:crypto';
import { clip, several } from '../report/text.ts';
import { groupBy } from '../support/collections.ts';
import type { JsonRecord } from './rules/record.ts';
import { formatUtc, parseUtc } from './time.ts';

export type EventName =
  | ('running-vanished' | 'stale' | 'unreadable' | 'outage' | 'emptied' | 'late' | 'returned')
  | ('start-slid' | 'repushed-running' | 'running-cut-short' | 'running-band-changed')
  | ('duplicate' | 'older-copy');

/** Something that went wrong, as a line of JSON has it. It quotes the feed: escape it before showing it. */
export interface WatchEvent extends Details {
  at: string;
  feed: string;
  event: EventName;
  /** What the event is about, with its start and end as they were before. */
  record?: [site: string, target: string];
  start?: string;
  end?: string;
  /** The number of the read, counted from 1. */
  read: number;
  /** Whether the event fails the feed; otherwise it is a warning. */
  finding: boolean;
  /** The number of events of this name that the read would also have raised. */
  more?: number;
}

type Details = Partial<Record<'lead_s' | 'after_s' | 'by_s' | 'length_s' | 'records', number>> & {
  phase?: 'begin' | 'long' | 'end';
  why?: string;
};

/** One read of a feed; `atMs` is when it was requested, in milliseconds since 1970. */
export type Read = { atMs: number } & (
  | { what: 'list'; records: readonly unknown[]; lastModifiedMs?: number | undefined }
  /** The list of the last read that gave a list. */
  | { what: 'unchanged' }
  /** `unreadable`: an answer without a list; `failed`: no answer, or not the one that was asked for. */
  | { what: 'unreadable' | 'failed'; why: string }
);

/** A record. No identifier exists: the same site, target, subarray, start, end and band are the same record. */
interface Watched {
  site: string;
  target: string;
  subarray: string;
  startMs: number;
  endMs: number;
  band: string;
  /** How often the list has it. */
  copies: number;
  /** Of a record that is missed: the last read that had it, and the first that had not. */
  gone?: { seenMs: number; sinceMs: number };
}

/** All that is remembered of a feed; plain JSON, except for the map of records. */
export interface FeedState {
  /** All reads, and those that gave a list. */
  reads: number;
  lists: number;
  sinceMs?: number;
  untilMs?: number;
  /** When the last list was read. */
  listMs?: number;
  lastModifiedMs?: number | undefined;
  /** Digests of the last lists, the newest last. */
  versions: readonly string[];
  /** Those that are listed, and those that are missed. */
  records: ReadonlyMap<string, Watched>;
  /** Why the last answer held no list, or why some of its records are not watched. */
  fault?: string | undefined;
  outage?: { sinceMs: number; isLong: boolean; why: string } | undefined;
  /** In seconds, of the last records that were new. */
  leads: readonly number[];
  events: Partial<Record<EventName, { count: number; findings: number; first: WatchEvent[] }>>;
}

export const newState = (): FeedState => ({
  ...{ reads: 0, lists: 0, versions: [], records: new Map(), leads: [], events: {} },
});

/** What was agreed: how long before its start a record is published, and how long an outage may last. */
export interface Agreed {
  lateMs: number;
  outageMs: number;
}

const FINDINGS: readonly EventName[] = ['running-vanished', 'stale', 'unreadable'];
/** Clocks differ, and some services write their list once a minute: no finding rests on less. */
const ALLOWANCE_MS = 60_000;
/** Some services write their list every 5 minutes. */
const STALE_MS = 10 * 60_000;
/** `events`: of one name and one read; `text`: in characters. */
const MOST = { events: 20, missed: 10_000, versions: 50, leads: 1000, text: 100 };

/** Returns what one read adds to `state`, which stays as it is: the events and the next state. */
export function watchRead(state: FeedState, read: Read, feed: string, { lateMs, outageMs }: Agreed) {
  const { atMs } = read;
  const events: WatchEvent[] = [];
  const counts = new Map<EventName, number>();
  /** What was never a feed may be the wrong address: nothing is held against it. */
  const isKnown = state.listMs !== undefined || read.what === 'list';

  function raise(event: EventName, details: Details, of?: Watched, finding = FINDINGS.includes(event)): void {
    const count = (counts.get(event) ?? 0) + 1;
    counts.set(event, count);
    const last = count > MOST.events && events.findLast((one) => one.event === event);
    if (last) last.more = count - MOST.events;
    else
      events.push({
        ...{ at: utc(atMs), feed, event, ...(of && { record: [of.site, of.target] }) },
        ...{ read: state.reads + 1, finding: finding && isKnown },
        ...(of && { start: utc(of.startMs), end: utc(of.endMs) }),
        ...details,
      });
  }
  const nextWith = (changes: Partial<FeedState>) => {
    const next: FeedState = { sinceMs: atMs, ...state, untilMs: atMs, reads: state.reads + 1, ...changes };
    return { state: events.reduce(withEvent, next), events };
  };

  const why = 'why' in read ? clip(read.why, 2 * MOST.text) : '';
  const outage = state.outage ?? { sinceMs: atMs, isLong: false, why };
  const length_s = seconds(atMs - outage.sinceMs);
  const isLong = atMs - outage.sinceMs > outageMs;
  const isNews = isLong && !outage.isLong;
  if (read.what === 'failed') {
    if (!state.outage) raise('outage', { phase: 'begin', why });
    else if (isNews) raise('outage', { phase: 'long', length_s, why }, undefined, true);
    return nextWith({ outage: { ...outage, isLong, why } });
  }
  if (state.outage) raise('outage', { phase: 'end', length_s, why: outage.why }, undefined, isNews);
  if (read.what === 'unreadable') {
    if (why !== state.fault) raise('unreadable', { why });
    return nextWith({ outage: undefined, fault: why });
  }
  const isNew = read.what === 'list';
  const { listed, fault } = isNew ? listIn(read.records) : { listed: state.records, fault: state.fault };
  for (const [key, one] of listed) {
    const isStale = (ms = 0) => ms - one.endMs > STALE_MS;
    const wasStale = state.records.has(key) && isStale(state.listMs);
    if (!one.gone && !wasStale && isStale(atMs)) raise('stale', { after_s: seconds(atMs - one.endMs) }, one);
  }
  const ofList = { outage: undefined, fault, lists: state.lists + 1, listMs: atMs };
  if (!isNew) return nextWith(ofList);
  if (fault !== undefined && fault !== state.fault) raise('unreadable', { why: fault });
  const version = digestOf([...listed.keys()].sort().join());
  noteOlderCopy(read.lastModifiedMs);
  const leads: number[] = [];
  const origins = pair(
    [...state.records].flatMap(([key, one]) => (listed.has(key) ? [] : [one])),
    [...listed].flatMap(([key, one]) => (state.records.has(key) ? [] : [one])),
  );
  noteRecords();
  return nextWith({
    ...{ ...ofList, lastModifiedMs: read.lastModifiedMs, records: new Map([...missed(), ...listed]) },
    versions: [...state.versions.filter((one) => one !== version), version].slice(-MOST.versions),
    leads: [...state.leads, ...leads].slice(-MOST.leads),
  });

  /** An empty list comes again and again, and is not taken for an earlier one. */
  function noteOlderCopy(modifiedMs: number | undefined): void {
    const { versions, lastModifiedMs, records } = state;
    if (version === versions.at(-1)) return;
    if (modifiedMs !== undefined && lastModifiedMs !== undefined) {
      const why = `Last-Modified ${utc(modifiedMs)}, after ${utc(lastModifiedMs)}`;
      if (modifiedMs < lastModifiedMs) raise('older-copy', { why });
    } else if (versions.includes(version) && listed.size > 0) {
      const lacking = [...records].filter(([key, one]) => !one.gone && !listed.has(key) && one.endMs > atMs);
      if (lacking.length > 0)
        raise('older-copy', { why: `without ${several(lacking.length, 'record')} of the last list` });
    }
  }

  function noteRecords(): void {
    const running = [...state.records].filter(([key, one]) => listed.has(key) && isSeenRunning(one));
    const byEnd = new Map(running.map(([, one]) => [keyOf(one, 'endMs', 'band'), one]));
    for (const [key, one] of listed) {
      const old = state.records.get(key) ?? origins.get(one);
      const first = old ? undefined : byEnd.get(keyOf(one, 'endMs', 'band'));
      if (one.copies > (old?.copies ?? 1)) raise('duplicate', { records: one.copies }, one);
      if (old) noteChanges(old, one);
      else if (first && one.startMs > first.startMs)
        raise('repushed-running', { by_s: seconds(one.startMs - first.startMs) }, first);
      else if (state.listMs !== undefined && one.endMs > atMs) {
        const lead_s = seconds(one.startMs - atMs);
        leads.push(lead_s);
        // Also late if it was published right after the read before.
        if (one.startMs - state.listMs < lateMs) raise('late', { lead_s }, one);
      }
    }
  }

  function noteChanges(old: Watched, now: Watched): void {
    if (old.gone) raise('returned', { after_s: seconds(atMs - old.gone.sinceMs) }, old);
    const [slid, cut] = [seconds(now.startMs - old.startMs), seconds(old.endMs - now.endMs)];
    if (!isSeenRunning(old) && slid !== 0) raise('start-slid', { by_s: slid }, old);
    if (isSeenRunning(old) && slid > 0) raise('repushed-running', { by_s: slid }, old);
    if (old.startMs > atMs || atMs >= old.endMs) return;
    if (cut > 0) raise('running-cut-short', { by_s: cut }, old);
    if (old.band !== now.band) raise('running-band-changed', { why: `${old.band} to ${now.band}` }, old);
  }

  /** The records that have not ended, and are not listed. Notes what it means. */
  function missed(): [string, Watched][] {
    const known = new Set(origins.values());
    const isMissed = (key: string, one: Watched) => !listed.has(key) && !known.has(one) && one.endMs > atMs;
    const all = [...state.records].filter(([key, one]) => isMissed(key, one));
    const fresh = all.flatMap(([, one]) => (one.gone ? [] : [one]));
    for (const one of fresh)
      if (one.endMs - atMs > ALLOWANCE_MS && isSeenRunning(one, ALLOWANCE_MS))
        raise('running-vanished', {}, one);
    const toCome = fresh.filter(({ startMs }) => startMs > atMs).length;
    if (listed.size === 0 && !fault && toCome > 0) raise('emptied', { records: toCome });
    const gone = { seenMs: state.listMs ?? 0, sinceMs: atMs };
    return all.map(([key, one]): [string, Watched] => [key, { gone, ...one }]).slice(-MOST.missed);
  }

  /** Whether the last read that had it was that long after its start. */
  function isSeenRunning({ gone, startMs }: Watched, forMs = 0): boolean {
    return (gone?.seenMs ?? state.listMs ?? 0) >= startMs + forMs;
  }
}

const utc = (ms: number): string => `${formatUtc(Math.floor(ms / 1000) * 1000)}Z`;
const seconds = (ms: number): number => Math.round(ms / 1000);

/** The state with one more event in its counts. */
export function withEvent(state: FeedState, event: WatchEvent): FeedState {
  const { count, findings, first } = state.events[event.event] ?? { count: 0, findings: 0, first: [] };
  const times = 1 + (event.more ?? 0);
  const counted = {
    ...{ count: count + times, findings: findings + (event.finding ? times : 0) },
    first: [...first, event].sort((a, b) => Number(b.finding) - Number(a.finding)).slice(0, 3),
  };
  return { ...state, events: { ...state.events, [event.event]: counted } };
}

/** The records of a list by their keys, and whether it has others. */
function listIn(values: readonly unknown[]): { listed: Map<string, Watched>; fault: string | undefined } {
  const listed = new Map<string, Watched>();
  let fault: string | undefined;
  for (const value of values) {
    const one = watchedIn(value);
    if (one) {
      const key = keyOf(one, 'startMs', 'endMs', 'band');
      listed.set(key, { ...one, copies: (listed.get(key)?.copies ?? 0) + 1 });
    } else fault = 'it has a record without a start and a later end';
  }
  return { listed, fault };
}

/** Undefined where `value` has no interval to watch. */
function watchedIn(value: unknown): Watched | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as JsonRecord;
  const momentOf = (time: unknown) => (typeof time === 'string' ? parseUtc(time) : Number.NaN);
  const [startMs, endMs] = [momentOf(record.src_start_utc), momentOf(record.src_end_utc)];
  if (!(startMs < endMs)) return undefined;
  const position = `${textOf(record.src_ra_j2000_deg)} ${textOf(record.src_dec_j2000_deg)}`;
  return {
    ...{ site: textOf(record.site_id), target: textOf(record.src_id) || position.trim() },
    ...{ subarray: textOf(record.subarray), startMs, endMs, copies: 1 },
    band: `${textOf(record.freq_lower_hz)}–${textOf(record.freq_upper_hz)} Hz`,
  };
}

/** A value of the feed as a short text, another one for each value. */
function textOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') return '';
  return value.length <= MOST.text ? value : `${clip(value.slice(0, 400), 60)} ${digestOf(value)}`;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

type Part = 'startMs' | 'endMs' | 'band';

const keyOf = (one: Watched, ...parts: readonly Part[]): string =>
  JSON.stringify([one.site, one.target, one.subarray, ...parts.map((part) => one[part])]);

/** What a record keeps when it is changed, the surest first. */
const KEPT: readonly (readonly Part[])[] = [['startMs', 'band'], ['startMs'], ['band']];

/** The old record that each new one comes from: of the same target, and overlapping it in time. */
function pair(olds: readonly Watched[], news: readonly Watched[]): Map<Watched, Watched> {
  const origins = new Map<Watched, Watched>();
  const taken = new Set<Watched>();
  const inOrder = (records: readonly Watched[]) => records.toSorted((a, b) => a.startMs - b.startMs);
  const [before, now] = [inOrder(olds), inOrder(news)];
  for (const parts of KEPT) {
    const queues = groupBy(before.filter((old) => !taken.has(old)).reverse(), (old) => keyOf(old, ...parts));
    for (const one of now) {
      const queue = queues.get(keyOf(one, ...parts)) ?? [];
      if (origins.has(one)) continue;
      while (queue.length > 0 && (queue.at(-1)?.endMs ?? 0) <= one.startMs) queue.pop();
      const old = queue.at(-1);
      if (!old || old.startMs >= one.endMs) continue;
      queue.pop();
      taken.add(old);
      origins.set(one, old);
    }
  }
  return origins;
}
