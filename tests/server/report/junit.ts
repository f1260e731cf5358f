/** A report as JUnit XML: one test case per requirement, for what shows test results in CI. */

import { faultOfTheRun, property, seconds } from '../../report/junit.ts';
import { type Markup, markup, toText } from '../../report/markup.ts';
import { inOneLine, VERDICTS } from '../../report/text.ts';
import { reproduction } from './curl.ts';
import type { JudgedRequirement, Report } from './report.ts';

/**
 * JUnit knows no verdict but passed, failed and skipped, so what was skipped says in its message which verdict it
 * had. A fault of the run is a test case of its own: otherwise a run that broke down would look like a pass.
 */
export function renderJunit(report: Report): string {
  const { outcome, target, startedAt, durationMs, requests, counts, requirements, problems } = report;
  const attributes = markup`tests="${requirements.length + problems.length}" failures="${counts.failed}" errors="${
    problems.length
  }" skipped="${counts['could-not-run'] + counts['not-applicable']}" time="${seconds(durationMs)}" timestamp="${inOneLine(startedAt)}"`;
  const properties = [
    ['outcome', outcome],
    ['target', target.baseUrl],
    ['client', target.clientId],
    ['requests', String(requests)],
  ] as const;
  return toText(markup`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="mrs verify" ${attributes}>
  <testsuite name="Mitigation Request Service Interface Specification" ${attributes}>
    <properties>${properties.map(([name, value]) => property(name, value, 6))}
    </properties>
${requirements.map((requirement) => testCase(requirement, report))}${problems.map(faultOfTheRun)}  </testsuite>
</testsuites>
`);
}

function testCase(requirement: JudgedRequirement, report: Report): Markup {
  const { id, clause, statement, verdict, evidence } = requirement;
  const durationMs = report.exchanges
    .filter((exchange) => evidence.exchanges.includes(exchange.id))
    .reduce((sum, exchange) => sum + exchange.durationMs, 0);
  const result = verdict === 'failed' ? failure(requirement, report) : skipped(requirement);
  return markup`    <testcase classname="${inOneLine(clause)}" name="${inOneLine(`${id} ${statement}`)}" time="${seconds(durationMs)}">
      <properties>${property('verdict', verdict, 8)}
      </properties>${result}
    </testcase>
`;
}

function failure({ id, statement, evidence }: JudgedRequirement, report: Report): Markup {
  const { expected = '', seen, exchanges } = evidence;
  return markup`
      <failure message="${inOneLine(`Expected ${expected}. Seen: ${seen}.`)}" type="nonconformity">${id}: ${statement}

Expected: ${expected}
Seen:     ${seen}

${reproduction(exchanges, report)}
</failure>`;
}

function skipped({ verdict, evidence }: JudgedRequirement): Markup | false {
  if (verdict === 'passed') return false;
  return markup`
      <skipped message="${inOneLine(`${VERDICTS[verdict].word}: ${evidence.reason ?? ''}`)}"/>`;
}
