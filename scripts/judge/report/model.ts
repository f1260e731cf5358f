/** A report on traffic as the shared renderers see it. */
import { type NumberedFinding, numberFindings } from '../../../tests/client/report/groups.ts';
import { callAnchor, renderCalls, shownCalls } from '../../../tests/client/report/html-scenarios.ts';
import { SCENARIO_STYLE } from '../../../tests/client/report/scenario-style.ts';
import { inSeconds, tokensInWords } from '../../../tests/client/report/wording.ts';
import { type Markup, markup } from '../../../tests/report/markup.ts';
import { anchorOf, type Item, type ReportModel } from '../../../tests/report/model.ts';
import { suiteFacts, suiteProperties } from '../../../tests/report/suite-facts.ts';
import { table } from '../../../tests/report/table.ts';
import { several, tallyOf, VERDICTS } from '../../../tests/report/text.ts';
import { expectedInWords } from '../../../tests/server/report/wording.ts';
import type { ItemVerdict } from '../../../tests/support/verdict.ts';
import type { ReportedRequirement, TrafficReport } from './report.ts';
import {
  commonLifetimeInWords,
  entriesInWords,
  headlineOf,
  lifetimeInWords,
  nextOf,
  proxyInWords,
  recordingInWords,
  remarksOf,
  timeInWords,
} from './wording.ts';

/** The model of `report`; a plain value. */
export function modelOf(report: TrafficReport): ReportModel {
  const { outcome, recording, baseUrl, startedAt, durationMs, server, client, problems, proxy } = report;
  const findings = numberFindings(client.rules);
  const linkTo = linksIn(report, findings);
  const counts = {
    passed: server.counts.passed + client.counts.passed,
    failed: server.counts.failed + client.counts.failed,
    warned: client.counts.warned,
    'not-seen': server.counts['not-seen'] + client.counts['not-seen'],
  };
  return {
    kind: 'Traffic report',
    topic: `${proxy ? 'Traffic' : 'Recorded traffic'} of the Mitigation Request Service`,
    command: proxy ? 'mrs proxy' : 'mrs judge',
    subject: proxy
      ? { name: 'Service', text: baseUrl, isCode: true }
      : { name: 'Recording', text: recording.file, isCode: true },
    outcome,
    headline: headlineOf(report),
    next: nextOf(report),
    remarks: remarksOf(report),
    counts: Object.keys(VERDICTS)
      .filter((verdict): verdict is keyof typeof counts => verdict in counts)
      .map((verdict) => ({ value: counts[verdict], word: VERDICTS[verdict].word, verdict })),
    tally: tallyOf(counts),
    facts: [
      { name: 'Base URL', text: baseUrl, isCode: true },
      { name: 'Service', text: server.outcome },
      { name: several(client.clients.length, 'client').replace(/^1 c/, 'C'), text: client.outcome },
      { name: 'Recorded', text: timeInWords(report) },
      { name: 'Entries', text: recordingInWords(report) },
      ...(proxy ? [{ name: 'Answered by the proxy', text: proxyInWords(proxy) }] : []),
      { name: 'Token lifetime', text: commonLifetimeInWords(report) },
      ...suiteFacts(report),
    ],
    properties: {
      recording: recording.file,
      ...(proxy && { injected: String(proxy.injected) }),
      'base-url': baseUrl,
      server: server.outcome,
      client: client.outcome,
      exchanges: String(recording.judged),
      ...suiteProperties(report),
    },
    startedAt,
    durationMs,
    items: {
      title: 'Clauses',
      about:
        'What the specification requires of the service (MRS-…), and the rules for clients that follow from it. What the traffic does not show is not seen, and never passed.',
      noun: 'clause',
      list: [
        ...server.requirements.map((one) => requirementItem(one, report, linkTo)),
        ...client.rules.map(ruleItem),
      ],
    },
    problems,
    own: {
      style: SCENARIO_STYLE,
      sections: [
        {
          id: 'clients',
          title: 'Clients',
          about: `The calls of each client, by the tokens that they carried. A call has the number of its entry in the file${recording.untimed ? '' : '; times count from the first call of the client'}.`,
          content: renderClients(report, findings),
        },
      ],
      footer: markup`The verdicts rest only on the traffic ${proxy ? 'that passed through the proxy' : 'in this file'}. Secrets and tokens are replaced by names such as ‹token 1›, and bodies are not kept. <code>report.json</code> holds everything.`,
      markdown: { last: [] },
    },
  };

  function ruleItem(rule: TrafficReport['client']['rules'][number]): Item {
    const { id, clause, severity, verdict, statement, reason, advice } = rule;
    const own = findings.filter((finding) => finding.rule === rule);
    return {
      id,
      anchor: `rule-${anchorOf(id)}`,
      clause,
      className: `client.${clause ?? 'practice'}`,
      statement,
      verdict: verdict as ItemVerdict,
      severity: verdict === 'failed' ? severity : undefined,
      reason,
      summary: own.map(({ scenario, seen }) => `${scenario}: ${seen}`).join(' '),
      facts: [],
      findings: own.map((finding) => ({
        verdict: finding.verdict,
        where: finding.scenario,
        seen: finding.seen,
        proof: proofOf(finding),
        number: finding.number,
        whereMarkup: markup`<a href="#${clientAnchor(finding.scenario)}">${finding.scenario}</a>`,
        ...(finding.calls.length > 0 && {
          proofMarkup: markup`${finding.calls.length === 1 ? 'Call' : 'Calls'} ${finding.calls.map(
            (call, at) => markup`${at > 0 && ', '}${linkTo(call)}`,
          )}`,
        }),
      })),
      advice: own.length > 0 ? advice : undefined,
    };
  }

  function proofOf({ scenario, calls: entries }: NumberedFinding): string | undefined {
    const of = client.clients.find(({ id }) => id === scenario);
    if (entries.length === 0 || !of) return undefined;
    return entriesInWords(
      entries.map((entry) => {
        const call = of.calls.find(({ id }) => id === entry);
        return { entry, sentAtMs: call && of.startMs + call.startMs };
      }),
      report,
    );
  }
}

