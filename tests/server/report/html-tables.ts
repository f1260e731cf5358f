/** The tables of the page: what was observed, what was not checked, and every request. */

import { anchorOf } from '../../report/html-page.ts';
import { table } from '../../report/html-table.ts';
import { type Markup, markup } from '../../report/markup.ts';
import { several, VERDICTS } from '../../report/text.ts';
import type { Report } from './report.ts';
import { whyNotJudged } from './wording.ts';

export function renderOpenPoints({ openPoints }: Report): Markup {
  const seen = openPoints.filter(({ observed }) => observed !== null);
  const unseen = openPoints.filter(({ observed }) => observed === null);
  return markup`<section id="open" aria-labelledby="open-title">
<h2 id="open-title">Open points</h2>
<p class="about">What the specification marks as not shown. A deployment may do as it likes here, so it is observed and never judged.</p>
${
  seen.length > 0 &&
  table(
    'points',
    `Seen on the wire: ${seen.length} of ${openPoints.length}`,
    ['Point', 'What is left open', 'What was observed'],
    seen.map(({ id, statement, observed }) => [id, statement, observed ?? '']),
  )
}
${
  unseen.length > 0 &&
  markup`<details><summary>Not seen on the wire: ${unseen.length} of ${openPoints.length}</summary>
<dl class="rows">${unseen.map(({ id, statement }) => markup`<div><dt>${id}</dt><dd>${statement}</dd></div>`)}</dl>
</details>`
}
</section>`;
}

export function renderUnchecked({ requirements, notJudged }: Report): Markup {
  const skipped = requirements.filter(({ evidence }) => evidence.reason !== undefined);
  return markup`<section id="unchecked" aria-labelledby="unchecked-title">
<h2 id="unchecked-title">What was not checked</h2>
<p class="about">The limits of what this report claims.</p>
${
  skipped.length > 0 &&
  table(
    'skipped',
    `Requirements without a judgement: ${skipped.length}`,
    ['Requirement', 'Verdict', 'Reason'],
    skipped.map(({ id, verdict, evidence }) => [
      markup`<a href="#${anchorOf(id)}">${id}</a>`,
      markup`<span class="badge ${verdict}"><span aria-hidden="true">${VERDICTS[verdict].mark}</span> ${VERDICTS[verdict].word}</span>`,
      evidence.reason ?? '',
    ]),
  )
}
${
  notJudged.length > 0 &&
  table(
    'unjudged',
    `Statements that no verdict is owed on: ${notJudged.length}`,
    ['Statement', 'What it says', 'Why it is not judged'],
    notJudged.map((row) => [row.id, row.statement, whyNotJudged(row)]),
  )
}
</section>`;
}

export function renderRequests({ exchanges, requests }: Report): Markup {
  return markup`<section id="requests" aria-labelledby="requests-title">
<h2 id="requests-title">Requests</h2>
<p class="about">All that was sent to the deployment, in order: ${several(requests, 'request')}.</p>
${
  exchanges.length > 0 &&
  markup`<details><summary>The requests one by one</summary>
${table(
  'requests',
  exchanges.length === requests
    ? 'Each with its answer'
    : `Recorded: ${exchanges.length} of ${requests}. Of a request that was repeated, the last is kept.`,
  ['Request', 'What it is', 'Line', 'Answer', 'Sent at', 'Took'],
  exchanges.map(({ id, what, request, response, failure, sentAtMs, durationMs }) => [
    id,
    what,
    markup`<code>${request.method} ${request.path}</code>`,
    response ? `${response.status}, ${response.mediaType ?? 'no media type'}` : (failure ?? ''),
    `${(sentAtMs / 1000).toFixed(2)} s`,
    `${durationMs} ms`,
  ]),
)}
</details>`
}
</section>`;
}
