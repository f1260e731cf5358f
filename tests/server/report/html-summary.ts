/** The first screen of the page: the outcome, what was judged, and what to do next. */

import { anchorOf, moment } from '../../report/html-page.ts';
import { type Markup, markup } from '../../report/markup.ts';
import { several, VERDICTS } from '../../report/text.ts';
import type { Verdict } from '../../support/outcome.ts';
import type { JudgedRequirement, Report } from './report.ts';
import { outcomeOf } from './wording.ts';

/** More reasons than these would push the rest of the summary off the screen. */
const MOST_REASONS = 4;

export function renderSummaryPart(report: Report): Markup {
  const { outcome, target, requests } = report;
  const { mark, meaning } = outcomeOf(report);
  return markup`<header class="summary">
<p class="kind">Conformance report <span>Mitigation Request Service Interface Specification</span></p>
<h1><span class="seal" aria-hidden="true">${mark}</span> <span>${outcome}</span></h1>
<p class="meaning">${meaning}</p>
<ul class="counts">
${Object.keys(VERDICTS).map((verdict) => renderCount(verdict as Verdict, report))}</ul>
<dl class="facts">
<div><dt>Deployment</dt><dd><code>${target.baseUrl}</code></dd></div>
<div><dt>Client</dt><dd><code>${target.clientId}</code></dd></div>
${
  report.profile &&
  markup`<div><dt>Profile</dt><dd><code>${report.profile.name}</code> ${report.profile.title}. The specification: ${report.profile.specification}; what the profile declares: ${report.profile.declared}</dd></div>
`
}<div><dt>When</dt><dd>${moment(report.startedAt)}</dd></div>
<div><dt>Requests</dt><dd>${requests} in ${(report.durationMs / 1000).toFixed(1)} s</dd></div>
<div><dt>Token lifetime</dt><dd>${target.tokenLifetimeSeconds === undefined ? 'not given' : `${target.tokenLifetimeSeconds} s, as agreed`}</dd></div>
</dl>
${renderNext(report)}
<nav aria-label="Parts of this report"><ul>
<li><a href="#clauses">Clauses</a></li>
<li><a href="#open">Open points</a></li>
<li><a href="#unchecked">Not checked</a></li>
<li><a href="#proof">Proof</a></li>
<li><a href="#requests">Requests</a></li>
</ul></nav>
</header>`;
}

/** A number that leads to the first requirement with its verdict. */
function renderCount(verdict: Verdict, { counts, requirements }: Report): Markup {
  const { mark, word } = VERDICTS[verdict];
  const first = requirements.find((requirement) => requirement.verdict === verdict);
  const text = markup`<strong>${counts[verdict]}</strong> <span><span aria-hidden="true">${mark}</span> ${word}</span>`;
  return markup`<li class="${first ? verdict : 'none'}">${first ? markup`<a href="#${anchorOf(first.id)}">${text}</a>` : text}</li>
`;
}

function renderNext(report: Report): Markup {
  const { problems, requirements } = report;
  const failed = requirements.filter(({ verdict }) => verdict === 'failed');
  const reasons = [
    ...new Set(
      Object.keys(VERDICTS).flatMap((verdict) =>
        requirements
          .filter((requirement) => requirement.verdict === verdict)
          .flatMap(({ evidence }) => evidence.reason ?? []),
      ),
    ),
  ];
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
${failed.length > 0 && markup`<li class="failed"><b>${VERDICTS.failed.mark} failed</b> ${links(failed)}</li>`}
${reasons.slice(0, MOST_REASONS).map((reason) => {
  const concerned = requirements.filter(({ evidence }) => evidence.reason === reason);
  const { mark, word } = VERDICTS[concerned[0]?.verdict ?? 'could-not-run'];
  return markup`<li class="${concerned[0]?.verdict}"><b>${mark} ${word}</b> ${links(concerned)}: ${reason}</li>
`;
})}${rest > 0 && markup`<li><a href="#unchecked">${several(rest, 'more reason')}</a></li>`}
</ul>
</section>`;
}

function links(requirements: JudgedRequirement[]): Markup[] {
  return requirements.map(
    ({ id }, at) => markup`<a href="#${anchorOf(id)}">${id}</a>${at + 1 < requirements.length && ', '}`,
  );
}