function requirementItem(requirement: ReportedRequirement, report: TrafficReport, linkTo: LinkTo): Item {
  const { id, clause, verdict, statement, severity, violation, advice, evidence } = requirement;
  const { expected, seen, reason, kept, violated } = evidence;
  const isFailed = verdict === 'failed';
  const inWords = expected === undefined ? '' : expectedInWords(expected);
  const decided = kept + violated;
  const facts: (readonly [string, string])[] = [
    ...(inWords ? [['Expected', inWords] as const] : []),
    ...(seen ? [['Seen', seen] as const] : []),
    ...(decided > 0
      ? [
          [
            'Calls',
            violated > 0
              ? `${violated} of ${decided} violate it: ${placeOf(requirement, report)}`
              : `${several(kept, 'call')} kept it`,
          ] as const,
        ]
      : []),
  ];
  return {
    id,
    anchor: anchorOf(id),
    className: `server.${clause}`,
    statement,
    verdict,
    severity: isFailed ? severity : undefined,
    violation: isFailed ? violation : undefined,
    advice: isFailed ? advice : undefined,
    reason,
    summary: isFailed ? `Expected ${inWords}. Seen: ${seen}.` : undefined,
    facts,
    findings: [],
    evidence: renderDeciding(requirement, report, linkTo),
  };
}

/** Where the calls are that violate a requirement: their exchanges come first. */
function placeOf({ evidence }: ReportedRequirement, report: TrafficReport): string {
  const ids = evidence.exchanges.slice(0, evidence.violated);
  return entriesInWords(
    ids.flatMap((one) => report.exchanges.find(({ id }) => id === one) ?? []),
    report,
  );
}

// What only the page has: the exchanges that decided, and the calls of each client.

type Client = TrafficReport['client']['clients'][number];

/** Links to the calls that the page shows, by their entries in the file. */
type LinkTo = (entry: number) => Markup;

function linksIn(report: TrafficReport, findings: readonly NumberedFinding[]): LinkTo {
  const anchors = new Map<number, string>();
  for (const client of report.client.clients)
    for (const { id } of shownCalls(scenarioOf(client, report), findings))
      anchors.set(id, callAnchor(client.id, id));
  return (entry) => {
    const anchor = anchors.get(entry);
    const text = markup`${entry}<span class="unseen"> in the file</span>`;
    return anchor === undefined ? text : markup`<a href="#${anchor}">${text}</a>`;
  };
}

/** Anchor of a client in the page. */
export const clientAnchor = (id: string): string => `client-${anchorOf(id)}`;

/** The exchanges that a verdict rests on. */
function renderDeciding(
  { id, evidence }: ReportedRequirement,
  { exchanges, recording: { untimed } }: TrafficReport,
  linkTo: LinkTo,
): Markup | false {
  const deciding = evidence.exchanges.flatMap(
    (one) => exchanges.find((exchange) => exchange.id === one) ?? [],
  );
  if (deciding.length === 0) return false;
  return markup`<details><summary>Exchanges: ${deciding.length}<span class="unseen"> for ${id}</span></summary>
${table(
  'requests',
  'By their place in the file',
  ['Entry', 'Purpose', 'Request line', 'Answer', 'Body', ...(untimed ? [] : ['Sent at'])],
  deciding.map(({ entry, what, method, path, status, mediaType, body, sentAtMs }) => [
    linkTo(entry),
    what,
    markup`<code>${method} ${path}</code>`,
    status === undefined ? 'none' : `${status}, ${mediaType ?? 'no media type'}`,
    body ?? '',
    ...(untimed ? [] : [inSeconds(sentAtMs)]),
  ]),
)}</details>`;
}

/** Each client with its calls. */
const renderClients = (report: TrafficReport, all: readonly NumberedFinding[]): Markup =>
  markup`${report.client.clients.map((client) => {
    const { id, tokens, callCount, startMs, durationMs, outcome, strategy } = client;
    const scenario = scenarioOf(client, report);
    const lifetime = lifetimeOf(client, report);
    const { untimed = false } = report.recording;
    const begin = startMs > 0 ? `, from ${inSeconds(startMs)} into the recording on` : '';
    return markup`<section id="${clientAnchor(id)}" class="scenario" aria-label="${id}">
<h3>${id}</h3>
<p class="about">${outcome}; ${several(callCount, 'call')}${!untimed && ` in ${inSeconds(durationMs)}${begin}`}; ${tokensInWords(tokens)}${strategy !== 'none' && `; strategy: ${strategy}`}${lifetime && `; token lifetime: ${lifetimeInWords(lifetime)}`}.</p>
${scenario.calls.length > 0 && renderCalls(scenario, all, { untimed })}
</section>
`;
  })}`;

const lifetimeOf = ({ id }: Client, { tokenLifetime }: TrafficReport) =>
  tokenLifetime.clients.find((one) => one.id === id);

/** A client as the page of a certificate shows a scenario. */
function scenarioOf(client: Client, report: TrafficReport) {
  const { agreedSeconds, atMostSeconds } = lifetimeOf(client, report) ?? {};
  const agreed = agreedSeconds ?? atMostSeconds ?? 1;
  return {
    ...client,
    name: client.id,
    summary: '',
    agreedLifetimeSeconds: agreed,
    tokenLifetimeSeconds: agreed,
    state: 'seen' as const,
  };
}
