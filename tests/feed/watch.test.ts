/** Each event, by a scripted feed that raises it and no other; and a polite feed, which raises none. */
import { expect, test } from 'vitest';
import { parseReport } from '../report/report.ts';
import { createVirtualClock } from '../support/clock.ts';
import { watchFeeds } from './poll.ts';
import { but, type Fields, NOW } from './testing/sample-feed.ts';
import { formatUtc } from './time.ts';
import { type FeedState, newState, type Read, type WatchEvent, watchRead } from './watch.ts';
import { lineOf, watchReport } from './watch-report.ts';

const MINUTE = 60_000;
const AGREED = { lateMs: 10 * MINUTE, outageMs: 5 * MINUTE };

/** A record from one minute to another, counted from NOW. */
const from = (start: number, end: number, fields: Fields = {}): Fields =>
  but({
    src_start_utc: formatUtc(NOW + start * MINUTE),
    src_end_utc: formatUtc(NOW + end * MINUTE),
    ...fields,
  });

// Reads, by the minute from NOW at which they begin.
const at = (minute: number): number => NOW + minute * MINUTE;
const list = (minute: number, ...records: unknown[]): Read => ({ atMs: at(minute), what: 'list', records });
const modified = (minute: number, read: Read): Read => ({ ...read, lastModifiedMs: at(minute) }) as Read;
const same = (minute: number): Read => ({ atMs: at(minute), what: 'unchanged' });
const down = (minute: number): Read => ({ atMs: at(minute), what: 'failed', why: 'answered 503' });
const page = (minute: number): Read => ({ atMs: at(minute), what: 'unreadable', why: 'it is an HTML page' });

function play(reads: readonly Read[], begin = newState()): { state: FeedState; events: WatchEvent[] } {
  let state = begin;
  const events = reads.flatMap((read) => {
    const next = watchRead(state, read, 'feed', AGREED);
    state = next.state;
    return next.events;
  });
  return { state, events };
}

const [A, B, C] = [from(30, 90), from(30, 90, { src_id: 'b' }), from(40, 90, { src_id: 'c' })];
const R = from(-5, 60);
const ODD = but({ src_start_utc: { toString: 1 }, src_end_utc: [[]] });
/** The same in another band. */
const wide = (record: Fields): Fields => ({ ...record, freq_upper_hz: 2e9 });
const NAMED = { record: ['vla_D', 'near the pole'] };

