/** A report as one HTML page that needs nothing outside itself: no script, no image, no request. */
import { type Markup, markup, toText, trusted } from './markup.ts';
import {
  anchorOfItem,
  type Block,
  type Exchange,
  type Fact,
  type Finding,
  factsOf,
  type Item,
  isBroken,
  itemsInOrder,
  JUDGES,
  nextOf,
  originOf,
  type Report,
  type Section,
  shownCounts,
  shownOutcome,
  type Table,
  type Text,
  type Trouble,
  troublesOf,
  unjudged,
} from './report.ts';
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
    content: renderItems(report),
  };
  const parts = sections.map(
    ({ blocks, ...section }): PagePart => ({ ...section, content: markup`${blocks.map(renderBlock)}` }),
  );
  // The items of a fleet are many, and its sections sum them up.
  parts.splice(judge === 'fleet' ? parts.length : 0, 0, items);
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
${renderGlossary()}
<p>Made by ${originOf(report)}.</p>
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

function renderSummary(report: Report, parts: readonly PagePart[]): Markup {
  const { judge, headline, remarks, problems, subject, facts } = report;
  const outcome = shownOutcome(report);
  const troubles = troublesOf(report);
  return markup`<header class="summary">
<p class="kind">${JUDGES[judge].kind} <span class="subject">${renderFact(subject)}</span></p>
<h1><span class="seal" aria-hidden="true">${OUTCOME_MARKS[outcome]}</span> <span>${headline}</span></h1>
<p class="tally"><b>${outcome}</b> ${shownCounts(report).map(
    ({ value, word, verdict }) =>
      markup`<span class="${verdict ?? ''}">${verdict && markup`<span aria-hidden="true">${VERDICTS[verdict].mark}</span> `}${value} ${word}</span>
`,
  )}</p>
${problems.map((problem) => markup`<p class="warning failed" role="alert">Fault of the run: ${problem}</p>\n`)}${
  troubles.length > 0 && markup`<ul class="troubles">${troubles.map((one) => renderTrouble(one, judge))}</ul>`
}
<p class="next"><b>What to do</b> ${nextOf(report)}</p>
${remarks.map((remark) => markup`<p class="remark">${remark}</p>\n`)}<dl class="facts">
${facts.map((fact) => markup`<div><dt>${fact.name}</dt><dd>${renderFact(fact)}</dd></div>\n`)}</dl>
${
  parts.length > 1 &&
  markup`<nav aria-label="Parts of this report"><ul>
${parts.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>\n`)}</ul></nav>`
}
</header>`;
}

const renderFact = ({ text, isCode }: Pick<Fact, 'text' | 'isCode'>): Markup =>
  isCode ? markup`<code>${inOneLine(text)}</code>` : markup`${inOneLine(text)}`;

/** In one line. Of a fleet, a reader looks for the names of deployments. */
function renderTrouble({ items, label, short, name }: Trouble, judge: Report['judge']): Markup {
  const [{ verdict }] = items;
  const isEach = isBroken(items[0]) || judge === 'fleet';
  const names = (isEach ? items : items.slice(0, 1)).map(
    (item, at) => markup`${at > 0 && ', '}<a href="#${anchorOfItem(item)}">${isEach ? item.id : name}</a>`,
  );
  return markup`<li class="${verdict}"><span class="mark" aria-hidden="true">${VERDICTS[verdict].mark}</span>
<p>${judge === 'fleet' && markup`<b>${names}</b> `}<b class="severity">${label}</b> ${short}${judge !== 'fleet' && markup` ${names}`}</p></li>
`;
}

// The items: what failed or warns with all that is known of it, any other as one line until it is opened.

/** So many that were not judged for one reason are folded. */
const MANY = 3;

function renderItems(report: Report): Markup {
  const many = unjudged(report).filter(({ items }) => items.length >= MANY);
  return markup`${itemsInOrder(report).map((item) => {
    const group = many.find(({ items }) => items.includes(item));
    if (!group) return renderItem(item, report);
    if (item !== group.items[0]) return '';
    return markup`<div class="item could-not-run">${folded(`${several(group.items.length, JUDGES[report.judge].noun)} could not be tested, for one reason`, markup`${group.items.map((one) => renderItem(one, report))}`)}</div>`;
  })}`;
}

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

// The foot.

/** Words that a reader may not know. */
const GLOSSARY: Readonly<Record<string, string>> = {
  requirement: 'a statement of the specification that a service must keep, by its name here, such as MRS-7a',
  rule: 'what a client or a feed must keep, by the specification or by good practice',
  failed: 'the evidence shows that it is not kept',
  'could not run': 'nothing shows whether it is kept: that is no fault, and no pass either',
  'not applicable': 'it is about what is not offered, such as a health check',
  'not seen': 'recorded traffic does not show it',
  warned: 'against good practice, though no clause is violated',
  'open point': 'what the specification leaves open: it is observed, and never judged',
  baseline: 'a list of known violations that are accepted until a day',
  'security, breaks clients, form': 'who is hurt: those whose data it is, all clients, or hardly anyone',
};

const renderGlossary = (): Markup =>
  folded(
    'Words in this report',
    markup`<dl class="words">${Object.entries(GLOSSARY).map(([word, meaning]) => markup`<div><dt>${word}</dt><dd>${meaning}</dd></div>\n`)}</dl>`,
  );

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

// The style sheet: calm, by the reader's own colour scheme, for screens from 320 px and for paper.

const LIGHT = `--paper: #f6f5f1; --card: #fffefb; --ink: #22262a; --soft: #5b626a; --line: #dfdcd3; --code: #f1efe8;
  --link: #1d4f91; --red: #a3261d; --amber: #7a5000; --green: #1d6a40; --gray: #555d66;`;

const DARK = `--paper: #16181b; --card: #1d2024; --ink: #e7e5df; --soft: #a5abb3; --line: #353a40; --code: #25292e;
  --link: #9cc3f5; --red: #ff9f95; --amber: #eec36b; --green: #82d5a3; --gray: #b5bcc4;`;

const STYLE = `
:root { ${LIGHT} color-scheme: light dark; }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
.failed, .nonconformant, .error { --tone: var(--red); }
.warned, .could-not-run, .incomplete, .accepted { --tone: var(--amber); }
.passed, .conformant, .conformant-to-profile { --tone: var(--green); }
.not-applicable, .not-seen { --tone: var(--gray); }

* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0 auto; padding: clamp(1rem, 4vw, 2rem) clamp(1rem, 4vw, 2.5rem) 4rem; max-width: 70rem;
  background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, -apple-system, 'Segoe UI', sans-serif;
  overflow-wrap: anywhere;
}
h1, h2, h3, h4, p, ul, ol, dl, dd, pre, table { margin: 0; }
h1, h2, h3 { line-height: 1.2; }
ul, ol { padding: 0; list-style: none; }
a { color: var(--link); text-underline-offset: .18em; text-decoration-thickness: .06em; }
:focus-visible { outline: .15rem solid var(--link); outline-offset: .2rem; border-radius: .2rem; }
code, pre { font: .875em/1.55 ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, monospace; }
code { unicode-bidi: isolate; }
pre { margin-top: .4rem; padding: .7rem 1rem; border-radius: .5rem; background: var(--code); white-space: pre-wrap; }
pre code { font-size: 1em; }
dt, caption, thead th, .about, .times, .remark, .id, .source, footer { color: var(--soft); }
dt, caption, thead th, .times, .source, .severity { font-size: .8125rem; font-weight: 500; }
.tally, .remark, .next, .findings li, .advice, summary, table, nav, dl { font-size: .9375rem; }
.skip { position: absolute; top: -4rem; padding: .5rem 1rem; background: var(--card); }
.skip:focus { top: .5rem; }

.summary, .item { border: 1px solid var(--line); background: var(--card); }
.summary { padding: clamp(1.25rem, 3.5vw, 2rem) clamp(1.25rem, 3.5vw, 2.5rem); border-top: .35rem solid var(--tone); border-radius: .75rem; }
.kind { margin-bottom: 1rem; font-size: .875rem; font-weight: 600; }
.subject { margin-left: .4rem; font-weight: 400; }
h1 { display: flex; gap: .4em; align-items: center; font-size: clamp(1.375rem, 5vw, 2rem); font-weight: 650; letter-spacing: -.02em; }
.seal { color: var(--tone); }
.tally, .facts, nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.5rem; margin-top: .6rem; }
.tally > span { color: var(--tone); }
.facts > div { display: flex; gap: .4rem; align-items: baseline; }
.facts dt { white-space: nowrap; }
.warning { margin-top: .8rem; padding: .7rem 1rem; border-radius: .4rem; background: color-mix(in srgb, var(--tone) 11%, var(--card)); color: var(--tone); font-weight: 600; }
.troubles { margin-top: 1rem; }
.troubles li { display: flex; gap: .75rem; padding: .2rem 0; }
.mark { flex: 0 0 1rem; }
.mark, .verdict, .badge { color: var(--tone); font-weight: 600; }
.severity { padding: .05rem .5rem; border-radius: .8rem; background: color-mix(in srgb, var(--tone) 11%, var(--card)); color: var(--tone); white-space: nowrap; }
.next { margin-top: .6rem; padding-top: .6rem; border-top: 1px solid var(--line); }
.remark { margin-top: .3rem; }

main > section { margin-top: 3rem; }
h2 { margin-bottom: .8rem; font-size: 1.5rem; }
h3 { font-size: 1rem; }
.item { border-left: .25rem solid var(--tone); }
.item + .item { border-top: 0; }
.item:target, .findings li:target, tr:target { background: color-mix(in srgb, var(--tone) 11%, var(--card)); }
.item > .head { padding: .9rem 1.25rem 0; }
.item > details { margin: 0; }
.item > details > summary:not(.head) { padding: .6rem 1.25rem; }
.item .item { border-width: 1px 0 0; }
.head, .grounds { padding: .4rem 1.25rem; }
.head { display: flex; gap: .2rem 1.25rem; color: inherit; }
.head .verdict { flex: 0 0 9.5rem; }
.head .severity { display: table; }
summary h3 { font-weight: 400; }
.id { margin-right: .5rem; font-weight: 400; }
.grounds { margin-left: 10.75rem; padding-bottom: .9rem; }
.words { margin: .6rem 0; }
.grounds > dl > div, .words > div { display: grid; grid-template-columns: 5.5rem minmax(0, 1fr); align-items: baseline; }
.findings { margin-top: .3rem; }
.findings li { padding: .4rem 0; border-top: 1px solid var(--line); }
.advice { margin-top: .4rem; padding: .6rem 1rem; border-radius: .5rem; background: var(--code); }

details { margin-top: .4rem; }
summary { color: var(--link); cursor: pointer; }
summary:hover { background: color-mix(in srgb, var(--tone) 11%, var(--card)); }
h4 { margin-top: 1rem; font-size: .875rem; }

.scroll { overflow-x: auto; }
table { width: 100%; min-width: 34rem; margin-top: 1rem; border-collapse: collapse; }
caption { padding-bottom: .4rem; text-align: left; }
th, td { padding: .5rem .9rem .5rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
thead th { overflow-wrap: normal; }
tbody th { font-weight: 400; white-space: nowrap; }
td .badge { overflow-wrap: normal; }
.calls td, .calls th { padding-top: .25rem; padding-bottom: .25rem; }
.matrix thead th:nth-child(n + 3) { padding: .3rem .15rem; writing-mode: vertical-rl; white-space: nowrap; }
.matrix tbody th { position: sticky; left: 0; background: var(--paper); }
.matrix :is(th, td) { vertical-align: middle; white-space: nowrap; }
.matrix td:nth-child(n + 3) { padding: .3rem .15rem; text-align: center; }
footer { margin-top: 3rem; padding-top: 1.5rem; border-top: 1px solid var(--line); font-size: .875rem; }

@media screen and (max-width: 44rem) {
  .head { display: block; }
  .head .severity { display: inline; margin-left: .4rem; }
  .grounds { margin-left: 0; }
  .subject { display: block; margin-left: 0; }
}
@media print {
  :root { ${LIGHT} --paper: #fff; --card: #fff; color-scheme: light; }
  html { font-size: 9.5pt; }
  body { max-width: none; padding: 0; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav, .skip { display: none; }
  details:not(.passed > *)::details-content { content-visibility: visible; block-size: auto; }
  summary { list-style: none; }
  .item, .exchange, tr { break-inside: avoid; }
  h2, h3, h4, caption { break-after: avoid; }
}
`;
