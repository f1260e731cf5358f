/** Feeds whose records contradict each other. */
import { AT_ATA, AT_GBT, AT_VLA, NEXT_AT_VLA } from '../base.ts';
import { repeat, set, sorted } from '../edits.ts';
import { failed, type WrongFeed, warned } from '../subject.ts';

export const wrongLists: readonly WrongFeed[] = [
  ...failed('past', {
    'feed-past': [
      'still has a record of an hour ago',
      set({ src_start_utc: '2029-12-31T22:05:00.000000', src_end_utc: '2029-12-31T23:05:00.000000' }),
      /it ended 2029-12-31T23:05:00.* was served 2030-01-01/,
    ],
  }),
  ...failed('order', {
    'feed-unsorted': [
      'has its records from the last to the first',
      (records) => records.toReversed(),
      /follows a record that starts/,
    ],
  }),
  ...failed('time-style', {
    'feed-two-styles-of-times': [
      'has Z after the times of one record',
      set(
        { src_start_utc: '2030-01-01T00:05:30.000000Z', src_end_utc: '2030-01-01T00:35:30.000000Z' },
        AT_GBT,
      ),
      /has no Z/,
    ],
  }),
  ...failed('duplicate', {
    'feed-duplicate': ['has a record twice', repeat(AT_VLA, {}), /it equals \/ods_data\/0/],
    'feed-duplicate-other-digits': [
      'has a record twice, once without zeros after the seconds',
      repeat(AT_GBT, { src_start_utc: '2030-01-01T00:05:30' }),
      /it equals \/ods_data\/1/,
    ],
  }),
  ...failed('repeated-observation', {
    'feed-start-slides': [
      'has an observation that was pushed again with a start 4 s later',
      repeat(AT_VLA, { src_start_utc: '2030-01-01T00:05:04.000541' }),
      /with another start or end/,
    ],
    'feed-other-name': [
      'has an observation that was pushed again under another name',
      repeat(AT_ATA, { src_id: 'J2253+1608_b' }),
      /under the name "J2253\+1608_b" instead of "J2253\+1608"/,
    ],
    'feed-pushed-longer': [
      'has an observation that was pushed again with a later end',
      repeat(AT_ATA, { src_end_utc: '2030-01-01T01:40:00.000000' }),
      /with another start or end/,
    ],
    'feed-pushed-with-rounded-band': [
      'has an observation that was pushed again with the edges of its band rounded',
      repeat(AT_VLA, { freq_lower_hz: 1990000001, freq_upper_hz: 1994999999 }),
      /same observation as .*another value in a field such as/,
    ],
    'feed-pushed-with-other-slew': [
      'has an observation that was pushed again with another slew',
      repeat(AT_VLA, { slew_sec: 12 }),
      /same observation as .*another value in a field such as/,
    ],
  }),
  ...warned('overlap', {
    'feed-two-targets': [
      'has two targets of one subarray at once, in one band',
      sorted(
        repeat(AT_VLA, { src_id: 'y', src_ra_j2000_deg: 350, src_start_utc: '2030-01-01T00:08:00.000000' }),
      ),
      /it points at .* while \/ods_data\/\d points at /,
    ],
    'feed-two-targets-two-bands': [
      'has two targets of one subarray at once, in two bands',
      repeat(AT_VLA, {
        src_id: 'y',
        src_ra_j2000_deg: 350,
        freq_lower_hz: 8e9,
        freq_upper_hz: 12e9,
      }),
      /it points at .* while \/ods_data\/\d points at /,
    ],
  }),
  ...failed('overlap', {
    'feed-one-dish-two-targets': [
      'has the Green Bank Telescope point at two targets at once, in two subarrays',
      repeat(AT_GBT, { src_id: 'y', src_ra_j2000_deg: 10, subarray: 1 }),
      /it points at .* while \/ods_data\/\d points at /,
    ],
  }),
  ...failed('one-position', {
    'feed-site-at-two-places': [
      'has a site that is unknown to the profile at two places',
      (records) =>
        records.map((one, at) => ({
          ...one,
          site_id: 'T1',
          dish_diameter_m: 25,
          site_lat_deg: at === 3 ? 37 : 36,
          site_lon_deg: -110,
          site_el_m: 1000,
          subarray: at,
        })),
      /"T1" at 37, -110; in \/ods_data\/0 at 36, -110/,
    ],
    'feed-site-at-two-heights': [
      'has a site that is unknown to the profile at two heights',
      (records) =>
        records.map((one, at) => ({
          ...one,
          site_id: 'T1',
          dish_diameter_m: 25,
          site_lat_deg: 36,
          site_lon_deg: -110,
          site_el_m: at === 3 ? 1819 : 1019,
          subarray: at,
        })),
      /"T1" at 1819 m; in \/ods_data\/0 at 1019 m/,
    ],
  }),
  ...warned('one-position', {
    'feed-latitude-differs': [
      'has a known site half a kilometre from its position in another record',
      set({ site_lat_deg: 34.0837 }, NEXT_AT_VLA),
      /34.0837/,
    ],
  }),
  ...warned('one-dish', {
    'feed-two-dishes': [
      'has a site with two dish diameters',
      set({ dish_diameter_m: 26 }, NEXT_AT_VLA),
      /"vla_D" with 26 m; \/ods_data\/0 has 25 m/,
    ],
  }),
  ...warned('one-version', {
    'feed-two-versions': [
      'has records of two versions',
      set({ version: 'v1.1.0' }, AT_ATA),
      /"v1.1.0", after "v1.0.0"/,
      ['unknown-version'],
    ],
  }),
  ...warned('unknown-version', {
    'feed-unknown-version': [
      'has a version that the profile does not know',
      (records) => records.map((one) => ({ ...one, version: 'latest' })),
      /"latest"; the profile knows "v1.0.0"/,
    ],
  }),
];