/** The story of a feed, its reads, and each event that is raised. */
const SCRIPTS: readonly [story: string, reads: readonly Read[], raised: readonly object[]][] = [
  [
    'a running record that vanishes',
    [list(0, R, A), list(1, A), list(2, A)],
    [{ event: 'running-vanished', finding: true, ...NAMED, read: 2, end: '2030-01-01T01:00:00Z' }],
  ],
  [
    'a record that is listed eleven minutes after its end',
    [list(0, from(-5, 2)), same(1), same(12), same(13), list(14, from(-5, 2), A)],
    [{ event: 'stale', finding: true, ...NAMED, read: 4, after_s: 660 }],
  ],
  ['a record that is stale at the first read', [list(20, from(0, 5))], [{ event: 'stale', after_s: 900 }]],
  [
    'an answer that is no list, twice,',
    [list(0, A), page(1), page(2), same(3)],
    [{ event: 'unreadable', finding: true, read: 2, why: 'it is an HTML page' }],
  ],
  [
    'records without times',
    [
      list(0, A),
      list(1, A, { ...B, src_end_utc: 'soon' }, { ...B, src_end_utc: B.src_start_utc }, ODD, 7),
      list(2, A, null),
    ],
    [{ event: 'unreadable', finding: true, why: 'it has a record without a start and a later end' }],
  ],
  [
    'an outage of four minutes',
    [list(0, A), down(1), down(3), same(5)],
    [
      { event: 'outage', phase: 'begin', finding: false, why: 'answered 503' },
      { event: 'outage', phase: 'end', finding: false, length_s: 240 },
    ],
  ],
  [
    'an outage that is longer than agreed',
    [list(0, A), down(1), down(7), down(8), list(9, A)],
    [
      { event: 'outage', phase: 'begin', finding: false },
      { event: 'outage', phase: 'long', finding: true, length_s: 360 },
      { event: 'outage', phase: 'end', finding: false, length_s: 480 },
    ],
  ],
  [
    'an outage that is known to be too long only at its end',
    [list(0, A), down(1), list(7, A)],
    [
      { phase: 'begin', finding: false },
      { event: 'outage', phase: 'end', finding: true },
    ],
  ],
  [
    'a list that becomes empty again',
    [list(-1), list(0, A, B), list(1), list(2)],
    [{ event: 'emptied', finding: false, read: 3, records: 2 }],
  ],
  [
    'a record that is published nine minutes before its start',
    [list(0, A), same(20.5), list(21, A, B)],
    [{ event: 'late', finding: false, record: ['vla_D', 'b'], read: 3, lead_s: 540 }],
  ],
  [
    'a record that is published when it runs',
    [list(30, A), list(31, A, B)],
    [{ event: 'late', record: ['vla_D', 'b'], lead_s: -60 }],
  ],
  [
    'a record that disappears and comes back',
    [list(0, A, B), list(1, A), list(2, A), list(3, A, B)],
    [{ event: 'returned', finding: false, record: ['vla_D', 'b'], read: 4, after_s: 120 }],
  ],
  [
    'a start that is put off',
    [list(0, A), list(1, from(35, 90)), list(2, from(40, 100))],
    [
      { event: 'start-slid', finding: false, ...NAMED, by_s: 300, start: '2030-01-01T00:30:00Z' },
      { event: 'start-slid', by_s: 300, start: '2030-01-01T00:35:00Z' },
    ],
  ],
  [
    'a running record in whose place one with a later start comes',
    [list(0, R), list(1, from(1, 60))],
    [{ event: 'repushed-running', finding: false, ...NAMED, by_s: 360 }],
  ],
  [
    'a running record that comes again with a later start',
    [list(0, R), list(1, R, from(1, 60))],
    [{ event: 'repushed-running', finding: false, ...NAMED, by_s: 360 }],
  ],
  [
    'a running record in two bands, of which both come again with a later start,',
    [list(0, R, wide(R)), list(1, wide(from(1, 60)), from(1, 60))],
    [{ event: 'repushed-running' }, { event: 'repushed-running' }],
  ],
  ['a list of which no record can be read any more', [list(0, A), list(1, 7)], [{ event: 'unreadable' }]],
  [
    'a running record that gets an earlier end',
    [list(0, R), list(1, from(-5, 30))],
    [{ event: 'running-cut-short', finding: false, ...NAMED, by_s: 1800, end: '2030-01-01T01:00:00Z' }],
  ],
  [
    'a running record that gets another band',
    [list(0, R), list(1, { ...R, freq_upper_hz: 2e9 })],
    [{ event: 'running-band-changed', why: '1990000000–1995000000 Hz to 1990000000–2000000000 Hz' }],
  ],
  [
    'a list that has a record twice',
    [list(0, A), list(1, A, { ...A, slew_sec: 1 }), list(2, A, A)],
    [{ event: 'duplicate', finding: false, ...NAMED, records: 2, read: 2 }],
  ],
  [
    'an earlier list that comes back',
    [list(0, A), list(1, A, C), list(2, A)],
    [{ event: 'older-copy', finding: false, read: 3, why: 'without 1 record of the last list' }],
  ],
  [
    'a list whose Last-Modified goes back',
    [modified(5, list(0, A, B)), modified(4, list(1, A))],
    [{ event: 'older-copy', why: 'Last-Modified 2030-01-01T00:04:00Z, after 2030-01-01T00:05:00Z' }],
  ],
];
for (const [story, reads, raised] of SCRIPTS)
  test(`${story} raises ${raised.length === 1 ? 'one event' : 'its events'} and no other`, () => {
    const { events } = play(reads);
    expect(events).toEqual(raised.map((event) => expect.objectContaining(event)));
    for (const event of events) {
      expect(lineOf(event)).toMatch(/^2030-\S+Z [✗!] feed [\w-]+: .*[^ ] \(read \d+\)$/);
      expect(lineOf(event)).not.toMatch(/undefined|NaN|[{}]/);
    }
  });

test('the report has each event once, with the lead times of each feed', () => {
  const states = new Map(SCRIPTS.map(([story, reads]) => [story, play(reads).state]));
  const report = watchReport(states, { ...AGREED, everyMs: 30_000 });
  expect(parseReport(JSON.stringify(report), 'report.json').outcome).toBe('nonconformant');
  const events = report.items.slice(0, -SCRIPTS.length).map(({ id, verdict }) => [id, verdict]);
  expect(events.map(([id]) => id)).toEqual([...new Set(events.map(([id]) => id))]);
  expect(events.filter(([, verdict]) => verdict === 'failed').flatMap(([id]) => id)).toEqual([
    ...['running-vanished', 'stale', 'unreadable', 'outage'],
  ]);
  expect(events).toHaveLength(13);
  const rows = report.sections[0]?.blocks[0]?.table?.rows.map(({ cells }) => cells);
  const late = 'a record that is published nine minutes before its start';
  expect(rows?.find(([name]) => name === late)).toEqual([
    late,
    '3',
    '0',
    '1',
    '9 minutes',
    '9 minutes',
    '0',
    '1',
  ]);
});

