/** A certificate as a person reads it, in 80 columns. */

import { styleText } from 'node:util';
import { clip, several } from '../../report/text.ts';
import { wrap } from '../../report/wrap.ts';
import type { JudgedRule, RuleVerdict } from '../certificate.ts';
import { groupRules, type NumberedFinding, numberFindings } from './groups.ts';
import type { CertificateReport, ReportedScenario } from './report.ts';
import {
  callsInWords,
  commandLine,
  inSeconds,
  stateInWords,
  strategyInWords,
  tally,
  tokensInWords,
  troubleOf,
  VERDICTS,
} from './wording.ts';

const WIDTH = 80;

type Style = Parameters<typeof styleText>[0];

const COLORS: Record<RuleVerdict, Style> = {
  failed: 'red',
  warned: 'yellow',
  'could-not-run': 'yellow',
  passed: 'green',
  'not-applicable': 'gray',
};

/** Scenarios, rules, findings with what to do, and a last line of a stable form. */
export function renderCertificate(report: CertificateReport, { color }: { color: boolean }): string {
  const paint = (style: Style, text: string) => (color ? styleText(style, text) : text);
  const mark = (verdict: RuleVerdict) => paint(COLORS[verdict], VERDICTS[verdict].mark);
  const { client, scenarios, problems } = report;
  const rules = groupRules(report.rules).flatMap((group) => group.rules);
  const findings = numberFindings(report.rules);
  const of = (verdict: RuleVerdict) => rules.filter((rule) => rule.verdict === verdict);

  const told = (rule: JudgedRule): string[] => {
    const { verdict, id, clause, statement, reason, advice } = rule;
    const word = verdict === 'failed' ? 'FAILED' : VERDICTS[verdict].word;
    const found = findings.filter((one) => one.rule === rule);
    return [
      ...wrap(`${id} ${word}${clause === undefined ? '' : `, ${clause}`}: ${statement}`, WIDTH - 2).map(
        (line, at) =>
          at === 0 ? `${mark(verdict)} ${line.replace(word, paint(COLORS[verdict], word))}` : `  ${line}`,
      ),
      ...(reason === undefined ? [] : indented(reason, 4)),
      ...tellFindings(found),
      ...(found.length > 0 ? hanging('→ ', advice, 2) : []),
    ];
  };

  return [
    '',
    ...wrap(
      client.command === undefined ? 'a client that came by itself' : commandLine(client.command),
      WIDTH,
    ).map((line) => paint('bold', line)),
    `${several(report.requests, 'request')} in ${several(scenarios.length, 'scenario')}, ${inSeconds(report.durationMs)}`,
    '',
    ...(scenarios.length > 0 ? [paint('gray', HEADING)] : []),
    ...scenarios.flatMap((scenario) => tellScenario(scenario, report, mark)),
    ...tellEnds(scenarios),
    '',
    ...compactly('passed', of('passed'), mark),
    ...reasoned('not-applicable', of('not-applicable'), mark),
    ...reasoned('could-not-run', of('could-not-run'), mark),
    ...(['warned', 'failed'] as const).flatMap(of).flatMap((rule) => ['', ...told(rule)]),
    '',
    ...problems.flatMap((problem) => wrap(`Fault of the run: ${problem}`, WIDTH)),
    ...wrap(strategyInWords(report), WIDTH),
    `tokens: ${tokensInWords(report.tokens)}`,
    paint(report.outcome === 'conformant' ? 'green' : 'red', lastLine(report)),
  ].join('\n');
}

/** Stable, for machines. */
const lastLine = (report: CertificateReport): string =>
  `outcome: ${report.outcome} (${tally(report)}), strategy: ${report.strategy}`;

const NAME = 22;
const CALLS = 7;
const TOKENS = 17;
const HEADING = `  ${'scenario'.padEnd(NAME)}${'calls'.padStart(CALLS)}${'tokens / needed'.padStart(TOKENS)}`;

