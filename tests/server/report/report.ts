/** The result of a run, computed from the ledger, the evidence and what each test ended with. */

import type { Finding } from '../../feed/findings.ts';
import { readSchema } from '../../report/schema.ts';
import { several } from '../../report/text.ts';
import { REPORT_BYTES, readBounded } from '../../support/files.ts';
import { compileOwn } from '../../support/own-schema.ts';
import { isBinding, type Kind, type Requirement } from '../../support/requirements.ts';
import { UsageError } from '../../support/usage-error.ts';
import type { Outcome, Verdict } from '../../support/verdict.ts';
import { suite } from '../../support/version.ts';
import { causeOf } from '../support/cause.ts';
import {
  type Answered,
  answerInWords,
  type Evidence,
  type Exchange,
  exchanges,
  inWords,
  isAnswered,
} from '../support/evidence.ts';
import { isIssued } from '../support/expectations.ts';
import { decided } from '../support/judgement.ts';
import { lateExpiryInWords } from '../support/late-lifetime.ts';
import { observeOpenPoints } from './open-points.ts';
import type { ReportSchema } from './report.schema.ts';

/** The schema of report.json, as text. */
export const reportSchema = readSchema('report');

/** What one test ended with. Its `id` is that of the requirement, the first word of its title. */
export interface TestVerdict {
  id: string;
  verdict: Verdict;
  expected?: string;
  /** Of could-not-run and not-applicable. */
  reason?: string;
  exchanges: string[];
  /** What was found in records, what only warns included. */
  findings?: Finding[];
}

type Requirements = ReportSchema['requirements'][number];

/** With what the judge knows more precisely than the schema. */
export interface JudgedRequirement extends Omit<Requirements, 'kind'> {
  kind: Kind;
  evidence: Requirements['evidence'] & { findings?: Finding[] };
}

/** What report.json holds. */
export interface Report extends Omit<ReportSchema, 'requirements' | 'notJudged' | 'exchanges'> {
  requirements: JudgedRequirement[];
  notJudged: (Omit<ReportSchema['notJudged'][number], 'kind'> & { kind: Kind })[];
  exchanges: Exchange[];
}

/** `problems` are the faults that came up while the tests ran. */
export function buildReport(
  ledger: Requirement[],
  evidence: Evidence,
  verdicts: TestVerdict[],
  problems: string[],
  { proof, judgedAgain }: Pick<Report, 'proof' | 'judgedAgain'> = {},
): Report {
  const requirements = ledger.filter(isBinding).map((requirement) => judge(requirement, verdicts, evidence));
  const owed = new Set(requirements.map(({ id }) => id));
  const orphans = verdicts.filter(({ id }) => !owed.has(id));
  const faults = [
    ...problems,
    ...orphans.map(({ id }) => `A test is for ${id}, which is not a requirement of tests/requirements.yaml.`),
  ];
  const { target, profile, certificatesVerified, startedAt, durationMs, requests } = evidence;
  const stated = requirements.filter((one) => !isDeclared(one));
  const outcome = outcomeOfRun({ requirements, problems: faults, profile });
  const cause = causeOf(evidence);
  const runId = runIdOf(evidence);
  const nonAnswers = nonAnswersOf(evidence);
  return {
    $schema: './report.schema.json',
    schemaVersion: 1,
    suite,
    ...(runId !== undefined && { runId }),
    ...(judgedAgain && { judgedAgain }),
    outcome,
    ...(outcome === 'incomplete' && { reason: cause?.reason ?? reasonOf(requirements, evidence) }),
    ...(cause && { cause: { headline: cause.headline, sentence: cause.sentence } }),
    target,
    ...(profile && {
      profile: {
        ...profile,
        specification: outcomeOf(stated, faults, leavesOut(profile)),
        declared: outcomeOf(requirements.filter(isDeclared), faults),
      },
    }),
    ...(certificatesVerified === false && { certificatesVerified }),
    startedAt,
    durationMs,
    requests,
    ...(nonAnswers.length > 0 && { nonAnswers }),
    counts: count(requirements),
    requirements,
    openPoints: observeOpenPoints(ledger, evidence),
    notJudged: ledger
      .filter((row) => row.kind === 'client' || row.kind === 'not-observable')
      .map(({ id, clause, kind, statement, reason }) => ({
        id,
        clause,
        kind,
        statement,
        ...(reason !== undefined && { reason }),
      })),
    problems: faults,
    ...(proof && { proof }),
    exchanges: exchanges(evidence).map(withoutShape),
  };
}