/** What a reader must not be told. */
const QUIET: readonly [story: string, reads: readonly Read[]][] = [
  [
    'a running record in two bands, of which both get a later end,',
    [list(0, R, wide(R)), list(1, wide(from(-5, 80)), from(-5, 80))],
  ],
  ['a record to come that gets another end and band', [list(0, A), list(1, wide(from(30, 80)))]],
  [
    'a target without a name at two positions',
    [list(0, but({ src_id: null }), but({ src_id: null, src_dec_j2000_deg: 1 }))],
  ],
  [
    'two targets with long names',
    [list(0, ...['a', 'b'].map((end) => from(30, 90, { src_id: `${'x'.repeat(5000)}${end}` })))],
  ],
  ['a feed that is read for the first time', [list(31, A, from(-60, 35), from(32, 40))]],
  ['a running record that goes a minute before its end', [list(0, from(-9, 2), A), list(1, A)]],
  ['a record to come that is cancelled', [list(0, A, B), list(1, A)]],
  ['a feed that drops records at their start', [list(29, A, C), list(30.5, A, C), list(31, C)]],
  ['a record that was published in a gap between two reads', [list(0, A), list(25, A, B)]],
  [
    'a running record that gets a later end',
    [list(0, R, A), list(1, from(-5, 80), A), list(70, from(-5, 80), A)],
  ],
  ['an end that is put off after it has passed', [list(0, from(-5, 1)), list(2, from(-5, 9))]],
  [
    'an empty list that comes again',
    [list(0), list(1, from(30, 40)), list(41), list(42, from(60, 70)), list(71)],
  ],
  ['an earlier list that lacks only what has ended', [list(0, A), list(1, A, from(20, 25)), list(26, A)]],
  [
    'an earlier list that is newer by its Last-Modified',
    [modified(0, list(0, A)), modified(1, list(1, A, C)), modified(2, list(2, A))],
  ],
  ['the same list with an earlier Last-Modified', [modified(5, list(0, A)), modified(4, list(1, A))]],
];
for (const [story, reads] of QUIET)
  test(`${story} raises no event`, () => {
    expect(play(reads).events).toEqual([]);
  });

test('nothing is held against what never gave a list', () => {
  const { events } = play([page(0), page(1), down(2), down(9), page(10)]);
  expect(events.map(({ event, phase, finding }) => [event, phase, finding])).toEqual([
    ['unreadable', undefined, false],
    ['outage', 'begin', false],
    ['outage', 'long', false],
    ['outage', 'end', false],
  ]);
});

test('a read of 15,000 records raises few events, and what is missed is bounded', () => {
  const all = Array.from({ length: 15_000 }, (_, at) => from(30, 90, { src_id: `${at}` }));
  const { state, events } = play([list(0, A), list(29, A, ...all), list(30, A, C)]);
  expect(events).toEqual([]);
  expect(state.records.size).toBe(10_002);
  const { events: flood } = play([list(21, A), list(21.5, A, ...all)]);
  expect(flood.map(({ more }) => more)).toEqual([...Array(19).fill(undefined), 14_980]);
});

test('a long name is short in an event', () => {
  const { events } = play([list(20, from(0, 5, { src_id: 'x'.repeat(5000) }))]);
  expect(events[0]?.record?.[1]).toMatch(/^x{59}… [0-9a-f]{16}$/);
});

test('of events of one name, the state counts all, and keeps findings before warnings', () => {
  const { state } = play([list(0, A), down(1), list(2, A), down(3), list(4, A), down(5), down(15)]);
  const { count, findings, first } = state.events.outage ?? {};
  expect([count, findings, first?.map(({ read }) => read)]).toEqual([6, 1, [7, 2, 3]]);
});

test('a read leaves the state before it as it was', () => {
  const { state } = play([list(0, A, R)]);
  const before = structuredClone(state);
  play([list(1, A, A), down(2), list(3), list(4, A, B, R)], state);
  expect(state).toEqual(before);
});

/**
 * A service with five scans of a target after each other, each in two bands, published 20 minutes before their start. Each tenth is
 * extended by a minute while it runs.
 */
function polite(atMs: number): Fields[] {
  const LENGTH = 9;
  const minute = (atMs - NOW) / MINUTE;
  const scans: Fields[] = [];
  for (let nth = Math.floor((minute - LENGTH - 1) / (LENGTH + 1)); nth * (LENGTH + 1) <= minute + 20; nth++) {
    const start = nth * (LENGTH + 1);
    const end = start + LENGTH + (nth % 10 === 0 && minute >= start + 3 ? 1 : 0);
    if (end <= minute) continue;
    for (const band of [1.4e9, 4e9])
      scans.push(
        from(start, end, {
          src_id: `3C${Math.floor(nth / 5)}`,
          freq_lower_hz: band,
          freq_upper_hz: band + 1e8,
        }),
      );
  }
  return scans;
}

test('a polite feed raises no event in 24 hours', async () => {
  const clock = createVirtualClock();
  const states = new Map<string, FeedState>();
  const raised: WatchEvent[] = [];
  const poll = async (atMs: number) => ({ atMs, what: 'list', records: polite(atMs) }) as const;
  await watchFeeds([{ name: 'polite', host: 'a', poll }], states, {
    ...{ ...AGREED, everyMs: 30_000, untilMs: NOW + 24 * 60 * MINUTE, random: () => 0.5 },
    ...{ clock: { ...clock, now: () => NOW + clock.now() }, signal: new AbortController().signal },
    onRead: (_name, _state, events) => raised.push(...events),
  });
  expect(raised).toEqual([]);
  const state = states.get('polite');
  expect([state?.reads, state?.lists, state?.leads.length]).toEqual([2880, 2880, 286]);
  expect(Math.min(...(state?.leads ?? []))).toBe(1200);
});
