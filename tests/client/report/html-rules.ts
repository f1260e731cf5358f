/** The rules on the page, by clause: their verdicts, what was seen, and what to do. */

import { anchorOf } from '../../report/html-page.ts';
import { type Markup, markup } from '../../report/markup.ts';
import type { JudgedRule } from '../certificate.ts';
import { groupRules, type NumberedFinding } from './groups.ts';
import { callAnchor, scenarioAnchor, shownCalls } from './html-scenarios.ts';
import type { CertificateReport } from './report.ts';
import { VERDICTS } from './wording.ts';

/** What leads to a rule in the page. */
export const ruleAnchor = (id: string): string => `rule-${anchorOf(id)}`;

/** All rules, those of good practice last. */
export function renderRules(report: CertificateReport, findings: readonly NumberedFinding[]): Markup {
  const shown = new Map(
    report.scenarios.map((scenario) => [
      scenario.name,
      new Set(shownCalls(scenario, findings).map(({ id }) => id)),
    ]),
  );
  return markup`<section id="rules" aria-labelledby="rules-title">
<h2 id="rules-title">Rules</h2>
<p class="about">Who breaks a clause does otherwise than the specification states. Good practice breaks none; it is warned of.</p>
${groupRules(report.rules).map(
  ({ title, rules }) => markup`<section class="clause">
<h3>${title}</h3>
${rules.map((rule) => renderRule(rule, findings, shown))}</section>
`,
)}</section>`;
}

type Shown = ReadonlyMap<string, ReadonlySet<number>>;

function renderRule(rule: JudgedRule, all: readonly NumberedFinding[], shown: Shown): Markup {
  const { id, clause, verdict, statement, reason, advice } = rule;
  const anchor = ruleAnchor(id);
  const { mark, word } = VERDICTS[verdict];
  const findings = all.filter((finding) => finding.rule.id === id && finding.rule.clause === clause);
  return markup`<article id="${anchor}" class="requirement ${verdict}" aria-labelledby="${anchor}-title">
<p class="verdict"><span aria-hidden="true">${mark}</span> ${word}</p>
<h4 id="${anchor}-title"><a class="id" href="#${anchor}">${id}</a> ${statement}${clause !== undefined && markup` <span class="source">${clause}</span>`}</h4>
${
  (reason !== undefined || findings.length > 0) &&
  markup`<div class="grounds">
${reason !== undefined && markup`<p>${reason}</p>`}${
  findings.length > 0 &&
  markup`<ol class="findings">${findings.map((finding) => renderFinding(finding, shown))}</ol>
<p class="advice"><b>What to do</b> ${advice}</p>`
}
</div>`
}
</article>
`;
}

function renderFinding({ number, severity, scenario, seen, calls }: NumberedFinding, shown: Shown): Markup {
  const ids = shown.get(scenario);
  const verdict = severity === 'fails' ? 'failed' : 'warned';
  return markup`<li id="finding-${number}" class="${verdict}"><span class="number">${number}</span>
<p>${ids ? markup`<a href="#${scenarioAnchor(scenario)}">${scenario}</a>` : scenario}: ${seen}</p>
${
  calls.length > 0 &&
  markup`<p class="proof">${calls.length === 1 ? 'Call' : 'Calls'} ${calls.map(
    (call, at) =>
      markup`${at > 0 && ', '}${ids?.has(call) ? markup`<a href="#${callAnchor(scenario, call)}">${call}<span class="unseen"> of ${scenario}</span></a>` : call}`,
  )}</p>`
}</li>
`;
}
