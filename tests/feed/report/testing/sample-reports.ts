/** Reports on feeds, for tests. */
import type { FeedReport } from '../report.ts';

const report: FeedReport = {
  schemaVersion: 1,
  outcome: 'nonconformant',
  source: { kind: 'file', name: 'feed.json', bytes: 2816, contentType: 'application/json' },
  profile: { name: 'ods-record', title: 'Records' },
  judgedFor: '2030-01-01T00:00:00',
  timeFrom: 'option',
  strict: false,
  records: 5,
  counts: { findings: 1, warnings: 1 },
  findings: [
    {
      rule: 'range',
      class: 'S',
      count: 4,
      places: [
        { pointer: '/ods_data/1/slew_sec', seen: 'slew_sec is -1', byte: 700, line: 24 },
        { pointer: '', seen: 'slew_sec is -2' },
      ],
    },
    {
      rule: 'unknown-field',
      class: 'H',
      count: 1,
      places: [{ pointer: '/ods_data/0/extra', seen: '"extra"' }],
    },
  ],
  unjudged: [],
  remarks: ['The records are not in the order of time.'],
  span: ['2030-01-01T00:05:00', '2030-01-01T04:13:57'],
  sites: { count: 2, first: ['vla_D'] },
  digest: 'd'.repeat(32),
  setDigest: 'e'.repeat(32),
};
const counts = { findings: 0, warnings: 0 };
const passing: FeedReport = { ...report, outcome: 'conformant', counts, findings: [], remarks: [] };

export const SAMPLES = {
  broken: report,
  conformant: passing,
  empty: { ...passing, records: 0, sites: { count: 0, first: [] } },
  incomplete: { ...passing, outcome: 'incomplete', unjudged: ['The feed is larger than 1 MiB.'] },
} satisfies Record<string, FeedReport>;

/** Members of a report that hold a word from a list, and nothing else. */
export const CHOSEN = ['outcome', 'kind', 'rule', 'class', 'timeFrom'];
