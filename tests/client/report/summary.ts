/** A certificate as GitHub-flavoured Markdown, for the summary of a CI step. */

import { cell, code, fence, folded, prose, section } from '../../report/markdown.ts';
import { several } from '../../report/text.ts';
import type { JudgedRule } from '../certificate.ts';
import { groupRules } from './groups.ts';
import type { CertificateReport } from './report.ts';
import {
  callsInWords,
  commandLine,
  inSeconds,
  outcomeOf,
  strategyInWords,
  tally,
  tokensInWords,
  troubleOf,
  VERDICTS,
} from './wording.ts';

/** What is wrong comes first, then the scenarios and all rules as tables. */
export function renderCertificateSummary(report: CertificateReport): string {
  const { outcome, client, scenarios, requests, durationMs, problems } = report;
  const { mark, next } = outcomeOf(report);
  const rules = groupRules(report.rules).flatMap((group) => group.rules);
  const who = client.command === undefined ? 'A client' : code(commandLine(client.command));
  return [
    `## ${mark} ${outcome}: ${tally(report)}`,
    `${who}: ${several(requests, 'request')} in ${several(scenarios.length, 'scenario')}, ${inSeconds(durationMs)}, ${tokensInWords(report.tokens)}. ${strategyInWords(report)} ${next}`,
    ...section(
      'Faults of the run',
      problems.map((problem) => `- ${code(problem)}`),
    ),
    ...(['failed', 'warned'] as const).flatMap((verdict) =>
      rules.filter((rule) => rule.verdict === verdict).map(broken),
    ),
    ...section('Scenarios', scenarioTable(report)),
    folded(`Every rule: ${rules.length}`, ruleTable(rules)),
    ...printed(scenarios),
    '',
  ].join('\n\n');
}

/** In one fold: a name in the title of a fold would be HTML, in which Markdown protects nothing. */
function printed(scenarios: CertificateReport['scenarios']): string[] {
  const blocks = scenarios.flatMap(({ name, output }) =>
    output === undefined ? [] : [`${prose(name)}:`, '', fence('text', output.lastLines.trimEnd()), ''],
  );
  return blocks.length === 0 ? [] : [folded('The last that the client printed', blocks)];
}

function broken({ id, clause, verdict, statement, findings, advice }: JudgedRule): string {
  const { mark, word } = VERDICTS[verdict];
  const lines = findings.map(
    ({ scenario, seen, calls }) =>
      `- ${prose(scenario)}: ${prose(seen)}${calls.length === 0 ? '' : ` (${callsInWords(calls)})`}`,
  );
  return [
    `### ${mark} ${prose(id)} ${word}${clause === undefined ? ', good practice' : `, ${prose(clause)}`}`,
    prose(statement),
    lines.join('\n'),
    `What to do: ${prose(advice)}`,
  ].join('\n\n');
}

function scenarioTable({ scenarios, rules }: CertificateReport): string[] {
  const rows = scenarios.map((scenario) => {
    const { verdict, words } = troubleOf(scenario, rules);
    const { asked, needed } = scenario.tokens;
    const said = [VERDICTS[verdict].mark, words.map(prose).join(', ')].join(' ').trim();
    return `| ${cell(prose(scenario.name))} | ${scenario.callCount} | ${asked} / ${needed} | ${cell(said)} |`;
  });
  return ['| scenario | calls | tokens / needed | to be said |', '| --- | ---: | ---: | --- |', ...rows];
}

function ruleTable(rules: readonly JudgedRule[]): string[] {
  const rows = rules.map(({ id, clause, verdict, statement, reason }) => {
    const { mark, word } = VERDICTS[verdict];
    const why = reason === undefined ? '' : `<br>${prose(reason)}`;
    return `| ${cell(prose(id))} | ${cell(prose(clause ?? 'good practice'))} | ${mark} ${word} | ${cell(prose(statement) + why)} |`;
  });
  return ['| rule | clause | verdict | statement |', '| --- | --- | --- | --- |', ...rows];
}
