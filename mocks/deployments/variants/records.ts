/** Deployments that behave as the mock does under a profile, or serve mitigation requests in other ways that nrao-ods permits. */
import { on } from '../behaviour.ts';
import { all, type Override, type Variant, variantsOf } from '../deployment.ts';
import { type Edit, eachRecord, everyTime, records, type ServedRecord } from '../edits.ts';

const served = (edit: Edit): Override => on('served', edit);

const bandTimes = (one: ServedRecord, factor: number) => ({
  freq_lower_hz: Number(one.freq_lower_hz) * factor,
  freq_upper_hz: Number(one.freq_upper_hz) * factor,
});

export const recordVariants: readonly Variant[] = variantsOf(
  {
    'rec-optional-left-out: leaves out the fields that are optional': () =>
      served(eachRecord(({ src_id: _, corr_integ_time_sec: __, subarray: ___, ...one }) => one)),
    'rec-optional-null: gives null for the fields that are optional': () =>
      served(eachRecord({ src_id: null, corr_integ_time_sec: null, subarray: null })),
    'rec-extension-field: adds a field of its own: the bands that are actually observed': () =>
      served(eachRecord((one) => ({ ...one, freq_actual_hz: [bandTimes(one, 1)] }))),
    'rec-z-times: writes Z after times': () => served(everyTime((time) => `${time}Z`)),
    'rec-whole-seconds: writes whole seconds': () =>
      served(everyTime((time) => time.slice(0, 'yyyy-mm-ddThh:mm:ss'.length))),
    'rec-empty: has no record at the moment': () => served(records(() => [])),
    'rec-future-only: serves only future records': () =>
      served(records((list, { nowMs }) => list.filter((one) => Date.parse(`${one.src_start_utc}Z`) > nowMs))),
    'rec-several-bands: has a record for each of several bands of one observation': () =>
      served(records((list) => list.flatMap((one) => [one, { ...one, ...bandTimes(one, 3) }]))),
  },
  { profile: 'nrao-ods' },
);

export const profileVariants = ['nrao-ods', 'ods-record', 'rfc6750', 'static-feed'].flatMap((profile) =>
  variantsOf(
    { [`profile-${profile}: behaves as the mock does under the profile ${profile}`]: all },
    { profile },
  ),
);
