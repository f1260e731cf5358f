/** The scenarios on the page: how each went, and call by call. */

import { type Markup, markup } from '../../report/markup.ts';
import { anchorOf } from '../../report/model.ts';
import { type Cell, table } from '../../report/table.ts';
import { inOneLine, several, VERDICTS } from '../../report/text.ts';
import type { Call } from '../traffic.ts';
import type { NumberedFinding } from './groups.ts';
import type { CertificateReport, ReportedScenario } from './report.ts';
import { answerOf, inSeconds, measureOf, stateInWords, tokensInWords, troubleOf } from './wording.ts';

/** The table shows this many calls from the start and the end, and all that prove a finding. */
const FIRST_ROWS = 60;
const LAST_ROWS = 20;
/** A table of this many calls is open if one of them proves a finding. */
const MOST_OPEN = 40;
/** Tokens in the table. */
const MOST_TOKENS = 30;

/** Anchor of a scenario in the page. */
export const scenarioAnchor = (name: string): string => `scenario-${anchorOf(name)}`;
/** Anchor of a call in the table of its scenario. */
export const callAnchor = (scenario: string, call: number): string =>
  `${scenarioAnchor(scenario)}-call-${call}`;

/** The calls of a scenario that the page shows one by one. */
export function shownCalls({ name, calls }: ReportedScenario, findings: readonly NumberedFinding[]): Call[] {
  const proving = new Set(findings.flatMap((one) => (one.scenario === name ? one.calls : [])));
  return calls.filter(({ id }, at) => at < FIRST_ROWS || at >= calls.length - LAST_ROWS || proving.has(id));
}

/** All scenarios, after a table of them. */
export function renderScenarios(report: CertificateReport, findings: readonly NumberedFinding[]): Markup {
  const { scenarios, rules } = report;
  const measure = measureOf(report);
  return markup`${table(
    'overview',
    `Scenarios: ${scenarios.length}`,
    ['Scenario', 'What the client met', 'Calls', capitalized(measure.heading), 'Result'],
    scenarios.map((scenario) => {
      const { verdict, words } = troubleOf(scenario, rules);
      const { counted, of } = measure.of(scenario);
      return [
        markup`<a href="#${scenarioAnchor(scenario.name)}">${scenario.name}</a>`,
        scenario.summary,
        String(scenario.callCount),
        markup`${counted} <span class="about">/ ${of}</span>`,
        markup`<span class="badge ${verdict}"><span aria-hidden="true">${VERDICTS[verdict].mark}</span> ${words.join(', ') || VERDICTS[verdict].word}</span>`,
      ];
    }),
  )}
${scenarios.map((scenario) => renderScenario(scenario, report, findings))}`;
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
<p>${capitalized(summary)}. ${stateInWords(scenario)}</p>
${
  callCount > 0 &&
  markup`<p class="about">${several(callCount, 'call')} in ${inSeconds(scenario.durationMs)}${scenario.records ? '' : `; ${tokensInWords(scenario.tokens)}; ${lifetime}`}.</p>
`
}${
  findings.length > 0 &&
  markup`<ul class="found">${findings.map(
    ({ number, verdict, rule, seen }) =>
      markup`<li class="${verdict}"><b>${number}</b> <a href="#finding-${number}">${rule.id}</a>: ${seen}</li>
`,
  )}</ul>`
}
${scenario.calls.length > 0 && renderCalls(scenario, all)}
${renderOutput(scenario)}
</section>
`;
}

/** `untimed`: the times of the calls are not known. */
export function renderCalls(
  scenario: ReportedScenario,
  findings: readonly NumberedFinding[],
  { untimed = false } = {},
): Markup {
  const { name, lives, callCount } = scenario;
  const shown = shownCalls(scenario, findings);
  const own = findings.filter((one) => one.scenario === name);
  const isShort = own.length > 0 && shown.length <= MOST_OPEN;
  const left = callCount - shown.length;
  return markup`<details${isShort && markup` open`}><summary>Call by call<span class="unseen"> in ${name}</span></summary>
${table(
  'calls',
  left === 0
    ? `Calls: ${callCount}`
    : `Calls: ${shown.length} of ${callCount}, the first, the last and those that prove a finding`,
  [
    'Call',
    ...(untimed ? [] : ['Time']),
    'Request',
    'Answer',
    'Reason',
    ...(scenario.records ? [] : ['Token']),
    ...(own.length > 0 ? ['Finding'] : []),
  ],
  shown.map((call) => [
    ...callRow(call, scenario, untimed),
    ...(own.length > 0 ? [markup`${own.filter(({ calls }) => calls.includes(call.id)).map(flag)}`] : []),
  ]),
)}
${
  lives.length > 0 &&
  !untimed &&
  table(
    'tokens',
    lives.length > MOST_TOKENS
      ? `Tokens: the first ${MOST_TOKENS} of ${lives.length}`
      : `Tokens: ${lives.length}`,
    ['Token', 'Issued', 'Replaced', 'End'],
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

/** Links a call to a finding that it proves. */
const flag = ({ number, verdict, rule }: NumberedFinding): Markup =>
  markup`<a class="flag ${verdict}" href="#finding-${number}" aria-label="Finding ${number}: ${rule.id} ${VERDICTS[verdict].word}">${number}</a> `;

function callRow(call: Call, { name, records }: ReportedScenario, untimed: boolean): Cell[] {
  const { id, atMs, method, path, query, reason, token, standing, kind, proxyAnswer } = call;
  const names = query.length === 0 ? '' : `?${query.join('&')}`;
  const state = standing === undefined || standing === 'valid' ? '' : `, ${standing}`;
  return [
    markup`<span id="${callAnchor(name, id)}">${id}</span>`,
    ...(untimed ? [] : [`${(atMs / 1000).toFixed(3)} s`]),
    markup`<code>${inOneLine(`${method} ${path}${names}`)}</code>`,
    answerOf(call),
    proxyAnswer === undefined ? reason : `${reason} (${proxyAnswer})`,
    ...(records
      ? []
      : [token === undefined ? `none${state}` : `${token}${kind === 'token' ? ' issued' : ''}${state}`]),
  ];
}

/** The last output of the client; the file next to the report has more. */
function renderOutput({ name, output }: ReportedScenario): Markup | false {
  if (!output) return false;
  return markup`<details><summary>Output of the client<span class="unseen"> in ${name}</span></summary>
<p class="about">The last lines; <code>${output.file}</code> next to this report holds more.</p>
<pre><code>${output.lastLines}</code></pre>
</details>`;
}

const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
