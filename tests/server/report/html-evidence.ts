/** What a verdict rests on: the requests and their answers, folded. */
import type { Finding } from '../../feed/findings.ts';
import { type Markup, markup } from '../../report/markup.ts';
import { inOneLine, several } from '../../report/text.ts';
import type { Exchange, Response } from '../support/evidence.ts';
import type { JudgedRequirement, Report } from './report.ts';

/** A finding in records, as a fact of its requirement. */
export function findingText({ rule, class: kind, count, places }: Finding): [name: string, text: string] {
  const where = places.map(({ pointer, seen }) => `${pointer || 'the body'}: ${seen}`).join('; ');
  return [kind === 'H' ? 'Warning' : 'Rule violated', `${rule}, ${several(count, 'time')}: ${where}`];
}

/** What was sent and what came back. */
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
