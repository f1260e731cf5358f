/** Deployments whose mitigation requests are wrong: each violates one rule of the profile nrao-ods. */
import { on } from '../behaviour.ts';
import { type Defect, defectsBy, type Fails, type Wrong, wrong } from '../deployment.ts';
import {
  body,
  bytes,
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

const ofRecords = (fails: Fails, edit: Edit, cannotRun?: readonly string[]): Wrong =>
  wrong(fails, on('served', edit), { profile: 'nrao-ods', ...(cannotRun && { cannotRun }) });

/** Violates a rule about records. */
const broken =
  (rule: string) =>
  (edit: Edit): Wrong =>
    ofRecords({ 'MRS-2b@nrao-ods': named(rule) }, edit);

/** Lacks the list of records of its profile, so that no record can be judged. */
const without = (edit: Edit): Wrong =>
  ofRecords({ 'MRS-4.2g@nrao-ods': named('envelope') }, edit, ['MRS-2b@nrao-ods']);

/** Is an error. */
const asError = (edit: Edit): Wrong => {
  const seen = 'the data, not an error; seen: the data with the (same |new )?token( again)?: 200';
  const fails = {
    'MRS-4.2a': seen,
    'MRS-4.2g@nrao-ods': named('envelope'),
    'MRS-5.3b': seen,
    'MRS-5.6b': seen,
  };
  return ofRecords(fails, edit, ['MRS-2b@nrao-ods']);
};

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

const asText = (one: ServedRecord) => ({
  ...one,
  site_lat_deg: `${one.site_lat_deg}`,
  site_lon_deg: `${one.site_lon_deg}`,
  site_el_m: `${one.site_el_m}`,
});

export const recordDefects: readonly Defect[] = [
  ...defectsBy(broken('interval'), {
    'rec-zero-length: has a record that ends when it starts, as trimming by elevation leaves it': () =>
      lastRecord((one) => ({ ...one, src_end_utc: one.src_start_utc })),
  }),
  ...defectsBy(broken('range'), {
    'rec-ra-out-of-range: has a right ascension above 360': () => firstRecord({ src_ra_j2000_deg: 360.5 }),
  }),
  ...defectsBy(broken('time-format'), {
    'rec-offset-times: writes times with the offset +00:00': () => everyTime((time) => `${time}+00:00`),
  }),
  ...defectsBy(broken('past'), {
    'rec-past: has an old record': () =>
      records((list) => [...list.slice(0, 1).map(times(dayBefore)), ...list]),
  }),
  ...defectsBy(broken('duplicate'), {
    'rec-duplicate: has a record twice': () => repeated((copy) => copy),
  }),
  ...defectsBy(broken('required'), {
    'rec-missing-field: has a record without slew_sec': () => firstRecord(({ slew_sec: _, ...one }) => one),
  }),
  ...defectsBy(broken('digit-string'), {
    'rec-digit-strings: writes the position of the site as text': () => eachRecord(asText),
  }),
  ...defectsBy(broken('type'), {
    'rec-text-for-record: has a string among the records': () => records((list) => [...list, 'no more']),
  }),
  ...defectsBy(without, {
    'rec-bare-array: gives the list without an object around it': () => json((old) => old.ods_data),
    'rec-other-envelope: names the list differently': () => json((old) => ({ ossods_data: old.ods_data })),
  }),
  ...defectsBy(asError, {
    'rec-error-for-data: answers with 200 and an error': () => body('{"detail":"Internal error"}'),
  }),
  ...defectsBy(broken('stale'), {
    'rec-stale: keeps serving the records of the first read': stale,
  }),
];
