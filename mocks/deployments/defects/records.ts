/** Deployments whose mitigation requests are wrong: each violates one rule of the profile nrao-ods. */

import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import { mapReplyTo } from '../overrides.ts';
import {
  eachRecord,
  editRecords,
  everyTime,
  firstRecord,
  lastRecord,
  mapTimes,
  type ServedRecord,
  withFields,
} from '../record-edits.ts';
import { body, bytes, type Change, json, sequence } from '../reply-edits.ts';

/** Matches if only this rule is violated. */
const named = (rule: string) =>
  new RegExp(`^expected records that keep the rule ${rule} \\((?!.*keep the rule)`);

const notError =
  /^expected the data, not an error; seen: the data with the (same |new )?token( again)?: 200\b/;

/** Violates a rule about records. */
const wrong = (name: string, rule: string, summary: string, change: Change): Defect => ({
  name: `rec-${name}`,
  summary,
  profile: 'nrao-ods',
  fails: { 'MRS-2b@nrao-ods': named(rule) },
  override: mapReplyTo(answers.served, change),
});

/** Lacks the list of records of its profile, so that no record can be judged. */
const without = (name: string, summary: string, change: Change): Defect => ({
  ...wrong(name, 'envelope', summary, change),
  fails: { 'MRS-4.2g@nrao-ods': named('envelope') },
  cannotRun: ['MRS-2b@nrao-ods'],
});

const notJson = (name: string, summary: string, change: Change): Defect => ({
  ...wrong(name, 'not-json', summary, change),
  fails: {
    'MRS-4.2b': /^expected well-formed JSON, but it does not parse; seen: the data with the token: 200\b/,
  },
  cannotRun: ['MRS-2b@nrao-ods', 'MRS-4.2g@nrao-ods'],
});

const text = (change: (old: string) => string): Change => bytes((old) => Buffer.from(change(old.toString())));

/** Repeats the first record with changed text. */
const again = (change: (first: string) => string): Change =>
  sequence(
    editRecords((list) => list.flatMap((one, nth) => (nth === 0 ? [one, one] : [one]))),
    text((old) => old.replace(/\{[^{}]*\},(?=(\{[^{}]*\}))/, (_, copy) => `${change(copy)},`)),
  );

const dayBefore = (time: string): string =>
  new Date(Date.parse(`${time}Z`) - 24 * 3600_000).toISOString().slice(0, 19) + time.slice(19);

const seconds = (time: string): number => Date.parse(`${time}Z`) / 1000;

/** A record that began a minute ago and ends in a second: a reader soon sees that it is still there. */
const endingSoon = (nowMs: number) => {
  const time = (ms: number) => new Date(ms).toISOString().replace('Z', '000');
  return (one: ServedRecord): ServedRecord => ({
    ...one,
    src_start_utc: [one.src_start_utc, time(nowMs - 60_000)].sort()[0],
    src_end_utc: time(nowMs + 1_000),
  });
};

/** A record in the schema before v1.0.0. */
const inOldSchema = ({
  version: _,
  dish_diameter_m: __,
  subarray: ___,
  ...one
}: ServedRecord): ServedRecord => ({
  ...one,
  src_is_pulsar_bool: false,
  src_radius: 0,
  notes: '',
});

