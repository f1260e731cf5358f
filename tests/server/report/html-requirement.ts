/** One requirement on the page: its verdict, what that rests on, and how to see it again. */

import type { Finding } from '../../feed/findings.ts';
import { anchorOf } from '../../report/html-page.ts';
import { type Markup, markup } from '../../report/markup.ts';
import { inOneLine, several, VERDICTS } from '../../report/text.ts';
import type { Exchange, Response } from '../support/evidence.ts';
import { reproduction } from './curl.ts';
import type { JudgedRequirement, Report } from './report.ts';

export function renderRequirement(requirement: JudgedRequirement, report: Report): Markup {
  const { id, verdict, statement, reading, source, evidence } = requirement;
  const { mark, word } = VERDICTS[verdict];
  const anchor = anchorOf(id);
  const isFailed = verdict === 'failed';
  const facts = [
    ['Expected', evidence.expected],
    ['Seen', evidence.seen || undefined],
    ['Reason', evidence.reason],
    ['Read as', reading],
    ['Declared by', source],
    ...(evidence.findings ?? []).map(findingOf),
    ['Expiry is known by', evidence.evidenceStrength],
  ] as const satisfies readonly (readonly [string, string | undefined])[];
  return markup`<article id="${anchor}" class="requirement ${verdict}" aria-labelledby="${anchor}-title">
<p class="verdict"><span aria-hidden="true">${mark}</span> ${word}</p>
<h4 id="${anchor}-title"><a class="id" href="#${anchor}">${id}</a> ${statement}</h4>
<div class="grounds">
<dl>${facts.map(([name, text]) => text !== undefined && markup`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>
${isFailed && markup`<h5>How to see it again</h5>${commands(evidence.exchanges, report)}`}
${renderEvidence(requirement, report)}
</div>
</article>
`;
}

function findingOf({ rule, class: kind, count, places }: Finding): [name: string, text: string] {
  const where = places.map(({ pointer, seen }) => `${pointer || 'the body'}: ${seen}`).join('; ');
  return [kind === 'H' ? 'Warning' : 'Rule broken', `${rule}, ${several(count, 'time')}: ${where}`];
}

/** What was sent and what came back, folded. */
function renderEvidence({ id, verdict, evidence }: JudgedRequirement, report: Report): Markup | false {
  const exchanges = evidence.exchanges.flatMap(
    (one) => report.exchanges.find((exchange) => exchange.id === one) ?? [],
  );
  if (exchanges.length === 0) return false;
  return markup`<details><summary>Evidence: ${several(exchanges.length, 'request')}<span class="unseen"> for ${id}</span></summary>
${exchanges.map(renderExchange)}
${verdict !== 'failed' && markup`<h5>How to see it again</h5>${commands(evidence.exchanges, report)}`}
</details>`;
}

const commands = (exchangeIds: string[], report: Report): Markup =>
  markup`<pre><code>${reproduction(exchangeIds, report)}</code></pre>`;

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
  waitedSeconds === undefined ? '' : `, after ${waitedSeconds} s that the deployment asked to wait`;

function renderResponse({ status, bodyBytes, excerpt, digest, ...response }: Response): Markup {
  const body = excerpt || (bodyBytes > 0 ? '(a body, of which nothing is kept)' : '(no body)');
  return markup`<pre><code><b>${status}</b>
${headers(response.headers)}
${body}</code></pre>
<p class="times">${several(bodyBytes, 'byte')} in all, SHA-256 <code>${digest}</code></p>`;
}

const headers = (list: [name: string, value: string][]): string =>
  list.map(([name, value]) => `${inOneLine(`${name}: ${value}`)}\n`).join('');
