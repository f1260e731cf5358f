/** A report as JUnit XML, for what shows test results in CI: one test case per item. */
import { type Markup, markup, toText } from './markup.ts';
import { type Item, itemsOf, type ReportModel } from './model.ts';
import { explain } from './plain.ts';
import { inOneLine, VERDICTS } from './text.ts';

/**
 * JUnit knows only passed, failed and skipped. A warned item passes, with a note in its output; the message of a
 * skipped item names its verdict. So does one that a baseline accepts. A fault of the run is a test case of its own, and so is an outcome that is incomplete:
 * otherwise such a run would look like a pass.
 */
export function renderJunit(model: ReportModel): string {
  const {
    command,
    topic,
    outcome,
    headline,
    cause,
    startedAt,
    durationMs,
    problems,
    properties,
    faults = [],
  } = model;
  const errors = [
    ...problems.map((problem, index) => errorCase(`fault ${index + 1} of the run`, problem)),
    ...faults.map((fault, index) => errorCase(`fault ${index + 1} of the baseline`, fault)),
    ...(outcome === 'incomplete' ? [errorCase('the run is complete', sentencesOf(headline, cause))] : []),
  ];
  const items = itemsOf(model);
  const count = (...verdicts: Item['verdict'][]) =>
    items.filter((item) => verdicts.includes(shownVerdict(item))).length;
  const attributes = markup`tests="${items.length + errors.length}" failures="${count('failed')}" errors="${
    errors.length
  }" skipped="${count('could-not-run', 'not-applicable', 'not-seen')}"${
    durationMs !== undefined && markup` time="${seconds(durationMs)}"`
  }${startedAt !== undefined && markup` timestamp="${inOneLine(startedAt)}"`}`;
  return toText(markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="${command}" ${attributes}>
  <testsuite name="${topic}" ${attributes}>
    <properties>${Object.entries({ outcome, ...properties }).map(([name, value]) => property(name, value, 6))}
    </properties>
${items.map(testCase)}${errors}  </testsuite>
</testsuites>
`);
}

function testCase(item: Item): Markup {
  const { id, className, statement, verdict, severity, durationMs = 0 } = item;
  return markup`    <testcase classname="${inOneLine(className)}" name="${inOneLine(`${id} ${statement}`)}" time="${seconds(durationMs)}">
      <properties>${property('verdict', verdict, 8)}${severity !== undefined && property('severity', severity, 8)}
      </properties>${result(item)}
    </testcase>
`;
}

/** What a baseline accepts is no failure of the job. */
const shownVerdict = ({ verdict, accepted }: Item): Item['verdict'] =>
  verdict === 'failed' && accepted !== undefined ? 'could-not-run' : verdict;

function result(item: Item): Markup | false {
  const { id, statement, verdict, violation, summary = '', reason = '', advice, commands, accepted } = item;
  if (verdict === 'passed') return false;
  if (verdict === 'could-not-run' || verdict === 'not-applicable' || verdict === 'not-seen')
    return markup`
      <skipped message="${inOneLine([`${VERDICTS[verdict].word}: ${reason}`, accepted].filter(Boolean).join('; '))}"/>`;
  const parts = [
    violation ?? '',
    `${id}: ${statement}`,
    explain(item),
    advice && `What to do: ${advice}`,
    verdict === 'failed' && commands ? `To send the request again, in bash:\n\n${commands}` : '',
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
