/** A conformance report in a terminal. */
import { isFailure } from '../../feed/findings.ts';
import { type Item, itemsInOrder } from '../../report/model.ts';
import {
  createPen,
  hanging,
  indented,
  type Pen,
  renderBroken,
  renderTerminal,
  WIDTH,
} from '../../report/terminal.ts';
import { several, VERDICTS } from '../../report/text.ts';
import { type Trouble, unjudged } from '../../report/troubles.ts';
import { cut } from '../../report/wrap.ts';
import type { Verdict } from '../../support/verdict.ts';
import { acceptedInWords, type Gate } from './baseline.ts';
import { modelOf } from './model.ts';
import type { JudgedRequirement, Report } from './report.ts';
import { nonAnswersInWords } from './wording.ts';

/** The texts begin in this column. */
const INDENT = 12;

export interface Appearance {
  color: boolean;
  /** The report to open. */
  page?: string | undefined;
}

export function renderReport(report: Report, { color, page }: Appearance): string {
  const pen = createPen(color);
  const model = modelOf(report);
  const { target, requirements, requests, durationMs, openPoints, suite, baseline } = report;
  const observed = openPoints.filter((point) => point.observed !== null);
  const warnings = requirements.flatMap(({ id, evidence }) =>
    (evidence.findings ?? []).filter((one) => !isFailure(one)).map((finding) => ({ id, finding })),
  );
  const items = itemsInOrder(model);
  const of = (verdict: Verdict) => items.filter((item) => item.verdict === verdict);
  const made = suite ? `, ${suite.name} ${suite.version}` : '';
  const parts = {
    headline: [
      `client ${target.clientId}, ${requests} requests in ${(durationMs / 1000).toFixed(1)} s${made}`,
    ],
    body: [
      ...renderFailures(of('failed'), pen),
      ...unjudged(model, items).flatMap((trouble) => renderUnjudged(trouble, model.cause, pen)),
      ...of('passed').flatMap(({ id }) =>
        renderPassed(
          requirements.find((one) => one.id === id),
          pen,
        ),
      ),
      ...byReason(of('not-applicable')).flatMap((item) => renderLine(item, item.reason ?? '', pen)),
      ...(requirements.length > 0 ? [''] : []),
      ...warnings.flatMap(({ id, finding: { rule, count, places } }) =>
        entry('!', id, `warning: ${rule}, ${count} times; ${places[0]?.pointer}: ${places[0]?.seen}`),
      ),
      ...(warnings.length > 0 ? [''] : []),
    ],
    closing: [
      ...nonAnswersInWords(report),
      ...(observed.length > 0
        ? [
            `Open points: ${observed.length} of ${openPoints.length} seen on the wire, none judged; the report lists them.`,
          ]
        : []),
      ...(baseline ? renderGate(baseline) : []),
      ...profileLines(report),
      proofLine(report),
    ],
    page,
  };
  return renderTerminal(model, parts, pen);
}

/** What a baseline accepts, until when and why, and what is wrong with it. */
export const renderGate = ({ faults, accepted }: Gate): string[] => [
  ...faults,
  ...(accepted.length > 0
    ? accepted.map(
        (one) => `baseline: ${one.requirement} ${VERDICTS[one.verdict].word}, ${acceptedInWords(one)}`,
      )
    : ['baseline: accepts nothing of this run']),
];

/** Each failure with its command; the same command is printed once. */
function renderFailures(failed: readonly Item[], pen: Pen): string[] {
  return failed.flatMap((item, at) => {
    const { commands } = item;
    const before = failed.slice(0, at).find((one) => one.commands === commands);
    const broken = renderBroken(item, { findings: [], more: [] }, pen);
    if (commands === undefined) return [...broken, ''];
    if (before) return [...broken, `  To send the request again: the command of ${before.id}.`, ''];
    return [...broken, '  To send the request again, in bash:', '', commands, ''];
  });
}

