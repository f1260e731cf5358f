/** An examination report as the shared renderers see it. */
import { cell, fence, folded, prose, section } from '../../report/markdown-text.ts';
import { markup } from '../../report/markup.ts';
import { anchorOf, type Fact, type Item, type ReportModel } from '../../report/model.ts';
import { suiteFacts, suiteProperties } from '../../report/suite-facts.ts';
import { several, tallyOf, VERDICTS } from '../../report/text.ts';
import type { JudgedRule, RuleVerdict } from '../certificate.ts';
import { groupRules, type NumberedFinding, numberFindings } from './groups.ts';
import { callAnchor, renderScenarios, scenarioAnchor, shownCalls } from './html-scenarios.ts';
import type { CertificateReport } from './report.ts';
import { SCENARIO_STYLE } from './scenario-style.ts';
import {
  callsInWords,
  commandLine,
  headlineOf,
  inSeconds,
  isFeedReader,
  leftOutInWords,
  measureOf,
  nextOf,
  strategyInWords,
  tokensInWords,
  troubleOf,
} from './wording.ts';

/** The model of `report`; a plain value. */
export function modelOf(report: CertificateReport): ReportModel {
  const { outcome, client, counts, requests, startedAt, durationMs, problems } = report;
  const findings = numberFindings(report.rules);
  const subject = client.command === undefined ? 'a client started by the user' : commandLine(client.command);
  return {
    kind: 'Client examination report',
    topic: 'Client of the Mitigation Request Service',
    command: 'mrs certify',
    subject: { name: 'Client', text: subject, isCode: client.command !== undefined },
    outcome,
    headline: headlineOf(report),
    next: nextOf(report),
    remarks: [...leftOutInWords(report), strategyInWords(report)],
    counts: Object.keys(VERDICTS)
      .filter((verdict): verdict is RuleVerdict => verdict in counts)
      .map((verdict) => ({ value: counts[verdict], word: VERDICTS[verdict].word, verdict })),
    tally: tallyOf(counts),
    facts: factsOf(report),
    properties: {
      client: subject,
      ...(!isFeedReader(report) && {
        strategy: strategyInWords(report),
        tokens: tokensInWords(report.tokens),
      }),
      requests: String(requests),
      ...(report.leftOut && { leftOut: report.leftOut.join(', ') }),
      ...suiteProperties(report),
    },
    startedAt,
    durationMs,
    items: {
      title: 'Rules',
      about: isFeedReader(report)
        ? 'A failed rule violates HTTP or what the profile declares. A warning is about good practice.'
        : 'A failed rule violates a clause of the specification. A warning is about good practice.',
      noun: 'rule',
      list: groupRules(report.rules).flatMap(({ rules }) =>
        rules.map((rule) => itemOf(rule, findings, report)),
      ),
    },
    problems,
    own: {
      style: SCENARIO_STYLE,
      sections: [
        {
          id: 'scenarios',
          title: 'Scenarios',
          about: isFeedReader(report)
            ? 'In each scenario, the client met a separate server.'
            : 'In each scenario, the client met a separate service, with separate credentials.',
          content: renderScenarios(report, findings),
        },
      ],
      footer: markup`The verdicts rest only on the requests that the client sent in these scenarios${isFeedReader(report) && ', and on how many records it printed that it holds'}. <code>report.json</code> holds everything.`,
      markdown: { beforeItems: section('Scenarios', scenarioTable(report)), last: printed(report) },
    },
  };
}

function factsOf(report: CertificateReport): Fact[] {
  const { client, tokens, requests, scenarios, durationMs } = report;
  const spent = `${requests} in ${several(scenarios.length, 'scenario')}, ${inSeconds(durationMs)}`;
  return [
    ...(client.processes > 1 ? [{ name: 'Processes', text: `${client.processes}, with one client id` }] : []),
    ...(isFeedReader(report) ? [] : [{ name: 'Tokens', text: tokensInWords(tokens) }]),
    { name: 'Requests', text: spent },
    ...suiteFacts(report),
  ];
}

function itemOf(rule: JudgedRule, all: readonly NumberedFinding[], { scenarios }: CertificateReport): Item {
  const { id, clause, severity, verdict, statement, reason, advice } = rule;
  const findings = all.filter((finding) => finding.rule === rule);
  return {
    id,
    anchor: `rule-${anchorOf(id)}`,
    clause,
    className: clause ?? 'practice',
    statement,
    verdict,
    severity: verdict === 'failed' ? severity : undefined,
    reason,
    summary: findings.map(({ scenario, seen }) => `${scenario}: ${seen}`).join(' '),
    facts: [],
    findings: findings.map((finding) => ({
      verdict: finding.verdict,
      where: finding.scenario,
      seen: finding.seen,
      proof: callsInWords(finding.calls),
      number: finding.number,
      ...linksOf(finding),
    })),
    advice: findings.length > 0 ? advice : undefined,
  };

  /** Only to scenarios and calls that the page shows. */
  function linksOf({ scenario, calls }: NumberedFinding) {
    const shown = scenarios.find(({ name }) => name === scenario);
    if (!shown) return { whereMarkup: markup`${scenario}` };
    const ids = new Set(shownCalls(shown, all).map((call) => call.id));
    const linked = calls.map((call, at) => {
      const text = markup`${call}<span class="unseen"> of ${scenario}</span>`;
      return markup`${at > 0 && ', '}${ids.has(call) ? markup`<a href="#${callAnchor(scenario, call)}">${text}</a>` : call}`;
    });
    return {
      whereMarkup: markup`<a href="#${scenarioAnchor(scenario)}">${scenario}</a>`,
      ...(calls.length > 0 && { proofMarkup: markup`${calls.length === 1 ? 'Call' : 'Calls'} ${linked}` }),
    };
  }
}

function scenarioTable(report: CertificateReport): string[] {
  const { scenarios, rules } = report;
  if (scenarios.length === 0) return [];
  const measure = measureOf(report);
  const rows = scenarios.map((scenario) => {
    const { verdict, words } = troubleOf(scenario, rules);
    const { counted, of } = measure.of(scenario);
    const result = [VERDICTS[verdict].mark, words.map(prose).join(', ')].join(' ').trim();
    return `| ${cell(prose(scenario.name))} | ${scenario.callCount} | ${counted} / ${of} | ${cell(result)} |`;
  });
  return [`| scenario | calls | ${measure.heading} | result |`, '| --- | ---: | ---: | --- |', ...rows];
}

/** In one fold: a name in the title of a fold would be HTML, in which Markdown protects nothing. */
function printed({ scenarios }: CertificateReport): string[] {
  const blocks = scenarios.flatMap(({ name, output }) =>
    output === undefined ? [] : [`${prose(name)}:`, '', fence('text', output.lastLines.trimEnd()), ''],
  );
  return blocks.length === 0 ? [] : [folded('Last output of the client', blocks)];
}
