/** A report as one HTML page that needs nothing outside itself: no script, no image, no request. */
import { type Markup, markup, toText, trusted } from './markup.ts';
import {
  acceptance,
  anchorOfItem,
  type Block,
  type Column,
  type Exchange,
  type Fact,
  type Finding,
  factsOf,
  type Item,
  itemsInOrder,
  JUDGES,
  type Report,
  type Section,
  shownOutcome,
  type Table,
  type Text,
  type Trouble,
  tableOf,
  troublesOf,
  unjudged,
} from './report.ts';
import { STYLE } from './style.ts';
import {
  escapeUnits,
  inOneLine,
  OUTCOME_MARKS,
  SEVERITY_WORDS,
  several,
  thousands,
  VERDICTS,
} from './text.ts';

/** Content Security Policy: even if quoted text came alive, it could not load, run or send anything. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/**
 * The whole page, for screens from 320 px and for paper. `evidence` is what the report was made of, as inert JSON: with it,
 * the page can be judged again.
 */
export function renderPage(report: Report, evidence?: string): string {
  const { subject, judge, sections, exchanges } = report;
  const { kind, items, footer } = JUDGES[judge];
  const outcome = shownOutcome(report);
  const parts: PagePart[] = [
    ...sections.filter(({ isFirst }) => isFirst).map(partOf),
    { id: 'items', title: items, about: JUDGES[judge].about, content: renderItems(report) },
    ...sections.filter(({ isFirst }) => !isFirst).map(partOf),
    ...(exchanges.length > 0 ? [partOf(requestsOf(report))] : []),
  ];
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
<a class="skip" href="#items">Skip to ${items.toLowerCase()}</a>
${renderSummary(report, parts)}
<main>
${parts.map(renderPart)}
</main>
<footer>
<p>${footer} <code>report.json</code> holds the same for programs. Invisible characters are spelled out, as in \\u{202e}. Folded parts are not printed.</p>
</footer>
${evidence !== undefined && embedded('report', inert(JSON.stringify(report)))}${evidence !== undefined && embedded('evidence', evidence)}</body>
</html>
`);
}

/** A section, with its blocks as markup. */
type PagePart = Pick<Section, 'id' | 'title' | 'about'> & { content: Markup };

const partOf = ({ id, title, about, fold, blocks }: Section): PagePart => ({
  id,
  title,
  about,
  content: folded(markup`${blocks.map(renderBlock)}`, fold),
});

const renderPart = ({ id, title, about, content }: PagePart): Markup =>
  markup`<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
${about && markup`<p class="about">${about}</p>`}
${content}
</section>
`;

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
  const { judge, headline, remarks, warning, subject, facts, startedAt, next } = report;
  return markup`<header class="summary">
<p class="kind">${JUDGES[judge].kind} <span class="subject">${codeOr(subject)}</span></p>
<h1><span class="seal" aria-hidden="true">${OUTCOME_MARKS[shownOutcome(report)]}</span> <span>${headline}</span></h1>
${renderTally(report)}
${warning !== undefined && markup`<p class="warning failed" role="alert">${warning}</p>\n`}${renderProblems(report)}${renderTroubles(report)}
<p class="next"><b>What to do</b> ${next}</p>
${remarks.map((remark) => markup`<p class="remark">${remark}</p>\n`)}<dl class="facts">
${facts.map(renderFact)}${startedAt !== undefined && markup`<div><dt>Date</dt><dd>${moment(startedAt)}</dd></div>`}
</dl>
${
  parts.length > 1 &&
  markup`<nav aria-label="Parts of this report"><ul>
${parts.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>\n`)}</ul></nav>`
}
</header>`;
}

const codeOr = ({ text, isCode }: Fact): Markup =>
  isCode ? markup`<code>${inOneLine(text)}</code>` : markup`${inOneLine(text)}`;

const renderFact = (fact: Fact): Markup => markup`<div><dt>${fact.name}</dt><dd>${codeOr(fact)}</dd></div>\n`;

/** The outcome, and how many items have which verdict, as a bar and in words. */
function renderTally(report: Report): Markup {
  const { counts, items } = report;
  const shares = counts.filter(({ verdict, value }) => verdict !== undefined && value > 0);
  return markup`<p class="bar" aria-hidden="true">${shares.map(({ value, verdict }) => markup`<span class="${verdict}" style="flex-grow: ${value}"></span>`)}</p>
<p class="tally"><b class="outcome">${shownOutcome(report)}</b> ${counts.map(({ value, word, verdict }) => {
    const first = items.find((item) => item.verdict === verdict);
    const text = markup`${verdict && markup`<span aria-hidden="true">${VERDICTS[verdict].mark}</span> `}${thousands(value)} ${word}`;
    return markup`<span class="${value > 0 && first && verdict ? verdict : 'none'}">${value > 0 && first ? markup`<a href="#${anchorOfItem(first)}">${text}</a>` : text}</span>
`;
  })}</p>
`;
}

