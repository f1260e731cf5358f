/** A report of each judge, in the words of one version of the suite. */
import { SAMPLES as certificates } from '../../../tests/client/testing/sample-certificates.ts';
import { SAMPLES as feeds } from '../../../tests/feed/testing/sample-reports.ts';
import { renderJunit } from '../../../tests/report/junit.ts';
import { renderMarkdown } from '../../../tests/report/markdown.ts';
import { renderPage } from '../../../tests/report/page.ts';
import type { Report } from '../../../tests/report/report.ts';
import { renderAnnotations, renderTerminal } from '../../../tests/report/terminal.ts';
import { withoutStyle } from '../../../tests/report/testing/outline.ts';
import { SAMPLES as runs, sample } from '../../../tests/server/report/testing/sample-reports.ts';
import { fleetReportOf } from '../../fleet/fleet-report.ts';
import { compareRuns, type Found } from '../../fleet/history.ts';
import { SAMPLES as traffic } from '../../judge/testing/sample-traffic.ts';

const RUN = '0b2c7a9e-5b1d-4f0e-9a64-0d7a6c1f2e3b';
const digest = (digit: string) => `sha256:${digit.repeat(64)}`;

/** What differs from one version of the suite to the next, or from run to run, is always the same. */
const fixed = (report: Report): Report => ({
  ...report,
  suite: {
    name: 'mrs-contract',
    version: '1.2.3',
    requirements: digest('1'),
    specification: digest('2'),
    contract: digest('3'),
  },
  runId: RUN,
});

const FLEET: readonly Found[] = [
  { name: 'alpha', labels: ['north'], report: runs.accepted },
  { name: 'one-feed', labels: [], report: feeds.broken },
  { name: 'parkes', labels: ['south', 'radio'], report: sample },
  { name: 'sardinia', labels: [], report: runs.broken },
  { name: 'lofar', labels: [], address: 'https://lofar.example', report: 'No run left a report.' },
];
/** All requirements were kept. */
const YESTERDAY = {
  at: '2026-11-19T16:31:08.656Z',
  deployments: {
    parkes: {
      outcome: 'conformant',
      requirements: sample.suite.requirements,
      verdicts: Object.fromEntries(sample.items.map(({ id }) => [id, 'passed' as const])),
    },
  },
} as const;
const COMPARED = {
  ...{ runs: [YESTERDAY], changes: compareRuns(FLEET, [YESTERDAY]).changes },
  regressed: [{ name: 'parkes', since: '2026-11-20', runs: 1, wasAccepted: true }],
};

/** One of each judge, and one of hostile text. */
export const SAMPLES: Readonly<Record<string, Report>> = {
  verify: fixed(sample),
  certify: fixed(certificates.broken),
  feed: fixed(feeds.broken),
  'hostile-feed': fixed(feeds.hostile),
  judge: fixed(traffic.broken),
  fleet: fixed(fleetReportOf(FLEET, '.', COMPARED)),
};

/** Other ends that a run can have. */
export const MORE: Readonly<Record<string, Report>> = {
  'verify-accepted': fixed(runs.accepted),
  'verify-unreachable': fixed(runs.unreachable),
  'verify-broken': fixed(runs.broken),
  'certify-conformant': fixed(certificates.conformant),
  'feed-conformant': fixed(feeds.conformant),
  'feed-incomplete': fixed(feeds.incomplete),
  'judge-right': fixed(traffic.right),
  'judge-short': fixed(traffic.short),
};

/** The views by the names of their files. */
export const VIEWS = {
  'output.txt': (report) =>
    [
      ...renderAnnotations(report, { GITHUB_ACTIONS: 'true' }),
      renderTerminal(report, { color: false, page: 'report.html' }),
      '',
    ].join('\n'),
  'junit.xml': renderJunit,
  'summary.md': renderMarkdown,
  'report.html': (report) => withoutStyle(renderPage(report)),
  'report.json': (report) => `${JSON.stringify(report, null, 2)}\n`,
} satisfies Record<string, (report: Report) => string>;
