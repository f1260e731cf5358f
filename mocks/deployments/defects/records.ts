/** Deployments whose mitigation requests are wrong: each violates one rule of the profile nrao-ods. */
import { on } from '../behaviour.ts';
import { type Defect, defect, type Fails } from '../deployment.ts';
import {
  body,
  bytes,
  cutInHalf,
  type Edit,
  eachRecord,
  everyTime,
  firstRecord,
  json,
  lastRecord,
  records,
  type ServedRecord,
  text,
  times,
} from '../edits.ts';

/** Matches if only this rule is violated. */
const named = (rule: string) =>
  new RegExp(`^expected records that keep the rule ${rule} \\((?!.*keep the rule)`);

const row = (
  name: string,
  summary: string,
  fails: Fails,
  edit: Edit,
  cannotRun: readonly string[] = [],
): Defect =>
  defect(`rec-${name}`, summary, {
    ...{ profile: 'nrao-ods', fails, does: on('served', edit) },
    ...(cannotRun.length > 0 && { cannotRun }),
  });

/** Violates a rule about records. */
const wrong = (rule: string, rows: Record<string, [summary: string, edit: Edit]>): Defect[] =>
  Object.entries(rows).map(([name, [summary, edit]]) =>
    row(name, summary, { 'MRS-2b@nrao-ods': named(rule) }, edit),
  );

/** Lacks the list of records of its profile, so that no record can be judged. */
const without = (name: string, summary: string, edit: Edit): Defect =>
  row(name, summary, { 'MRS-4.2g@nrao-ods': named('envelope') }, edit, ['MRS-2b@nrao-ods']);

const NOT_JSON = {
  'MRS-4.2b': 'well-formed JSON, but it does not parse; seen: the data with the token: 200',
};
const UNREAD = ['MRS-2b@nrao-ods', 'MRS-4.2g@nrao-ods'];
const NOT_ERROR = 'the data, not an error; seen: the data with the (same |new )?token( again)?: 200';

/** Repeats the first record with changed text. */
const repeated = (change: (first: string) => string): Edit => [
  records((list) => list.flatMap((one, nth) => (nth === 0 ? [one, one] : [one]))),
  text((old) => old.replace(/\{[^{}]*\},(?=(\{[^{}]*\}))/, (_, copy) => `${change(copy)},`)),
];

const dayBefore = (time: string): string =>
  new Date(Date.parse(`${time}Z`) - 24 * 3600_000).toISOString().slice(0, 19) + time.slice(19);

/** A record that began a minute ago and ends in a second: a reader soon sees that it is still there. */
const endingSoon = (nowMs: number) => {
  const time = (ms: number) => new Date(ms).toISOString().replace('Z', '000');
  return (one: ServedRecord): ServedRecord => ({
    ...one,
    src_start_utc: [one.src_start_utc, time(nowMs - 60_000)].sort()[0],
    src_end_utc: time(nowMs + 1_000),
  });
};

/** Keeps serving the records of the first read, of which one ends soon. */
const stale = (): Edit => {
  let kept: Buffer | undefined;
  return (reply, moment) => {
    kept ??= firstRecord(endingSoon(moment.nowMs))(reply, moment).bytes;
    return bytes(() => kept ?? '')(reply, moment);
  };
};

/** A record in the schema before v1.0.0. */
const inOldSchema = ({ version: _, dish_diameter_m: __, subarray: ___, ...one }: ServedRecord) => ({
  ...one,
  ...{ src_is_pulsar_bool: false, src_radius: 0, notes: '' },
});

const asText = (one: ServedRecord) => ({
  ...one,
  site_lat_deg: `${one.site_lat_deg}`,
  site_lon_deg: `${one.site_lon_deg}`,
  site_el_m: `${one.site_el_m}`,
});

