/** A conformance report as the shared renderers see it. */
import { code, folded, prose } from '../../report/markdown-text.ts';
import { markup } from '../../report/markup.ts';
import { anchorOf, type Fact, type Item, type ReportModel } from '../../report/model.ts';
import { several, tallyOf, VERDICTS } from '../../report/text.ts';
import type { Verdict } from '../../support/outcome.ts';
import { findingText, renderEvidence } from './html-evidence.ts';
import { sectionsOf } from './html-sections.ts';
import type { JudgedRequirement, Report } from './report.ts';
import { expectedInWords, meaningOf, proofInWords, UNVERIFIED, whyNotJudged } from './wording.ts';

/** The model of `report`; a plain value. */
export function modelOf(report: Report): ReportModel {
  const { outcome, target, counts, requirements, requests, startedAt, durationMs, problems } = report;
  const clauses = [...new Set(requirements.map(({ clause }) => clause))];
  const { meaning, next } = meaningOf(report);
  return {
    kind: 'Conformance report',
    topic: 'Mitigation Request Service Interface Specification',
    command: 'mrs verify',
    subject: { name: 'Deployment', text: target.baseUrl, isCode: true },
    outcome,
    meaning,
    next,
    remarks: [],
    warning: report.certificatesVerified === false ? UNVERIFIED : undefined,
    counts: Object.keys(VERDICTS)
      .filter((verdict): verdict is Verdict => verdict in counts)
      .map((verdict) => ({ value: counts[verdict], word: VERDICTS[verdict].word, verdict })),
    tally: tallyOf(counts),
    facts: factsOf(report),
    properties: { target: target.baseUrl, client: target.clientId, requests: String(requests) },
    startedAt,
    durationMs,
    items: {
      title: 'Clauses',
      about: 'The requirements of the specification, in its order, each with what this run saw.',
      noun: 'requirement',
      groups: clauses.map((clause) => ({
        title: `Clause ${clause}`,
        items: requirements.filter((one) => one.clause === clause).map((one) => itemOf(one, report)),
      })),
    },
    problems,
    own: {
      sections: sectionsOf(report),
      footer: markup`A pass means that the requests of this run found no violation. Points that the specification leaves open are
observed, not judged. Secrets and tokens are replaced by names such as ‹token 1›. <code>report.json</code> holds everything.`,
      markdown: { last: furtherDown(report) },
    },
  };
}

function factsOf({ target, profile, requests, durationMs }: Report): Fact[] {
  const lifetime = target.tokenLifetimeSeconds;
  return [
    { name: 'Client', text: target.clientId, isCode: true },
    ...(profile
      ? [
          {
            name: 'Profile',
            text: `${profile.name} (${profile.title}). Specification: ${profile.specification}; profile: ${profile.declared}`,
          },
        ]
      : []),
    { name: 'Requests', text: `${requests} in ${(durationMs / 1000).toFixed(1)} s` },
    { name: 'Token lifetime', text: lifetime === undefined ? 'not given' : `${lifetime} s, as agreed` },
  ];
}

function itemOf(requirement: JudgedRequirement, report: Report): Item {
  const { id, clause, verdict, statement, reading, source, evidence } = requirement;
  const { expected, seen, body, reason, findings = [], evidenceStrength, reproduction, exchanges } = evidence;
  const facts: [string, string | undefined][] = [
    ['Expected', expected === undefined ? undefined : expectedInWords(expected)],
    ['Seen', seen || undefined],
    ['Body', body],
    ['Read as', reading],
    ['Declared by', source],
    ...findings.map(findingText),
    ['Expiry known by', evidenceStrength],
  ];
  return {
    id,
    anchor: anchorOf(id),
    className: clause,
    statement,
    verdict,
    reason,
    summary: verdict === 'failed' ? `Expected ${expected ?? ''}. Seen: ${seen}.` : undefined,
    facts: facts.filter((fact): fact is [string, string] => fact[1] !== undefined),
    findings: [],
    commands: reproduction,
    durationMs: report.exchanges
      .filter((exchange) => exchanges.includes(exchange.id))
      .reduce((sum, exchange) => sum + exchange.durationMs, 0),
    evidence: renderEvidence(requirement, report),
  };
}

function furtherDown({ openPoints, notJudged, proof }: Report): string[] {
  const observed = openPoints.filter((point) => point.observed !== null);
  return [
    folded(
      `Open points: ${observed.length} of ${openPoints.length} seen on the wire, none judged`,
      observed.map(
        ({ id, statement, observed }) => `- ${prose(id)}: ${prose(statement)} ${code(observed ?? '')}`,
      ),
    ),
    folded(
      `Not checked: ${several(notJudged.length, 'statement')}`,
      notJudged.map((row) => `- ${prose(row.id)}: ${prose(row.statement)} ${prose(whyNotJudged(row))}`),
    ),
    `${proofInWords(proof)}${proof ? ` ${code(proof.digest)}` : ''}`,
  ];
}
