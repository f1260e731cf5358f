/** A report as JUnit XML, for what shows test results in CI: one test case per item. */
import { grounds } from './markdown.ts';
import { type Markup, markup, toText } from './markup.ts';
import { acceptance, type Item, isBroken, JUDGES, plain, type Report, shownOutcome } from './report.ts';
import { inOneLine, VERDICTS } from './text.ts';

/**
 * JUnit knows only passed, failed and skipped. A warned item passes, with a note in its output; the message of a
 * skipped item names its verdict. So does one that a baseline accepts. A fault of the run is a test case of its own, and so
 * is an outcome that is incomplete: such a run would look like a pass without it.
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
  const faults = [...problems, ...(baseline?.faults ?? [])];
  // The runs of a fleet can fail without a fault of its own.
  if (outcome === 'incomplete' || (outcome === 'error' && faults.length === 0))
    faults.push([`${headline}.`, cause].filter(Boolean).join(' '));
  const count = (...verdicts: Item['verdict'][]) =>
    items.filter((item) => verdicts.includes(shownVerdict(item, report))).length;
  const skipped = count('could-not-run', 'not-applicable', 'not-seen');
  const attributes = markup`tests="${items.length + faults.length}" failures="${count('failed')}" errors="${faults.length}" skipped="${skipped}"${
    durationMs !== undefined && markup` time="${seconds(durationMs)}"`
  }${startedAt !== undefined && markup` timestamp="${inOneLine(startedAt)}"`}`;
  const named = {
    outcome,
    ...properties,
    suite: `${suite.name} ${suite.version}`,
    ...(runId && { run: runId }),
  };
  return toText(markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mrs ${judge}" ${attributes}>
  <testsuite name="${JUDGES[judge].topic}" ${attributes}>
    <properties>
${Object.entries(named).map(([name, value]) => markup`      <property name="${name}" value="${inOneLine(value)}"/>\n`)}    </properties>
${items.map((item) => testCase(item, report))}${faults.map(
  (fault, nth) => markup`    <testcase classname="run" name="fault ${nth + 1} of the run" time="0">
      <error message="${inOneLine(fault)}" type="error"/>
    </testcase>
`,
)}  </testsuite>
</testsuites>
`);
}

const testCase = (item: Item, report: Report): Markup =>
  markup`    <testcase classname="${inOneLine(item.group)}" name="${inOneLine(`${item.id} ${item.statement}`)}" time="${seconds(item.durationMs ?? 0)}">${result(item, report)}
    </testcase>
`;

/** What a baseline accepts is no failure of the job. */
const shownVerdict = (item: Item, report: Report): Item['verdict'] =>
  item.verdict === 'failed' && acceptance(item, report) !== undefined ? 'could-not-run' : item.verdict;

function result(item: Item, report: Report): Markup | false {
  const { id, statement, verdict, severity, violation, reason, advice, command, expected, seen, findings } =
    item;
  if (verdict === 'passed') return false;
  const accepted = acceptance(item, report);
  const summary = [
    violation,
    ...(expected === undefined ? [] : [`Expected ${expected}. Seen: ${seen}.`]),
    ...findings.flatMap((one) => (one.verdict === verdict ? `${plain(one.where)}: ${one.seen}` : [])),
  ]
    .filter(Boolean)
    .join(' ');
  const text = [
    violation,
    `${id}: ${statement}`,
    grounds(item),
    advice && `What to do: ${advice}`,
    command && `To send the request again, in bash:\n\n${command}`,
  ];
  const output = `${text.filter(Boolean).join('\n\n')}\n`;
  if (verdict === 'warned')
    return markup`
      <system-out>Warning: ${output}</system-out>`;
  if (verdict === 'failed' && accepted === undefined)
    return markup`
      <failure message="${inOneLine(summary)}" type="${severity ?? 'nonconformity'}">${output}</failure>`;
  const message = [`${VERDICTS[verdict].word}: ${reason ?? summary}`, accepted];
  return markup`
      <skipped message="${inOneLine(message.filter(Boolean).join('; '))}"/>${
        isBroken(item) &&
        markup`
      <system-out>${output}</system-out>`
      }`;
}

const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
