/** A conformance report in a terminal. */
import { isFailure } from '../../feed/findings.ts';
import { createPen, hanging, indented, type Pen, renderTerminal, WIDTH } from '../../report/terminal.ts';
import { wrap } from '../../report/wrap.ts';
import type { Gate } from './baseline.ts';
import { modelOf } from './model.ts';
import type { JudgedRequirement, Report } from './report.ts';

/** The texts begin in this column. */
const INDENT = 12;

export interface Appearance {
  color: boolean;
  /** What a baseline made of the report. */
  gate?: Gate | undefined;
}

export function renderReport(report: Report, { color, gate }: Appearance): string {
  const pen = createPen(color);
  const { target, requirements, requests, durationMs, openPoints } = report;
  const observed = openPoints.filter((point) => point.observed !== null);
  const warnings = requirements.flatMap(({ id, evidence }) =>
    (evidence.findings ?? []).filter((one) => !isFailure(one)).map((finding) => ({ id, finding })),
  );
  const parts = {
    headline: [`client ${target.clientId}, ${requests} requests in ${(durationMs / 1000).toFixed(1)} s`],
    body: [
      ...requirements.flatMap((requirement) => renderRequirement(requirement, requirements, pen)),
      '',
      ...warnings.flatMap(({ id, finding: { rule, count, places } }) =>
        entry('!', id, `warning: ${rule}, ${count} times; ${places[0]?.pointer}: ${places[0]?.seen}`),
      ),
      ...(warnings.length > 0 ? [''] : []),
      ...renderReproduction(report),
      `Open points: ${observed.length} of ${openPoints.length} seen on the wire, none judged`,
      ...observed.flatMap((point) => entry('·', point.id, point.observed ?? '')),
      '',
    ],
    closing: [
      ...(gate?.faults ?? []),
      ...(gate ? [`accepted by the baseline: ${gate.accepted.join(', ') || 'nothing'}`] : []),
      ...profileLines(report),
      proofLine(report),
    ],
  };
  return renderTerminal(modelOf(report), parts, pen);
}

/** A mark, an id, and a text in a column of its own; a long id gets its own line. */
function entry(mark: string, id: string, text: string): string[] {
  const lines = indented(text, INDENT);
  if (id.length > INDENT - 3) return [...hanging(`${mark} `, id, 0), ...lines];
  return lines.map((line, at) => (at === 0 ? `${mark} ${id.padEnd(INDENT - 2)}${line.slice(INDENT)}` : line));
}

function renderRequirement(
  requirement: JudgedRequirement,
  all: readonly JudgedRequirement[],
  { mark, word }: Pen,
): string[] {
  const { id, verdict, evidence } = requirement;
  const { reason } = evidence;
  const cause = all.find((one) => reason !== undefined && one.evidence.reason === reason);
  const text = cause && cause !== requirement ? `for the same reason as ${cause.id}` : gist(requirement);
  const plain = createPen(false).word(verdict);
  const lines = entry(mark(verdict), id, `${plain}: ${text}`);
  const at = lines.findIndex((line) => line.includes(plain));
  return lines.map((line, index) => (index === at ? line.replace(plain, word(verdict)) : line));
}

/** Passed: what was seen of the request in question. Failed: all of it. Otherwise the reason. */
function gist({ verdict, statement, evidence }: JudgedRequirement): string {
  const { seen, expected, reason } = evidence;
  if (verdict === 'passed') return seen.split('; ', 1)[0] ?? '';
  if (verdict === 'failed') return `${statement} Expected ${expected}. Seen: ${seen}.`;
  return reason ?? '';
}

/** The commands for each failure; those that fail several requirements are shown once. */
function renderReproduction({ requirements }: Report): string[] {
  const failed = requirements.filter(({ evidence }) => evidence.reproduction !== undefined);
  const blocks = [...new Set(failed.map(({ evidence }) => evidence.reproduction ?? ''))];
  return blocks.flatMap((block) => {
    const ids = failed.filter(({ evidence }) => evidence.reproduction === block).map(({ id }) => id);
    return [...wrap(`To reproduce ${ids.join(', ')}, in bash:`, WIDTH), '', ...block.split('\n'), ''];
  });
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
  if (!proof) return 'suite not proved: run npm run prove';
  const { defects, variants } = proof;
  return `suite proved: ${defects.caught}/${defects.total} defects caught, ${variants.accepted}/${variants.total} variants accepted`;
}
