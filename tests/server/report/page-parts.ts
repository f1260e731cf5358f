/** Parts of the page that only a conformance report has: open points, limits, proof, requests, evidence. */
import type { Finding } from '../../feed/findings.ts';
import { type Markup, markup } from '../../report/markup.ts';
import type { Section } from '../../report/model.ts';
import { table } from '../../report/table.ts';
import { inOneLine, several } from '../../report/text.ts';
import type { Exchange, Response } from '../support/evidence.ts';
import type { JudgedRequirement, Report } from './report.ts';
import { proofInWords, whyNotJudged } from './wording.ts';

/** In the order of the page. */
export const sectionsOf = (report: Report): Section[] => [
  {
    id: 'open',
    title: 'Open points',
    about:
      'What the specification marks as not shown. A deployment may choose here; it is observed, not judged.',
    content: fold('Open points', renderOpenPoints(report)),
  },
  {
    id: 'unchecked',
    title: 'Not tested',
    about: 'What this report does not cover.',
    content: fold('Statements without a verdict', renderUnchecked(report)),
  },
  {
    id: 'proof',
    title: 'Self-test of the suite',
    about:
      'It runs the suite against mocks with one defect each, which it must catch, and against mocks that the specification permits, which it must accept.',
    content: markup`<p>${proofInWords(report.proof)}</p>
${report.proof && markup`<p class="digest">Digest <code>${report.proof.digest}</code></p>`}`,
  },
  {
    id: 'requests',
    title: 'Requests',
    about: `Everything that was sent to the deployment, in order: ${several(report.requests, 'request')}.`,
    content: renderRequests(report),
  },
];

function renderOpenPoints({ openPoints }: Report): Markup {
  const seen = openPoints.filter(({ observed }) => observed !== null);
  const unseen = openPoints.filter(({ observed }) => observed === null);
  return markup`${
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
}`;
}

function renderUnchecked({ notJudged }: Report): Markup {
  const ofClients = notJudged.filter(({ kind }) => kind === 'client');
  const others = notJudged.filter(({ kind }) => kind !== 'client');
  return markup`${
    others.length > 0 &&
    table(
      'unjudged',
      `Not observable: ${others.length}`,
      ['Statement', 'Text', 'Why it is not judged'],
      others.map((row) => [row.id, row.statement, whyNotJudged(row)]),
    )
  }
${
  ofClients.length > 0 &&
  table(
    'unjudged',
    `Apply to clients: ${ofClients.length}`,
    ['Statement', 'Text'],
    ofClients.map((row) => [row.id, row.statement]),
  )
}`;
}

const fold = (summary: string, content: Markup): Markup =>
  markup`<details><summary>${summary}</summary>
${content}
</details>`;

function renderRequests({ exchanges, requests }: Report): Markup {
  if (exchanges.length === 0) return markup``;
  return markup`<details><summary>All requests</summary>
${table(
  'requests',
  exchanges.length === requests
    ? 'Each with its answer'
    : `Recorded: ${exchanges.length} of ${requests}. Of a repeated request, only the last is kept.`,
  ['Request', 'Purpose', 'Request line', 'Answer', 'Sent at', 'Took'],
  exchanges.map(({ id, what, request, response, failure, sentAtMs, durationMs }) => [
    id,
    what,
    markup`<code>${request.method} ${request.path}</code>`,
    response ? `${response.status}, ${response.mediaType ?? 'no media type'}` : (failure ?? ''),
    `${(sentAtMs / 1000).toFixed(2)} s`,
    `${durationMs} ms`,
  ]),
)}
</details>`;
}

/** A finding in records, as a fact of its requirement. */
export function findingText({ rule, class: kind, count, places }: Finding): [name: string, text: string] {
  const where = places.map(({ pointer, seen }) => `${pointer || 'the body'}: ${seen}`).join('; ');
  return [kind === 'H' ? 'Warning' : 'Rule violated', `${rule}, ${several(count, 'time')}: ${where}`];
}

/** What a verdict rests on: what was sent and what came back, folded. */
export function renderEvidence({ id, evidence }: JudgedRequirement, report: Report): Markup | false {
  const exchanges = evidence.exchanges.flatMap(
    (one) => report.exchanges.find((exchange) => exchange.id === one) ?? [],
  );
  if (exchanges.length === 0) return false;
  return markup`<details><summary>Evidence: ${several(exchanges.length, 'request')}<span class="unseen"> for ${id}</span></summary>
${exchanges.map(renderExchange)}</details>`;
}

function renderExchange({ id, what, request, response, failure, ...times }: Exchange): Markup {
  const form = Object.entries(request.form ?? {}).map(([name, value]) => `${name} = ${value}`);
  return markup`<section class="exchange">
<h5>${what}</h5>
<p class="times">${id}, sent ${(times.sentAtMs / 1000).toFixed(2)} s into the run, took ${times.durationMs} ms${waited(times)}</p>
<div class="both">
<div><h6>Request</h6>
<pre><code><b>${request.method} ${request.path}</b>
${headers(request.headers)}${form.length > 0 && `\n${form.map(inOneLine).join('\n')}`}</code></pre></div>
<div><h6>Answer</h6>
${response ? renderResponse(response) : markup`<p>The deployment ${failure ?? 'gave no answer'}.</p>`}</div>
</div>
</section>
`;
}

const waited = ({ waitedSeconds }: Pick<Exchange, 'waitedSeconds'>): string =>
  waitedSeconds === undefined ? '' : `, after a wait of ${waitedSeconds} s that the deployment asked for`;

function renderResponse({ status, bodyBytes, excerpt, digest, ...response }: Response): Markup {
  const body = excerpt || (bodyBytes > 0 ? '(the body was not kept)' : '(no body)');
  return markup`<pre><code><b>${status}</b>
${headers(response.headers)}
${body}</code></pre>
<p class="times">${several(bodyBytes, 'byte')} in total, SHA-256 <code>${digest}</code></p>`;
}

const headers = (list: Response['headers']): string =>
  list.map(([name, value]) => `${inOneLine(`${name}: ${value}`)}\n`).join('');