function renderProblems({ problems }: Report): Markup | false {
  if (problems.length === 0) return false;
  return markup`<h2>${several(problems.length, 'fault')} of the run</h2>
<ul class="problems">${problems.map((problem) => markup`<li>${problem}</li>`)}</ul>
`;
}

function renderTroubles(report: Report): Markup | false {
  const troubles = troublesOf(report);
  if (troubles.length === 0) return false;
  const rest = troubles.length - MOST_TROUBLES;
  return markup`<section class="troubles" aria-labelledby="troubles-title">
<h2 id="troubles-title">${troubles[0]?.verdict === 'could-not-run' ? 'Why' : 'What is wrong'}</h2>
<ul>${troubles.slice(0, MOST_TROUBLES).map(renderTrouble)}</ul>
${rest > 0 && markup`<p><a href="#items">${rest} more</a></p>`}
</section>`;
}

function renderTrouble({ verdict, gravity, sentence, names, items: [item, ...others] }: Trouble): Markup {
  const { mark, word } = VERDICTS[verdict];
  const link = names.join(', ') || (others.length > 0 ? 'Which ones' : item.id);
  return markup`<li class="${verdict}"><span class="mark" aria-hidden="true">${mark}</span>
<p><b class="severity">${gravity ?? word}</b> ${sentence} <a href="#${anchorOfItem(item)}">${link}</a></p>
${names.length > 0 && item.advice !== undefined && markup`<p class="hint">${firstSentence(item.advice)}</p>`}</li>
`;
}

/** What to do first; the item has all of it. */
const firstSentence = (text: string): string => text.split(/(?<=\.) /, 1)[0] ?? text;

/** `20 November 2026 at 16:31 UTC`; the text itself if it is not a date. */
function moment(startedAt: string): Markup {
  const date = new Date(startedAt);
  if (Number.isNaN(date.getTime())) return markup`${startedAt}`;
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return markup`<time datetime="${date.toISOString()}">${format.format(date)} UTC</time>`;
}

// The items: what failed or warns with all that is known of it, any other as one line until it is opened.

const GROUPS: readonly [title: string, verdict: Item['verdict']][] = [
  ['Failed', 'failed'],
  ['Warnings', 'warned'],
  ['Could not run', 'could-not-run'],
  ['Passed', 'passed'],
  ['Not applicable', 'not-applicable'],
  ['Not seen', 'not-seen'],
];

function renderItems(report: Report): Markup {
  const items = itemsInOrder(report);
  return markup`${GROUPS.map(([title, verdict]) => {
    const own = items.filter((item) => item.verdict === verdict);
    if (own.length === 0) return false;
    const render = verdict === 'failed' || verdict === 'warned' ? renderBroken : renderLine;
    return markup`<section class="group">
<h3>${title}</h3>
${
  verdict === 'could-not-run'
    ? unjudged(report).map((trouble) => renderUnjudged(trouble, report))
    : own.map((item) => render(item, report))
}</section>
`;
  })}`;
}

/** Items that share a reason are one line, until it is opened. */
function renderUnjudged({ sentence, items }: Trouble, report: Report): Markup {
  const [first, ...others] = items;
  if (others.length === 0) return renderLine(first, report);
  return markup`<details class="fold could-not-run"><summary>${badge('could-not-run')}: ${sentence}</summary>
${items.map((item) => renderLine(item, report))}</details>
`;
}

function renderBroken(item: Item, report: Report): Markup {
  const { id, clause, verdict, severity, statement, violation } = item;
  const anchor = anchorOfItem(item);
  return markup`<article id="${anchor}" class="item ${verdict}" aria-labelledby="${anchor}-title">
<p class="verdict">${badge(verdict)}${severity !== undefined && markup` <span class="severity">${SEVERITY_WORDS[severity]}</span>`}</p>
<h4 id="${anchor}-title"><a class="id" href="#${anchor}">${id}</a> ${violation ?? statement}${clause !== undefined && markup` <span class="source">${clause}</span>`}</h4>
${renderGrounds(item, report)}
</article>
`;
}

