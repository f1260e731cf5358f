/** A report as a person reads it, in 80 columns. */

import { styleText } from 'node:util';
import { isFailure } from '../../feed/findings.ts';
import { VERDICTS } from '../../report/text.ts';
import { wrap } from '../../report/wrap.ts';
import type { Verdict } from '../../support/outcome.ts';
import type { Exchange } from '../support/evidence.ts';
import type { Gate } from './baseline.ts';
import { curlFor, tokenCommand } from './curl.ts';
import type { JudgedRequirement, Report } from './report.ts';
import { tally } from './wording.ts';

const WIDTH = 80;
const INDENT = 12;

const COLORS: Record<Verdict, Style> = {
  passed: 'green',
  failed: 'red',
  'could-not-run': 'yellow',
  'not-applicable': 'gray',
};

type Style = Parameters<typeof styleText>[0];

export interface Appearance {
  color: boolean;
  /** What a baseline made of the report. */
  gate?: Gate | undefined;
}

export function renderReport(report: Report, { color, gate }: Appearance): string {
  const paint = (style: Style, text: string) => (color ? styleText(style, text) : text);
  const { target, requirements, openPoints, problems } = report;

  const tell = (mark: string, id: string, text: string) => {
    const [first = '', ...rest] = wrap(text, WIDTH - INDENT);
    // The ids of a profile bear its name, and have a line of their own.
    if (id.length > INDENT - 3)
      return [`${mark} ${id}`, ...[first, ...rest].map((line) => ' '.repeat(INDENT) + line)];
    return [`${mark} ${id.padEnd(INDENT - 2)}${first}`, ...rest.map((line) => ' '.repeat(INDENT) + line)];
  };
  const tellRequirement = (requirement: JudgedRequirement) => {
    const style = COLORS[requirement.verdict];
    const { mark, word: plain } = VERDICTS[requirement.verdict];
    const word = requirement.verdict === 'failed' ? plain.toUpperCase() : plain;
    const { reason } = requirement.evidence;
    const cause = requirements.find(({ evidence }) => reason !== undefined && evidence.reason === reason);
    const text = cause && cause !== requirement ? `for the same reason as ${cause.id}` : gist(requirement);
    const lines = tell(paint(style, mark), requirement.id, `${word}: ${text}`);
    const at = lines.findIndex((line) => line.includes(word));
    return lines.map((line, index) => (index === at ? line.replace(word, paint(style, word)) : line));
  };
  const observed = openPoints.filter((point) => point.observed !== null);
  const warnings = requirements.flatMap(({ id, evidence }) =>
    (evidence.findings ?? []).filter((one) => !isFailure(one)).map((finding) => ({ id, finding })),
  );

  return [
    '',
    ...wrap(target.baseUrl, WIDTH).map((line) => paint('bold', line)),
    ...wrap(
      `client ${target.clientId}, ${report.requests} requests in ${(report.durationMs / 1000).toFixed(1)} s`,
      WIDTH,
    ),
    '',
    ...requirements.flatMap(tellRequirement),
    '',
    ...warnings.flatMap(({ id, finding: { rule, count, places } }) =>
      tell('!', id, `warning: ${rule}, ${count} times; ${places[0]?.pointer}: ${places[0]?.seen}`),
    ),
    ...(warnings.length > 0 ? [''] : []),
    ...tellReproduction(report),
    `Open points: ${observed.length} of ${openPoints.length} seen on the wire, none judged`,
    ...observed.flatMap((point) => tell('·', point.id, point.observed ?? '')),
    '',
    ...problems.flatMap((problem) => wrap(`Fault of the run: ${problem}`, WIDTH)),
    ...(gate?.faults ?? []).flatMap((fault) => wrap(fault, WIDTH)),
    ...(gate ? wrap(`accepted by the baseline: ${gate.accepted.join(', ') || 'nothing'}`, WIDTH) : []),
    ...profileLines(report),
    proofLine(report),
    lastLine(report, paint),
  ].join('\n');
}

/** Passed: what was seen of the request in question. Failed: all of it. Otherwise the reason. */
function gist({ verdict, statement, evidence }: JudgedRequirement): string {
  const { seen, expected, reason } = evidence;
  if (verdict === 'passed') return seen.split('; ', 1)[0] ?? '';
  if (verdict === 'failed') return `${statement} Expected ${expected}. Seen: ${seen}.`;
  return reason ?? '';
}

