/** A report on a feed as one page that needs nothing beside itself: no script, no image, no request. */

import { STYLE } from '../../report/html-style.ts';
import { type Markup, markup, toText, trusted } from '../../report/markup.ts';
import { inOneLine, OUTCOME_MARKS, several } from '../../report/text.ts';
import { type Finding, isFailure } from '../findings.ts';
import { ruleOf } from '../rules.ts';
import { type FeedReport, factsOf, meaningOf, thousands } from './report.ts';
import { placeOf } from './terminal.ts';

/** Even if a text of the feed came alive, this would let it load, run and send nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/** What the page has beside the reports of conformance. */
const OWN_STYLE = `
.counts { grid-template-columns: repeat(3, 1fr); }
.records { --tone: var(--not-applicable); --wash: var(--not-applicable-wash); }
.about + .requirement { margin-top: 1.25rem; border-top-left-radius: .5rem; border-top-right-radius: .5rem; }
.requirement h3 { margin: 0; color: var(--ink); font-size: 1rem; font-weight: 500; }
.places { margin-top: .5rem; }
.places li { padding: .35rem 0; border-top: 1px solid var(--line); font-size: .9375rem; }
.places code { display: block; color: var(--soft); }
.remedy { margin-top: .7rem; }
@media screen and (max-width: 44rem) {
  .counts { grid-template-columns: repeat(3, 1fr); }
  .counts li > a, .counts li:not(:has(a)) { padding: .6rem; }
  .counts span { font-size: .875rem; }
  .counts span span { display: none; }
}
`;

export function renderFeedHtml(report: FeedReport): string {
  const { outcome, source, findings, counts, unjudged, remarks } = report;
  return toText(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${outcome}: ${inOneLine(source.name)} (feed report)</title>
<style>${trusted(STYLE + OWN_STYLE)}</style>
</head>
<body class="${outcome}">
<a class="skip" href="#findings">To the findings</a>
<header class="summary">
<p class="kind">Feed report <span>Mitigation request records</span></p>
<h1><span class="seal" aria-hidden="true">${OUTCOME_MARKS[outcome]}</span> <span>${outcome}</span></h1>
<p class="meaning">${meaningOf(report)}</p>
<ul class="counts">
<li class="records"><strong>${thousands(report.records)}</strong> <span>records</span></li>
${renderCount(counts.findings, 'finding', 'failed', '✗', findings.find(isFailure))}
${renderCount(
  counts.warnings,
  'warning',
  'could-not-run',
  '!',
  findings.find((one) => !isFailure(one)),
)}
</ul>
${renderFacts(report)}
${
  unjudged.length + remarks.length > 0 &&
  markup`<section class="next" aria-labelledby="left-title">
<h2 id="left-title">What is to be known</h2>
<ul>${[...unjudged, ...remarks].map((sentence) => markup`<li>${sentence}</li>`)}</ul>
</section>`
}
</header>
<main>
<section id="findings" aria-labelledby="findings-title">
<h2 id="findings-title">Findings</h2>
<p class="about">${findings.length === 0 ? 'None.' : 'By rule, those that fail a feed first; of each the first places.'}</p>
${findings.map(renderFinding)}
</section>
</main>
<footer>
<p>What is quoted comes from the feed; characters that cannot be seen are spelt out, as in \\u{202e}. The digest of the
records in their order is <code>${report.digest}</code>, that of the same in any order <code>${report.setDigest}</code>.</p>
</footer>
</body>
</html>
`);
}

/** A number that leads to the first finding of its kind. */
function renderCount(
  count: number,
  noun: string,
  tone: string,
  mark: string,
  first: Finding | undefined,
): Markup {
  const text = markup`<strong>${count}</strong> <span><span aria-hidden="true">${mark}</span> ${noun}${count !== 1 && 's'}</span>`;
  return markup`<li class="${first ? tone : 'none'}">${first ? markup`<a href="#${anchorOf(first)}">${text}</a>` : text}</li>`;
}

function renderFacts(report: FeedReport): Markup {
  const { sites, span, size, profile, judgedFor } = factsOf(report);
  const facts = [
    ['Feed', inOneLine(report.source.name)],
    ['Sites', sites],
    ['Observations', span],
    ['Size', size],
    ['Profile', profile],
    ['Judged for', judgedFor],
  ] as const;
  return markup`<dl class="facts">
${facts.map(([name, text]) => text && markup`<div><dt>${name}</dt><dd>${name === 'Feed' ? markup`<code>${text}</code>` : inOneLine(text)}</dd></div>\n`)}</dl>`;
}

function renderFinding(finding: Finding): Markup {
  const { statement, why, remedy, source } = ruleOf(finding.rule);
  const anchor = anchorOf(finding);
  const more = finding.count - finding.places.length;
  return markup`<article id="${anchor}" class="requirement ${isFailure(finding) ? 'failed' : 'could-not-run'}" aria-labelledby="${anchor}-title">
<p class="verdict"><span aria-hidden="true">${isFailure(finding) ? '✗' : '!'}</span> ${isFailure(finding) ? 'finding' : 'warning'}</p>
<h3 id="${anchor}-title"><a class="id" href="#${anchor}">${finding.rule}</a> ${statement}</h3>
<div class="grounds">
<p class="times">${several(finding.count, 'time')}</p>
<ul class="places">
${finding.places.map((place) => markup`<li><code>${inOneLine(placeOf(place))}</code> ${inOneLine(place.seen)}</li>\n`)}${more > 0 && markup`<li>and ${several(more, 'more place')}</li>`}</ul>
<p class="remedy">${remedy}</p>
<details><summary>Why<span class="unseen"> ${finding.rule}</span></summary>
<p>${why}</p>
<p class="times">Source: ${source}</p>
</details>
</div>
</article>
`;
}

const anchorOf = ({ rule, class: ruleClass }: Finding): string => `${rule}-${ruleClass}`;
