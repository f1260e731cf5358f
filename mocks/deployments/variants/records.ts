/** Deployments that serve mitigation requests in other ways that the profile nrao-ods permits. */

import { answers } from '../../contract/answers.ts';
import type { Variant } from '../deployment.ts';
import { mapReplyTo } from '../overrides.ts';
import {
  eachRecord,
  editRecords,
  everyTime,
  firstRecord,
  type ServedRecord,
  withFields,
} from '../record-edits.ts';
import { bytes, type Change, json } from '../reply-edits.ts';

const records = (name: string, summary: string, change: Change): Variant => ({
  name: `rec-${name}`,
  summary,
  profile: 'nrao-ods',
  override: mapReplyTo(answers.served, change),
});

/** Serves only the records that satisfy `fits` at the moment. */
const those = (
  name: string,
  summary: string,
  fits: (startMs: number, nowMs: number) => boolean,
): Variant => ({
  ...records(name, summary, (reply) => reply),
  override(parts) {
    const fitting = (one: ServedRecord) => fits(Date.parse(`${one.src_start_utc}Z`), parts.state.clock.now());
    return mapReplyTo(
      answers.served,
      editRecords((list) => list.filter(fitting)),
    )(parts);
  },
});

const text = (change: (old: string) => string): Change => bytes((old) => Buffer.from(change(old.toString())));

export const recordVariants: Variant[] = [
  records(
    'optional-left-out',
    'leaves out the fields that are optional',
    eachRecord(({ src_id: _, corr_integ_time_sec: __, subarray: ___, ...one }) => one),
  ),
  records(
    'optional-null',
    'gives null for the fields that are optional',
    eachRecord(withFields({ src_id: null, corr_integ_time_sec: null, subarray: null })),
  ),
  records(
    'extension-field',
    'adds a field of its own: the bands that are actually observed',
    eachRecord((one) => ({
      ...one,
      freq_actual_hz: [{ freq_lower_hz: one.freq_lower_hz, freq_upper_hz: one.freq_upper_hz }],
    })),
  ),
  records(
    'integers',
    'writes numbers without a fraction where it can',
    eachRecord((one) => ({ ...one, slew_sec: Math.round(Number(one.slew_sec)), dish_diameter_m: 25 })),
  ),
  records(
    'decimals',
    'writes every number except the subarray with a fraction',
    text((old) => old.replace(/("(?!subarray")\w+":-?\d+)(?=[,}])/g, '$1.0')),
  ),
  records(
    'exponents',
    'writes frequencies with an exponent',
    text((old) =>
      old.replace(/("freq_\w+_hz":)(\d+)/g, (_, name, hertz) => name + Number(hertz).toExponential()),
    ),
  ),
  records(
    'z-times',
    'writes Z after times',
    everyTime((time) => `${time}Z`),
  ),
  records(
    'whole-seconds',
    'writes times without a fraction of a second',
    everyTime((time) => time.slice(0, 'yyyy-mm-ddThh:mm:ss'.length)),
  ),
  records(
    'empty',
    'has no record at the moment',
    editRecords(() => []),
  ),
  records(
    'one',
    'has only one record',
    editRecords((list) => list.slice(0, 1)),
  ),
  those('running-only', 'serves only current records', (startMs, nowMs) => startMs <= nowMs),
  those('future-only', 'serves only future records', (startMs, nowMs) => startMs > nowMs),
  records(
    'ra-360',
    'has a record with a right ascension of 360 degrees',
    firstRecord(withFields({ src_ra_j2000_deg: 360 })),
  ),
  records(
    'unknown-site',
    'has a record of a site that the profile does not know',
    firstRecord(withFields({ site_id: 'vlax', site_lat_deg: 12.5, site_lon_deg: 8.25, site_el_m: 4000 })),
  ),
  records(
    'several-bands',
    'has a record for each of several bands of one observation',
    editRecords((list) =>
      list.flatMap((one) => [
        one,
        {
          ...one,
          freq_lower_hz: Number(one.freq_lower_hz) * 3,
          freq_upper_hz: Number(one.freq_upper_hz) * 3,
        },
      ]),
    ),
  ),
  records(
    'reordered',
    'writes the members of a record in reverse order',
    eachRecord((one) => Object.fromEntries(Object.entries(one).toReversed())),
  ),
  records(
    'indented',
    'writes the data on many lines',
    text((old) => `${JSON.stringify(JSON.parse(old), null, 2)}\n`),
  ),
  records(
    'more-around',
    'has other members next to the list of records',
    json((old) => ({ generated_by: 'a scheduler', ...old, count: 20 })),
  ),
];
