/** A report as one HTML page that needs nothing outside itself: no script, no image, no request. */
import { type Markup, markup, toText, trusted } from './markup.ts';
import { type Item, type ItemFinding, itemsInOrder, type ReportModel, type Section } from './model.ts';
import { renderSummary } from './page-summary.ts';
import { STYLE } from './style.ts';
import { inOneLine, SEVERITY_WORDS, VERDICTS } from './text.ts';
import { type Trouble, unjudged } from './troubles.ts';

/** Content Security Policy: even if quoted text came alive, it could not load, run or send anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** The whole page, for screens from 320 px and for paper. */
export function renderPage(model: ReportModel): string {
  const { outcome, subject, kind, items, own } = model;
  return toText(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${outcome}: ${inOneLine(subject.text)} (${kind.toLowerCase()})</title>
<style>${trusted(STYLE + (own.style ?? ''))}</style>
</head>
<body class="${outcome}">
<a class="skip" href="#items">Skip to ${items.title.toLowerCase()}</a>
${renderSummary(model)}
<main>
${own.first?.map(renderSection)}${renderItems(model)}
${own.sections.map(renderSection)}
</main>
<footer>
<p>${own.footer} Invisible characters are spelled out, as in \\u{202e}. Folded parts are not printed.</p>
</footer>
</body>
</html>
`);
}

function renderItems(model: ReportModel): Markup {
  const { title, about } = model.items;
  const items = itemsInOrder(model);
  const of = (...verdicts: Item['verdict'][]) => items.filter(({ verdict }) => verdicts.includes(verdict));
  return markup`<section id="items" aria-labelledby="items-title">
<h2 id="items-title">${title}</h2>
<p class="about">${about}</p>
${group('Failed', of('failed').map(renderBroken))}${group('Warnings', of('warned').map(renderBroken))}${group(
  'Could not run',
  unjudged(model, items).map(renderUnjudged),
)}${group('Passed', of('passed').map(renderLine))}${group('Not applicable', of('not-applicable').map(renderLine))}${group('Not seen', of('not-seen').map(renderLine))}</section>`;
}

const group = (title: string, content: Markup[]): Markup | false =>
  content.length > 0 &&
  markup`<section class="group">
<h3>${title}</h3>
${content}</section>
`;

/** Items that share a reason are one line, until it is opened. */
function renderUnjudged({ sentence, items }: Trouble): Markup {
  const [first, ...others] = items;
  if (others.length === 0) return renderLine(first);
  return markup`<details class="fold could-not-run"><summary>${badge('could-not-run')}: ${sentence}</summary>
${items.map(renderLine)}</details>
`;
}

const renderSection = ({
  id,
  title,
  about,
  content,
}: Section): Markup => markup`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
<p class="about">${about}</p>
${content}
</section>
`;

/** What failed or warns, with all that is known of it. */
function renderBroken(item: Item): Markup {
  const { id, anchor, clause, verdict, severity, statement, violation } = item;
  return markup`<article id="${anchor}" class="item ${verdict}" aria-labelledby="${anchor}-title">
<p class="verdict">${badge(verdict)}${severity !== undefined && markup`<span class="severity">${SEVERITY_WORDS[severity]}</span>`}</p>
<h4 id="${anchor}-title"><a class="id" href="#${anchor}">${id}</a> ${violation ?? statement}${clause !== undefined && markup` <span class="source">${clause}</span>`}</h4>
${renderGrounds(item)}
</article>
`;
}

/** Any other item: one line, until it is opened. */
function renderLine(item: Item): Markup {
  const { id, anchor, clause, verdict, statement } = item;
  return markup`<article id="${anchor}" class="item line ${verdict}" aria-labelledby="${anchor}-title">
<details><summary><span class="verdict">${badge(verdict)}</span> <h4 id="${anchor}-title"><span class="id">${id}</span> ${statement}${clause !== undefined && markup` <span class="source">${clause}</span>`}</h4></summary>
${renderGrounds(item)}
</details>
</article>
`;
}

function renderGrounds(item: Item): Markup {
  const { id, verdict, statement, violation, reason, facts, findings, advice, commands, evidence } = item;
  const isBroken = verdict === 'failed' || verdict === 'warned';
  const all = [
    ...(isBroken && violation !== undefined ? [['Clause', statement] as const] : []),
    ...(reason === undefined ? [] : [['Reason', reason] as const]),
    ...facts,
  ];
  return markup`<div class="grounds">
${all.length > 0 && markup`<dl>${all.map(([name, text]) => markup`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>`}
${findings.length > 0 && markup`<ol class="findings">${findings.map(renderFinding)}</ol>`}
${isBroken && advice !== undefined && markup`<p class="advice"><b>What to do</b> ${advice}</p>`}
${
  verdict === 'failed' &&
  commands &&
  markup`<details><summary>How to send the request again<span class="unseen"> ${id}</span></summary>
<p class="times">Paste into bash.</p>
<pre><code>${commands}</code></pre></details>`
}
${renderRationale(item)}${evidence}
</div>`;
}

function renderFinding({ verdict, number, where, seen, proof, ...ready }: ItemFinding): Markup {
  const { whereMarkup = markup`<code>${inOneLine(where)}</code>`, proofMarkup } = ready;
  return markup`<li${number !== undefined && markup` id="finding-${number}"`} class="${verdict}">${number !== undefined && markup`<span class="number">${number}</span>`}
<p>${whereMarkup}: ${inOneLine(seen)}${!proofMarkup && proof && ` (${proof})`}</p>
${proofMarkup && markup`<p class="proof">${proofMarkup}</p>`}</li>
`;
}

function renderRationale({ id, rationale, source }: Item): Markup | false {
  if (rationale === undefined) return false;
  return markup`<details><summary>Why<span class="unseen"> ${id}</span></summary>
<p>${rationale}</p>
${source !== undefined && markup`<p class="times">Source: ${source}</p>`}
</details>`;
}

/** Mark and word of a verdict; screen readers hear only the word. */
export const badge = (verdict: Item['verdict']): Markup =>
  markup`<span aria-hidden="true">${VERDICTS[verdict].mark}</span> ${VERDICTS[verdict].word}`;
