/** A feed as long as one may get: records of several sites, in order, each of which keeps every rule. */
import { closeSync, openSync, writeSync } from 'node:fs';

const SITES = [
  {
    site_id: 'vla_D',
    site_lat_deg: 34.07874917,
    site_lon_deg: -107.6177275,
    site_el_m: 2124,
    dish_diameter_m: 25,
  },
  { site_id: 'gbt', site_lat_deg: 38.433129, site_lon_deg: -79.839839, site_el_m: 824, dish_diameter_m: 100 },
  {
    site_id: 'ATA',
    site_lat_deg: 40.817431,
    site_lon_deg: -121.470736,
    site_el_m: 1019.222,
    dish_diameter_m: 6.1,
  },
  {
    site_id: 'Wf',
    site_lat_deg: 42.61294894,
    site_lon_deg: -71.49379705,
    site_el_m: 86.765,
    dish_diameter_m: 18.3,
  },
];
/** When the first of them starts: a run judges them for that moment. */
export const FEED_STARTS_MS = Date.UTC(2030, 0, 1);
const SCAN_MS = 99_000; // A million records end within a year: later ones would be reported.
const PAGE = 1_000_000;

export function writeFeed(file: string, records: number): void {
  const target = openSync(file, 'w');
  let page = '{"ods_data":[';
  for (let index = 0; index < records; index++) {
    page += `${index === 0 ? '' : ','}${JSON.stringify(recordAt(index))}`;
    if (page.length < PAGE) continue;
    writeSync(target, page);
    page = '';
  }
  writeSync(target, `${page}]}\n`);
  closeSync(target);
}

function recordAt(index: number): Record<string, unknown> {
  const start = FEED_STARTS_MS + Math.floor(index / SITES.length) * (SCAN_MS + 1000);
  return {
    ...SITES[index % SITES.length],
    src_id: `S${1000 + (index % 9000)}+${index % 90}`,
    src_ra_j2000_deg: Math.round((index * 7_123_457) % 360_000_000) / 1e6,
    // Near the pole: a target there is up at any time, at each of the sites.
    src_dec_j2000_deg: 60 + Math.round((index * 3_987_611) % 29_000_000) / 1e6,
    src_start_utc: inMicroseconds(start),
    src_end_utc: inMicroseconds(start + SCAN_MS),
    slew_sec: (index % 60) + 0.5,
    trk_rate_ra_deg_per_sec: 0,
    trk_rate_dec_deg_per_sec: 0,
    freq_lower_hz: 1_990_000_000,
    freq_upper_hz: 1_995_000_000,
    corr_integ_time_sec: 3,
    subarray: 0,
    version: 'v1.0.0',
  };
}

const inMicroseconds = (ms: number): string => `${new Date(ms).toISOString().slice(0, -1)}000`;
