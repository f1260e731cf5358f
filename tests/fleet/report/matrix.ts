/** Deployments × clauses as a table: the worst deployment first, a column for each clause of the specification. */

import { type Markup, markup } from '../../report/markup.ts';
import { anchorOf } from '../../report/report.ts';
import { VERDICTS } from '../../report/text.ts';
import type { FleetVerdict } from '../fleet-outcome.ts';
import { anchorOfDeployment, isAccepted } from './model.ts';
import { type Deployment, dayOf, failuresOf, OUTCOME_WORDS, summaryOf, worstFirst } from './wording.ts';

/** Requirements of a profile have its name after an @; all of them share a column. */
const isOfProfile = (id: string): boolean => /^MRS-[\d.]+[a-z]?@[a-z0-9-]+$/.test(id);
const PROFILE = 'profile';

/** The order in which a column of several verdicts shows one of them. */
const GRAVEST: readonly FleetVerdict[] = ['failed', 'could-not-run', 'warned', 'passed', 'not-applicable'];

/** `name` is what a screen reader calls the table; `hasAnchors`: the page has a row for each clause. */
export function renderMatrix(deployments: readonly Deployment[], name: string, hasAnchors = true): Markup {
  const ids = [...new Set(deployments.flatMap(({ requirements }) => requirements.map(({ id }) => id)))];
  const columns = [...ids.filter((id) => !isOfProfile(id)), ...(ids.some(isOfProfile) ? [PROFILE] : [])];
  const trend = deployments.some((one) => one.trend.length > 1);
  return markup`<div class="scroll" role="region" aria-label="${name}" tabindex="0">
<table class="matrix" role="table">
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Deployment</th><th role="columnheader" scope="col">Outcome</th>${trend && markup`<th role="columnheader" scope="col">Last runs</th>`}${columns.map(
    (id) => markup`<th role="columnheader" scope="col" class="clause">${heading(id, hasAnchors)}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">
${worstFirst(deployments).map((deployment) => renderRow(deployment, columns, trend))}</tbody>
</table>
</div>
`;
}

const heading = (id: string, hasAnchors: boolean): Markup =>
  hasAnchors && id !== PROFILE
    ? markup`<a href="#clause-${anchorOf(id)}">${shortId(id)}</a>`
    : markup`<span>${shortId(id)}</span>`;

const shortId = (id: string): string => id.replace(/^MRS-/, '');

function renderRow(deployment: Deployment, columns: readonly string[], trend: boolean): Markup {
  const { name, outcome, requirements } = deployment;
  const verdicts = new Map<string, FleetVerdict>();
  for (const { id, verdict } of requirements) {
    const column = isOfProfile(id) ? PROFILE : id;
    const before = verdicts.get(column);
    if (before === undefined || GRAVEST.indexOf(verdict) < GRAVEST.indexOf(before))
      verdicts.set(column, verdict);
  }
  const cells =
    outcome === 'no-report'
      ? [
          markup`<td role="cell" colspan="${Math.max(1, columns.length)}" class="why no-report">${summaryOf(deployment)}</td>`,
        ]
      : columns.map((column) => renderCell(column, verdicts.get(column)));
  return markup`<tr role="row" class="${viewsOf(deployment).join(' ') || 'fine'}"><th role="rowheader" scope="row"><a href="#${anchorOfDeployment(name)}">${name}</a></th><td role="cell" class="outcome ${outcome}">${OUTCOME_WORDS[outcome].word}${isAccepted(deployment) && ' (accepted)'}${renderSince(deployment)}</td>${trend && renderTrend(deployment)}${cells}</tr>
`;
}

/** The mark of a cell comes from the style sheet. Only what is shown on a narrow screen needs the name of its column. */
function renderCell(column: string, verdict: FleetVerdict | undefined): Markup {
  if (verdict === undefined) return markup`<td role="cell" class="blank"></td>`;
  const isQuiet = verdict === 'passed' || verdict === 'not-applicable';
  return markup`<td role="cell" class="${verdict}"${!isQuiet && markup` data-column="${shortId(column)}"`}><i>${VERDICTS[verdict].word}</i></td>`;
}

const renderSince = ({ since, outcome }: Deployment): Markup | false =>
  since !== undefined && outcome !== 'conformant' && markup` <small>since ${dayOf(since)}</small>`;

function renderTrend({ trend }: Deployment): Markup {
  return markup`<td role="cell" class="trend">${trend.map(
    ({ outcome, at, isComparable }) =>
      markup`<span class="${outcome}${!isComparable && ' apart'}" title="${dayOf(at)}: ${OUTCOME_WORDS[outcome].word}${!isComparable && ', by other statements'}"><i>${OUTCOME_WORDS[outcome].word}, </i></span>`,
  )}</td>`;
}

/** The views that a deployment is part of. */
export function viewsOf(deployment: Deployment): string[] {
  const { outcome, changes, trend } = deployment;
  const before = trend.at(-2);
  const isOther = before !== undefined && before.outcome !== outcome;
  const views = {
    failing:
      failuresOf(deployment).length > 0 ||
      outcome === 'nonconformant' ||
      outcome === 'error' ||
      outcome === 'no-report',
    different: changes.length > 0 || isOther,
    regressions: changes.some(({ isRegression }) => isRegression) || (isOther && outcome === 'no-report'),
  };
  return Object.entries(views).flatMap(([view, isIn]) => (isIn ? [view] : []));
}
