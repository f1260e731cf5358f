/** The feed that every feed of the proof is an edit of: six observations of four observatories, as they publish them. */

export type FeedRecord = Record<string, unknown>;

/** When the feed is served, in milliseconds since 1970. */
export const SERVED_MS = Date.UTC(2030, 0, 1);

const VLA = { site_id: 'vla_D', site_lat_deg: 34.07874917, site_lon_deg: -107.6177275, site_el_m: 2124 };
const GBT = { site_id: 'gbt', site_lat_deg: 38.433129, site_lon_deg: -79.839839, site_el_m: 824 };
const ATA = { site_id: 'ATA', site_lat_deg: 40.817431, site_lon_deg: -121.470736, site_el_m: 1019.222 };
const WESTFORD = { site_id: 'Wf', site_lat_deg: 42.61294894, site_lon_deg: -71.49379705, site_el_m: 86.765 };

const STILL = { trk_rate_ra_deg_per_sec: 0, trk_rate_dec_deg_per_sec: 0 };

/** Sorted by their start. All targets are up, and their names have their coordinates. */
export const baseRecords: readonly FeedRecord[] = [
  {
    ...VLA,
    src_id: 'J0137+3309',
    src_ra_j2000_deg: 24.4221,
    src_dec_j2000_deg: 33.1598,
    src_start_utc: '2030-01-01T00:05:00.000541',
    src_end_utc: '2030-01-01T00:13:57.000723',
    slew_sec: 42.5,
    ...STILL,
    freq_lower_hz: 1990000000,
    freq_upper_hz: 1995000000,
    dish_diameter_m: 25,
    corr_integ_time_sec: 3,
    subarray: 0,
    version: 'v1.0.0',
  },
  {
    ...GBT,
    src_id: 'J0319+4130',
    src_ra_j2000_deg: 49.9507,
    src_dec_j2000_deg: 41.5117,
    src_start_utc: '2030-01-01T00:05:30.000000',
    src_end_utc: '2030-01-01T00:35:30.000000',
    slew_sec: 120,
    ...STILL,
    freq_lower_hz: 10700000000,
    freq_upper_hz: 12700000000,
    dish_diameter_m: 100,
    corr_integ_time_sec: 1,
    subarray: 0,
    version: 'v1.0.0',
  },
  {
    ...ATA,
    src_id: 'J2253+1608',
    src_ra_j2000_deg: 343.4906,
    src_dec_j2000_deg: 16.1482,
    src_start_utc: '2030-01-01T00:10:00.000000',
    src_end_utc: '2030-01-01T01:10:00.000000',
    slew_sec: 30,
    ...STILL,
    freq_lower_hz: 1990000000,
    freq_upper_hz: 1995000000,
    dish_diameter_m: 6.1,
    corr_integ_time_sec: 10,
    subarray: 0,
    version: 'v1.0.0',
  },
  {
    ...VLA,
    src_id: 'J0237+2848',
    src_ra_j2000_deg: 39.4684,
    src_dec_j2000_deg: 28.8025,
    src_start_utc: '2030-01-01T00:13:57.000841',
    src_end_utc: '2030-01-01T00:23:40.000318',
    slew_sec: 11,
    ...STILL,
    freq_lower_hz: 1000000000,
    freq_upper_hz: 2000000000,
    dish_diameter_m: 25,
    corr_integ_time_sec: 3,
    subarray: 0,
    version: 'v1.0.0',
  },
  {
    ...WESTFORD,
    src_id: '0234+285',
    src_ra_j2000_deg: 39.4684,
    src_dec_j2000_deg: 28.8025,
    src_start_utc: '2030-01-01T00:20:00.000000',
    src_end_utc: '2030-01-01T00:21:30.000000',
    slew_sec: 25,
    ...STILL,
    freq_lower_hz: 2200000000,
    freq_upper_hz: 2400000000,
    dish_diameter_m: 18.3,
    corr_integ_time_sec: 1,
    subarray: 0,
    version: 'v1.0.0',
  },
  {
    ...VLA,
    src_id: 'NGC628',
    src_ra_j2000_deg: 24.174,
    src_dec_j2000_deg: 15.783,
    src_start_utc: '2030-01-01T00:23:40.000436',
    src_end_utc: '2030-01-01T00:53:40.000000',
    slew_sec: 25.5,
    ...STILL,
    freq_lower_hz: 1000000000,
    freq_upper_hz: 2000000000,
    dish_diameter_m: 25,
    corr_integ_time_sec: 3,
    subarray: 0,
    version: 'v1.0.0',
  },
];

/** The indexes of some records, by what the edits need them for. */
export const AT_VLA = 0;
export const AT_GBT = 1;
export const AT_ATA = 2;
export const NEXT_AT_VLA = 3;
