/** A conformance report as the shared renderers see it. */
import { code, folded, prose } from '../../report/markdown-text.ts';
import { markup } from '../../report/markup.ts';
import { anchorOf, type Fact, type Item, type ReportModel } from '../../report/model.ts';
import { suiteFacts, suiteProperties } from '../../report/suite-facts.ts';
import { several, tallyOf, VERDICTS } from '../../report/text.ts';
import type { Verdict } from '../../support/verdict.ts';
import { acceptedInWords } from './baseline.ts';
import { findingText, renderEvidence, sectionsOf } from './page-parts.ts';
import type { JudgedRequirement, Report } from './report.ts';
import {
  expectedInWords,
  headlineOf,
  nextOf,
  nonAnswersInWords,
  proofInWords,
  remarksOf,
  UNVERIFIED,
  whyNotJudged,
} from './wording.ts';

/** The model of `report`; a plain value. */
export function modelOf(report: Report): ReportModel {
  const { outcome, target, counts, requirements, startedAt, durationMs, problems, baseline, judgedAgain } =
    report;
  const marks = [target.bundledMock && 'bundled mock', judgedAgain && 'judged again'].filter(Boolean);
  return {
    kind: 'Conformance report',
    topic: 'Mitigation Request Service Interface Specification',
    command: 'mrs verify',
    subject: {
      name: 'Deployment',
      text: target.baseUrl + (target.bundledMock ? ' (bundled mock)' : ''),
      isCode: true,
    },
    outcome: baseline?.outcome ?? outcome,
    judged: baseline && outcome,
    faults: baseline?.faults,
    headline: headlineOf(report),
    next: nextOf(report),
    cause: report.cause?.sentence,
    remarks: remarksOf(report),
    warning: report.certificatesVerified === false ? UNVERIFIED : undefined,
    counts: Object.keys(VERDICTS)
      .filter((verdict): verdict is Verdict => verdict in counts)
      .map((verdict) => ({ value: counts[verdict], word: VERDICTS[verdict].word, verdict })),
    tally: [tallyOf(counts), ...marks].join('; '),
    facts: factsOf(report),
    properties: propertiesOf(report),
    startedAt,
    durationMs,
    items: {
      title: 'Requirements',
      about:
        'What the specification requires of a deployment, each with what this run saw. Open a line for its evidence.',
      noun: 'requirement',
      list: requirements.map((one) => itemOf(one, report)),
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

function factsOf(report: Report): Fact[] {
  const { target, profile, requests, durationMs } = report;
  const lifetime = target.tokenLifetimeSeconds;
  const ofProfile = profile && {
    name: 'Profile',
    text: `${profile.name} (${profile.title}). Specification: ${profile.specification}; profile: ${profile.declared}`,
  };
  return [
    ...(report.judgedAgain ? [{ name: 'Evidence', text: report.judgedAgain.evidence, isCode: true }] : []),
    { name: 'Client', text: target.clientId, isCode: true },
    ...(ofProfile ? [ofProfile] : []),
    { name: 'Token lifetime', text: lifetime === undefined ? 'not given' : `${lifetime} s, as agreed` },
    ...(target.headers ?? []).map(({ name, variable }) => ({
      name: 'Gateway header',
      text: `${name}, from the variable ${variable}`,
    })),
    ...(target.userAgent === undefined ? [] : [{ name: 'User agent', text: target.userAgent, isCode: true }]),
    { name: 'Requests', text: `${requests} in ${(durationMs / 1000).toFixed(1)} s` },
    ...suiteFacts(report),
  ];
}

function propertiesOf(whole: Report): Record<string, string> {
  const { target, requests, profile, reason, ...report } = whole;
  const nonAnswers = nonAnswersInWords(whole);
  return {
    target: target.baseUrl,
    client: target.clientId,
    requests: String(requests),
    ...(nonAnswers.length > 0 && { 'non-answers': nonAnswers.join(' ') }),
    ...(profile && { profile: profile.name }),
    ...(reason && { reason }),
    ...(target.bundledMock && { bundledMock: 'true' }),
    ...(report.judgedAgain && { judgedAgain: report.judgedAgain.evidence }),
    ...suiteProperties(report),
  };
}

function itemOf(requirement: JudgedRequirement, report: Report): Item {
  const { id, clause, verdict, statement, reading, source, severity, violation, advice, evidence } =
    requirement;
  const { expected, seen, body, reason, findings = [], evidenceStrength, reproduction, exchanges } = evidence;
  const entry = report.baseline?.accepted.find((one) => one.requirement === id);
  const accepted = entry && acceptedInWords(entry);
  const facts: [string, string | undefined][] = [
    ['Baseline', accepted],
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
    severity: verdict === 'failed' ? severity : undefined,
    violation: verdict === 'failed' ? (violation ?? declaredViolation(requirement)) : undefined,
    advice: verdict === 'failed' ? advice : undefined,
    reason,
    accepted,
    summary: verdict === 'failed' ? `Expected ${expectedInWords(expected ?? '')}. Seen: ${seen}.` : undefined,
    facts: facts.filter((fact): fact is [string, string] => fact[1] !== undefined),
    findings: [],
    commands: reproduction,
    durationMs: report.exchanges
      .filter((exchange) => exchanges.includes(exchange.id))
      .reduce((sum, exchange) => sum + exchange.durationMs, 0),
    evidence: renderEvidence(requirement, report),
  };
}

const declaredViolation = ({ kind, statement }: JudgedRequirement): string | undefined =>
  kind === 'declared' ? `Not as the profile declares: ${statement}` : undefined;

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
      `Not tested: ${several(notJudged.length, 'statement')}`,
      notJudged.map((row) => `- ${prose(row.id)}: ${prose(row.statement)} ${prose(whyNotJudged(row))}`),
    ),
    `${proofInWords(proof)}${proof ? ` ${code(proof.digest)}` : ''}`,
  ];
}