/** Why a run is incomplete where no single cause is known. */
function reasonOf(
  requirements: JudgedRequirement[],
  { token, expiry }: Evidence,
): NonNullable<Report['reason']> {
  const left = requirements.filter(({ verdict }) => verdict === 'could-not-run').map(({ id }) => id);
  if ('id' in token.valid && (!isAnswered(token.valid) || !isIssued(token.valid))) return 'no-token';
  if (lateExpiryInWords({ expiry }) !== undefined && left.every((id) => id === 'MRS-5.6a'))
    return 'token-lifetime-differs';
  const isOfExpiry = expiry.kind === 'none' && left.every((id) => OF_EXPIRY.includes(id));
  return isOfExpiry ? 'expiry-not-tested' : 'not-all-tested';
}

const OF_EXPIRY = ['MRS-5.6a', 'MRS-5.6b', 'MRS-7a'];

/** The requests that had no decision: one entry for each status, for answers that took too long, and for connections that the deployment closed. */
function nonAnswersOf(evidence: Evidence): NonNullable<ReportSchema['nonAnswers']> {
  const all = exchanges(evidence);
  // What no clause binds may be answered in any way.
  const unbound: unknown[] = [evidence.open.head, evidence.open.options, evidence.open.withoutSlash];
  const byAnswer = new Map<string, Exchange[]>();
  for (const exchange of all) {
    if (!('verdict' in decided(exchange)) || unbound.includes(exchange)) continue;
    const answer = answerOf(exchange);
    byAnswer.set(answer, [...(byAnswer.get(answer) ?? []), exchange]);
  }
  return [...byAnswer].map(([answer, some]) => ({
    answer,
    requests: some.length,
    fromMs: some[0]?.sentAtMs ?? 0,
    toMs: some.at(-1)?.sentAtMs ?? 0,
    ...(some.at(-1) === all.at(-1) && { lasts: true as const }),
  }));
}

function answerOf(exchange: Exchange): string {
  if (isAnswered(exchange)) return String(exchange.response.status);
  if (exchange.hangsUp) return 'a closed connection';
  return /^gave no complete answer/.test(exchange.failure ?? '') ? 'a timeout' : 'a failure';
}

/** Every request carries it. */
function runIdOf(evidence: Evidence): string | undefined {
  const [first] = exchanges(evidence);
  const agent = first?.request.headers.find(([name]) => name === 'user-agent')?.[1] ?? '';
  return /\(run ([\da-f-]{36})\)/.exec(agent)?.[1];
}

/** A draft is made of it, and to read it is of no use to anybody. */
function withoutShape(exchange: Exchange): Exchange {
  if (!exchange.response) return exchange;
  const { shape: _, ...response } = exchange.response;
  return { ...exchange, response };
}

const isDeclared = ({ kind }: { kind: Kind }) => kind === 'declared';

/** From the gravest to the least: of several tests for one requirement, the gravest verdict counts. */
const GRAVITY: Verdict[] = ['failed', 'could-not-run', 'passed', 'not-applicable'];

function judge(requirement: Requirement, verdicts: TestVerdict[], evidence: Evidence): JudgedRequirement {
  const { id, clause, kind, statement, reading, source, violation, advice } = requirement;
  // What a profile declares is what its clients rely on.
  const severity = requirement.severity ?? (kind === 'declared' ? 'breaks-clients' : undefined);
  const own = verdicts.filter((verdict) => verdict.id === id);
  own.sort((a, b) => GRAVITY.indexOf(a.verdict) - GRAVITY.indexOf(b.verdict));
  const gravest = own[0] ?? { id, verdict: 'could-not-run', reason: 'No test of it ran.', exchanges: [] };
  const { verdict, expected, reason, findings } = gravest;
  const ids = [...new Set(gravest.exchanges)];
  const seen = exchanges(evidence).filter((exchange) => ids.includes(exchange.id));
  return {
    id,
    clause,
    kind,
    verdict,
    statement,
    ...(reading !== undefined && { reading }),
    ...(source !== undefined && { source }),
    ...(severity !== undefined && { severity }),
    ...(violation !== undefined && { violation }),
    ...(advice !== undefined && { advice }),
    evidence: {
      seen: seenInWords(ids.flatMap((one) => seen.find((exchange) => exchange.id === one) ?? [])),
      ...(expected !== undefined && { expected }),
      ...(reason !== undefined && { reason }),
      ...strengthOf(ids, evidence),
      exchanges: ids,
      ...(findings && { findings }),
    },
  };
}

