/** A report as GitHub-flavoured Markdown, for the summary of a CI step. */
import { curlSetup, reproduction } from './curl.ts';
import type { JudgedRequirement, Report } from './report.ts';
import {
  clip,
  inOneLine,
  NO_PROOF,
  outcomeOf,
  proofInWords,
  several,
  tally,
  VERDICTS,
  visible,
  whyNotJudged,
} from './wording.ts';

/** GitHub takes no summary above 1 MiB, so what a deployment sent gets a bounded place in it. */
const LONGEST_TEXT = 500;
const LONGEST_BLOCK = 4000;

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

/** A part under a heading of its own; nothing where it has no lines. */
export function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`### ${title}`, lines.join('\n')];
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

/** What is seen once it is opened. */
export function folded(title: string, lines: string[]): string {
  return `<details><summary>${title}</summary>\n\n${lines.join('\n')}\n\n</details>`;
}

/** Words without anything that GitHub gives a meaning to stay words; all else becomes code, where nothing has one. */
export function prose(text: string): string {
  return WORDS.test(text) && !/www\./i.test(text)
    ? clip(text, LONGEST_TEXT).replaceAll('_', '\\_')
    : code(text);
}

/** A number at the start is one of a list where a dot or a bracket is behind it. */
const WORDS = /^(?:\p{L}|\p{N}+(?![\p{N}.)]))(?:[\p{L}\p{N} .,;'"(){}?/_=-]|:(?= ))*$/u;

/** A code span: its fence is longer than any row of backticks within. */
export function code(text: string): string {
  const content = clip(inOneLine(text), LONGEST_TEXT);
  const ticks = '`'.repeat(longestRun(content) + 1);
  // One space on either side is taken away again; without it, a backtick at the edge would join the fence.
  const pad = /^`|`$|^ .* $/.test(content) ? ' ' : '';
  return `${ticks}${pad}${content || '(nothing)'}${pad}${ticks}`;
}

/** A block of code: its fence is longer than any row of backticks within. */
export function fence(language: string, text: string): string {
  const content = clip(visible(text), LONGEST_BLOCK);
  const ticks = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${ticks}${language}\n${content}\n${ticks}`;
}

/** A cell ends at a bar, unless an odd number of backslashes stands before it. */
export const cell = (markdown: string): string => markdown.replace(/(\\*)\|/g, '$1$1\\|');

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
