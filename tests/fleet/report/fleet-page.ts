/** fleet.html: one file that needs nothing outside itself, with prebuilt views that need no script. */

import { type Markup, markup } from '../../report/markup.ts';
import { type PagePart, type PageParts, renderPage, renderTable } from '../../report/page.ts';
import { anchorOf, type Row, type Text } from '../../report/report.ts';
import { several, VERDICTS } from '../../report/text.ts';
import type { FleetVerdict } from '../fleet-outcome.ts';
import { suiteGroups } from '../suite-groups.ts';
import { FLEET_STYLE } from './fleet-style.ts';
import { renderMatrix, viewsOf } from './matrix.ts';
import { anchorOfDeployment, reportOf } from './model.ts';
import { type Deployment, type Fleet, OUTCOME_WORDS, summaryOf, worstFirst } from './wording.ts';

/** Anchors of the page, which its address ends with to show a view. */
const VIEWS = [
  {
    id: 'failing',
    title: 'Failing',
    about: 'Deployments with a violation, a failed run, or without a report.',
  },
  {
    id: 'different',
    title: 'Different from last time',
    about: 'Deployments with another verdict or outcome than in the run before.',
  },
  {
    id: 'regressions',
    title: 'Regressions',
    about: 'Deployments that had kept a clause that they do not keep now.',
  },
] as const;

/** Deployments that are named for a clause; the others are counted. */
const NAMED = 12;

export const renderFleetPage = (fleet: Fleet): string =>
  renderPage({ ...reportOf(fleet), sections: [] }, partsOf(fleet));

/** Besides the deployments: the matrix, the clauses, and what was judged by other suites. */
function partsOf(fleet: Fleet): PageParts {
  const [current, ...others] = suiteGroups(fleet.deployments);
  const services = current.deployments.filter(({ kind }) => kind === 'service');
  const feeds = current.deployments.filter(({ kind }) => kind === 'feed');
  const first = [matrixSection(services, feeds, fleet)];
  const last = others.map(
    ({ specification, version, deployments }, at): PagePart => ({
      id: `other-suite-${at + 1}`,
      title: `Other suite: ${version ?? 'unknown'}`,
      about: `Judged by other statements of the specification (${specification?.slice(0, 19) ?? 'not stated'}). Their verdicts cannot be compared with those above.`,
      content: renderMatrix(deployments, `Deployments of another suite, ${at + 1}`, false),
    }),
  );
  const clauses = clauseSection(services, fleet);
  return { first, last: [...(clauses ? [clauses] : []), ...last], style: FLEET_STYLE };
}

function matrixSection(
  services: readonly Deployment[],
  feeds: readonly Deployment[],
  fleet: Fleet,
): PagePart {
  const all = [...services, ...feeds];
  const hasPast = all.some(({ trend }) => trend.length > 1);
  const views = VIEWS.filter(({ id }) => hasPast || id === 'failing');
  const count = (view: string) => all.filter((one) => viewsOf(one).includes(view)).length;
  return {
    id: 'matrix',
    title: 'Matrix',
    about:
      'A row for each deployment, the worst first; a column for each clause. An empty cell is a clause that the run did not judge.',
    content: markup`${views.map(({ id }) => markup`<span class="view" id="${id}"></span>`)}
<nav class="views" aria-label="Views"><ul>
<li class="all"><a href="#matrix">All <b>${all.length}</b></a></li>
${views.map(({ id, title }) => markup`<li class="${id}"><a href="#${id}">${title} <b>${count(id)}</b></a></li>\n`)}</ul></nav>
${views.map(({ id, about }) => markup`<p class="about ${id}-only">${about}${count(id) === 0 && ' There are none.'}</p>\n`)}
${services.length > 0 && renderMatrix(services, 'Deployments by clause')}
${feeds.length > 0 && renderFeeds(feeds)}
<p class="legend" aria-hidden="true">${(Object.keys(VERDICTS) as FleetVerdict[])
      .filter((verdict) =>
        fleet.deployments.some(({ requirements }) => requirements.some((one) => one.verdict === verdict)),
      )
      .map(
        (verdict) =>
          markup`<span class="${verdict}"><b>${VERDICTS[verdict].mark}</b> ${VERDICTS[verdict].word}</span> `,
      )}</p>`,
  };
}

/** A feed has no clauses: its row has what is wrong with it. */
function renderFeeds(feeds: readonly Deployment[]): Markup {
  return markup`<table class="feeds" role="table">
<caption>Feeds</caption>
<thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col">Feed</th><th role="columnheader" scope="col">Outcome</th><th role="columnheader" scope="col">Found</th></tr></thead>
<tbody role="rowgroup">
${worstFirst(feeds).map(
  (feed) =>
    markup`<tr role="row" class="${viewsOf(feed).join(' ') || 'fine'}"><th role="rowheader" scope="row"><a href="#${anchorOfDeployment(feed.name)}">${feed.name}</a></th><td role="cell" data-column="Outcome" class="outcome ${feed.outcome}">${OUTCOME_WORDS[feed.outcome].word}</td><td role="cell" data-column="Found">${summaryOf(feed)}</td></tr>
`,
)}</tbody>
</table>`;
}

/** Undefined where no deployment has a report. */
function clauseSection(services: readonly Deployment[], { clauses }: Fleet): PagePart | undefined {
  const ids = [...new Set(services.flatMap(({ requirements }) => requirements.map(({ id }) => id)))];
  if (ids.length === 0) return undefined;
  const statements = new Map(clauses.map(({ id, statement }) => [id, statement]));
  const verdictOf = ({ requirements }: Deployment, id: string) =>
    requirements.find((one) => one.id === id)?.verdict;
  const rows = ids
    .map((id) => ({
      id,
      failed: services.filter((one) => verdictOf(one, id) === 'failed'),
      open: services.filter((one) => verdictOf(one, id) === 'could-not-run').length,
      passed: services.filter((one) => verdictOf(one, id) === 'passed').length,
    }))
    .toSorted((one, other) => other.failed.length - one.failed.length || other.open - one.open);
  return {
    id: 'clauses',
    title: 'Clauses',
    about: 'What each requirement says, and where it is violated; the most violated first.',
    content: renderTable({
      name: 'clauses',
      caption: several(ids.length, 'requirement'),
      columns: ['Requirement', 'Statement', 'Violated by', 'Could not run', 'Kept by'],
      rows: rows.map(
        ({ id, failed, open, passed }): Row => ({
          id: `clause-${anchorOf(id)}`,
          cells: [
            id,
            statements.get(id) ?? '',
            failed.length === 0
              ? '–'
              : [{ text: String(failed.length), verdict: 'failed' }, ...namesOf(failed)],
            String(open),
            String(passed),
          ],
        }),
      ),
    }),
  };
}

function namesOf(deployments: readonly Deployment[]): Exclude<Text, string> {
  const rest = deployments.length - NAMED;
  return [
    ': ',
    ...deployments
      .slice(0, NAMED)
      .flatMap(({ name }, at) => [...(at > 0 ? [', '] : []), { text: name, to: anchorOfDeployment(name) }]),
    ...(rest > 0 ? [` and ${rest} more`] : []),
  ];
}
