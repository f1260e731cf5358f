/** Scenarios of the data: which records it has, and what goes wrong with its answers. */
import type { Step } from '../contract/control-types.ts';
import { timeText } from './clock.ts';
import { type Scenario, script } from './scenario.ts';

/** Records as one public deployment documents them; the specification shows none. */
const record = (source: string, start: number, end: number) => ({
  site_id: 'demo',
  site_lat_deg: 38.4,
  site_lon_deg: -79.8,
  site_el_m: 800,
  src_id: source,
  src_ra_j2000_deg: 202.7845,
  src_dec_j2000_deg: 30.5092,
  src_start_utc: timeText(start).slice(0, -1),
  src_end_utc: timeText(end).slice(0, -1),
  slew_sec: 12.5,
  trk_rate_ra_deg_per_sec: 0,
  trk_rate_dec_deg_per_sec: 0,
  freq_lower_hz: 1_990_000_000,
  freq_upper_hz: 1_995_000_000,
  dish_diameter_m: 25,
  corr_integ_time_sec: 2,
  subarray: 0,
  version: 'v1.0.0',
});

const data =
  (records: (now: number) => object[]): Scenario['terms'] =>
  ({ now }) => ({ script: [{ do: { answer: { status: 200, body: { ods_data: records(now) } } } }] });

const MINUTE = 60_000;

/** The same three records at first: one runs, and two are still to come. */
const planned = (now: number) => ({
  running: record('running', now - 5 * MINUTE, now + 10 * MINUTE),
  next: record('next', now + 15 * MINUTE, now + 25 * MINUTE),
  last: record('last', now + 30 * MINUTE, now + 40 * MINUTE),
});

type Planned = ReturnType<typeof planned>;

/** From the 3rd read on, the records are what `change` makes of them; null leaves one out. */
const changed =
  (
    change: (now: number, planned: Planned) => { [Name in keyof Planned]?: object | null },
  ): Scenario['terms'] =>
  ({ now }) => {
    const before = planned(now);
    const answer = (records: object): Step['do'] => ({
      answer: { status: 200, body: { ods_data: Object.values(records).filter((one) => one !== null) } },
    });
    return {
      script: [{ do: answer(before) }, { from: 3, do: answer({ ...before, ...change(now, before) }) }],
    };
  };

/** The same record with more digits in its times, and its members in reverse order. */
const rewritten = (one: Planned[keyof Planned]): object => {
  const times = { src_start_utc: `${one.src_start_utc}000`, src_end_utc: `${one.src_end_utc}000` };
  return Object.fromEntries(Object.entries({ ...one, ...times }).reverse());
};

/** From the 3rd to the 5th read, something else than the data. */
const meanwhile = (action: Step['do']): Scenario['terms'] =>
  script({ from: 3, times: 3, outsideContract: true, do: action });

const HTML = { 'content-type': 'text/html; charset=utf-8' };

