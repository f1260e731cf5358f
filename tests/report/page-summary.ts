/** The first screen of the page: what is wrong, in sentences, and what to do. */
import { type Markup, markup } from './markup.ts';
import { type Count, type Fact, type Item, itemsOf, type ReportModel } from './model.ts';
import { inOneLine, OUTCOME_MARKS, SEVERITY_WORDS, several, thousands, VERDICTS } from './text.ts';
import { type Trouble, troublesOf } from './troubles.ts';

/** More than these would push the rest of the summary off the screen. */
const MOST_TROUBLES = 4;

export function renderSummary(model: ReportModel): Markup {
  const { kind, outcome, headline, remarks, warning, subject, facts, startedAt, items, own } = model;
  const parts = [...(own.first ?? []), { id: 'items', title: items.title }, ...own.sections];
  return markup`<header class="summary">
<p class="kind">${kind} <span class="subject">${subject.isCode ? markup`<code>${inOneLine(subject.text)}</code>` : inOneLine(subject.text)}</span></p>
<h1><span class="seal" aria-hidden="true">${OUTCOME_MARKS[outcome]}</span> <span>${headline}</span></h1>
${renderTally(model)}
${warning !== undefined && markup`<p class="warning failed" role="alert">${warning}</p>\n`}${renderProblems(model)}${renderTroubles(model)}
<p class="next"><b>What to do</b> ${model.next}</p>
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

const renderFact = ({ name, text, isCode }: Fact): Markup =>
  markup`<div><dt>${name}</dt><dd>${isCode ? markup`<code>${inOneLine(text)}</code>` : inOneLine(text)}</dd></div>\n`;

/** The outcome, and how many items have which verdict, as a bar and in words. */
function renderTally(model: ReportModel): Markup {
  const { outcome, counts } = model;
  const shares = counts.filter(({ verdict, value }) => verdict !== undefined && value > 0);
  return markup`<p class="bar" aria-hidden="true">${shares.map(({ value, verdict = 'passed' }) => markup`<span class="${verdict}" style="flex-grow: ${value}"></span>`)}</p>
<p class="tally"><b class="outcome">${outcome}</b> ${counts.map((count) => renderCount(count, itemsOf(model)))}</p>
`;
}

/** A number that leads to the first item with its verdict. */
function renderCount({ value, word, verdict }: Count, items: readonly Item[]): Markup {
  const first = items.find((item) => item.verdict === verdict);
  const mark = verdict && markup`<span aria-hidden="true">${VERDICTS[verdict].mark}</span> `;
  const text = markup`${mark}${thousands(value)} ${word}`;
  return markup`<span class="${(first && verdict) || 'none'}">${first ? markup`<a href="#${first.anchor}">${text}</a>` : text}</span>
`;
}

function renderProblems({ problems }: ReportModel): Markup | false {
  if (problems.length === 0) return false;
  return markup`<h2>${several(problems.length, 'fault')} of the run</h2>
<ul class="problems">${problems.map((problem) => markup`<li>${problem}</li>`)}</ul>
`;
}

function renderTroubles(model: ReportModel): Markup | false {
  const troubles = troublesOf(model);
  if (troubles.length === 0) return false;
  const rest = troubles.length - MOST_TROUBLES;
  return markup`<section class="troubles" aria-labelledby="troubles-title">
<h2 id="troubles-title">${troubles[0]?.verdict === 'could-not-run' ? 'Why' : 'What is wrong'}</h2>
<ul>${troubles.slice(0, MOST_TROUBLES).map(renderTrouble)}</ul>
${rest > 0 && markup`<p><a href="#items">${rest} more</a></p>`}
</section>`;
}

function renderTrouble({ verdict, sentence, items: [item, ...others] }: Trouble): Markup {
  const { id, clause, anchor, severity, advice } = item;
  const { mark, word } = VERDICTS[verdict];
  const isBroken = verdict !== 'could-not-run';
  const label = severity && isBroken ? SEVERITY_WORDS[severity] : word;
  const link = isBroken ? [id, clause].filter(Boolean).join(', ') : others.length > 0 ? 'Which ones' : id;
  return markup`<li class="${verdict}"><span class="mark" aria-hidden="true">${mark}</span>
<p><b class="severity">${label}</b> ${sentence} <a href="#${anchor}">${link}</a></p>
${isBroken && advice !== undefined && markup`<p class="hint">${firstSentence(advice)}</p>`}</li>
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
