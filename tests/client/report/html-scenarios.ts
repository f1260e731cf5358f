/** The scenarios on the page: how each went, drawn, and call by call. */

import { anchorOf } from '../../report/html-page.ts';
import { type Cell, table } from '../../report/html-table.ts';
import { type Markup, markup } from '../../report/markup.ts';
import { inOneLine, several } from '../../report/text.ts';
import type { Call } from '../traffic.ts';
import type { NumberedFinding } from './groups.ts';
import { KINDS, renderDrawing, shape } from './html-drawing.ts';
import type { CertificateReport, ReportedScenario } from './report.ts';
import { type Kind, kindOf } from './timeline.ts';
import { answerOf, inSeconds, stateInWords, tokensInWords, troubleOf, VERDICTS } from './wording.ts';

/** Of many calls so many of the first and of the last are in the table, and those that prove a finding. */
const FIRST_ROWS = 60;
const LAST_ROWS = 20;
/** Of many tokens so many. */
const MOST_TOKENS = 30;

/** What leads to a scenario in the page. */
export const scenarioAnchor = (name: string): string => `scenario-${anchorOf(name)}`;
/** What leads to a call in the table of its scenario. */
export const callAnchor = (scenario: string, call: number): string =>
  `${scenarioAnchor(scenario)}-call-${call}`;

/** Those calls of a scenario that the page shows one by one. */
export function shownCalls({ name, calls }: ReportedScenario, findings: readonly NumberedFinding[]): Call[] {
  const proving = new Set(findings.flatMap((one) => (one.scenario === name ? one.calls : [])));
  return calls.filter(({ id }, at) => at < FIRST_ROWS || at >= calls.length - LAST_ROWS || proving.has(id));
}

/** All scenarios, after a table of them and what the marks mean. */
export function renderScenarios(report: CertificateReport, findings: readonly NumberedFinding[]): Markup {
  const { scenarios, rules } = report;
  return markup`<section id="scenarios" aria-labelledby="scenarios-title">
<h2 id="scenarios-title">Scenarios</h2>
<p class="about">In each, the client met a service of its own, with credentials of its own.</p>
${table(
  'overview',
  `Scenarios: ${scenarios.length}`,
  ['Scenario', 'What the client met', 'Calls', 'Tokens / needed', 'To be said of it'],
  scenarios.map((scenario) => {
    const { verdict, words } = troubleOf(scenario, rules);
    return [
      markup`<a href="#${scenarioAnchor(scenario.name)}">${scenario.name}</a>`,
      scenario.summary,
      String(scenario.callCount),
      markup`${scenario.tokens.asked} <span class="about">/ ${scenario.tokens.needed}</span>`,
      markup`<span class="badge ${verdict}"><span aria-hidden="true">${VERDICTS[verdict].mark}</span> ${words.join(', ') || 'nothing'}</span>`,
    ];
  }),
)}
<div class="legend"><h3>How to read the timelines</h3>
<p>A bar is a token, from its issue to its end, which a bold line marks. It is grey once there was a newer one, and a
call on the dashed line behind it carried a token that was over. A number leads to the finding that the call below it
proves; the other calls that prove one have a ring.</p>
<ul>${(Object.keys(KINDS) as Kind[]).map((kind) => markup`<li>${shape(kind)} ${KINDS[kind]}</li>`)}</ul></div>
${scenarios.map((scenario) => renderScenario(scenario, report, findings))}
</section>`;
}

function renderScenario(
  scenario: ReportedScenario,
  { rules }: CertificateReport,
  all: readonly NumberedFinding[],
): Markup {
  const { name, summary, agreedLifetimeSeconds: agreed, tokenLifetimeSeconds: lived, callCount } = scenario;
  const anchor = scenarioAnchor(name);
  const findings = all.filter((one) => one.scenario === name);
  const { verdict } = troubleOf(scenario, rules);
  const lifetime =
    agreed === lived ? `tokens live ${lived} s, as agreed` : `${agreed} s agreed, tokens live ${lived} s`;
  return markup`<section id="${anchor}" class="scenario ${verdict}" aria-labelledby="${anchor}-title">
<h3 id="${anchor}-title"><span class="badge" aria-hidden="true">${VERDICTS[verdict].mark}</span> ${name}</h3>
<p>${`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`} ${stateInWords(scenario)}</p>
${
  callCount > 0 &&
  markup`<p class="about">${several(callCount, 'call')} in ${inSeconds(scenario.durationMs)}; ${tokensInWords(scenario.tokens)}; ${lifetime}.</p>
`
}${
  findings.length > 0 &&
  markup`<ul class="found">${findings.map(
    ({ number, severity, rule, seen }) =>
      markup`<li class="${severity === 'fails' ? 'failed' : 'warned'}"><b>${number}</b> <a href="#finding-${number}">${rule.id}</a>: ${seen}</li>
`,
  )}</ul>`
}
${scenario.calls.length > 0 && renderDrawing(scenario, findings)}
${scenario.calls.length > 0 && renderCalls(scenario, all)}
${renderOutput(scenario)}
</section>
`;
}

function renderCalls(scenario: ReportedScenario, findings: readonly NumberedFinding[]): Markup {
  const { name, lives, callCount } = scenario;
  const shown = shownCalls(scenario, findings);
  const left = callCount - shown.length;
  return markup`<details><summary>Call by call<span class="unseen"> in ${name}</span></summary>
${table(
  'calls',
  left === 0
    ? `Calls: ${callCount}`
    : `Calls: ${shown.length} of ${callCount}, the first, the last and those that prove a finding`,
  ['Call', 'Time', 'What', 'Answer', 'Reason', 'Token'],
  shown.map((call) => callRow(call, name)),
)}
${
  lives.length > 0 &&
  table(
    'tokens',
    lives.length > MOST_TOKENS
      ? `Tokens: the first ${MOST_TOKENS} of ${lives.length}`
      : `Tokens: ${lives.length}`,
    ['Token', 'Issued', 'Replaced', 'Over'],
    lives
      .slice(0, MOST_TOKENS)
      .map(({ number, issuedMs, expiresMs, endedMs }, at) => [
        String(number),
        inSeconds(issuedMs),
        lives[at + 1] ? inSeconds(lives[at + 1]?.issuedMs ?? 0) : 'never',
        endedMs === undefined ? `expires at ${inSeconds(expiresMs)}` : `ended at ${inSeconds(endedMs)}`,
      ]),
  )
}
</details>`;
}

function callRow(call: Call, scenario: string): Cell[] {
  const { id, atMs, method, path, query, reason, token, standing, kind } = call;
  const names = query.length === 0 ? '' : `?${query.join('&')}`;
  const state = standing === undefined || standing === 'valid' ? '' : `, ${standing}`;
  return [
    markup`<span id="${callAnchor(scenario, id)}">${id}</span>`,
    `${(atMs / 1000).toFixed(3)} s`,
    markup`<code>${inOneLine(`${method} ${path}${names}`)}</code>`,
    markup`${shape(kindOf(call))} ${answerOf(call)}`,
    reason,
    token === undefined ? `none${state}` : `${token}${kind === 'token' ? ' issued' : ''}${state}`,
  ];
}

/** The last that the client printed; more of it is beside the report. */
function renderOutput({ name, output }: ReportedScenario): Markup | false {
  if (!output) return false;
  return markup`<details><summary>What the client printed<span class="unseen"> in ${name}</span></summary>
<p class="about">The last lines; <code>${output.file}</code> beside this report holds more.</p>
<pre><code>${output.lastLines}</code></pre>
</details>`;
}
