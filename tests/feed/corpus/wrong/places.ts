/** Feeds with a record that is not where its name, its site or the sky has it. */
import { AT_GBT, NEXT_AT_VLA } from '../base.ts';
import { change, set } from '../edits.ts';
import { failed, type WrongFeed, warned } from '../subject.ts';

export const wrongPlaces: readonly WrongFeed[] = [
  ...warned('name-position', {
    'feed-j-name-elsewhere': [
      'has a target with a J2000 name at another position',
      set({ src_id: 'J1331+3030' }),
      /"J1331\+3030" is at 24.4221, 33.1598; by its name it is at 202.75, 30.50, \d+ degrees away$/,
    ],
    'feed-b-name-elsewhere': [
      'has a target with a B1950 name at another position',
      set({ src_id: 'B1328+307' }),
      /"B1328\+307"/,
    ],
    'feed-ra-in-hours': [
      'has a right ascension in hours',
      set({ src_ra_j2000_deg: 1.6281 }),
      /is right ascension in hours/,
    ],
    'feed-declination-sign': [
      'has a declination without its sign',
      set({ src_id: 'J0132-1654', src_ra_j2000_deg: 23.1812, src_dec_j2000_deg: 16.9135 }),
      /34 degrees away.*declination the wrong sign/,
    ],
    'feed-position-in-radians': [
      'has the position of a target in radians',
      set({ src_ra_j2000_deg: 0.426246, src_dec_j2000_deg: 0.578748 }),
      /is the position in radians/,
    ],
    'feed-name-of-swapped': [
      'has a right ascension and a declination that are swapped, within their bounds',
      set({ src_ra_j2000_deg: 33.1598, src_dec_j2000_deg: 24.4221 }),
      /are the two swapped/,
    ],
    'feed-3c-name-elsewhere': [
      'has the calibrator 3C 286 at another position',
      set({ src_id: '3C286' }),
      /"3C286" is at 24\.4221, 33\.1598; by its name it is at 202\.75, 30\.50, \d+ degrees away$/,
    ],
    'feed-3c-name-in-hours': [
      'has the calibrator 3C 48 with its right ascension in hours',
      set({ src_id: '3c 48_a', src_ra_j2000_deg: 1.6281 }),
      /is right ascension in hours/,
    ],
    'feed-cygnus-a-elsewhere': [
      'has Cygnus A at another position',
      set({ src_id: 'Cyg A' }),
      /"Cyg A" is at/,
    ],
    'feed-parkes-name-elsewhere': [
      'has a target of the Parkes catalogue at another position',
      set({ src_id: 'PKS 0134+329', src_dec_j2000_deg: 43.1598 }),
      /"PKS 0134\+329" is at/,
    ],
    'feed-object-at-two-positions': [
      'has an object of a catalogue at two positions',
      set({ src_id: 'NGC628' }, NEXT_AT_VLA),
      /"NGC628" is at 24\.174, 15\.783, and in \/ods_data\/3 at 39\.4684, 28\.8025, 19 degrees away/,
    ],
  }),
  ...warned('angle-unit', {
    'feed-all-in-hours': [
      'has all right ascensions in hours',
      (records) =>
        [1.6, 4.2, 22.9, 8.1, 12.5, 16].map((ra, at) => ({
          ...records[at],
          src_id: `target ${at}`,
          src_ra_j2000_deg: ra,
          src_dec_j2000_deg: 70,
        })),
      /all 6 right ascensions are below 24; are they in hours/,
    ],
    'feed-all-in-radians': [
      'has all positions of targets in radians',
      (records) =>
        [0.4, 1.9, 3.3, 4.1, 5.5, 6.2].map((ra, at) => ({
          ...records[0],
          src_id: `target ${at}`,
          src_ra_j2000_deg: ra,
          src_dec_j2000_deg: 1.4,
          src_start_utc: `2030-01-01T00:${10 + at}:00`,
          src_end_utc: `2030-01-01T00:${11 + at}:00`,
        })),
      /all 6 right ascensions are below 6.2832.*radians/,
      ['below-horizon'],
    ],
  }),
  ...warned('swapped-coordinates', {
    'feed-ra-dec-swapped': [
      'has a right ascension and a declination that are swapped',
      set({ src_id: 'x', src_ra_j2000_deg: 16.1482, src_dec_j2000_deg: 343.4906 }),
      /declination 343.4906/,
      ['range'],
    ],
  }),
  ...failed('site-position', {
    'feed-site-elsewhere': [
      'has the Green Bank Telescope 2 degrees too far north',
      set({ site_lat_deg: 40.433129 }, AT_GBT),
      /gbt is at 38.433129/,
    ],
    'feed-kokee-elsewhere': [
      'has the antenna at Kōkeʻe at a height of 176 m',
      (records) => [
        {
          ...records[0],
          site_id: 'KK',
          site_lat_deg: 22.1266,
          site_lon_deg: -159.6651,
          site_el_m: 176,
          src_id: 'x',
          src_dec_j2000_deg: 80,
        },
      ],
      /KK is at 1176.58 m/,
    ],
    'feed-pie-town-elsewhere': [
      'has the VLBA station Pie Town with a longitude without its sign',
      set({ site_id: 'vlba_PT', site_lat_deg: 34.301, site_lon_deg: 108.1192, site_el_m: 2365 }),
      /vlba_PT is at/,
    ],
    'feed-latitude-longitude-swapped': [
      'has the latitude and the longitude of Westford swapped',
      set({ site_lat_deg: -71.49379705, site_lon_deg: 42.61294894 }, 4),
      /Wf is at/,
      ['swapped-coordinates'],
    ],
    'feed-name-of-other-site': [
      'has the name of the Green Bank Telescope at the position of the VLA',
      set({ site_id: 'gbt' }),
      /"gbt" at 34\.07874917.*which is the position of vla; gbt is at 38/,
      ['one-dish', 'overlap'],
    ],
  }),
  ...failed('never-rises', {
    'feed-never-rises': [
      'has a target that never rises at its site',
      set({ src_id: 'x', src_dec_j2000_deg: -72 }),
      /never rises at latitude 34/,
    ],
  }),
  ...warned('below-horizon', {
    'feed-below-horizon': [
      'has a target that is below the horizon all the time',
      set({ src_id: 'J1331+3030', src_ra_j2000_deg: 202.7845, src_dec_j2000_deg: 30.5092 }),
      /degrees below the horizon/,
    ],
  }),
  ...warned('moving-target', {
    'feed-fast-target': [
      'follows a target over two degrees in one record',
      set({ src_id: 'x', trk_rate_dec_deg_per_sec: 0.004 }),
      /0.004 degrees per second/,
    ],
  }),
  ...warned('unknown-field', {
    'feed-unknown-field': [
      'has a mistyped name of an optional field',
      change(({ corr_integ_time_sec: seconds }) => ({
        corr_integ_time_secs: seconds,
      })),
      /"corr_integ_time_secs", in 6 of 6 records/,
    ],
  }),
  ...warned('site-position', {
    'feed-unknown-name-of-site': [
      'has an unknown name at the position of the Green Bank Telescope',
      set({ site_id: 'parkes' }, AT_GBT),
      /"parkes" is at the position of gbt/,
    ],
  }),
  ...failed('one-position', {
    'feed-site-half-a-degree-away': [
      'has the VLA half a degree too far north in one record',
      set({ site_lat_deg: 34.57 }, NEXT_AT_VLA),
      /34.57/,
      ['site-position'],
    ],
  }),
  ...warned('one-dish', {
    'feed-dish-of-other-site': [
      'has the Green Bank Telescope with a dish of 64 m',
      set({ dish_diameter_m: 64 }, AT_GBT),
      /"gbt" with 64 m; gbt has 100 m/,
    ],
  }),
];