/** The deciding answer, and then the others, of which equal ones are counted. */
function seenInWords(decisive: readonly Exchange[]): string {
  const [first, ...others] = decisive.filter(isAnswered);
  if (!first) return '';
  const answers = [...new Set(others.map(answerInWords))];
  const alike = answers.map((answer) => others.filter((one) => answerInWords(one) === answer));
  return [inWords(first), ...alike.map(allInWords)].join('; ');
}

/** Requests that were answered alike. */
function allInWords([first, ...more]: readonly Answered[]): string {
  if (!first) return '';
  if (more.length === 0) return inWords(first);
  return `${first.what} and ${several(more.length, 'more request')}: ${answerInWords(first)}`;
}

function strengthOf(ids: string[], { data, expiry }: Evidence): { evidenceStrength?: string } {
  if (!('id' in data.expiredToken) || !ids.includes(data.expiredToken.id)) return {};
  if (expiry.kind === 'clock')
    return {
      evidenceStrength: `the clock of the mock was moved on by the agreed ${expiry.lifetimeSeconds} s`,
    };
  if (expiry.kind === 'waited')
    return {
      evidenceStrength: `waited for the agreed ${expiry.lifetimeSeconds} s; first asked at the age of ${expiry.ageSeconds} s`,
    };
  return { evidenceStrength: 'asserted by the operator (MRS_EXPIRED_TOKEN); this run never saw it accepted' };
}

function count(requirements: readonly Pick<JudgedRequirement, 'verdict'>[]): Record<Verdict, number> {
  const counts = { passed: 0, failed: 0, 'could-not-run': 0, 'not-applicable': 0 };
  for (const { verdict } of requirements) counts[verdict]++;
  return counts;
}

/** What the verdicts of a report come to. */
export function outcomeOfRun({
  requirements,
  problems,
  profile,
}: {
  requirements: readonly Pick<JudgedRequirement, 'kind' | 'verdict'>[];
  problems: readonly string[];
  profile?: { notOffered?: readonly unknown[] } | undefined;
}): Outcome {
  const ofDeclared = outcomeOf(requirements.filter(isDeclared), problems);
  const ofAll = outcomeOf(requirements, problems, leavesOut(profile));
  // A profile of which nothing was judged is not passed by what the specification states.
  return profile && ofDeclared === 'incomplete' && ofAll.startsWith('conformant') ? 'incomplete' : ofAll;
}

const leavesOut = (profile: { notOffered?: readonly unknown[] } | undefined): boolean =>
  (profile?.notOffered ?? []).length > 0;

/** Never conformant on nothing: a requirement that could not be run, or a run without one, is not a pass. */
function outcomeOf(
  requirements: readonly Pick<JudgedRequirement, 'verdict'>[],
  problems: readonly string[],
  leavesOut = false,
): Outcome {
  const counts = count(requirements);
  if (problems.length > 0) return 'error';
  if (counts.failed > 0) return 'nonconformant';
  if (counts['could-not-run'] > 0 || counts.passed === 0) return 'incomplete';
  return leavesOut ? 'conformant-to-profile' : 'conformant';
}

/** Reads a report.json that may come from anywhere. Throws UsageError if it is not a report of this schema version. */
export function readReport(file: string): Report {
  const report = parse(file);
  const validate = compileOwn<Report>(JSON.parse(reportSchema));
  if (validate(report)) return report;
  const [{ instancePath = '', message = '' } = {}] = validate.errors ?? [];
  throw new UsageError(
    `${file} is not a report: ${instancePath || 'it'} ${message}. Name a report.json of mrs verify.`,
  );
}

function parse(file: string): unknown {
  try {
    return JSON.parse(readBounded(file, REPORT_BYTES, { followsLink: true }).toString());
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'it is not JSON';
    throw new UsageError(`${file} cannot be read as a report (${why}). Name a report.json of mrs verify.`);
  }
}
