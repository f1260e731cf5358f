/** Reports on feeds, of records that were made up. */
import type { Report } from '../../report/report.ts';
import { HOSTILE } from '../../report/testing/hostile.ts';
import { createSecrets } from '../../support/secrets.ts';
import { type ReportOptions, reportOn } from '../report.ts';
import type { Feed } from '../source.ts';
import { but, contract, good, later, NOW } from './sample-feed.ts';

export const reportOf = (
  records: unknown[],
  options: Partial<ReportOptions> = {},
  fields: Partial<Feed> = {},
): Report =>
  reportOn(
    { name: 'feed.json', body: Buffer.from(JSON.stringify({ ods_data: records }, null, 1)), ...fields },
    contract,
    {
      ...{ profile: { name: 'ods-record', title: 'Records' }, atMs: NOW },
      ...{ strict: false, secrets: createSecrets(), ...options },
    },
  );

export const bad = [
  but({ slew_sec: '1', extra: 1 }),
  ...[1, 2, 3, 4].map((hours) => later(hours, { slew_sec: -1 })),
];

const everything = Object.values(HOSTILE).join(' ');

export const SAMPLES = {
  broken: reportOf(bad),
  conformant: reportOf([good]),
  /** Hostile text wherever a publisher can write some. */
  hostile: reportOf(
    [but({ site_id: everything, slew_sec: everything, [everything]: everything }), everything],
    {},
    { name: `https://feed.example/${everything}`, contentType: everything },
  ),
  incomplete: reportOf([], {}, { body: 'The answer 204 has no body, so there is no feed to judge.' }),
} satisfies Record<string, Report>;