/** How to see each failure again: the request that was answered otherwise than expected. */
function tellReproduction({ requirements, exchanges, target }: Report): string[] {
  const failed = requirements.filter(({ verdict }) => verdict === 'failed');
  const shown = exchanges
    .map((exchange) => ({
      exchange,
      ids: failed.filter(({ evidence }) => evidence.exchanges[0] === exchange.id).map(({ id }) => id),
    }))
    .filter(({ ids }) => ids.length > 0);
  if (shown.length === 0) return [];
  const commands = shown.flatMap(({ exchange, ids }) => [
    ...wrap(`# ${ids.join(', ')}: ${exchange.what}${before(exchange, exchanges)}`, WIDTH),
    ...curlFor(exchange, target, WIDTH).split('\n'),
    '',
  ]);
  const setup = commands.some((line) => /\$\{?TOKEN/.test(line))
    ? [...tokenCommand(WIDTH).split('\n'), '']
    : [];
  const asserted = commands.some((line) => line.includes('$MRS_EXPIRED_TOKEN')) ? ', MRS_EXPIRED_TOKEN' : '';
  return [
    ...wrap(
      `To see the failures again, with MRS_BASE_URL, MRS_CLIENT_ID${asserted} and MRS_CLIENT_SECRET set, in bash or zsh:`,
      WIDTH,
    ),
    '',
    ...setup,
    ...commands,
  ];
}

/** What the token of an exchange had seen before: an answer to it may hang on that. */
function before({ request, sentAtMs }: Exchange, all: readonly Exchange[]): string {
  const tokenOf = (headers: Exchange['request']['headers']) =>
    headers.find(([name, value]) => name === 'authorization' && /‹token \d+›$/.test(value))?.[1];
  const token = tokenOf(request.headers);
  const earlier = all.filter(
    (one) => token !== undefined && one.sentAtMs < sentAtMs && tokenOf(one.request.headers) === token,
  );
  const [first] = earlier;
  if (!first) return '';
  const seconds = Math.round((sentAtMs - first.sentAtMs) / 1000);
  const uses = `${earlier.length} ${earlier.length === 1 ? 'call' : 'calls'} with this token before it`;
  return ` (${uses}${seconds > 0 ? `, the first ${seconds} s earlier` : ''})`;
}

/** What came out for the specification, and what for the profile. */
function profileLines({ profile, outcome, requirements }: Report): string[] {
  if (!profile || outcome === 'error') return [];
  const { name, specification, declared, notOffered } = profile;
  if (specification === 'conformant' && declared === 'conformant')
    return wrap(`conformant to the specification, and to the profile ${name}${untried(requirements)}`, WIDTH);
  const left = `; it leaves out ${notOffered.length} statements of the specification, so that nothing conforms to that`;
  if (notOffered.length > 0) return wrap(`the profile ${name}: ${declared}${left}`, WIDTH);
  const isEmpty = !requirements.some(({ kind }) => kind === 'declared');
  const why = isEmpty ? ', since it declares nothing (x-declared)' : '';
  return wrap(`the specification: ${specification}; the profile ${name}: ${declared}${why}`, WIDTH);
}

/** What the profile declares and this run had no occasion to try. */
function untried(requirements: readonly JudgedRequirement[]): string {
  const declared = requirements.filter(({ kind }) => kind === 'declared');
  const left = declared
    .filter(({ verdict }) => verdict === 'not-applicable')
    .map(({ id }) => id.split('@')[0]);
  if (left.length === 0) return '';
  return `, of which ${left.join(', ')} could not be tried (${left.length} of ${declared.length})`;
}

/** Whether the verdicts above come from a suite that was shown to find defects. */
function proofLine({ proof }: Report): string {
  if (!proof) return 'suite not proved: run npm run prove';
  const { defects, variants } = proof;
  return `suite proved: ${defects.caught}/${defects.total} defects caught, ${variants.accepted}/${variants.total} variants accepted`;
}

/** Stable, for machines: `outcome: conformant (24 passed, 0 failed, 0 could not run, 0 not applicable)`. */
function lastLine(report: Report, paint: (style: Style, text: string) => string): string {
  const { outcome } = report;
  return paint(outcome.startsWith('conformant') ? 'green' : 'red', `outcome: ${outcome} (${tally(report)})`);
}