function renderUnjudged({ sentence, items }: Trouble, cause: string | undefined, { mark }: Pen): string[] {
  const [first, ...others] = items;
  const ids = items.map(({ id }) => id).join(', ');
  // What kept all of them from being tested is above.
  if (sentence === cause)
    return [
      ...hanging(`${mark('could-not-run')} `, `not tested: ${several(items.length, 'requirement')}`, 0),
    ];
  if (others.length === 0) return renderLine(first, first.reason ?? '', createPen(false));
  return [
    ...hanging('? ', sentence, 0).map((line, at) =>
      at === 0 ? line.replace('?', mark('could-not-run')) : line,
    ),
    ...indented(ids, 2),
  ];
}

/** What was seen of the request in question, in one line. */
function renderPassed(requirement: JudgedRequirement | undefined, pen: Pen): string[] {
  if (!requirement) return [];
  const { id, evidence } = requirement;
  const seen = evidence.seen.split('; ', 1)[0] ?? '';
  const [first = '', ...rest] = entry('✓', id, `passed: ${seen}`);
  const line = rest.length === 0 ? first : `${cut(first, WIDTH - 1)}…`;
  return [line.replace('✓', pen.mark('passed')).replace('passed', pen.word('passed'))];
}

/** One item for each reason, with the ids of all that share it. */
function byReason(items: readonly Item[]): Item[] {
  const firsts = items.filter(({ reason }, at) => items.findIndex((one) => one.reason === reason) === at);
  return firsts.map((first) => {
    const ids = items.filter(({ reason }) => reason === first.reason).map(({ id }) => id);
    return { ...first, id: ids.join(', ') };
  });
}

function renderLine({ id, verdict }: Item, text: string, pen: Pen): string[] {
  const { mark, word } = VERDICTS[verdict];
  const [first = '', ...rest] = entry(mark, id, `${word}: ${text}`);
  return [first.replace(mark, pen.mark(verdict)).replace(word, pen.word(verdict)), ...rest];
}

/** A mark, an id, and a text in a column of its own; a long id gets its own line. */
export function entry(mark: string, id: string, text: string): string[] {
  const lines = indented(text, INDENT);
  if (id.length > INDENT - 3) return [...hanging(`${mark} `, id, 0), ...lines];
  return lines.map((line, at) => (at === 0 ? `${mark} ${id.padEnd(INDENT - 2)}${line.slice(INDENT)}` : line));
}

/** The outcome for the specification, and for the profile. */
function profileLines({ profile, outcome, requirements }: Report): string[] {
  if (!profile || outcome === 'error') return [];
  const { name, specification, declared, notOffered } = profile;
  if (specification === 'conformant' && declared === 'conformant')
    return [`conformant to the specification, and to the profile ${name}${untried(requirements)}`];
  if (notOffered.length > 0)
    return [
      `the profile ${name}: ${declared}; it leaves out ${notOffered.length} statements of the specification, so a deployment of it cannot conform to the specification`,
    ];
  const isEmpty = !requirements.some(({ kind }) => kind === 'declared');
  const why = isEmpty ? ', since it declares nothing (x-declared)' : '';
  return [`the specification: ${specification}; the profile ${name}: ${declared}${why}`];
}

/** What the profile declares and this run could not try. */
function untried(requirements: readonly JudgedRequirement[]): string {
  const declared = requirements.filter(({ kind }) => kind === 'declared');
  const left = declared
    .filter(({ verdict }) => verdict === 'not-applicable')
    .map(({ id }) => id.split('@')[0]);
  if (left.length === 0) return '';
  return `, of which ${left.join(', ')} could not be tried (${left.length} of ${declared.length})`;
}

/** Whether the suite that gave these verdicts was shown to find defects. */
function proofLine({ proof }: Report): string {
  if (!proof) return 'self-test of the suite: not run; it is optional (mrs prove)';
  const { defects, variants } = proof;
  return `self-test of the suite: ${defects.caught}/${defects.total} defects caught, ${variants.accepted}/${variants.total} variants accepted`;
}