export const recordDefects: Defect[] = [
  wrong(
    'end-before-start',
    'interval',
    'has a record that ends before it starts',
    lastRecord((one) => ({ ...one, src_start_utc: one.src_end_utc, src_end_utc: one.src_start_utc })),
  ),
  wrong(
    'zero-length',
    'interval',
    'has a record that ends when it starts, as trimming by elevation leaves it',
    lastRecord((one) => ({ ...one, src_end_utc: one.src_start_utc })),
  ),
  wrong(
    'frequencies-swapped',
    'frequency-order',
    'has a record whose lower and upper frequency are swapped',
    firstRecord((one) => ({ ...one, freq_lower_hz: one.freq_upper_hz, freq_upper_hz: one.freq_lower_hz })),
  ),
  wrong(
    'no-bandwidth',
    'frequency-order',
    'has a record whose two frequencies are equal',
    firstRecord((one) => ({ ...one, freq_upper_hz: one.freq_lower_hz })),
  ),
  wrong(
    'ra-out-of-range',
    'range',
    'has a record with a right ascension above 360 degrees',
    firstRecord(withFields({ src_ra_j2000_deg: 360.5 })),
  ),
  wrong(
    'ra-negative',
    'range',
    'has a record with a right ascension below zero',
    firstRecord(withFields({ src_ra_j2000_deg: -157.2155 })),
  ),
  wrong(
    'dec-out-of-range',
    'range',
    'has a record with a declination beyond the pole',
    firstRecord(withFields({ src_dec_j2000_deg: 90.5 })),
  ),
  wrong(
    'negative-slew',
    'range',
    'has a record with a negative slew time',
    firstRecord(withFields({ slew_sec: -42.5 })),
  ),
  wrong(
    'negative-frequency',
    'range',
    'has a record whose band begins below 0 Hz',
    firstRecord(withFields({ freq_lower_hz: -1 })),
  ),
  wrong(
    'latitude-longitude-swapped',
    'site-position',
    'has a record whose latitude and longitude are swapped',
    firstRecord(
      withFields({ site_id: 'gbt', site_lat_deg: -79.839839, site_lon_deg: 38.433129, site_el_m: 824 }),
    ),
  ),
  wrong(
    'elevation-wrong',
    'site-position',
    'has a record that places its site 800 m too high',
    firstRecord((one) => ({ ...one, site_el_m: Number(one.site_el_m) + 800 })),
  ),
  wrong(
    'site-elsewhere',
    'site-position',
    'has a record that places its site two degrees too far north',
    firstRecord((one) => ({ ...one, site_lat_deg: Number(one.site_lat_deg) + 2 })),
  ),
  wrong(
    'offset-times',
    'time-format',
    'writes times with the offset +00:00',
    everyTime((time) => `${time}+00:00`),
  ),
  wrong(
    'mixed-zones',
    'time-style',
    'writes Z after the times of one record, and nothing after the others',
    firstRecord(mapTimes((time) => `${time}Z`)),
  ),
  wrong(
    'unparseable-time',
    'time-format',
    'has a record whose end is a word',
    lastRecord(withFields({ src_end_utc: 'TBD' })),
  ),
  wrong(
    'no-such-date',
    'time-format',
    'has a record that ends on the 30th of February',
    lastRecord((one) => ({ ...one, src_end_utc: String(one.src_end_utc).replace(/-\d\d-\d\dT/, '-02-30T') })),
  ),
  wrong(
    'times-with-space',
    'time-format',
    'writes a space instead of T in times',
    everyTime((time) => time.replace('T', ' ')),
  ),
  wrong('epoch-times', 'type', 'writes times as seconds since the epoch', everyTime(seconds)),
  wrong(
    'past',
    'past',
    'still has a record of yesterday',
    editRecords((list) => [...list.slice(0, 1).map(mapTimes(dayBefore)), ...list]),
  ),
  wrong(
    'unsorted',
    'order',
    'lists the records from the last to the first',
    editRecords((list) => list.toReversed()),
  ),
  wrong(
    'duplicate',
    'duplicate',
    'has a record twice',
    again((copy) => copy),
  ),
  wrong(
    'duplicate-numeric',
    'duplicate',
    'has a record twice, once with 25 and once with 25.0',
    again((copy) =>
      copy.replace(/("dish_diameter_m":)([\d.]+)/, (_, name, m) => `${name}${m}${/\./.test(m) ? '0' : '.0'}`),
    ),
  ),
  wrong(
    'duplicate-reordered',
    'duplicate',
    'has a record twice, once with its members in reverse order',
    again((copy) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(copy)).toReversed()))),
  ),
  wrong(
    'missing-field',
    'required',
    'has a record without slew_sec',
    firstRecord(({ slew_sec: _, ...one }) => one),
  ),
  wrong(
    'null-field',
    'required',
    'has a record with null for slew_sec',
    firstRecord(withFields({ slew_sec: null })),
  ),
  wrong(
    'all-null',
    'required',
    'has a record with null in every field, as a client may make of an error',
    editRecords((list) => [
      ...list,
      ...list.slice(0, 1).map((one) => Object.fromEntries(Object.keys(one).map((name) => [name, null]))),
    ]),
  ),
  wrong(
    'digit-strings',
    'digit-string',
    'writes the position of the site as text',
    eachRecord((one) => ({
      ...one,
      site_lat_deg: `${one.site_lat_deg}`,
      site_lon_deg: `${one.site_lon_deg}`,
      site_el_m: `${one.site_el_m}`,
    })),
  ),
  wrong('legacy', 'legacy-schema', 'gives the records in the schema before v1.0.0', eachRecord(inOldSchema)),
  wrong(
    'subarray-fraction',
    'type',
    'has a record with a fractional subarray',
    firstRecord(withFields({ subarray: 1.5 })),
  ),
  wrong(
    'list-for-number',
    'type',
    'has a record with a list for a number',
    firstRecord((one) => ({ ...one, slew_sec: [one.slew_sec] })),
  ),
  wrong(
    'text-for-record',
    'type',
    'has a string among the records',
    editRecords((list) => [...list, 'no more']),
  ),
  without(
    'bare-array',
    'gives the list of records without the object around it',
    json((old) => old.ods_data),
  ),
  without(
    'other-envelope',
    'gives the list of records under another name',
    json((old) => ({ ossods_data: old.ods_data })),
  ),
  without(
    'null-list',
    'gives null for the list of records',
    editRecords(() => null),
  ),
  without(
    'record-for-list',
    'gives one record for the list of records',
    editRecords(([one]) => one ?? {}),
  ),
  {
    ...without('error-for-data', 'answers with 200 and an error', body('{"detail":"Internal error"}')),
    fails: {
      'MRS-4.2a': notError,
      'MRS-4.2g@nrao-ods': named('envelope'),
      'MRS-5.3b': notError,
      'MRS-5.6b': notError,
    },
  },
  notJson(
    'truncated',
    'serves half of a file that is being written',
    bytes((old) => old.subarray(0, old.length / 2)),
  ),
  notJson(
    'nan',
    'writes NaN where it has no number',
    text((old) => old.replace(/("slew_sec":)[\d.]+/g, '$1NaN')),
  ),
  {
    ...wrong('stale', 'stale', 'keeps serving the records of the first read', (reply) => reply),
    override(parts) {
      let stays: Buffer | undefined;
      const { now } = parts.state.clock;
      return mapReplyTo(answers.served, (reply) => {
        stays ??= firstRecord(endingSoon(now()))(reply).bytes;
        const kept = stays;
        return bytes(() => kept)(reply);
      })(parts);
    },
  },
];