function renderLine(item: Item, report: Report): Markup {
  const { id, clause, verdict, statement } = item;
  const anchor = anchorOfItem(item);
  return markup`<article id="${anchor}" class="item line ${verdict}" aria-labelledby="${anchor}-title">
<details><summary><span class="verdict">${badge(verdict)}</span> <h4 id="${anchor}-title"><span class="id">${id}</span> ${statement}${clause !== undefined && markup` <span class="source">${clause}</span>`}</h4></summary>
${renderGrounds(item, report)}
</details>
</article>
`;
}

function renderGrounds(item: Item, report: Report): Markup {
  const { id, verdict, statement, violation, reason, findings, advice, command, rationale, source, page } =
    item;
  const isBroken = verdict === 'failed' || verdict === 'warned';
  const accepted = acceptance(item, report);
  const all: Fact[] = [
    ...(isBroken && violation !== undefined ? [{ name: 'Clause', text: statement }] : []),
    ...(reason === undefined ? [] : [{ name: 'Reason', text: reason }]),
    ...(accepted === undefined ? [] : [{ name: 'Baseline', text: accepted }]),
    ...factsOf(item),
  ];
  return markup`<div class="grounds">
${all.length > 0 && markup`<dl>${all.map(({ name, text }) => markup`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>`}
${findings.length > 0 && markup`<ol class="findings">${findings.map((one) => renderFinding(one, verdict))}</ol>`}
${isBroken && advice !== undefined && markup`<p class="advice"><b>What to do</b> ${advice}</p>`}
${
  command !== undefined &&
  markup`<details><summary>How to send the request again<span class="unseen"> ${id}</span></summary>
<p class="times">Paste into bash.</p>
<pre><code>${command}</code></pre></details>`
}
${
  rationale !== undefined &&
  markup`<details><summary>Why<span class="unseen"> ${id}</span></summary>
<p>${rationale}</p>
${source !== undefined && markup`<p class="times">Source: ${source}</p>`}
</details>`
}${renderEvidence(item, report)}${page !== undefined && markup`<p class="full"><a href="${page}">Report of ${id}</a></p>`}
</div>`;
}

/** A warning of an item that failed says so. */
function renderFinding({ verdict, number, where, seen, proof }: Finding, ofItem: Item['verdict']): Markup {
  const place = typeof where === 'string' ? markup`<code>${inOneLine(where)}</code>` : renderText(where);
  return markup`<li${number !== undefined && markup` id="finding-${number}"`} class="${verdict}">${number !== undefined && markup`<span class="number">${number}</span>`}
<p>${verdict !== ofItem && markup`<span class="badge">${badge(verdict)}</span> `}${place}: ${inOneLine(seen)}${typeof proof === 'string' && ` (${proof})`}</p>
${typeof proof === 'object' && markup`<p class="proof">${renderText(proof)}</p>`}</li>
`;
}

/** Mark and word of a verdict; screen readers hear only the word. */
const badge = (verdict: Item['verdict']): Markup =>
  markup`<span aria-hidden="true">${VERDICTS[verdict].mark}</span> ${VERDICTS[verdict].word}`;

function renderText(text: Text): Markup {
  if (typeof text === 'string') return markup`${inOneLine(text)}`;
  return markup`${text.map((part) => {
    if (typeof part === 'string') return markup`${inOneLine(part)}`;
    const shown = codeOr({ name: '', ...part });
    const linked = part.to === undefined ? shown : markup`<a href="#${part.to}">${shown}</a>`;
    return part.verdict === undefined ? linked : markup`<span class="badge ${part.verdict}">${linked}</span>`;
  })}`;
}

// What a verdict rests on: what was sent and what came back.

function renderEvidence({ id, exchanges }: Item, report: Report): Markup | false {
  const all = exchanges.flatMap((one) => report.exchanges.find((exchange) => exchange.id === one) ?? []);
  if (all.length === 0) return false;
  return markup`<details><summary>Evidence: ${several(all.length, 'request')}<span class="unseen"> for ${id}</span></summary>
${all.map(renderExchange)}</details>`;
}

function renderExchange(exchange: Exchange): Markup {
  const { id, what, request, response, failure } = exchange;
  const form = Object.entries(request.form ?? {}).map(([name, value]) => inOneLine(`${name} = ${value}`));
  return markup`<section class="exchange">
<h5>${what}</h5>
<p class="times">${[id, ...timesOf(exchange)].join(', ')}</p>
<div class="both">
<div><h6>Request</h6>
<pre><code><b>${request.method} ${request.path}</b>
${linesOf(request.headers)}${form.length > 0 && `\n${form.join('\n')}`}</code></pre></div>
<div><h6>Answer</h6>
${response ? renderResponse(response) : markup`<p>The deployment ${failure ?? 'gave no answer'}.</p>`}</div>
</div>
</section>
`;
}

const timesOf = ({ sentAtMs, durationMs, waitedSeconds }: Exchange): string[] => [
  ...(sentAtMs === undefined ? [] : [`sent at ${(sentAtMs / 1000).toFixed(2)} s`]),
  ...(durationMs === undefined ? [] : [`took ${durationMs} ms`]),
  ...(waitedSeconds === undefined
    ? []
    : [`after a wait of ${waitedSeconds} s that the deployment asked for`]),
];

function renderResponse({
  status,
  mediaType,
  headers,
  body,
  bytes,
  sha256,
}: NonNullable<Exchange['response']>) {
  return markup`<pre><code><b>${status}</b>
${headers ? linesOf(headers) : mediaType !== undefined && `${mediaType}\n`}
${body ?? ((bytes ?? 0) > 0 ? '(the body was not kept)' : '(no body)')}</code></pre>
${bytes !== undefined && markup`<p class="times">${several(bytes, 'byte')} in total${sha256 !== undefined && markup`, SHA-256 <code>${sha256}</code>`}</p>`}`;
}

const linesOf = (headers: Exchange['request']['headers']): string =>
  (headers ?? []).map(([name, value]) => `${inOneLine(`${name}: ${value}`)}\n`).join('');

/** All requests as one table. */
function requestsOf({ exchanges, judge }: Report): Section {
  const columns: readonly Column<Exchange>[] = [
    ['Request', ({ id }) => id],
    ['Purpose', ({ what }) => what],
    ['Request line', ({ request }) => [{ text: `${request.method} ${request.path}`, isCode: true }]],
    [
      'Answer',
      ({ response, failure }) =>
        response ? `${response.status}, ${response.mediaType ?? 'no media type'}` : (failure ?? 'none'),
    ],
    ['Sent', (exchange) => timesOf(exchange)[0] ?? ''],
    ['Took', (exchange) => timesOf(exchange)[1] ?? ''],
  ];
  const table = tableOf('requests', `Requests: ${exchanges.length}`, columns, exchanges);
  const blocks = [{ table, fold: 'All requests' }];
  return { id: 'requests', title: 'Requests', about: JUDGES[judge].exchanges, blocks };
}

// Sections: what only one judge reports.

const folded = (content: Markup, title: string | undefined, isOpen = false): Markup =>
  title === undefined
    ? content
    : markup`<details${isOpen && markup` open`}><summary>${title}</summary>
${content}
</details>`;

function renderBlock({ text, table, output, card, fold, isOpen }: Block): Markup {
  const content = markup`${
    text !== undefined &&
    markup`<p>${renderText(text)}</p>
`
  }${table && renderTable(table)}${
    output !== undefined &&
    markup`<pre><code>${output}</code></pre>
`
  }${
    card &&
    markup`<section id="${card.id}" class="card ${card.verdict}" aria-labelledby="${card.id}-title">
<h3 id="${card.id}-title">${card.verdict && markup`<span class="badge" aria-hidden="true">${VERDICTS[card.verdict].mark}</span> `}${card.title}</h3>
${card.blocks.map(renderBlock)}</section>
`
  }`;
  return folded(content, fold, isOpen);
}

/**
 * A table whose rows become blocks on a narrow screen, each cell below the name of its column. That takes the roles
 * away from the elements, so they are stated.
 */
function renderTable({ name, caption, columns, rows }: Table): Markup {
  return markup`<table class="${name}" role="table">
<caption>${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map((column) => markup`<th role="columnheader" scope="col">${column}</th>`)}</tr></thead>
<tbody role="rowgroup">
${rows.map(
  ({ id, verdict, cells: [first = '', ...cells] }) =>
    markup`<tr role="row"${id !== undefined && markup` id="${id}"`}${verdict && markup` class="${verdict}"`}><th role="rowheader" scope="row">${renderText(first)}</th>${cells.map(
      (cell, index) => markup`<td role="cell" data-column="${columns[index + 1]}">${renderText(cell)}</td>`,
    )}</tr>
`,
)}</tbody>
</table>`;
}
