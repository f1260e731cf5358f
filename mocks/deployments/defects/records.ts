/** Deployments whose mitigation requests are wrong: each violates one rule of the profile nrao-ods. */
import { on } from '../behaviour.ts';
import { type Defect, defectsOf, type Fails, type Wrong, wrong } from '../deployment.ts';
import {
  body,
  bytes,
  type Edit,
  eachRecord,
  everyTime,
  firstRecord,
  json,
  records,
  type ServedRecord,
  times,
} from '../edits.ts';

/** Matches if only this rule is violated. */
const named = (rule: string) =>
  new RegExp(`^expected records that keep the rule ${rule} \\((?!.*keep the rule)`);

const ofRecords = (fails: Fails, edit: Edit, cannotRun?: readonly string[]): Wrong =>
  wrong(fails, on('served', edit), { profile: 'nrao-ods', ...(cannotRun && { cannotRun }) });

/** Violates a rule about records. */
const broken = (rule: string, edit: Edit): Wrong => ofRecords({ 'MRS-2b@nrao-ods': named(rule) }, edit);

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

const asText = ({ site_lat_deg, site_lon_deg, site_el_m, ...one }: ServedRecord) => ({
  ...one,
  ...{ site_lat_deg: `${site_lat_deg}`, site_lon_deg: `${site_lon_deg}`, site_el_m: `${site_el_m}` },
});

const IS_ERROR = 'the data, not an error; seen: the data with the (same |new )?token( again)?: 200';

export const recordDefects: readonly Defect[] = defectsOf({
  'rec-zero-length: has a record that ends when it starts, as trimming by elevation leaves it': () =>
    broken(
      'interval',
      records((list) =>
        list.map((one, nth) => (nth === list.length - 1 ? { ...one, src_end_utc: one.src_start_utc } : one)),
      ),
    ),
  'rec-ra-out-of-range: has a right ascension above 360': () =>
    broken('range', firstRecord({ src_ra_j2000_deg: 360.5 })),
  'rec-offset-times: writes times with the offset +00:00': () =>
    broken(
      'time-format',
      everyTime((time) => `${time}+00:00`),
    ),
  'rec-past: has an old record': () =>
    broken(
      'past',
      records((list) => [...list.slice(0, 1).map(times(dayBefore)), ...list]),
    ),
  'rec-duplicate: has a record twice': () =>
    broken(
      'duplicate',
      records((list) => [...list.slice(0, 1), ...list]),
    ),
  'rec-missing-field: has a record without slew_sec': () =>
    broken(
      'required',
      firstRecord(({ slew_sec: _, ...one }) => one),
    ),
  'rec-digit-strings: writes the position of the site as text': () =>
    broken('digit-string', eachRecord(asText)),
  'rec-text-for-record: has a string among the records': () =>
    broken(
      'type',
      records((list) => [...list, 'no more']),
    ),
  'rec-bare-array: gives the list without an object around it': () =>
    ofRecords(
      { 'MRS-4.2g@nrao-ods': named('envelope') },
      json((old) => old.ods_data),
      ['MRS-2b@nrao-ods'],
    ),
  'rec-error-for-data: answers with 200 and an error': () =>
    ofRecords(
      {
        'MRS-4.2a': IS_ERROR,
        'MRS-5.3b': IS_ERROR,
        'MRS-5.6b': IS_ERROR,
        'MRS-4.2g@nrao-ods': named('envelope'),
      },
      body('{"detail":"Internal error"}'),
      ['MRS-2b@nrao-ods'],
    ),
  'rec-stale: keeps serving the records of the first read': () => broken('stale', stale()),
});
