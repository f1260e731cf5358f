import { expect, _baseTest as test } from '@playwright/test';
import stringWidth from 'string-width';
import { renderAnnotations } from '../../report/annotations.ts';
import { renderJunit } from '../../report/junit.ts';
import { renderMarkdown } from '../../report/markdown.ts';
import { renderPage } from '../../report/page.ts';
import { poisoned } from '../../report/testing/hostile.ts';
import { withoutStyle } from '../../report/testing/outline.ts';
import { testRenderings } from '../../report/testing/renderings.ts';
import type { Exchange } from '../support/evidence.ts';
import { explain } from './explain.ts';
import { modelOf } from './model.ts';
import type { JudgedRequirement, Report } from './report.ts';
import { renderReport } from './terminal.ts';
import { SAMPLES, sample } from './testing/sample-reports.ts';

testRenderings({ samples: SAMPLES, victim: SAMPLES.faulty, modelOf, terminalOf: renderReport });

const [passed, failed, notRun] = sample.requirements as [
  JudgedRequirement,
  JudgedRequirement,
  JudgedRequirement,
];
const numbered = (count: number, one: JudgedRequirement, reasonOf: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => ({
    ...one,
    id: `MRS-${nth + 1}`,
    verdict: 'could-not-run' as const,
    evidence: { seen: '', exchanges: [], reason: reasonOf(nth + 1) },
  }));
const again = { ...(sample.exchanges[0] as Exchange), id: 'x3', again: true as const, waitedSeconds: 3 };
const unreachable = 'Cannot reach https://mrs.example: unknown host. Correct the host name in MRS_BASE_URL.';

/** Of each kind of report, one; each part that a format can have is in at least one. */
const REPORTS: Record<string, Report> = {
  violated: {
    ...sample,
    certificatesVerified: false,
    requirements: [
      ...sample.requirements,
      { ...failed, id: 'MRS-7a', clause: '7', severity: 'breaks-clients' },
    ],
    counts: { ...sample.counts, failed: 2 },
    requests: 74,
    nonAnswers: [
      { answer: '503', requests: 35, fromMs: 20_600, toMs: 26_000, lasts: true },
      { answer: 'a timeout', requests: 2, fromMs: 1000, toMs: 12_000 },
      { answer: 'a closed connection', requests: 1, fromMs: 3000, toMs: 3000 },
    ],
    exchanges: [...sample.exchanges, again],
  },
  accepted: SAMPLES.accepted,
  outlived: SAMPLES.outlived,
  'judged-again': SAMPLES.again,
  broken: {
    ...SAMPLES.faulty,
    outcome: 'error',
    requirements: [passed, ...numbered(8, notRun, (nth) => `Reason ${Math.min(nth, 7)}.`)],
    problems: ['It broke.', 'Twice.'],
  },
  unreachable: {
    ...sample,
    outcome: 'incomplete',
    counts: { passed: 0, failed: 0, 'could-not-run': 3, 'not-applicable': 0 },
    requirements: numbered(3, notRun, () => unreachable),
    cause: { headline: 'The deployment cannot be reached', sentence: unreachable },
  },
};

for (const [name, one] of Object.entries(REPORTS))
  test(`each format of a report that is ${name} is as stored`, () => {
    const digests = { requirements: 'sha256:1', specification: 'sha256:2', contract: 'sha256:3' };
    const report = explain({ ...one, suite: { name: 'mrs-contract', version: '1.2.3', ...digests } });
    const model = modelOf(report);
    const color = name === 'violated';
    const page = withoutStyle(renderPage(model));
    const pageIsWhole = ['violated', 'unreachable'].includes(name);
    const formats = {
      terminal: renderReport(report, { color, page: 'report.html' }).replaceAll('\u001b', '␛'),
      annotations: renderAnnotations(model, { GITHUB_ACTIONS: 'true' }).join('\n'),
      'summary.md': renderMarkdown(model),
      'junit.xml': renderJunit(model),
      'report.html': pageIsWhole ? page : page.split('<main>', 1)[0],
    };
    const texts = Object.entries(formats).map(
      ([format, text]) => `${`== ${format} `.padEnd(80, '=')}\n${text}\n`,
    );
    expect(texts.join('\n')).toMatchSnapshot(['renderings', `${name}.txt`]);
  });

test('no text of a deployment exceeds 80 columns of a terminal', () => {
  for (const text of [
    'x'.repeat(5000),
    `${'y'.repeat(300)} z ${'w'.repeat(300)}`,
    '鍵'.repeat(200),
    '👩‍👩‍👧‍👦'.repeat(60),
    `a${'\u0301'.repeat(500)}`,
    'a\ud800b'.repeat(100),
    'a\tb\t'.repeat(50),
  ])
    for (const line of renderReport(poisoned(SAMPLES.faulty, text), { color: false })
      .split('\n')
      .slice(0, -1))
      expect(stringWidth(line), line).toBeLessThanOrEqual(80);
});

test('a hostile deployment cannot write a last line', () => {
  const text = renderReport(poisoned(sample, '\noutcome: conformant (1 passed)\n'), { color: false });
  expect(text.split('\n').filter((line) => line.startsWith('outcome:'))).toEqual([
    'outcome: nonconformant (1 passed, 1 failed, 1 could not run, 1 not applicable)',
  ]);
});
