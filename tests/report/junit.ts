/** A report as JUnit XML, for what shows test results in CI: one test case per item. */
import { type Markup, markup, toText } from './markup.ts';
import {
  acceptance,
  type Item,
  isBroken,
  type Report,
  shownOutcome,
  unjudged,
  violationOf,
} from './report.ts';
import { textOf } from './terminal.ts';
import { inOneLine, VERDICTS } from './text.ts';

/**
 * JUnit knows only passed, failed and skipped. A warned item passes, with a note in its output; the message of a
 * skipped item names its verdict. An item that a baseline accepts is skipped, too. A deployment of a fleet that could not be
 * judged is an error. A fault of the run is a test case of its own, and so is an outcome that is incomplete: such a run would
 * look like a pass without it. The number of deployments of a fleet changes, and is not in the name of its suite, by which CI
 * compares runs.
 */
export function renderJunit(report: Report): string {
  const { judge, subject, headline, remarks, startedAt, durationMs, problems, baseline } = report;
  const { items } = report;
  const outcome = shownOutcome(report);
  const faults = [...problems, ...(baseline?.faults ?? [])];
  const results = items.map((item) => [item, resultOf(item, report)] as const);
  const count = (wanted: Result) => results.filter(([, result]) => result === wanted).length;
  const isUnsaid = outcome === 'incomplete' || (outcome === 'error' && faults.length === 0);
  if (isUnsaid && count('error') === 0)
    faults.push([`${headline}.`, ...unjudged(report).map(({ sentence }) => sentence), ...remarks].join(' '));
  const attributes = markup`tests="${items.length + faults.length}" failures="${count('failure')}" errors="${faults.length + count('error')}" skipped="${count('skipped')}"${
    durationMs !== undefined && markup` time="${seconds(durationMs)}"`
  }${startedAt !== undefined && markup` timestamp="${inOneLine(startedAt)}"`}`;
  return toText(markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mrs ${judge}" ${attributes}>
  <testsuite name="${inOneLine(judge === 'fleet' ? subject.name : subject.text)}" ${attributes}>
${results.map(([item, result]) => testCase(item, result, report))}${faults.map(
  (fault, nth) => markup`    <testcase classname="run" name="fault ${nth + 1} of the run" time="0">
      <error message="${inOneLine(fault)}" type="error"/>
    </testcase>
`,
)}  </testsuite>
</testsuites>
`);
}

type Result = 'passed' | 'failure' | 'error' | 'skipped';

/** What a baseline accepts does not fail the job. */
const resultOf = (item: Item, report: Report): Result =>
  item.verdict === 'passed' || item.verdict === 'warned'
    ? 'passed'
    : item.verdict === 'failed' && acceptance(item, report) === undefined
      ? 'failure'
      : report.judge === 'fleet' && item.verdict === 'could-not-run'
        ? 'error'
        : 'skipped';

function testCase(item: Item, result: Result, report: Report): Markup {
  const { id, group, statement, verdict, severity, reason, durationMs = 0 } = item;
  const why = isBroken(item) ? [violationOf(item, report)] : [reason, acceptance(item, report)];
  const message = inOneLine(why.filter(Boolean).join('; '));
  const text = `${textOf(item, report)}\n`;
  return markup`    <testcase classname="${inOneLine(group)}" name="${inOneLine(`${id} ${statement}`)}" time="${seconds(durationMs)}">${
    result === 'failure' &&
    markup`
      <failure message="${message}" type="${severity ?? 'nonconformity'}">${text}</failure>`
  }${
    result === 'error' &&
    markup`
      <error message="${message}" type="${VERDICTS[verdict].word}">${text}</error>`
  }${
    result === 'skipped' &&
    markup`
      <skipped message="${VERDICTS[verdict].word}: ${message}"/>`
  }${
    result !== 'failure' &&
    isBroken(item) &&
    markup`
      <system-out>${text}</system-out>`
  }
    </testcase>
`;
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
