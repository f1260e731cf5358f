/** A report as JUnit XML, for what shows test results in CI: one test case per item. */
import { type Markup, markup, toText } from './markup.ts';
import {
  acceptance,
  type Item,
  isAccepted,
  isBroken,
  type Report,
  shownOutcome,
  unjudged,
  violationOf,
} from './report.ts';
import { textOf } from './terminal.ts';
import { clip, inOneLine, VERDICTS } from './text.ts';

/**
 * A test case is known by its class, which names the judge and what was judged, and by the id of its item: both outlive a
 * rewording. JUnit knows only passed, failed and skipped. A warned item passes, with a note in its output; the message of a
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
  (fault, nth) => markup`    <testcase classname="${classOf(report)}" name="fault ${nth + 1} of the run">
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
    : item.verdict === 'failed' && !isAccepted(item, report)
      ? 'failure'
      : report.judge === 'fleet' && item.verdict === 'could-not-run'
        ? 'error'
        : 'skipped';

function testCase(item: Item, result: Result, report: Report): Markup {
  const { id, statement, verdict, severity, reason, durationMs } = item;
  // A rule of feeds can have an item that fails and an item that warns.
  const isSecond = verdict === 'warned' && report.items.some((one) => one.id === id && one !== item);
  const why = isBroken(item) ? [violationOf(item, report)] : [reason, acceptance(item, report)];
  const message = inOneLine(why.filter(Boolean).join('; '));
  const text = `${textOf(item, report)}\n`;
  return markup`    <testcase classname="${classOf(report)}" name="${inOneLine(isSecond ? `${id} (warning)` : id)}"${
    durationMs !== undefined && markup` time="${seconds(durationMs)}"`
  }>${
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
  }
      <system-out>${isBroken(item) && result !== 'failure' ? text : `${inOneLine(statement)}\n`}</system-out>
    </testcase>
`;
}

/** In characters. */
const LONGEST_NAME = 80;

/** `mrs.verify.mrs-example-org`: viewers take what follows a dot for the name of a class. */
function classOf({ judge, subject }: Report): string {
  const name = subject.text.replace(/^\w+:\/\//, '').replace(/[^\p{L}\p{N}]+/gu, '-');
  return judge === 'fleet' ? 'mrs.fleet' : `mrs.${judge}.${clip(name.replace(/^-|-$/g, ''), LONGEST_NAME)}`;
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
