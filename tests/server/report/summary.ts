/** A report as GitHub-flavoured Markdown, for the summary of a CI step. */

import { cell, code, fence, folded, prose, section } from '../../report/markdown.ts';
import { inOneLine, several, VERDICTS } from '../../report/text.ts';
import { curlSetup, reproduction } from './curl.ts';
import type { JudgedRequirement, Report } from './report.ts';
import { NO_PROOF, outcomeOf, proofInWords, tally, whyNotJudged } from './wording.ts';

export function renderSummary(report: Report): string {
  const { outcome, target, profile, requests, durationMs, requirements, problems } = report;
  const { mark, next } = outcomeOf(report);
  const failed = requirements.filter(({ verdict }) => verdict === 'failed');
  return [
    `## ${mark} ${outcome}: ${tally(report)}`,
    `${code(target.baseUrl)}, client ${code(target.clientId)}: ${several(requests, 'request')} in ${(durationMs / 1000).toFixed(1)} s. ${next}`,
    ...(profile
      ? [
          `Profile ${code(profile.name)}: the specification ${profile.specification}, what the profile declares ${profile.declared}.`,
        ]
      : []),
    ...section(
      'Faults of the run',
      problems.map((problem) => `- ${code(problem)}`),
    ),
    ...failed.map((requirement) => failure(requirement, report)),
    ...(failed.length > 0 ? [setup(target)] : []),
    ...section('Every requirement', table(requirements)),
    ...furtherDown(report),
    '',
  ].join('\n\n');
}

function failure({ id, statement, evidence }: JudgedRequirement, report: Report): string {
  const { expected = '', seen, exchanges, evidenceStrength } = evidence;
  const known = evidenceStrength === undefined ? '' : `\nKnown by: ${inOneLine(evidenceStrength)}`;
  return [
    `### ${VERDICTS.failed.mark} ${prose(id)} failed`,
    prose(statement),
    fence('text', `Expected: ${inOneLine(expected)}\nSeen:     ${inOneLine(seen)}${known}`),
    fence('sh', reproduction(exchanges, report)),
  ].join('\n\n');
}

function setup(target: Report['target']): string {
  const { variables, token } = curlSetup(target);
  return folded('Before you enter these commands: what to set, in bash or zsh', [
    fence('sh', variables),
    fence('sh', token),
  ]);
}

function table(requirements: JudgedRequirement[]): string[] {
  const rows = requirements.map(({ id, verdict, statement, evidence }) => {
    const { mark, word } = VERDICTS[verdict];
    const reason = evidence.reason === undefined ? '' : `<br>${prose(evidence.reason)}`;
    return `| ${cell(prose(id))} | ${mark} ${word} | ${cell(prose(statement) + reason)} |`;
  });
  return ['| requirement | verdict | statement |', '| --- | --- | --- |', ...rows];
}

function furtherDown({ openPoints, notJudged, proof }: Report): string[] {
  const observed = openPoints.filter((point) => point.observed !== null);
  return [
    folded(
      `Open points: ${observed.length} of ${openPoints.length} seen on the wire, none judged`,
      observed.map(
        ({ id, statement, observed }) => `- ${prose(id)}: ${prose(statement)} ${code(observed ?? '')}`,
      ),
    ),
    folded(
      `Not checked: ${several(notJudged.length, 'statement')}`,
      notJudged.map((row) => `- ${prose(row.id)}: ${prose(row.statement)} ${prose(whyNotJudged(row))}`),
    ),
    proof ? `${proofInWords(proof)} ${code(proof.digest)}` : NO_PROOF,
  ];
}
