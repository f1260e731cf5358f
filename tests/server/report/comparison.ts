/** What changed from one report to another: verdicts, requirements that are gone, observations that drifted. */

import { wrap } from '../../report/wrap.ts';
import type { Verdict } from '../../support/outcome.ts';
import type { Report } from './report.ts';

const WIDTH = 80;

export interface Change {
  id: string;
  before: Verdict | 'absent';
  after: Verdict | 'absent';
  /** What was known to be kept is not known any more, or what was not known to be broken is broken. */
  isRegression: boolean;
}

export interface Drift {
  id: string;
  before: string | null;
  after: string | null;
}

export interface Comparison {
  changes: Change[];
  drifts: Drift[];
}

export function compareReports(before: Report, after: Report): Comparison {
  const ids = (report: Report) => report.requirements.map(({ id }) => id);
  const verdictOf = (id: string, { requirements }: Report): Change['before'] =>
    requirements.find((requirement) => requirement.id === id)?.verdict ?? 'absent';
  const changes = [...new Set([...ids(before), ...ids(after)])]
    .map((id) => ({ id, before: verdictOf(id, before), after: verdictOf(id, after) }))
    .filter((change) => change.before !== change.after)
    .map((change) => ({ ...change, isRegression: change.before === 'passed' || change.after === 'failed' }));

  const observedIn = (id: string, { openPoints }: Report) =>
    openPoints.find((point) => point.id === id)?.observed ?? null;
  const drifts = before.openPoints
    .map(({ id, observed }) => ({ id, before: steady(observed), after: steady(observedIn(id, after)) }))
    .filter((drift) => drift.before !== drift.after);
  return { changes, drifts };
}

/** Measured ages differ from run to run, and nothing has drifted by that. */
const steady = (observed: string | null) => observed?.replace(/at the age of [\d.]+ s/, 'after it') ?? null;

export function renderComparison({ changes, drifts }: Comparison): string {
  const regressions = changes.filter(({ isRegression }) => isRegression).length;
  return [
    ...changes.map(
      ({ id, before, after, isRegression }) =>
        `${isRegression ? '✗' : '✓'} ${id.padEnd(9)} ${before} → ${after}`,
    ),
    ...drifts.flatMap(({ id, before, after }) => [
      `· ${id}`,
      ...wrap(`was: ${before ?? 'not seen'}`, WIDTH - 4).map((line) => `    ${line}`),
      ...wrap(`now: ${after ?? 'not seen'}`, WIDTH - 4).map((line) => `    ${line}`),
    ]),
    `compared: ${changes.length} verdicts changed, ${regressions} regressions, ${drifts.length} drifted`,
  ].join('\n');
}
