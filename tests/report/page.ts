/** A report as one HTML page that needs nothing outside itself: no script, no image, no request. */
import { type Markup, markup, toText, trusted } from './markup.ts';
import {
  anchorOfItem,
  type Block,
  type Exchange,
  type Fact,
  type Finding,
  factsOf,
  factsOfRun,
  type Item,
  isBroken,
  itemsInOrder,
  JUDGES,
  nextOf,
  type Report,
  type Section,
  shownOutcome,
  type Table,
  type Text,
  type Trouble,
  troublesOf,
} from './report.ts';
import { STYLE } from './style.ts';
import { escapeUnits, inOneLine, OUTCOME_MARKS, SEVERITY_WORDS, several, VERDICTS } from './text.ts';

/** Content Security Policy: even if quoted text came alive, it could not load, run or send anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * The whole page, for screens from 320 px and for paper. `evidence` is what the report was made of, as inert JSON: with it,
 * the page can be judged again.
 */
export function renderPage(report: Report, evidence?: string): string {
  const { subject, judge, sections } = report;
  const { kind, noun } = JUDGES[judge];
  const outcome = shownOutcome(report);
  const items: PagePart = {
    id: 'items',
    title: capitalised(`${noun}s`),
    content: markup`${itemsInOrder(report).map((item) => renderItem(item, report))}`,
  };
  const parts = sections.map(
    ({ blocks, ...section }): PagePart => ({ ...section, content: markup`${blocks.map(renderBlock)}` }),
  );
  parts.splice(sections.filter(({ isFirst }) => isFirst).length, 0, items);
  return toText(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${outcome}: ${inOneLine(subject.text)} (${kind.toLowerCase()})</title>
<style>${trusted(STYLE)}</style>
</head>
<body class="${outcome}">
<a class="skip" href="#items">Skip to ${noun}s</a>
${renderSummary(report, parts)}
<main>
${parts.map(renderPart)}
</main>
<footer>
<p>The verdicts rest only on what this run saw. Secrets and tokens are replaced by names such as ‹token 1›, and invisible characters are spelled out, as in \\u{202e}. <code>report.json</code> holds the same for programs.</p>
</footer>
${evidence !== undefined && markup`${embedded('report', inert(JSON.stringify(report)))}${embedded('evidence', evidence)}`}</body>
</html>
`);
}

/** A section, with its blocks as markup. */
type PagePart = Pick<Section, 'id' | 'title' | 'about'> & { content: Markup };

const renderPart = ({ id, title, about, content }: PagePart): Markup =>
  markup`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${about && markup`<p class="about">${about}</p>`}
${content}
</section>
`;

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

// The data that the page was made of. A browser runs no JSON.

const embedded = (id: string, json: string): Markup =>
  markup`<script type="application/json" id="mrs-${id}">${trusted(json)}</script>
`;

/** JSON in which no character has a meaning in HTML, and none is invisible. */
export const inert = (json: string): string => escapeUnits(json, /[<>&\x7f-\uffff]/g);

/** What a page holds of itself, as text; undefined where it is not the page of a report that can be judged again. */
export function embeddedIn(page: string): { report: string; evidence: string } | undefined {
  const find = (id: string) =>
    new RegExp(`^<script type="application/json" id="mrs-${id}">(.*)</script>$`, 'm').exec(page)?.[1];
  const report = find('report');
  const evidence = find('evidence');
  return report === undefined || evidence === undefined ? undefined : { report, evidence };
}

// The first screen: what is wrong, in sentences, and what to do.

/** More than these would push the rest of the summary off the screen. */
const MOST_TROUBLES = 3;

function renderSummary(report: Report, parts: readonly PagePart[]): Markup {
  const { judge, headline, remarks, problems, subject, counts } = report;
  const outcome = shownOutcome(report);
  const troubles = troublesOf(report);
  const rest = troubles.length - MOST_TROUBLES;
  return markup`<header class="summary">
<p class="kind">${JUDGES[judge].kind} <span class="subject">${renderFact(subject)}</span></p>
<h1><span class="seal" aria-hidden="true">${OUTCOME_MARKS[outcome]}</span> <span>${headline}</span></h1>
<p class="tally"><b>${outcome}</b> ${counts.map(
    ({ value, word, verdict }) =>
      markup`<span class="${(value > 0 && verdict) || 'none'}">${verdict && markup`<span aria-hidden="true">${VERDICTS[verdict].mark}</span> `}${value} ${word}</span>
`,
  )}</p>
${problems.map((problem) => markup`<p class="warning failed" role="alert">Fault of the run: ${problem}</p>\n`)}${
  troubles.length > 0 &&
  markup`<ul class="troubles">${troubles.slice(0, MOST_TROUBLES).map(renderTrouble)}</ul>
${rest > 0 && markup`<p><a href="#items">${rest} more</a></p>`}`
}
<p class="next"><b>What to do</b> ${nextOf(report)}</p>
${remarks.map((remark) => markup`<p class="remark">${remark}</p>\n`)}<dl class="facts">
${factsOfRun(report).map((fact) => markup`<div><dt>${fact.name}</dt><dd>${renderFact(fact)}</dd></div>\n`)}</dl>
${
  parts.length > 1 &&
  markup`<nav aria-label="Parts of this report"><ul>
${parts.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>\n`)}</ul></nav>`
}
</header>`;
}

