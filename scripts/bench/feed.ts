/** A feed of any size that keeps every rule. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

/** When the first of the records starts: a run judges them for that moment. */
export const FEED_STARTS = '2030-01-01T00:00:00Z';
const PAGE = 1000;
const SITE = {
  ...{ site_id: 'vla_D', site_lat_deg: 34.07874917, site_lon_deg: -107.6177275, site_el_m: 2124 },
  dish_diameter_m: 25,
};

/** Records of one site, in order; a million of them end within 300 days. Returns the name of the file. */
export function writeFeed(folder: string, records: number): string {
  const file = join(folder, `${records}.json`);
  for (let first = 0; first < records; first += PAGE) {
    const page = Array.from({ length: Math.min(PAGE, records - first) }, (_, at) => recordAt(first + at));
    appendFileSync(file, `${first === 0 ? '{"ods_data":[' : ','}${JSON.stringify(page).slice(1, -1)}`);
  }
  appendFileSync(file, ']}\n');
  return file;
}

function recordAt(index: number): object {
  const timeAt = (ms: number) => `${new Date(Date.parse(FEED_STARTS) + ms).toISOString().slice(0, -1)}000`;
  return {
    ...SITE,
    src_id: `S${1000 + (index % 9000)}+${index % 90}`,
    src_ra_j2000_deg: Math.round((index * 7_123_457) % 360_000_000) / 1e6,
    src_dec_j2000_deg: 60 + Math.round((index * 3_987_611) % 29_000_000) / 1e6, // Near the pole: up at any time.
    src_start_utc: timeAt(index * 25_000),
    src_end_utc: timeAt(index * 25_000 + 24_000),
    slew_sec: (index % 20) + 0.5, // A longer slew than the record would be a warning.
    ...{ trk_rate_ra_deg_per_sec: 0, trk_rate_dec_deg_per_sec: 0, corr_integ_time_sec: 3, subarray: 0 },
    ...{ freq_lower_hz: 1_990_000_000, freq_upper_hz: 1_995_000_000, version: 'v1.0.0' },
  };
}
