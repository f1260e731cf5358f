/** A certificate as one page that needs nothing beside itself: no script, no image, no request. */

import { POLICY } from '../../report/html-page.ts';
import { STYLE } from '../../report/html-style.ts';
import { markup, toText, trusted } from '../../report/markup.ts';
import { numberFindings } from './groups.ts';
import { renderRules } from './html-rules.ts';
import { renderScenarios } from './html-scenarios.ts';
import { CERTIFICATE_STYLE } from './html-style.ts';
import { renderSummaryPart } from './html-summary.ts';
import type { CertificateReport } from './report.ts';
import { tally } from './wording.ts';

/** The whole page, for screens from 320 px and for paper. */
export function renderCertificateHtml(report: CertificateReport): string {
  const findings = numberFindings(report.rules);
  return toText(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${report.outcome}: ${tally(report)} (client certificate)</title>
<style>${trusted(STYLE + CERTIFICATE_STYLE)}</style>
</head>
<body class="${report.outcome}">
<a class="skip" href="#rules">To the rules</a>
${renderSummaryPart(report)}
<main>
${renderRules(report, findings)}
${renderScenarios(report, findings)}
</main>
<footer>
<p>The verdicts rest on what the client sent in these scenarios, and on nothing else of it. Characters that cannot be
seen are spelt out, as in \\u{202e}. What is folded here is not printed; <code>report.json</code> holds all of it.</p>
</footer>
</body>
</html>
`);
}
