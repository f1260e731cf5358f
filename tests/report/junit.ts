/** A report as JUnit XML, for what shows test results in CI: one test case per item. */
import { grounds } from './markdown.ts';
import { type Markup, markup, toText } from './markup.ts';
import { acceptance, type Item, JUDGES, plain, type Report, shownOutcome } from './report.ts';
import { inOneLine, VERDICTS } from './text.ts';

/**
 * JUnit knows only passed, failed and skipped. A warned item passes, with a note in its output; the message of a
 * skipped item names its verdict. So does one that a baseline accepts. A fault of the run is a test case of its own, and so is an outcome that is incomplete:
 * otherwise such a run would look like a pass.
 */
export function renderJunit(report: Report): string {
  const {
    judge,
    headline,
    cause,
    startedAt,
    durationMs,
    problems,
    properties,
    baseline,
    items,
    suite,
    runId,
  } = report;
  const outcome = shownOutcome(report);
  // The runs of a fleet can fail without a fault of its own.
  const isCut = outcome === 'incomplete' || (outcome === 'error' && problems.length === 0);
  const errors = [
    ...problems.map((problem, index) => errorCase(`fault ${index + 1} of the run`, problem)),
    ...(baseline?.faults ?? []).map((fault, index) => errorCase(`fault ${index + 1} of the baseline`, fault)),
    ...(isCut ? [errorCase('the run is complete', sentencesOf(headline, cause))] : []),
  ];
  const count = (...verdicts: Item['verdict'][]) =>
    items.filter((item) => verdicts.includes(shownVerdict(item, report))).length;
  const attributes = markup`tests="${items.length + errors.length}" failures="${count('failed')}" errors="${
    errors.length
  }" skipped="${count('could-not-run', 'not-applicable', 'not-seen')}"${
    durationMs !== undefined && markup` time="${seconds(durationMs)}"`
  }${startedAt !== undefined && markup` timestamp="${inOneLine(startedAt)}"`}`;
  const { name, version, ...digests } = suite;
  const run = runId === undefined ? {} : { run: runId };
  const named = { outcome, ...properties, suite: `${name} ${version}`, ...digests, ...run };
  return toText(markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mrs ${judge}" ${attributes}>
  <testsuite name="${JUDGES[judge].topic}" ${attributes}>
    <properties>${Object.entries(named).map(([name, value]) => property(name, value, 6))}
    </properties>
${items.map((item) => testCase(item, report))}${errors}  </testsuite>
</testsuites>
`);
}

function testCase(item: Item, report: Report): Markup {
  const { id, group, statement, verdict, severity, durationMs = 0 } = item;
  return markup`    <testcase classname="${inOneLine(group)}" name="${inOneLine(`${id} ${statement}`)}" time="${seconds(durationMs)}">
      <properties>${property('verdict', verdict, 8)}${severity !== undefined && property('severity', severity, 8)}
      </properties>${result(item, report)}
    </testcase>
`;
}

/** What a baseline accepts is no failure of the job. */
const shownVerdict = (item: Item, report: Report): Item['verdict'] =>
  item.verdict === 'failed' && acceptance(item, report) !== undefined ? 'could-not-run' : item.verdict;

/** What was wrong, in one line. */
const summaryOf = ({ expected, seen, findings, verdict }: Item): string =>
  [
    ...(expected === undefined ? [] : [`Expected ${expected}. Seen: ${seen}.`]),
    ...findings.flatMap((one) => (one.verdict === verdict ? `${plain(one.where)}: ${one.seen}` : [])),
  ].join(' ');

function result(item: Item, report: Report): Markup | false {
  const { id, statement, verdict, violation, reason = '', advice, command } = item;
  const accepted = acceptance(item, report);
  const summary = summaryOf(item);
  if (verdict === 'passed') return false;
  if (verdict === 'could-not-run' || verdict === 'not-applicable' || verdict === 'not-seen')
    return markup`
      <skipped message="${inOneLine([`${VERDICTS[verdict].word}: ${reason}`, accepted].filter(Boolean).join('; '))}"/>`;
  const parts = [
    violation ?? '',
    `${id}: ${statement}`,
    grounds(item),
    advice && `What to do: ${advice}`,
    command === undefined ? '' : `To send the request again, in bash:\n\n${command}`,
  ];
  const text = `${parts.filter(Boolean).join('\n\n')}\n`;
  if (verdict === 'warned')
    return markup`
      <system-out>Warning: ${text}</system-out>`;
  if (accepted !== undefined)
    return markup`
      <skipped message="${inOneLine([`failed, ${accepted}.`, violation, summary].filter(Boolean).join(' '))}"/>
      <system-out>${text}</system-out>`;
  return markup`
      <failure message="${inOneLine([violation, summary].filter(Boolean).join(' '))}" type="nonconformity">${text}</failure>`;
}

const sentencesOf = (headline: string, cause?: string): string =>
  cause === undefined ? `${headline}.` : `${headline}. ${cause}`;

function errorCase(name: string, message: string): Markup {
  return markup`    <testcase classname="run" name="${name}" time="0">
      <error message="${inOneLine(message)}" type="error"/>
    </testcase>
`;
}

const property = (name: string, value: string, indent: number): Markup => markup`
${' '.repeat(indent)}<property name="${name}" value="${inOneLine(value)}"/>`;

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
