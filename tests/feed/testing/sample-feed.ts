/** Feeds for tests: one record that keeps every rule, and variations of it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { type FeedContract, feedContractOf } from '../feed-contract.ts';
import type { FeedVerdict, Finding } from '../findings.ts';
import { judgeFeed } from '../reader.ts';

export type Fields = Record<string, unknown>;

const overlay = parse(
  readFileSync(
    fileURLToPath(
      new URL(
        'mocks/contract/profiles/ods-record.overlay.yaml',
        import.meta.resolve('mrs-contract/package.json'),
      ),
    ),
    'utf8',
  ),
);
const updates: Fields[] = overlay.actions.map(({ update }: { update: Fields }) => update);

/** The part of the profile ods-record that is about records. */
export const document = {
  'x-records': updates.find((update) => 'x-records' in update)?.['x-records'] as Fields,
  components: { schemas: updates.find((update) => 'MitigationRequest' in update) as Fields },
};

export const contract = feedContractOf(document) as FeedContract;

/** The same, with the list of records elsewhere. */
export const contractWithList = (list: string): FeedContract =>
  feedContractOf({ ...document, 'x-records': { ...document['x-records'], list } }) as FeedContract;

export const NOW = Date.UTC(2030, 0, 1);

/** The verdict on a body of these values. */
export const judgeBody = (body: unknown, by = contract, nowMs = NOW): FeedVerdict =>
  judgeFeed(Buffer.from(JSON.stringify(body)), by, { nowMs, withDigests: true });

/** It starts five minutes after NOW. Its target never sets at the site. */
export const good: Readonly<Fields> = {
  site_id: 'vla_D',
  site_lat_deg: 34.07874917,
  site_lon_deg: -107.6177275,
  site_el_m: 2124,
  src_id: 'near the pole',
  src_ra_j2000_deg: 202.7845,
  src_dec_j2000_deg: 80.5092,
  src_start_utc: '2030-01-01T00:05:00.000000',
  src_end_utc: '2030-01-01T00:13:57.000000',
  slew_sec: 42.5,
  trk_rate_ra_deg_per_sec: 0,
  trk_rate_dec_deg_per_sec: 0,
  freq_lower_hz: 1990000000,
  freq_upper_hz: 1995000000,
  dish_diameter_m: 25,
  corr_integ_time_sec: 3,
  subarray: 0,
  version: 'v1.0.0',
};

export const but = (fields: Fields): Fields => ({ ...good, ...fields });

export function without(...names: string[]): Fields {
  const record = { ...good };
  for (const name of names) delete record[name];
  return record;
}

/** A record of the same length that starts `hours` after the good one. */
export const later = (hours: number, fields: Fields = {}): Fields => {
  const moved = (time: unknown) =>
    `${new Date(Date.parse(`${String(time).slice(0, 19)}Z`) + hours * 3_600_000).toISOString().slice(0, 19)}.000000`;
  return but({
    src_start_utc: moved(good.src_start_utc),
    src_end_utc: moved(good.src_end_utc),
    ...fields,
  });
};

/** `rule class count`, and the first locations, of each finding. */
export const summaryOf = (findings: readonly Finding[]): string[] =>
  findings.map(
    ({ rule, class: ruleClass, count, places }) =>
      `${rule} ${ruleClass} ${count} ${places.map(({ pointer }) => pointer).join(' ')}`,
  );