const renderFact = ({ text, isCode }: Pick<Fact, 'text' | 'isCode'>): Markup =>
  isCode ? markup`<code>${inOneLine(text)}</code>` : markup`${inOneLine(text)}`;

const renderTrouble = ({ items: [item], label, sentence, name }: Trouble): Markup =>
  markup`<li class="${item.verdict}"><span class="mark" aria-hidden="true">${VERDICTS[item.verdict].mark}</span>
<p><b class="severity">${label}</b> ${sentence} <a href="#${anchorOfItem(item)}">${name}</a></p></li>
`;

// The items: what failed or warns with all that is known of it, any other as one line until it is opened.

function renderItem(item: Item, report: Report): Markup {
  const { id, clause, verdict, severity, statement, violation } = item;
  const anchor = anchorOfItem(item);
  const head = markup`<span class="verdict">${badge(verdict)}${severity && markup` <span class="severity">${SEVERITY_WORDS[severity]}</span>`}</span>
<h3 id="${anchor}-title"><span class="id">${id}</span> ${violation ?? statement}${clause && markup` <span class="source">${clause}</span>`}</h3>`;
  const grounds = renderGrounds(item, report);
  return markup`<article id="${anchor}" class="item ${verdict}" aria-labelledby="${anchor}-title">
${isBroken(item) ? markup`<div class="head">${head}</div>\n${grounds}` : markup`<details><summary class="head">${head}</summary>\n${grounds}</details>`}
</article>
`;
}

