/** A report as one page that needs nothing beside itself: no script, no image, no request. */

import { POLICY } from '../../report/html-page.ts';
import { STYLE } from '../../report/html-style.ts';
import { type Markup, markup, toText, trusted } from '../../report/markup.ts';
import { curlSetup } from './curl.ts';
import { renderRequirement } from './html-requirement.ts';
import { renderSummaryPart } from './html-summary.ts';
import { renderOpenPoints, renderRequests, renderUnchecked } from './html-tables.ts';
import type { Report } from './report.ts';
import { NO_PROOF, proofInWords } from './wording.ts';

export function renderHtml(report: Report): string {
  const { outcome, target } = report;
  return toText(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${outcome}: ${target.baseUrl} (conformance report)</title>
<style>${trusted(STYLE)}</style>
</head>
<body class="${outcome}">
<a class="skip" href="#clauses">To the clauses</a>
${renderSummaryPart(report)}
<main>
${renderClauses(report)}
${renderOpenPoints(report)}
${renderUnchecked(report)}
${renderProof(report)}
${renderRequests(report)}
</main>
<footer>
<p>A pass means that the clause was kept for the requests of this run. What the specification leaves open is
observed and never judged. Secrets and tokens are replaced by names such as ‹token 1›, and characters that cannot be
seen are spelt out, as in \\u{202e}. What is folded here is not printed; <code>report.json</code> holds all of it.</p>
</footer>
</body>
</html>
`);
}

/** The requirements in the order of the specification, those of one clause together. */
function renderClauses(report: Report): Markup {
  const clauses = [...new Set(report.requirements.map(({ clause }) => clause))];
  const setup = curlSetup(report.target);
  return markup`<section id="clauses" aria-labelledby="clauses-title">
<h2 id="clauses-title">Clauses</h2>
<details class="setup"><summary>Before you enter a command of this report</summary>
<p>Set the variables, in bash or zsh. The last line waits for the client secret and does not show it.</p>
<pre><code>${setup.variables}</code></pre>
<p>Then obtain a token, for the commands that need one.</p>
<pre><code>${setup.token}</code></pre>
</details>
${clauses.map(
  (clause) => markup`<section class="clause">
<h3>Clause ${clause}</h3>
${report.requirements
  .filter((requirement) => requirement.clause === clause)
  .map((requirement) => renderRequirement(requirement, report))}
</section>
`,
)}</section>`;
}

function renderProof({ proof }: Report): Markup {
  return markup`<section id="proof" aria-labelledby="proof-title">
<h2 id="proof-title">Proof of the suite</h2>
<p class="about">A verdict is worth as much as the suite that gave it. A proof runs the suite against mocks that are
wrong in one way each, and must be caught, and against mocks that the specification permits, and must be accepted.</p>
<p>${proof ? proofInWords(proof) : NO_PROOF}</p>
${proof && markup`<p class="digest">Digest <code>${proof.digest}</code></p>`}
</section>`;
}
