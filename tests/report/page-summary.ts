/** The first screen of the page: the outcome, what was judged, and what to do next. */
import { type Markup, markup } from './markup.ts';
import { type Count, type Fact, type Item, itemsOf, type ReportModel } from './model.ts';
import { inOneLine, OUTCOME_MARKS, several, thousands, VERDICTS } from './text.ts';

/** More than these would push the rest of the summary off the screen. */
const MOST_REASONS = 3;
const MOST_LINKS = 8;

export function renderSummary(model: ReportModel): Markup {
  const { kind, topic, outcome, meaning, remarks, warning, counts, subject, facts, startedAt, items, own } =
    model;
  const parts = [{ id: 'items', title: items.title }, ...own.sections];
  return markup`<header class="summary">
<p class="kind">${kind} <span>${topic}</span></p>
<h1><span class="seal" aria-hidden="true">${OUTCOME_MARKS[outcome]}</span> <span>${outcome}</span></h1>
<p class="meaning">${meaning}</p>
${warning !== undefined && markup`<p class="warning failed" role="alert">${warning}</p>\n`}${remarks.map((remark) => markup`<p class="remark">${remark}</p>\n`)}<ul class="counts">
${counts.map((count) => renderCount(count, itemsOf(model)))}</ul>
<dl class="facts">
${[subject, ...facts].map(renderFact)}${startedAt !== undefined && markup`<div><dt>When</dt><dd>${moment(startedAt)}</dd></div>`}
</dl>
${renderNext(model)}
${
  parts.length > 1 &&
  markup`<nav aria-label="Parts of this report"><ul>
${parts.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>\n`)}</ul></nav>`
}
</header>`;
}

const renderFact = ({ name, text, isCode }: Fact): Markup =>
  markup`<div><dt>${name}</dt><dd>${isCode ? markup`<code>${inOneLine(text)}</code>` : inOneLine(text)}</dd></div>\n`;

/** A number that leads to the first item with its verdict. */
function renderCount({ value, word, verdict }: Count, items: readonly Item[]): Markup {
  const first = items.find((item) => item.verdict === verdict);
  const mark = verdict && markup`<span aria-hidden="true">${VERDICTS[verdict].mark}</span> `;
  const text = markup`<strong>${thousands(value)}</strong> <span>${mark}${word}</span>`;
  return markup`<li class="${first ? verdict : 'none'}">${first ? markup`<a href="#${first.anchor}">${text}</a>` : text}</li>
`;
}

function renderNext(model: ReportModel): Markup {
  const { next, problems } = model;
  const items = itemsOf(model);
  const of = (verdict: Item['verdict']) => items.filter((item) => item.verdict === verdict);
  const unjudged = [...of('could-not-run'), ...of('not-applicable')];
  const reasons = [...new Set(unjudged.flatMap(({ reason }) => reason ?? []))];
  const rest = reasons.length - MOST_REASONS;
  return markup`<section class="next" aria-labelledby="next-title">
<h2 id="next-title">What to do next</h2>
<p>${next}</p>
${
  problems.length > 0 &&
  markup`<h3>${several(problems.length, 'fault')} of the run</h3>
<ul class="problems">${problems.map((problem) => markup`<li>${problem}</li>`)}</ul>
`
}<ul>
${renderConcerned(of('failed'))}${renderConcerned(of('warned'))}${reasons
  .slice(0, MOST_REASONS)
  .map((reason) =>
    renderConcerned(
      unjudged.filter((item) => item.reason === reason),
      reason,
    ),
  )}${rest > 0 && markup`<li><a href="#items">${several(rest, 'more reason')}</a></li>`}
</ul>
</section>`;
}

/** Links to the items of one verdict. */
function renderConcerned(items: readonly Item[], reason?: string): Markup | false {
  const [first] = items;
  if (!first) return false;
  const { mark, word } = VERDICTS[first.verdict];
  const rest = items.length - MOST_LINKS;
  const links = items
    .slice(0, MOST_LINKS)
    .map(({ id, anchor }, at) => markup`${at > 0 && ', '}<a href="#${anchor}">${id}</a>`);
  return markup`<li class="${first.verdict}"><b>${mark} ${word}</b> ${links}${rest > 0 && ` and ${rest} more`}${reason !== undefined && `: ${reason}`}</li>
`;
}

/** `20 November 2026 at 16:31 UTC`; the text itself if it is not a date. */
function moment(startedAt: string): Markup {
  const date = new Date(startedAt);
  if (Number.isNaN(date.getTime())) return markup`${startedAt}`;
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' });
  return markup`<time datetime="${date.toISOString()}">${format.format(date)} UTC</time>`;
}