export const recordDefects: readonly Defect[] = [
  ...wrong('interval', {
    'end-before-start': [
      'has a record that ends before it starts',
      lastRecord((one) => ({ ...one, src_start_utc: one.src_end_utc, src_end_utc: one.src_start_utc })),
    ],
    'zero-length': [
      'has a record that ends when it starts, as trimming by elevation leaves it',
      lastRecord((one) => ({ ...one, src_end_utc: one.src_start_utc })),
    ],
  }),
  ...wrong('frequency-order', {
    'frequencies-swapped': [
      'has a record whose lower and upper frequency are swapped',
      firstRecord((one) => ({ ...one, freq_lower_hz: one.freq_upper_hz, freq_upper_hz: one.freq_lower_hz })),
    ],
    'no-bandwidth': [
      'has a record whose two frequencies are equal',
      firstRecord((one) => ({ ...one, freq_upper_hz: one.freq_lower_hz })),
    ],
  }),
  ...wrong('range', {
    'ra-out-of-range': [
      'has a record with a right ascension above 360 degrees',
      firstRecord({ src_ra_j2000_deg: 360.5 }),
    ],
    'ra-negative': [
      'has a record with a right ascension below zero',
      firstRecord({ src_ra_j2000_deg: -157.2155 }),
    ],
    'dec-out-of-range': [
      'has a record with a declination beyond the pole',
      firstRecord({ src_dec_j2000_deg: 90.5 }),
    ],
    'negative-slew': ['has a record with a negative slew time', firstRecord({ slew_sec: -42.5 })],
    'negative-frequency': ['has a record whose band begins below 0 Hz', firstRecord({ freq_lower_hz: -1 })],
  }),
  ...wrong('site-position', {
    'latitude-longitude-swapped': [
      'has a record whose latitude and longitude are swapped',
      firstRecord({ site_id: 'gbt', site_lat_deg: -79.839839, site_lon_deg: 38.433129, site_el_m: 824 }),
    ],
    'elevation-wrong': [
      'has a record that places its site 800 m too high',
      firstRecord((one) => ({ ...one, site_el_m: Number(one.site_el_m) + 800 })),
    ],
    'site-elsewhere': [
      'has a record that places its site two degrees too far north',
      firstRecord((one) => ({ ...one, site_lat_deg: Number(one.site_lat_deg) + 2 })),
    ],
  }),
  ...wrong('time-format', {
    'offset-times': ['writes times with the offset +00:00', everyTime((time) => `${time}+00:00`)],
    'unparseable-time': ['has a record whose end is a word', lastRecord({ src_end_utc: 'TBD' })],
    'no-such-date': [
      'has a record that ends on the 30th of February',
      lastRecord((one) => ({ ...one, src_end_utc: `${one.src_end_utc}`.replace(/-\d\d-\d\dT/, '-02-30T') })),
    ],
    'times-with-space': ['writes a space instead of T in times', everyTime((time) => time.replace('T', ' '))],
  }),
  ...wrong('time-style', {
    'mixed-zones': [
      'writes Z after the times of one record, and nothing after the others',
      firstRecord(times((time) => `${time}Z`)),
    ],
  }),
  ...wrong('past', {
    past: [
      'still has a record of yesterday',
      records((list) => [...list.slice(0, 1).map(times(dayBefore)), ...list]),
    ],
  }),
  ...wrong('order', {
    unsorted: ['lists the records from the last to the first', records((list) => list.toReversed())],
  }),
  ...wrong('duplicate', {
    duplicate: ['has a record twice', repeated((copy) => copy)],
    'duplicate-numeric': [
      'has a record twice, once with 25 and once with 25.0',
      repeated((copy) =>
        copy.replace(
          /("dish_diameter_m":)([\d.]+)/,
          (_, name, m) => `${name}${m}${/\./.test(m) ? '0' : '.0'}`,
        ),
      ),
    ],
    'duplicate-reordered': [
      'has a record twice, once with its members in reverse order',
      repeated((copy) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(copy)).toReversed()))),
    ],
  }),
  ...wrong('required', {
    'missing-field': ['has a record without slew_sec', firstRecord(({ slew_sec: _, ...one }) => one)],
    'null-field': ['has a record with null for slew_sec', firstRecord({ slew_sec: null })],
    'all-null': [
      'has a record with null in every field, as a client may make of an error',
      records((list) => [
        ...list,
        ...list.slice(0, 1).map((one) => Object.fromEntries(Object.keys(one).map((name) => [name, null]))),
      ]),
    ],
  }),
  ...wrong('digit-string', {
    'digit-strings': ['writes the position of the site as text', eachRecord(asText)],
  }),
  ...wrong('legacy-schema', {
    legacy: ['gives the records in the schema before v1.0.0', eachRecord(inOldSchema)],
  }),
  ...wrong('type', {
    'epoch-times': [
      'writes times as seconds since the epoch',
      everyTime((time) => Date.parse(`${time}Z`) / 1000),
    ],
    'subarray-fraction': ['has a record with a fractional subarray', firstRecord({ subarray: 1.5 })],
    'list-for-number': [
      'has a record with a list for a number',
      firstRecord((one) => ({ ...one, slew_sec: [one.slew_sec] })),
    ],
    'text-for-record': ['has a string among the records', records((list) => [...list, 'no more'])],
  }),
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
    records(() => null),
  ),
  without(
    'record-for-list',
    'gives one record for the list of records',
    records(([one]) => one ?? {}),
  ),
  row(
    'error-for-data',
    'answers with 200 and an error',
    {
      'MRS-4.2a': NOT_ERROR,
      'MRS-4.2g@nrao-ods': named('envelope'),
      'MRS-5.3b': NOT_ERROR,
      'MRS-5.6b': NOT_ERROR,
    },
    body('{"detail":"Internal error"}'),
    ['MRS-2b@nrao-ods'],
  ),
  row('truncated', 'serves half of a file that is being written', NOT_JSON, cutInHalf, UNREAD),
  row(
    'nan',
    'writes NaN where it has no number',
    NOT_JSON,
    text((old) => old.replace(/("slew_sec":)[\d.]+/g, '$1NaN')),
    UNREAD,
  ),
  {
    ...row('stale', 'keeps serving the records of the first read', { 'MRS-2b@nrao-ods': named('stale') }, []),
    override: (parts) => on('served', stale())(parts),
  },
];
