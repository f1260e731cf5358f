/** Feeds with a wrong field in one record. */
import { AT_GBT, NEXT_AT_VLA } from '../base.ts';
import { leaveOut, legacy, set, setAll } from '../edits.ts';
import { failed, type WrongFeed, warned } from '../subject.ts';

export const wrongFields: readonly WrongFeed[] = [
  ...failed('required', {
    'feed-missing-field': [
      'has no dish diameters',
      leaveOut('dish_diameter_m'),
      /dish_diameter_m is missing/,
    ],
    'feed-null-field': ['has null for an elevation of a site', set({ site_el_m: null }), /site_el_m is null/],
    'feed-legacy-null-start': [
      'follows the schema of 2023-08, as is agreed, and has null for a start',
      { records: legacy({ src_start_utc: null }), profile: 'legacy' },
      /src_start_utc is null/,
    ],
  }),
  ...failed('digit-string', {
    'feed-digit-string': ['has a latitude as text', set({ site_lat_deg: '34.07874917' }), /send a number/],
  }),
  ...failed('type', {
    'feed-list-for-number': ['has a list for a slew time', set({ slew_sec: [42.5] }), /slew_sec is a list/],
    'feed-text-for-record': [
      'has a string among its records',
      (records) => [...records, 'end'],
      /expected an object/,
    ],
    'feed-legacy-pulsar-text': [
      'follows the schema of 2023-08, as is agreed, and has text for a boolean of it',
      { records: legacy({ src_is_pulsar_bool: 'no' }), profile: 'legacy' },
      /src_is_pulsar_bool is "no"/,
    ],
    'feed-time-unix': [
      'has a time in milliseconds since 1970',
      set({ src_end_utc: 1893456837000 }),
      /1893456837000; expected a time as text/,
    ],
  }),
  ...failed('range', {
    'feed-ra-400': [
      'has a right ascension of 400 degrees',
      set({ src_ra_j2000_deg: 400 }),
      /src_ra_j2000_deg is 400, above 360/,
    ],
    'feed-negative-slew': ['has a slew of -1 s', set({ slew_sec: -1 }), /slew_sec is -1/],
    'feed-legacy-ra-400': [
      'follows the schema of 2023-08, as is agreed, and has a right ascension of 400 degrees',
      { records: legacy({ src_ra_j2000_deg: 400 }), profile: 'legacy' },
      /src_ra_j2000_deg is 400/,
    ],
  }),
  ...warned('null-optional', {
    'feed-null-subarray': [
      'has null for subarrays, for which a public reader drops the records',
      setAll({ subarray: null }),
      /subarray is null/,
    ],
  }),
  ...warned('plausible-value', {
    'feed-negative-subarray': ['has a subarray of -1', set({ subarray: -1 }, AT_GBT), /subarray is -1/],
    'feed-dish-in-kilometres': [
      'has a dish of 0.025 m',
      setAll({ dish_diameter_m: 0.025 }),
      /dish_diameter_m is 0.025 m/,
      ['one-dish'],
    ],
  }),
  ...failed('plausible-value', {
    'feed-dish-in-millimetres': [
      'has a dish of 25000 m',
      setAll({ dish_diameter_m: 25000 }),
      /dish_diameter_m is 25000 m/,
      ['one-dish'],
    ],
    'feed-site-in-space': [
      'has an unknown site 40 km high',
      set({ site_id: 'T1', site_el_m: 40000 }),
      /site_el_m is 40000 m/,
    ],
    'feed-integration-of-days': [
      'has an integration time of two days',
      set({ corr_integ_time_sec: 172_800 }),
      /corr_integ_time_sec is 172800 s/,
      ['integration-time'],
    ],
  }),
  ...failed('zero-position', {
    'feed-site-zero': [
      'has an unknown site at latitude 0 and longitude 0',
      set({ site_id: 'T1', site_lat_deg: 0, site_lon_deg: 0 }),
      /at latitude 0, longitude 0/,
    ],
  }),
  ...warned('zero-position', {
    'feed-target-zero': [
      'has a target at right ascension 0 and declination 0',
      set({ src_id: 'calibrator', src_ra_j2000_deg: 0, src_dec_j2000_deg: 0 }),
      /the target is at 0, 0/,
    ],
  }),
  ...failed('legacy-schema', {
    'feed-legacy': ['follows the schema of 2023-08', legacy(), /no dish_diameter_m, version/],
  }),
  ...failed('interval', {
    'feed-legacy-end-first': [
      'follows the schema of 2023-08, as is agreed, and has a record that ends before it starts',
      { records: legacy({ src_end_utc: '2030-01-01T00:04:00.000000' }), profile: 'legacy' },
      /it ends .*00:04:00.*, but starts .*00:05:00/,
    ],
  }),
  ...failed('time-format', {
    'feed-offset-time': [
      'has a time with the offset +00:00',
      set({ src_end_utc: '2030-01-01T00:13:57+00:00' }),
      /has an offset/,
    ],
    'feed-time-without-seconds': [
      'has a time without seconds',
      set({ src_end_utc: '2030-01-01T00:13' }),
      /has no seconds/,
    ],
    'feed-time-small-letters': [
      'has a time with small letters',
      set({ src_end_utc: '2030-01-01t00:13:57z' }),
      /small letters/,
    ],
    'feed-time-with-blank': [
      'has a time with a blank for T',
      set({ src_end_utc: '2030-01-01 00:13:57' }),
      /write T/,
    ],
    'feed-no-such-day': [
      'has a record that ends on the 31st of April',
      set({ src_end_utc: '2030-04-31T00:13:57' }),
      /not a time in UTC/,
    ],
    'feed-time-hour-24': [
      'has a record that ends at 24:00:00',
      set({ src_end_utc: '2030-01-01T24:00:00' }),
      /hour 24; write 00:00:00/,
    ],
    'feed-leap-second-within-month': [
      'has a leap second that is not at the end of a month',
      set({ src_end_utc: '2030-01-15T23:59:60' }),
      /last second of a month/,
    ],
    'feed-time-two-digit-year': [
      'has a year of two digits',
      set({ src_end_utc: '30-01-01T00:13:57' }),
      /year of two digits/,
    ],
    'feed-time-unix-text': [
      'has a time in milliseconds since 1970, as text',
      set({ src_end_utc: '1893456837000' }),
      /counts from 1970/,
    ],
    'feed-time-comma': [
      'has a comma before the fraction of a second',
      set({ src_end_utc: '2030-01-01T00:13:57,5' }),
      /has a comma/,
    ],
    'feed-time-zone-name': [
      'has a time with the name of a zone',
      set({ src_end_utc: '2030-01-01T00:13:57 MST' }),
      /names a time zone/,
    ],
  }),
  ...failed('identifier', {
    'feed-empty-site-id': ['has an empty site_id', set({ site_id: '' }), /site_id is "", which is empty/],
    'feed-padded-site-id': [
      'has a site_id with a blank after it',
      set({ site_id: 'vla_D ' }),
      /blanks around it/,
    ],
    'feed-control-character-site-id': [
      'has an escape sequence in a site_id',
      set({ site_id: 'vla_D\u001b[31m' }),
      /invisible character U\+001B/,
    ],
    'feed-line-feed-site-id': [
      'has a line feed at the end of a site_id',
      set({ site_id: 'vla_D\n' }),
      /invisible character U\+000A/,
    ],
    'feed-null-text-site-id': [
      'has the text None for a site_id, as Python writes a missing value',
      set({ site_id: 'None' }),
      /"None", which is the text of a missing value/,
      ['site-position'],
    ],
  }),
  ...warned('identifier', {
    'feed-empty-source': ['has an empty src_id', set({ src_id: '' }), /src_id is "", which is empty/],
    'feed-padded-source': [
      'has a src_id with blanks before it',
      set({ src_id: '  J0137+3309' }),
      /blanks around it/,
    ],
    'feed-tab-source': ['has a tab in a src_id', set({ src_id: 'NGC\t628' }), /invisible character U\+0009/],
    'feed-zero-width-source': [
      'has a zero-width space in a src_id',
      set({ src_id: 'NGC\u200b628' }),
      /invisible character U\+200B/,
    ],
    'feed-direction-source': [
      'has a mark in a src_id that turns the direction of its text',
      set({ src_id: '\u202eNGC 628' }),
      /invisible character U\+202E/,
    ],
    'feed-damaged-source': [
      'has a src_id that was read in another encoding',
      set({ src_id: 'Lyr\ufffd' }),
      /is damaged/,
    ],
    'feed-half-character-source': [
      'has a src_id that was cut within a character',
      set({ src_id: 'star \ud83c' }),
      /is damaged/,
    ],
    'feed-null-text-source': [
      'has the text null for a src_id',
      set({ src_id: 'null' }),
      /"null", which is the text of a missing value/,
    ],
    'feed-two-spellings': [
      'writes a site_id in capitals in one record',
      set({ site_id: 'VLA_D' }, NEXT_AT_VLA),
      /site_id is "VLA_D", but "vla_D" in \/ods_data\/0/,
    ],
  }),
];
