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

/** What a read at some minute gives: a list, with its Last-Modified in minutes, or what else it is. */
type Step = readonly [
  minute: number,
  given: readonly unknown[] | 'unchanged' | { unreadable: string } | { failed: string },
  modified?: number,
];

function readOf([minute, given, modified]: Step): Read {
  const atMs = NOW + minute * MINUTE;
  if (given === 'unchanged') return { atMs, what: 'unchanged' };
  if ('unreadable' in given) return { atMs, what: 'unreadable', why: given.unreadable };
  if ('failed' in given) return { atMs, what: 'failed', why: given.failed };
  return { atMs, what: 'list', records: given, lastModifiedMs: modified && NOW + modified * MINUTE };
}

function play(steps: readonly Step[], begin = newState()): { state: FeedState; events: WatchEvent[] } {
  let state = begin;
  const events = steps.flatMap((step) => {
    const next = watchRead(state, readOf(step), 'feed', AGREED);
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
const DOWN = { failed: 'answered 503' };
const HTML = { unreadable: 'it is an HTML page' };
const MESSAGE = { record: ['vla_D', 'near the pole'] };

/** The story of a feed, its reads, and each event that is raised. */
const SCRIPTS: readonly [story: string, steps: readonly Step[], raised: readonly object[]][] = [
  [
    'a running record that vanishes',
    [
      [0, [R, A]],
      [1, [A]],
      [2, [A]],
    ],
    [{ event: 'running-vanished', finding: true, ...MESSAGE, read: 2, end: '2030-01-01T01:00:00Z' }],
  ],
  [
    'a record that is listed eleven minutes after its end',
    [
      [0, [from(-5, 2)]],
      [1, 'unchanged'],
      [12, 'unchanged'],
      [13, 'unchanged'],
      [14, [from(-5, 2), A]],
    ],
    [{ event: 'stale', finding: true, ...MESSAGE, read: 4, after_s: 660 }],
  ],
  ['a record that is stale at the first read', [[20, [from(0, 5)]]], [{ event: 'stale', after_s: 900 }]],
  [
    'an answer that is no list, twice, and between them no answer',
    [
      [0, [A]],
      [1, HTML],
      [2, HTML],
      [3, 'unchanged'],
    ],
    [{ event: 'unreadable', finding: true, read: 2, why: 'it is an HTML page' }],
  ],
  [
    'records without times',
    [
      [0, [A]],
      [1, [A, { ...B, src_end_utc: 'soon' }, { ...B, src_end_utc: B.src_start_utc }, ODD, 7]],
      [2, [A, null]],
    ],
    [{ event: 'unreadable', finding: true, why: 'it has a record without a start and a later end' }],
  ],
  [
    'an outage of four minutes',
    [
      [0, [A]],
      [1, DOWN],
      [3, DOWN],
      [5, 'unchanged'],
    ],
    [
      { event: 'outage', phase: 'begin', finding: false, why: 'answered 503' },
      { event: 'outage', phase: 'end', finding: false, length_s: 240 },
    ],
  ],
  [
    'an outage that is longer than agreed',
    [
      [0, [A]],
      [1, DOWN],
      [7, DOWN],
      [8, DOWN],
      [9, [A]],
    ],
    [
      { event: 'outage', phase: 'begin', finding: false },
      { event: 'outage', phase: 'long', finding: true, length_s: 360 },
      { event: 'outage', phase: 'end', finding: false, length_s: 480 },
    ],
  ],
  [
    'an outage that is known to be too long only at its end',
    [
      [0, [A]],
      [1, DOWN],
      [7, [A]],
    ],
    [
      { phase: 'begin', finding: false },
      { event: 'outage', phase: 'end', finding: true },
    ],
  ],
  [
    'a list that becomes empty again',
    [
      [-1, []],
      [0, [A, B]],
      [1, []],
      [2, []],
    ],
    [{ event: 'emptied', finding: false, read: 3, records: 2 }],
  ],
  [
    'a record that is published nine minutes before its start',
    [
      [0, [A]],
      [20.5, 'unchanged'],
      [21, [A, B]],
    ],
    [{ event: 'late', finding: false, record: ['vla_D', 'b'], read: 3, lead_s: 540 }],
  ],
  [
    'a record that is published when it runs',
    [
      [30, [A]],
      [31, [A, B]],
    ],
    [{ event: 'late', record: ['vla_D', 'b'], lead_s: -60 }],
  ],
  [
    'a record that disappears and comes back',
    [
      [0, [A, B]],
      [1, [A]],
      [2, [A]],
      [3, [A, B]],
    ],
    [{ event: 'returned', finding: false, record: ['vla_D', 'b'], read: 4, after_s: 120 }],
  ],
  [
    'a start that is put off',
    [
      [0, [A]],
      [1, [from(35, 90)]],
      [2, [from(40, 100)]],
    ],
    [
      { event: 'start-slid', finding: false, ...MESSAGE, by_s: 300, start: '2030-01-01T00:30:00Z' },
      { event: 'start-slid', by_s: 300, start: '2030-01-01T00:35:00Z' },
    ],
  ],
  [
    'a running record in whose place one with a later start comes',
    [
      [0, [R]],
      [1, [from(1, 60)]],
    ],
    [{ event: 'repushed-running', finding: false, ...MESSAGE, by_s: 360 }],
  ],
  [
    'a running record that comes again with a later start',
    [
      [0, [R]],
      [1, [R, from(1, 60)]],
    ],
    [{ event: 'repushed-running', finding: false, ...MESSAGE, by_s: 360 }],
  ],
  [
    'a running record in two bands, of which both come again with a later start,',
    [
      [0, [R, wide(R)]],
      [1, [wide(from(1, 60)), from(1, 60)]],
    ],
    [{ event: 'repushed-running' }, { event: 'repushed-running' }],
  ],
  [
    'a list of which no record can be read any more',
    [
      [0, [A]],
      [1, [7]],
    ],
    [{ event: 'unreadable' }],
  ],
  [
    'a running record that gets an earlier end',
    [
      [0, [R]],
      [1, [from(-5, 30)]],
    ],
    [{ event: 'running-cut-short', finding: false, ...MESSAGE, by_s: 1800, end: '2030-01-01T01:00:00Z' }],
  ],
  [
    'a running record that gets another band',
    [
      [0, [R]],
      [1, [{ ...R, freq_upper_hz: 2e9 }]],
    ],
    [{ event: 'running-band-changed', why: '1990000000–1995000000 Hz to 1990000000–2000000000 Hz' }],
  ],
  [
    'a list that has a record twice',
    [
      [0, [A]],
      [1, [A, { ...A, slew_sec: 1 }]],
      [2, [A, A]],
    ],
    [{ event: 'duplicate', finding: false, ...MESSAGE, records: 2, read: 2 }],
  ],
  [
    'an earlier list that comes back',
    [
      [0, [A]],
      [1, [A, C]],
      [2, [A]],
    ],
    [{ event: 'older-copy', finding: false, read: 3, why: 'without 1 record of the last list' }],
  ],
  [
    'a list whose Last-Modified goes back',
    [
      [0, [A, B], 5],
      [1, [A], 4],
    ],
    [{ event: 'older-copy', why: 'Last-Modified 2030-01-01T00:04:00Z, after 2030-01-01T00:05:00Z' }],
  ],
];
for (const [story, steps, raised] of SCRIPTS)
  test(`${story} raises ${raised.length === 1 ? 'one event' : 'its events'} and no other`, () => {
    const { events } = play(steps);
    expect(events).toEqual(raised.map((event) => expect.objectContaining(event)));
    for (const event of events) {
      expect(lineOf(event)).toMatch(/^2030-\S+Z [✗!] feed [\w-]+: .*[^ ] \(read \d+\)$/);
      expect(lineOf(event)).not.toMatch(/undefined|NaN|[{}]/);
    }
  });

test('the report has each event once, with the lead times of each feed', () => {
  const states = new Map(SCRIPTS.map(([story, steps]) => [story, play(steps).state]));
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
const QUIET: readonly [story: string, steps: readonly Step[]][] = [
  [
    'a running record in two bands, of which both get a later end,',
    [
      [0, [R, wide(R)]],
      [1, [wide(from(-5, 80)), from(-5, 80)]],
    ],
  ],
  [
    'a record to come that gets another end and band',
    [
      [0, [A]],
      [1, [wide(from(30, 80))]],
    ],
  ],
  [
    'a target without a name at two positions',
    [[0, [but({ src_id: null }), but({ src_id: null, src_dec_j2000_deg: 1 })]]],
  ],
  [
    'two targets with long names',
    [[0, ['a', 'b'].map((end) => from(30, 90, { src_id: `${'x'.repeat(5000)}${end}` }))]],
  ],
  ['a feed that is read for the first time', [[31, [A, from(-60, 35), from(32, 40)]]]],
  [
    'a running record that goes a minute before its end',
    [
      [0, [from(-9, 2), A]],
      [1, [A]],
    ],
  ],
  [
    'a record to come that is cancelled',
    [
      [0, [A, B]],
      [1, [A]],
    ],
  ],
  [
    'a feed that drops records at their start',
    [
      [29, [A, C]],
      [30.5, [A, C]],
      [31, [C]],
    ],
  ],
  [
    'a record that was published in a gap between two reads',
    [
      [0, [A]],
      [25, [A, B]],
    ],
  ],
  [
    'a running record that gets a later end',
    [
      [0, [R, A]],
      [1, [from(-5, 80), A]],
      [70, [from(-5, 80), A]],
    ],
  ],
  [
    'an end that is put off after it has passed',
    [
      [0, [from(-5, 1)]],
      [2, [from(-5, 9)]],
    ],
  ],
  [
    'an empty list that comes again',
    [
      [0, []],
      [1, [from(30, 40)]],
      [41, []],
      [42, [from(60, 70)]],
      [71, []],
    ],
  ],
  [
    'an earlier list that lacks only what has ended',
    [
      [0, [A]],
      [1, [A, from(20, 25)]],
      [26, [A]],
    ],
  ],
  [
    'an earlier list that is newer by its Last-Modified',
    [
      [0, [A], 0],
      [1, [A, C], 1],
      [2, [A], 2],
    ],
  ],
  [
    'the same list with an earlier Last-Modified',
    [
      [0, [A], 5],
      [1, [A], 4],
    ],
  ],
];
for (const [story, steps] of QUIET)
  test(`${story} raises no event`, () => {
    expect(play(steps).events).toEqual([]);
  });

test('nothing is held against what never gave a list', () => {
  const { events } = play([
    [0, HTML],
    [1, HTML],
    [2, DOWN],
    [9, DOWN],
    [10, HTML],
  ]);
  expect(events.map(({ event, phase, finding }) => [event, phase, finding])).toEqual([
    ['unreadable', undefined, false],
    ['outage', 'begin', false],
    ['outage', 'long', false],
    ['outage', 'end', false],
  ]);
});

test('a read of 15,000 records raises few events, and what is missed is bounded', () => {
  const all = Array.from({ length: 15_000 }, (_, at) => from(30, 90, { src_id: `${at}` }));
  const { state, events } = play([
    [0, [A]],
    [29, [A, ...all]],
    [30, [A, C]],
  ]);
  expect(events).toEqual([]);
  expect(state.records.size).toBe(10_002);
  const { events: flood } = play([
    [21, [A]],
    [21.5, [A, ...all]],
  ]);
  expect(flood.map(({ more }) => more)).toEqual([...Array(19).fill(undefined), 14_980]);
});

test('a long name is short in an event', () => {
  const { events } = play([[20, [from(0, 5, { src_id: 'x'.repeat(5000) })]]]);
  expect(events[0]?.record?.[1]).toMatch(/^x{59}… [0-9a-f]{16}$/);
});

test('of events of one name, the state counts all, and keeps findings before warnings', () => {
  const { state } = play([
    [0, [A]],
    [1, DOWN],
    [2, [A]],
    [3, DOWN],
    [4, [A]],
    [5, DOWN],
    [15, DOWN],
  ]);
  const { count, findings, first } = state.events.outage ?? {};
  expect([count, findings, first?.map(({ read }) => read)]).toEqual([6, 1, [7, 2, 3]]);
});

test('a read leaves the state before it as it was', () => {
  const { state } = play([[0, [A, R]]]);
  const before = structuredClone(state);
  play(
    [
      [1, [A, A]],
      [2, DOWN],
      [3, []],
      [4, [A, B, R]],
    ],
    state,
  );
  expect(state).toEqual(before);
});

/**
 * A service whose scans of one target follow each other, each in two bands, published 20 minutes before their start. Each tenth is
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
        from(start, end, { src_id: `3C${nth % 3}`, freq_lower_hz: band, freq_upper_hz: band + 1e8 }),
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
