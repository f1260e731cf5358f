/** A certificate in a terminal. */
import type { Item } from '../../report/model.ts';
import { itemsInOrder } from '../../report/model.ts';
import { createPen, indented, type Pen, renderBroken, renderTerminal, WIDTH } from '../../report/terminal.ts';
import { clip, several, VERDICTS } from '../../report/text.ts';
import { wrap } from '../../report/wrap.ts';
import type { JudgedRule, RuleVerdict } from '../certificate.ts';
import { modelOf } from './model.ts';
import type { CertificateReport, ReportedScenario } from './report.ts';
import {
  inSeconds,
  isFeedReader,
  leftOutInWords,
  measureOf,
  stateInWords,
  strategyInWords,
  tokensInWords,
  troubleOf,
} from './wording.ts';

/** Scenarios, rules, findings with what to do, and a last line of a stable form. */
export function renderCertificate(
  report: CertificateReport,
  { color, page }: { color: boolean; page?: string | undefined },
): string {
  const pen = createPen(color);
  const model = modelOf(report);
  const { scenarios, strategy, tokens, requests, durationMs } = report;
  const isFeed = isFeedReader(report);
  const measure = measureOf(report);
  const items = itemsInOrder(model);
  const of = (verdict: RuleVerdict) => items.filter((item) => item.verdict === verdict);
  const parts = {
    headline: [
      `${several(requests, 'request')} in ${several(scenarios.length, 'scenario')}, ${inSeconds(durationMs)}`,
    ],
    body: [
      ...[...of('failed'), ...of('warned')].flatMap((item) => [...renderBroken(item, shown(item), pen), '']),
      ...byReason('could-not-run', of('could-not-run'), pen),
      ...together('passed', of('passed'), pen),
      ...byReason('not-applicable', of('not-applicable'), pen),
      ...(items.length > 0 ? [''] : []),
      ...(scenarios.length > 0 ? [pen.paint('gray', headingOf(measure.heading))] : []),
      ...scenarios.flatMap((scenario) => renderScenario(scenario, measure.of(scenario), report.rules, pen)),
      ...renderEnds(scenarios),
      '',
    ],
    closing: [
      ...leftOutInWords(report),
      strategyInWords(report),
      ...(isFeed ? [] : [`tokens: ${tokensInWords(tokens)}`]),
    ],
    lastWords: isFeed ? '' : `, strategy: ${strategy}`,
    page,
  };
  return renderTerminal(model, parts, pen);
}

const NAME = 22;
const CALLS = 7;
const TOKENS = 17;
const headingOf = (measure: string): string =>
  `  ${'scenario'.padEnd(NAME)}${'calls'.padStart(CALLS)}${measure.padStart(TOKENS)}`;

/** One line; more only if the result is long. */
function renderScenario(
  scenario: ReportedScenario,
  { counted, of }: { counted: string; of: string },
  rules: readonly JudgedRule[],
  { mark }: Pen,
): string[] {
  const { verdict, words } = troubleOf(scenario, rules);
  const [name = '', ...rest] = wrap(scenario.name, NAME - 1);
  const columns = `${name.padEnd(NAME)}${String(scenario.callCount).padStart(CALLS)}${`${counted} / ${of}`.padStart(TOKENS)}`;
  const [first = '', ...more] = wrap(words.join(', '), WIDTH - NAME - CALLS - TOKENS - 4);
  return [
    `${mark(verdict)} ${columns}  ${first}`.trimEnd(),
    ...rest.map((line) => `  ${line}`),
    ...more.map((line) => ' '.repeat(NAME + CALLS + TOKENS + 4) + line),
  ];
}

/** Lines of a client's output; its file has more. */
const LAST_LINES = 5;

/** Clients that exited or never called, grouped by how, and where to read what they printed. */
function renderEnds(scenarios: readonly ReportedScenario[]): string[] {
  const ended = scenarios.filter(({ state }) => state === 'ended' || state === 'silent');
  return [...new Set(ended.map(stateInWords))].flatMap((sentence) => {
    const those = ended.filter((scenario) => stateInWords(scenario) === sentence);
    const output = those.find((one) => one.output !== undefined)?.output;
    const names = those.map(({ name }) => name).join(', ');
    const where =
      output === undefined ? '' : ` Its last output (all of it is in ${output.file}, next to report.json):`;
    return [
      '',
      ...wrap(`${names}: ${sentence}${where}`, WIDTH),
      ...(output?.lastLines.trimEnd().split('\n').slice(-LAST_LINES) ?? []).flatMap((line) =>
        indented(clip(line, 200), 4),
      ),
    ];
  });
}

/** Rules of one verdict in one paragraph. */
function together(verdict: RuleVerdict, items: readonly Item[], { mark }: Pen): string[] {
  if (items.length === 0) return [];
  const ids = items.map(({ id }) => id).join(', ');
  const [first, ...rest] = wrap(`${VERDICTS[verdict].word}: ${ids}`, WIDTH - 2);
  return [`${mark(verdict)} ${first}`, ...rest.map((line) => `  ${line}`)];
}

/** Rules that share a reason in one paragraph. */
function byReason(verdict: RuleVerdict, items: readonly Item[], pen: Pen): string[] {
  return [...new Set(items.map(({ reason }) => reason))].flatMap((reason) => [
    ...together(
      verdict,
      items.filter((item) => item.reason === reason),
      pen,
    ),
    ...indented(reason ?? '', 4),
  ]);
}

/** Findings of a rule in the terminal; the page shows all. */
const MOST_FINDINGS = 3;

/** The first finding of each scenario; of many scenarios only the names. */
function shown({ findings }: Item) {
  const firsts = findings.filter(
    ({ where }, index) => findings.findIndex((one) => one.where === where) === index,
  );
  const others = firsts.slice(MOST_FINDINGS).map(({ where }) => where);
  const rest = findings.length - firsts.length;
  return {
    findings: firsts.slice(0, MOST_FINDINGS),
    more: [
      ...(others.length > 0 ? [`the same in ${others.join(', ')}`] : []),
      ...(rest > 0 ? [`${rest} more in these scenarios: see report.html`] : []),
    ],
  };
}