export const dataScenarios: readonly Scenario[] = [
  { name: 'data-empty', summary: 'the data has no records', terms: data(() => []) },
  {
    name: 'data-one',
    summary: 'the data has one record, in the shape that one public deployment documents',
    terms: data((now) => [record('one', now, now + 10 * MINUTE)]),
  },
  {
    name: 'data-many',
    summary: 'the data has a thousand consecutive records',
    terms: data((now) =>
      Array.from({ length: 1000 }, (_, index) =>
        record(`source ${index + 1}`, now + index * MINUTE, now + (index + 1) * MINUTE),
      ),
    ),
  },
  {
    name: 'data-overlapping',
    summary: 'the data has three overlapping records',
    terms: data((now) => [
      record('long', now - 5 * MINUTE, now + 30 * MINUTE),
      record('within', now, now + 10 * MINUTE),
      record('across its end', now + 20 * MINUTE, now + 40 * MINUTE),
    ]),
  },
  {
    name: 'data-dst',
    summary: 'the data has records around an hour that local clocks show twice, and one that they skip',
    terms: data(() => [
      record('first 01:30 in Denver', Date.UTC(2026, 10, 1, 7, 30), Date.UTC(2026, 10, 1, 7, 45)),
      record('second 01:30 in Denver', Date.UTC(2026, 10, 1, 8, 30), Date.UTC(2026, 10, 1, 8, 45)),
      record('across 02:00 in Denver', Date.UTC(2027, 2, 14, 8, 50), Date.UTC(2027, 2, 14, 9, 10)),
    ]),
  },
  {
    name: 'data-malformed',
    summary: 'the 2nd answer is not JSON',
    terms: script({ nth: 2, outsideContract: true, do: { answer: { status: 200, body: '{"ods_data": [' } } }),
  },
  {
    name: 'data-truncated',
    summary: 'the 2nd answer is cut off after 8 bytes, although more are announced',
    terms: script({ nth: 2, do: { cut: 8 } }),
  },
  {
    name: 'data-reset',
    summary: 'the connection of the 3rd read is reset',
    terms: script({ nth: 3, do: { reset: true } }),
  },
  {
    name: 'data-emptied',
    summary: 'from the 3rd read on, the data has no records',
    terms: script({ from: 3, do: { answer: { status: 200, body: { ods_data: [] } } } }),
  },
  {
    name: 'data-cancelled',
    summary: 'from the 3rd read on, one of three records is missing: it was cancelled before its start',
    terms: changed(() => ({ next: null })),
  },
  {
    name: 'data-extended',
    summary: 'from the 3rd read on, the record that runs ends 3 min later',
    terms: changed((now) => ({ running: record('running', now - 5 * MINUTE, now + 13 * MINUTE) })),
  },
  {
    name: 'data-slid',
    summary: 'from the 3rd read on, one of three records starts and ends 3 min later',
    terms: changed((now) => ({ next: record('next', now + 18 * MINUTE, now + 28 * MINUTE) })),
  },
  {
    name: 'data-republished',
    summary:
      'from the 3rd read on, the same records have more digits in their times, and another order of members',
    terms: changed((_, { running, next, last }) => ({
      running: rewritten(running),
      next: rewritten(next),
      last: rewritten(last),
    })),
  },
  {
    name: 'data-500',
    summary: 'the 3rd to the 5th read are answered with 500',
    terms: meanwhile({ answer: { status: 500, body: { error: 'server_error' } } }),
  },
  {
    name: 'data-500-once',
    summary: 'the 3rd read is answered with 500',
    terms: script({
      nth: 3,
      outsideContract: true,
      do: { answer: { status: 500, body: { error: 'server_error' } } },
    }),
  },
  {
    name: 'data-404',
    summary: 'the 3rd to the 5th read are answered with 404, and an HTML page',
    terms: meanwhile({
      answer: { status: 404, headers: HTML, body: '<!doctype html><title>Not Found</title>\n' },
    }),
  },
  {
    name: 'data-503',
    summary: 'the 3rd to the 5th read are answered with 503 and Retry-After: 2',
    terms: meanwhile({ answer: { status: 503, headers: { 'retry-after': '2' }, body: '' } }),
  },
  {
    name: 'data-timeout',
    summary: 'the 3rd answer takes 12 s, and so do those to reads in the following 11 s',
    terms: script({ from: 3, ttl: '11s', do: { delay: '12s' } }),
  },
  {
    name: 'data-resets',
    summary: 'the connections of the 3rd to the 5th read are reset',
    terms: meanwhile({ reset: true }),
  },
  {
    name: 'data-cut',
    summary: 'the 3rd to the 5th answer are cut off after 600 bytes, in the second of sixty records',
    // They differ from the data, so that a conditional request is not answered with 304, which has no body to cut. Sixty
    // records have more than 600 bytes even with gzip.
    terms: (circumstances) => {
      const records = Array.from({ length: 60 }, (_, nth) => {
        const start = circumstances.now + nth * 7 * MINUTE;
        return record(`source ${nth + 1}`, start, start + 5 * MINUTE);
      });
      return meanwhile({ answer: { status: 200, body: { ods_data: records } }, cut: 600 })(circumstances);
    },
  },
  {
    name: 'data-error',
    summary: 'the 3rd to the 5th answer have status 200, and an error object instead of the data',
    terms: meanwhile({ answer: { status: 200, body: { error: 'temporarily_unavailable' } } }),
  },
  {
    name: 'data-html',
    summary: 'the 3rd to the 5th answer have status 200, and are an HTML page',
    terms: meanwhile({
      answer: { status: 200, headers: HTML, body: '<!doctype html><title>Maintenance</title>\n' },
    }),
  },
  {
    name: 'data-array',
    summary: 'the 3rd to the 5th answer are an empty array, without the object around it',
    terms: meanwhile({ answer: { status: 200, body: [] } }),
  },
  {
    name: 'data-text',
    summary: 'the 3rd to the 5th answer are an empty list of records, as text/plain',
    terms: meanwhile({
      answer: { status: 200, headers: { 'content-type': 'text/plain' }, body: { ods_data: [] } },
    }),
  },
  {
    name: 'data-slow',
    summary: 'every answer is delayed, log-normally distributed around 300 ms',
    terms: script({ do: { delay: { median: '300ms', sigma: 0.7 } } }),
  },
  {
    name: 'data-dripping',
    summary: 'every answer comes in pieces of 2 bytes, 50 ms apart',
    terms: script({ do: { drip: { bytes: 2, every: '50ms' } } }),
  },
];