/** One line; more only where there is much to be said of it. */
function tellScenario(
  scenario: ReportedScenario,
  { rules }: CertificateReport,
  mark: (verdict: RuleVerdict) => string,
): string[] {
  const { verdict, words } = troubleOf(scenario, rules);
  const { asked, needed } = scenario.tokens;
  const [name = '', ...rest] = wrap(scenario.name, NAME - 1);
  const columns = `${name.padEnd(NAME)}${String(scenario.callCount).padStart(CALLS)}${`${asked} / ${needed}`.padStart(TOKENS)}`;
  const [first = '', ...more] = wrap(words.join(', '), WIDTH - NAME - CALLS - TOKENS - 4);
  return [
    `${mark(verdict)} ${columns}  ${first}`.trimEnd(),
    ...rest.map((line) => `  ${line}`),
    ...more.map((line) => ' '.repeat(NAME + CALLS + TOKENS + 4) + line),
  ];
}

/** Of what a client printed; its report has more. */
const LAST_LINES = 5;

/** Clients that ended or never called, those that did so alike together, and where to read what they printed. */
function tellEnds(scenarios: readonly ReportedScenario[]): string[] {
  const ended = scenarios.filter(({ state }) => state === 'ended' || state === 'silent');
  const sentences = [...new Set(ended.map(stateInWords))];
  return sentences.flatMap((sentence) => {
    const those = ended.filter((scenario) => stateInWords(scenario) === sentence);
    const output = those.find((one) => one.output !== undefined)?.output;
    const names = those.map(({ name }) => name).join(', ');
    const where =
      output === undefined ? '' : ` It printed last (all of it is in ${output.file}, beside report.json):`;
    return [
      '',
      ...wrap(`${names}: ${sentence}${where}`, WIDTH),
      ...(output?.lastLines.split('\n').slice(-LAST_LINES) ?? []).flatMap((line) =>
        indented(clip(line, 200), 4),
      ),
    ];
  });
}

/** Rules of which nothing is to be said but their verdict. */
function compactly(
  verdict: RuleVerdict,
  rules: readonly JudgedRule[],
  mark: (verdict: RuleVerdict) => string,
): string[] {
  if (rules.length === 0) return [];
  const [first, ...rest] = wrap(
    `${VERDICTS[verdict].word}: ${rules.map(({ id }) => id).join(', ')}`,
    WIDTH - 2,
  );
  return [`${mark(verdict)} ${first}`, ...rest.map((line) => `  ${line}`)];
}

/** Rules that share a reason are told together. */
function reasoned(
  verdict: RuleVerdict,
  rules: readonly JudgedRule[],
  mark: (verdict: RuleVerdict) => string,
): string[] {
  return [...new Set(rules.map(({ reason }) => reason))].flatMap((reason) => [
    ...compactly(
      verdict,
      rules.filter((rule) => rule.reason === reason),
      mark,
    ),
    ...indented(reason ?? '', 4),
  ]);
}

/** More are on the page. */
const MOST_TOLD = 3;

/** The first of each scenario, and of many scenarios the names. */
function tellFindings(findings: readonly NumberedFinding[]): string[] {
  const firsts = findings.filter(
    ({ scenario }, index) => findings.findIndex((one) => one.scenario === scenario) === index,
  );
  const rest = firsts.slice(MOST_TOLD).map(({ scenario }) => scenario);
  const more = findings.length - firsts.length;
  return [
    ...firsts.slice(0, MOST_TOLD).flatMap(tellFinding),
    ...(rest.length > 0 ? hanging('· ', `in the same way in ${rest.join(', ')}`, 2) : []),
    ...(more > 0 ? hanging('· ', `and ${more} more in these scenarios: report.html has all`, 2) : []),
  ];
}

function tellFinding({ scenario, seen, calls }: NumberedFinding): string[] {
  const proof = calls.length === 0 ? '' : ` (${callsInWords(calls)})`;
  return hanging('· ', `${scenario}: ${seen}${proof}`, 2);
}

const indented = (text: string, indent: number): string[] =>
  wrap(text, WIDTH - indent).map((line) => ' '.repeat(indent) + line);

const hanging = (start: string, text: string, indent: number): string[] =>
  wrap(text, WIDTH - indent - 2).map((line, at) => ' '.repeat(indent) + (at === 0 ? start : '  ') + line);
