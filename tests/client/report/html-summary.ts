/** The first screen of the page: the outcome, how the client renews, and what to do next. */

import { moment } from '../../report/html-page.ts';
import { type Markup, markup } from '../../report/markup.ts';
import { several } from '../../report/text.ts';
import type { JudgedRule, RuleVerdict } from '../certificate.ts';
import { ruleAnchor } from './html-rules.ts';
import type { CertificateReport } from './report.ts';
import { commandLine, inSeconds, outcomeOf, strategyInWords, tokensInWords, VERDICTS } from './wording.ts';

/** More reasons than these would push the rest of the summary off the screen. */
const MOST_REASONS = 3;

/** The header of the page. */
export function renderSummaryPart(report: CertificateReport): Markup {
  const { outcome, client, scenarios, requests } = report;
  const { mark, meaning } = outcomeOf(report);
  return markup`<header class="summary">
<p class="kind">Client certificate <span>Mitigation Request Service Interface Specification</span></p>
<h1><span class="seal" aria-hidden="true">${mark}</span> <span>${outcome}</span></h1>
<p class="meaning">${meaning}</p>
<p class="strategy">${strategyInWords(report)}</p>
<ul class="counts">
${(Object.keys(VERDICTS) as RuleVerdict[]).map((verdict) => renderCount(verdict, report))}</ul>
<dl class="facts">
<div><dt>Client</dt><dd>${client.command === undefined ? 'came by itself' : markup`<code>${commandLine(client.command)}</code>`}</dd></div>
${
  client.processes > 1 &&
  markup`<div><dt>Processes</dt><dd>${client.processes}, with one client id</dd></div>
`
}<div><dt>Tokens</dt><dd>${tokensInWords(report.tokens)}</dd></div>
<div><dt>Requests</dt><dd>${requests} in ${several(scenarios.length, 'scenario')}, ${inSeconds(report.durationMs)}</dd></div>
<div><dt>When</dt><dd>${moment(report.startedAt)}</dd></div>
</dl>
${renderNext(report)}
<nav aria-label="Parts of this report"><ul>
<li><a href="#rules">Rules</a></li>
<li><a href="#scenarios">Scenarios</a></li>
</ul></nav>
</header>`;
}

/** A number that leads to the first rule with its verdict. */
function renderCount(verdict: RuleVerdict, { counts, rules }: CertificateReport): Markup {
  const { mark, word } = VERDICTS[verdict];
  const first = rules.find((rule) => rule.verdict === verdict);
  const text = markup`<strong>${counts[verdict]}</strong> <span><span aria-hidden="true">${mark}</span> ${word}</span>`;
  return markup`<li class="${first ? verdict : 'none'}">${first ? markup`<a href="#${ruleAnchor(first.id)}">${text}</a>` : text}</li>
`;
}

function renderNext(report: CertificateReport): Markup {
  const { problems, rules } = report;
  const untried = rules.filter(({ verdict }) => verdict === 'could-not-run');
  const reasons = [...new Set(untried.flatMap(({ reason }) => reason ?? []))];
  const rest = reasons.length - MOST_REASONS;
  return markup`<section class="next" aria-labelledby="next-title">
<h2 id="next-title">What to do next</h2>
<p>${outcomeOf(report).next}</p>
${
  problems.length > 0 &&
  markup`<h3>${several(problems.length, 'fault')} of the run</h3>
<ul class="problems">${problems.map((problem) => markup`<li>${problem}</li>`)}</ul>
`
}<ul>
${(['failed', 'warned'] as const).map((verdict) => concerned(verdict, rules))}${reasons
  .slice(0, MOST_REASONS)
  .map((reason) =>
    concerned(
      undefined,
      untried.filter((rule) => rule.reason === reason),
      reason,
    ),
  )}${rest > 0 && markup`<li><a href="#rules">${several(rest, 'more reason')}</a></li>`}
</ul>
</section>`;
}

/** More links than these say no more than their number. */
const MOST_LINKS = 8;

function concerned(
  wanted: RuleVerdict | undefined,
  rules: readonly JudgedRule[],
  reason?: string,
): Markup | false {
  const those = wanted === undefined ? rules : rules.filter(({ verdict }) => verdict === wanted);
  const verdict = those[0]?.verdict;
  if (verdict === undefined) return false;
  const { mark, word } = VERDICTS[verdict];
  const rest = those.length - MOST_LINKS;
  const links = those
    .slice(0, MOST_LINKS)
    .map(({ id }, at) => markup`${at > 0 && ', '}<a href="#${ruleAnchor(id)}">${id}</a>`);
  return markup`<li class="${verdict}"><b>${mark} ${word}</b> ${links}${rest > 0 && ` and ${rest} more`}${reason !== undefined && markup`: ${reason}`}</li>
`;
}
