/** Deployments that behave as the mock does under a profile, or serve mitigation requests in other ways that nrao-ods permits. */
import { on } from '../behaviour.ts';
import { type Variant, variantsOf } from '../deployment.ts';
import {
  type Edit,
  eachRecord,
  everyTime,
  firstRecord,
  indented,
  json,
  records,
  type ServedRecord,
  text,
} from '../edits.ts';

/** Serves only the records that satisfy `fits` at the moment. */
const those = (fits: (startMs: number, nowMs: number) => boolean): Edit =>
  records((list, { nowMs }) => list.filter((one) => fits(Date.parse(`${one.src_start_utc}Z`), nowMs)));

const bandTimes = (one: ServedRecord, factor: number) => ({
  freq_lower_hz: Number(one.freq_lower_hz) * factor,
  freq_upper_hz: Number(one.freq_upper_hz) * factor,
});

const ROWS: Record<string, [summary: string, edit: Edit]> = {
  'optional-left-out': [
    'leaves out the fields that are optional',
    eachRecord(({ src_id: _, corr_integ_time_sec: __, subarray: ___, ...one }) => one),
  ],
  'optional-null': [
    'gives null for the fields that are optional',
    eachRecord({ src_id: null, corr_integ_time_sec: null, subarray: null }),
  ],
  'extension-field': [
    'adds a field of its own: the bands that are actually observed',
    eachRecord((one) => ({ ...one, freq_actual_hz: [bandTimes(one, 1)] })),
  ],
  integers: [
    'writes numbers without a fraction where it can',
    eachRecord((one) => ({ ...one, slew_sec: Math.round(Number(one.slew_sec)), dish_diameter_m: 25 })),
  ],
  decimals: [
    'writes every number except the subarray with a fraction',
    text((old) => old.replace(/("(?!subarray")\w+":-?\d+)(?=[,}])/g, '$1.0')),
  ],
  exponents: [
    'writes frequencies with an exponent',
    text((old) =>
      old.replace(/("freq_\w+_hz":)(\d+)/g, (_, name, hertz) => name + Number(hertz).toExponential()),
    ),
  ],
  'z-times': ['writes Z after times', everyTime((time) => `${time}Z`)],
  'whole-seconds': [
    'writes times without a fraction of a second',
    everyTime((time) => time.slice(0, 'yyyy-mm-ddThh:mm:ss'.length)),
  ],
  empty: ['has no record at the moment', records(() => [])],
  one: ['has only one record', records((list) => list.slice(0, 1))],
  'running-only': ['serves only current records', those((startMs, nowMs) => startMs <= nowMs)],
  'future-only': ['serves only future records', those((startMs, nowMs) => startMs > nowMs)],
  'ra-360': ['has a record with a right ascension of 360 degrees', firstRecord({ src_ra_j2000_deg: 360 })],
  'unknown-site': [
    'has a record of a site that the profile does not know',
    firstRecord({ site_id: 'vlax', site_lat_deg: 12.5, site_lon_deg: 8.25, site_el_m: 4000 }),
  ],
  'several-bands': [
    'has a record for each of several bands of one observation',
    records((list) => list.flatMap((one) => [one, { ...one, ...bandTimes(one, 3) }])),
  ],
  reordered: [
    'writes the members of a record in reverse order',
    eachRecord((one) => Object.fromEntries(Object.entries(one).toReversed())),
  ],
  indented: ['writes the data on many lines', indented],
  'more-around': [
    'has other members next to the list of records',
    json((old) => ({ generated_by: 'a scheduler', ...old, count: 20 })),
  ],
};

export const profileVariants: readonly Variant[] = [
  'nrao-ods',
  'ods-record',
  'rfc6750',
  'static-feed',
].flatMap((profile) =>
  variantsOf(
    { [`profile-${profile}`]: [`behaves as the mock does under the profile ${profile}`] },
    { profile },
  ),
);

export const recordVariants: readonly Variant[] = Object.entries(ROWS).flatMap(([name, [summary, edit]]) =>
  variantsOf({ [`rec-${name}`]: [summary, on('served', edit)] }, { profile: 'nrao-ods' }),
);
