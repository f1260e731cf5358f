/** Feeds with a record that is not where its name, its site or the sky has it. */
import { AT_GBT } from '../base.ts';
import { change, set } from '../edits.ts';
import type { WrongFeed } from '../subject.ts';

export const wrongPlaces: readonly WrongFeed[] = [
  {
    name: 'feed-j-name-elsewhere',
    summary: 'has a target with a J2000 name at another position',
    records: set({ src_id: 'J1331+3030' }),
    rule: 'name-position',
    says: /"J1331\+3030" is at 24.4221/,
    isWarning: true,
  },
  {
    name: 'feed-b-name-elsewhere',
    summary: 'has a target with a B1950 name at another position',
    records: set({ src_id: 'B1328+307' }),
    rule: 'name-position',
    says: /"B1328\+307"/,
    isWarning: true,
  },
  {
    name: 'feed-ra-in-hours',
    summary: 'has a right ascension in hours',
    records: set({ src_ra_j2000_deg: 1.6281 }),
    rule: 'name-position',
    says: /is right ascension in hours/,
    isWarning: true,
  },
  {
    name: 'feed-declination-sign',
    summary: 'has a declination without its sign',
    records: set({ src_id: 'J0132-1654', src_ra_j2000_deg: 23.1812, src_dec_j2000_deg: 16.9135 }),
    rule: 'name-position',
    says: /34 degrees from/,
    isWarning: true,
  },
  {
    name: 'feed-all-in-hours',
    summary: 'has all right ascensions in hours',
    records: (records) =>
      [1.6, 4.2, 22.9, 8.1, 12.5, 16].map((ra, at) => ({
        ...records[at],
        src_id: `target ${at}`,
        src_ra_j2000_deg: ra,
        src_dec_j2000_deg: 70,
      })),
    rule: 'hours-for-degrees',
    says: /all 6 right ascensions/,
    isWarning: true,
  },
  {
    name: 'feed-ra-dec-swapped',
    summary: 'has a right ascension and a declination that are swapped',
    records: set({ src_id: 'x', src_ra_j2000_deg: 16.1482, src_dec_j2000_deg: 343.4906 }),
    rule: 'swapped-coordinates',
    says: /declination 343.4906/,
    isWarning: true,
    also: ['range'],
  },
  {
    name: 'feed-site-elsewhere',
    summary: 'has the Green Bank Telescope 2 degrees too far north',
    records: set({ site_lat_deg: 40.433129 }, AT_GBT),
    rule: 'site-position',
    says: /gbt is at 38.433129/,
  },
  {
    name: 'feed-kokee-elsewhere',
    summary: 'has the antenna at Kōkeʻe at a height of 176 m',
    records: (records) => [
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
    rule: 'site-position',
    says: /KK is at 1176.58 m/,
  },
  {
    name: 'feed-pie-town-elsewhere',
    summary: 'has the VLBA station Pie Town with a longitude without its sign',
    records: set({ site_id: 'vlba_PT', site_lat_deg: 34.301, site_lon_deg: 108.1192, site_el_m: 2365 }),
    rule: 'site-position',
    says: /vlba_PT is at/,
  },
  {
    name: 'feed-latitude-longitude-swapped',
    summary: 'has the latitude and the longitude of Westford swapped',
    records: (records) => set({ site_lat_deg: -71.49379705, site_lon_deg: 42.61294894 }, 4)(records),
    rule: 'site-position',
    says: /Wf is at/,
    also: ['swapped-coordinates'],
  },
  {
    name: 'feed-never-rises',
    summary: 'has a target that never rises at its site',
    records: set({ src_id: 'x', src_dec_j2000_deg: -72 }),
    rule: 'never-rises',
    says: /never rises at latitude 34/,
  },
  {
    name: 'feed-below-horizon',
    summary: 'has a target that is below the horizon all the time',
    records: set({ src_id: 'J1331+3030', src_ra_j2000_deg: 202.7845, src_dec_j2000_deg: 30.5092 }),
    rule: 'below-horizon',
    says: /degrees below the horizon/,
    isWarning: true,
  },
  {
    name: 'feed-fast-target',
    summary: 'follows a target over two degrees in one record',
    records: set({ src_id: 'x', trk_rate_dec_deg_per_sec: 0.004 }),
    rule: 'moving-target',
    says: /0.004 degrees per second/,
    isWarning: true,
  },
  {
    name: 'feed-unknown-field',
    summary: 'has a mistyped name of an optional field',
    records: change(({ corr_integ_time_sec: seconds }) => ({
      corr_integ_time_secs: seconds,
    })),
    rule: 'unknown-field',
    says: /"corr_integ_time_secs", in 6 of 6 records/,
    isWarning: true,
  },
];