function renderGrounds(item: Item, report: Report): Markup {
  const { id, findings, advice, command, page } = item;
  const facts = factsOf(item, report);
  const exchanges = item.exchanges.flatMap((one) => report.exchanges.find((other) => other.id === one) ?? []);
  return markup`<div class="grounds">
${facts.length > 0 && markup`<dl>${facts.map(({ name, text }) => markup`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>`}
${findings.length > 0 && markup`<ol class="findings">${findings.map((one) => renderFinding(one, item))}</ol>`}
${advice && markup`<p class="advice"><b>What to do</b> ${advice}</p>`}
${command && folded('How to send the request again, in bash', markup`<pre><code>${command}</code></pre>`)}
${exchanges.length > 0 && folded(`Evidence: ${several(exchanges.length, 'request')}`, markup`${exchanges.map(renderExchange)}`)}
${page && markup`<p><a href="${page}">Report of ${id}</a></p>`}
</div>`;
}

/** A warning of an item that failed says so. */
function renderFinding({ verdict, where, seen, proof }: Finding, item: Item): Markup {
  const place = typeof where === 'string' ? [{ text: where, isCode: true }] : where;
  return markup`<li class="${verdict}">${verdict !== item.verdict && markup`<span class="badge">${badge(verdict)}</span> `}${renderText(place)}: ${inOneLine(seen)}${proof && markup` (${renderText(proof)})`}</li>
`;
}

/** Mark and word of a verdict; screen readers hear only the word. */
const badge = (verdict: Item['verdict']): Markup =>
  markup`<span aria-hidden="true">${VERDICTS[verdict].mark}</span> ${VERDICTS[verdict].word}`;

function renderText(text: Text): Markup {
  if (typeof text === 'string') return markup`${inOneLine(text)}`;
  return markup`${text.map((part) => {
    if (typeof part === 'string') return markup`${inOneLine(part)}`;
    const shown = renderFact(part);
    const linked = part.to === undefined ? shown : markup`<a href="#${part.to}">${shown}</a>`;
    return part.verdict === undefined ? linked : markup`<span class="badge ${part.verdict}">${linked}</span>`;
  })}`;
}

/** What a verdict rests on: what was sent, and what came back. */
function renderExchange({ id, what, request, response, failure, sentAtMs, durationMs }: Exchange): Markup {
  const form = Object.entries(request.form ?? {}).map(([name, value]) => inOneLine(`${name} = ${value}`));
  const times = [
    id,
    sentAtMs !== undefined && `sent at ${(sentAtMs / 1000).toFixed(2)} s`,
    durationMs !== undefined && `took ${durationMs} ms`,
    response?.bytes !== undefined && several(response.bytes, 'byte'),
  ];
  return markup`<section class="exchange">
<h4>${what}</h4>
<p class="times">${times.filter(Boolean).join(', ')}</p>
<pre><code><b>${request.method} ${request.path}</b>
${linesOf(request.headers)}${form.length > 0 && `\n${form.join('\n')}`}</code></pre>
${
  response
    ? markup`<pre><code><b>${response.status}</b>
${response.headers ? linesOf(response.headers) : response.mediaType && `${response.mediaType}\n`}
${response.body ?? (response.bytes ? '(the body was not kept)' : '(no body)')}</code></pre>`
    : markup`<p>The deployment ${failure ?? 'gave no answer'}.</p>`
}
</section>
`;
}

const linesOf = (headers: Exchange['request']['headers'] = []): string =>
  headers.map(([name, value]) => `${inOneLine(`${name}: ${value}`)}\n`).join('');

// Sections: what only one judge reports.

const folded = (title: string, content: Markup, isOpen = false): Markup =>
  markup`<details${isOpen && markup` open`}><summary>${title}</summary>
${content}
</details>`;

function renderBlock({ text, table, anchor, fold, isOpen }: Block): Markup {
  const content = markup`${text && markup`<p>${renderText(text)}</p>\n`}${table && table.rows.length > 0 && renderTable(table)}`;
  const shown = fold === undefined ? content : folded(fold, content, isOpen);
  return anchor === undefined ? shown : markup`<div id="${anchor}">${shown}</div>\n`;
}

/** On a narrow screen, a table is scrolled, also by keys. */
const renderTable = ({ name, caption, columns, rows }: Table): Markup =>
  markup`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table class="${name}">
<caption>${caption}</caption>
<thead><tr>${columns.map((column) => markup`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${rows.map(
  ({ id, verdict, cells: [first = '', ...cells] }) =>
    markup`<tr${id !== undefined && markup` id="${id}"`}${verdict && markup` class="${verdict}"`}><th scope="row">${renderText(first)}</th>${cells.map((cell) => markup`<td>${renderText(cell)}</td>`)}</tr>
`,
)}</tbody>
</table></div>
`;
