/** A certificate as JUnit XML: one test case per rule, for what shows test results in CI. */

import { faultOfTheRun, property, seconds } from '../../report/junit.ts';
import { type Markup, markup, toText } from '../../report/markup.ts';
import { inOneLine } from '../../report/text.ts';
import type { JudgedRule } from '../certificate.ts';
import type { CertificateReport } from './report.ts';
import { callsInWords, commandLine, strategyInWords, tokensInWords, VERDICTS } from './wording.ts';

/**
 * JUnit knows no warning, so a rule of good practice that was not kept passes, and says in its output what was seen.
 * What was skipped says in its message which verdict it had; a fault of the run is a test case of its own.
 */
export function renderCertificateJunit(report: CertificateReport): string {
  const { outcome, client, startedAt, durationMs, requests, counts, rules, problems } = report;
  const attributes = markup`tests="${rules.length + problems.length}" failures="${counts.failed}" errors="${
    problems.length
  }" skipped="${counts['could-not-run'] + counts['not-applicable']}" time="${seconds(durationMs)}" timestamp="${inOneLine(startedAt)}"`;
  const properties = [
    ['outcome', outcome],
    ['client', client.command === undefined ? 'came by itself' : commandLine(client.command)],
    ['strategy', strategyInWords(report)],
    ['tokens', tokensInWords(report.tokens)],
    ['requests', String(requests)],
  ] as const;
  return toText(markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mrs certify" ${attributes}>
  <testsuite name="Client of the Mitigation Request Service" ${attributes}>
    <properties>${properties.map(([name, value]) => property(name, value, 6))}
    </properties>
${rules.map(testCase)}${problems.map(faultOfTheRun)}  </testsuite>
</testsuites>
`);
}

function testCase(rule: JudgedRule): Markup {
  const { id, clause = 'practice', statement, verdict } = rule;
  return markup`    <testcase classname="${inOneLine(clause)}" name="${inOneLine(`${id} ${statement}`)}" time="0.000">
      <properties>${property('verdict', verdict, 8)}
      </properties>${result(rule)}
    </testcase>
`;
}

function result({ verdict, findings, statement, advice, reason = '' }: JudgedRule): Markup | false {
  if (verdict === 'passed') return false;
  if (verdict === 'could-not-run' || verdict === 'not-applicable')
    return markup`
      <skipped message="${inOneLine(`${VERDICTS[verdict].word}: ${reason}`)}"/>`;
  const told = markup`${statement}

${findings.map(({ scenario, seen, calls }) => `${scenario}: ${seen}${calls.length === 0 ? '' : ` (${callsInWords(calls)})`}\n`)}
What to do: ${advice}
`;
  if (verdict === 'warned')
    return markup`
      <system-out>Warning: ${told}</system-out>`;
  const message = findings.map(({ scenario, seen }) => `${scenario}: ${seen}`).join(' ');
  return markup`
      <failure message="${inOneLine(message)}" type="nonconformity">${told}</failure>`;
}
