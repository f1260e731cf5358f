/** A report as one HTML page that needs nothing outside itself: no script, no image, no request. */
import { type Markup, markup, toText, trusted } from './markup.ts';
import { type Item, type ItemFinding, itemsOf, type ReportModel, type Section } from './model.ts';
import { renderSummary } from './page-summary.ts';
import { STYLE } from './style.ts';
import { inOneLine, VERDICTS } from './text.ts';

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
${renderItems(model)}
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
  const { items } = model;
  return markup`<section id="items" aria-labelledby="items-title">
<h2 id="items-title">${items.title}</h2>
<p class="about">${items.about}</p>
${
  itemsOf(model).length > 0 &&
  items.groups.map(
    (group) => markup`<section class="group">
<h3>${group.title}</h3>
${group.items.map(renderItem)}</section>
`,
  )
}</section>`;
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

function renderItem(item: Item): Markup {
  const { id, anchor, clause, verdict, statement, reason, facts, findings, advice, commands, evidence } =
    item;
  const all = reason === undefined ? facts : [['Reason', reason] as const, ...facts];
  return markup`<article id="${anchor}" class="item ${verdict}" aria-labelledby="${anchor}-title">
<p class="verdict">${badge(verdict)}</p>
<h4 id="${anchor}-title"><a class="id" href="#${anchor}">${id}</a> ${statement}${clause !== undefined && markup` <span class="source">${clause}</span>`}</h4>
<div class="grounds">
${all.length > 0 && markup`<dl>${all.map(([name, text]) => markup`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>`}
${findings.length > 0 && markup`<ol class="findings">${findings.map(renderFinding)}</ol>`}
${advice !== undefined && markup`<p class="advice"><b>What to do</b> ${advice}</p>`}
${
  verdict === 'failed' &&
  commands &&
  markup`<h5>How to reproduce</h5>
<pre><code>${commands}</code></pre>`
}
${renderRationale(item)}${evidence}
</div>
</article>
`;
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
