/** Reports on feeds, of records that were made up. */
import type { Report } from '../../report/report.ts';
import { HOSTILE } from '../../report/testing/hostile.ts';
import { createSecrets } from '../../support/secrets.ts';
import { type ReportOptions, reportOn } from '../report.ts';
import type { FeedSource } from '../source.ts';
import { but, contract, good, later, NOW } from './sample-feed.ts';

export function source(body: string | undefined, fields: Partial<FeedSource> = {}): FeedSource {
  async function* bytes() {
    for (let at = 0; at < (body ?? '').length; at += 100) yield Buffer.from((body ?? '').slice(at, at + 100));
  }
  return {
    kind: 'file',
    name: 'feed.json',
    close: async () => {},
    ...(body !== undefined && { bytes: bytes() }),
    ...fields,
  };
}

export const reportOf = (
  records: unknown[] | undefined,
  options: Partial<ReportOptions> = {},
  fields: Partial<FeedSource> = {},
): Promise<Report> =>
  reportOn(source(records && JSON.stringify({ ods_data: records }, null, 1), fields), contract, {
    profile: { name: 'ods-record', title: 'Records' },
    atMs: NOW,
    strict: false,
    bodyBytes: 1e6,
    secrets: createSecrets(),
    ...options,
  });

export const bad = [
  but({ slew_sec: '1', extra: 1 }),
  ...[1, 2, 3, 4].map((hours) => later(hours, { slew_sec: -1 })),
];

const everything = Object.values(HOSTILE).join(' ');

export const SAMPLES = {
  broken: await reportOf(bad),
  conformant: await reportOf([good]),
  /** Hostile text wherever a publisher can write some. */
  hostile: await reportOf(
    [but({ site_id: everything, slew_sec: everything, [everything]: everything }), everything],
    {},
    { kind: 'url', name: `https://feed.example/${everything}`, status: 200, contentType: everything },
  ),
  incomplete: await reportOf(undefined, {}, { kind: 'url', status: 204 }),
} satisfies Record<string, Report>;
