/** The report of a run: the verdict on each requirement, with what was expected and seen, and the open points. */
import { type Finding as FeedFinding, isFailure } from '../../feed/findings.ts';
import {
  type Column,
  countItems,
  type Fact,
  factsIn,
  type Item,
  itemWith,
  JUDGES,
  type Report,
  reportWith,
  type Section,
  tableOf,
} from '../../report/report.ts';
import { several } from '../../report/text.ts';
import { groupBy } from '../../support/collections.ts';
import { isBinding, ledger, type Requirement } from '../../support/requirements.ts';
import type { Outcome, Verdict } from '../../support/verdict.ts';
import type { Judged, TestVerdict } from '../judge.ts';
import { declaredRequirements } from '../profile.ts';
import { type Cause, causeOf } from '../support/cause.ts';
import { decided } from '../support/condition.ts';
import {
  answerInWords,
  bodyInWords,
  type Evidence,
  type Exchange,
  exchanges,
  hasStatus,
  inWords,
  isAnswered,
  isIssued,
} from '../support/evidence.ts';
import type { ReadEvidence } from '../support/evidence-file.ts';
import type { Judgement } from '../support/judgement.ts';
import { curlFor } from './curl.ts';
import { observeOpenPoints } from './open-points.ts';

export interface RunEnd extends ReadEvidence, Judged {
  /** The digest of the evidence, where no request was sent for it. */
  judgedAgain?: string | undefined;
}

/** The report, without a baseline. */
export function reportOf({ evidence, profile, verdicts, problems, judgedAgain }: RunEnd): Report {
  const rows = [...ledger, ...(profile ? declaredRequirements(profile) : [])].filter(isBinding);
  const items = rows.map((row) => itemOf(row, verdicts, evidence));
  const { target, certificatesVerified, startedAt, durationMs } = evidence;
  const outcome = outcomeOfRun(items, problems, evidence.profile);
  const cause = causeOf(evidence);
  const { tally, of } = countItems(items, JUDGES.verify.verdicts);
  const marks = [target.bundledMock && 'bundled mock', judgedAgain && 'judged again'].filter(Boolean);
  const run = { evidence, items, outcome, cause, judgedAgain, of, problems };
  return reportWith({
    judge: 'verify',
    runId: runIdOf(evidence),
    subject: {
      name: 'Deployment',
      text: target.baseUrl + (target.bundledMock ? ' (bundled mock)' : ''),
      isCode: true,
    },
    ...{ outcome, items, problems, startedAt, durationMs },
    reason: outcome === 'incomplete' ? (cause?.reason ?? reasonOf(items, evidence)) : undefined,
    headline: headlineOf(run, marks.join(', ')),
    ...nextOf(run),
    cause: cause?.sentence,
    remarks: remarksOf(run),
    warning: certificatesVerified === false ? UNVERIFIED : undefined,
    tally: [tally, ...marks].join('; '),
    facts: factsOf(run),
    properties: propertiesOf(run),
    sections: [openPointsOf(evidence)],
    exchanges: exchanges(evidence).map(exchangeOf),
  });
}

/** What the parts of the report are made of. */
interface Run {
  evidence: Evidence;
  items: readonly Item[];
  outcome: Outcome;
  cause: Cause | undefined;
  judgedAgain: string | undefined;
  /** The number of items by verdict. */
  of: Partial<Record<Verdict, number>>;
  problems: readonly string[];
}

function factsOf({ evidence, items, judgedAgain, problems }: Run): Fact[] {
  const { target, profile, requests, durationMs } = evidence;
  const lifetime = target.tokenLifetimeSeconds;
  return factsIn([
    ['Evidence', judgedAgain, 'code'],
    ['Client', target.clientId, 'code'],
    ['Profile', profile && profileInWords(profile, items, problems)],
    ['Token lifetime', lifetime === undefined ? 'not given' : `${lifetime} s, as agreed`],
    ...(target.headers ?? []).map(
      ({ name, variable }) => ['Gateway header', `${name}, from the variable ${variable}`] as const,
    ),
    ['User agent', target.userAgent, 'code'],
    ['Requests', `${requests} in ${(durationMs / 1000).toFixed(1)} s`],
  ]);
}

/** The outcome for the specification and for the profile. */
function profileInWords(
  profile: NonNullable<Evidence['profile']>,
  items: readonly Item[],
  problems: readonly string[],
): string {
  const declared = items.filter(isDeclared);
  const stated = items.filter((item) => !isDeclared(item));
  const ofStated = outcomeOf(stated, problems, leavesOut(profile));
  return `${profile.name} (${profile.title}); specification: ${ofStated}; profile: ${outcomeOf(declared, problems)}`;
}

function propertiesOf({ evidence, judgedAgain }: Run): Record<string, string> {
  const { target, requests, profile } = evidence;
  return {
    target: target.baseUrl,
    client: target.clientId,
    requests: String(requests),
    ...(profile && { profile: profile.name, 'not-offered': profile.notOffered.join(' ') }),
    ...(target.bundledMock && { bundledMock: 'true' }),
    ...(judgedAgain !== undefined && { judgedAgain }),
  };
}

const UNJUDGED: Judgement = { verdict: 'could-not-run', reason: 'No test of it ran.', exchanges: [] };

function itemOf(row: Requirement, verdicts: readonly TestVerdict[], evidence: Evidence): Item {
  const { id, clause, kind, statement, reading, source } = row;
  const judged: Judgement = verdicts.find((verdict) => verdict.id === id) ?? UNJUDGED;
  const { verdict, expected, reason, findings = [] } = judged;
  const ids = [...new Set(judged.exchanges)];
  const all = exchanges(evidence);
  const deciding = ids.flatMap((one) => all.find((exchange) => exchange.id === one) ?? []);
  // What a profile declares is what its clients rely on.
  const isDeclared = kind === 'declared';
  const [first] = deciding;
  const command = verdict === 'failed' && first ? curlFor(first, evidence.target) : undefined;
  return itemWith({
    ...{ id, group: clause, statement, verdict, reason, expected },
    severity: row.severity ?? (isDeclared ? 'breaks-clients' : undefined),
    violation: row.violation ?? (isDeclared ? `Not as the profile declares: ${statement}` : undefined),
    advice: row.advice,
    command,
    seen: seenInWords(deciding) || undefined,
    facts: factsIn([
      ['Body', verdict === 'failed' && first?.response ? bodyInWords(first.response) : undefined],
      ['Read as', reading],
      ['Declared by', source],
      ['$TOKEN', command?.includes('"$TOKEN"') ? OF_CLIENT : undefined],
      [
        '$FORGED_TOKEN',
        command?.includes('$FORGED_TOKEN') ? 'a token that was changed as the request says' : undefined,
      ],
      ...findings.map(findingText),
    ]),
    exchanges: ids,
    durationMs: deciding.reduce((sum, exchange) => sum + exchange.durationMs, 0),
  });
}

const OF_CLIENT = 'a token of this client, as old as the request says';

/** A finding in records, as a fact of its requirement. */
function findingText(finding: FeedFinding): [name: string, text: string] {
  const { rule, count, places } = finding;
  const where = places.map(({ pointer, seen }) => `${pointer || 'the body'}: ${seen}`).join('; ');
  return [isFailure(finding) ? 'Rule violated' : 'Warning', `${rule}, ${several(count, 'time')}: ${where}`];
}

/** The deciding answer, and then the others, of which equal ones are counted. */
function seenInWords(decisive: readonly Exchange[]): string {
  const [first, ...others] = decisive.filter(isAnswered);
  if (!first) return '';
  const alike = [...groupBy(others, answerInWords)].map(([answer, [one, ...more]]) => {
    const rest = more.length > 0 ? ` and ${several(more.length, 'more request')}` : '';
    return `${one?.what}${rest}: ${answer}`;
  });
  return [inWords(first), ...alike].join('; ');
}

function exchangeOf({ id, what, request, response, failure, sentAtMs, durationMs, waitedSeconds }: Exchange) {
  const received = response && {
    ...{ status: response.status, mediaType: response.mediaType, headers: response.headers },
    ...{ body: response.excerpt || undefined, bytes: response.bodyBytes, sha256: response.digest },
  };
  return { id, what, request, response: received, failure, sentAtMs, durationMs, waitedSeconds };
}

/** Every request carries it. */
function runIdOf(evidence: Evidence): string | undefined {
  const [first] = exchanges(evidence);
  const agent = first?.request.headers.find(([name]) => name === 'user-agent')?.[1] ?? '';
  return /\(run ([\da-f-]{36})\)/.exec(agent)?.[1];
}

// Outcomes.

const isDeclared = ({ id }: { id: string }): boolean => id.includes('@');

/** What the verdicts come to. */
export function outcomeOfRun(
  items: readonly { id: string; verdict: string }[],
  problems: readonly string[],
  profile: { notOffered?: readonly unknown[] } | undefined,
): Outcome {
  const ofDeclared = outcomeOf(items.filter(isDeclared), problems);
  const ofAll = outcomeOf(items, problems, leavesOut(profile));
  // A profile of which nothing was judged is not passed by what the specification states.
  return profile && ofDeclared === 'incomplete' && ofAll.startsWith('conformant') ? 'incomplete' : ofAll;
}

const leavesOut = (profile: { notOffered?: readonly unknown[] } | undefined): boolean =>
  (profile?.notOffered ?? []).length > 0;

/** No evidence is never a pass. */
export function outcomeOf(
  items: readonly { verdict: string }[],
  problems: readonly string[],
  leavesOut = false,
): Outcome {
  const has = (verdict: Verdict) => items.some((item) => item.verdict === verdict);
  if (problems.length > 0) return 'error';
  if (has('failed')) return 'nonconformant';
  if (has('could-not-run') || !has('passed')) return 'incomplete';
  return leavesOut ? 'conformant-to-profile' : 'conformant';
}

/** Why a run is incomplete where no single cause is known. */
function reasonOf(items: readonly Item[], { probes, expiry }: Evidence): string {
  const left = items.filter(({ verdict }) => verdict === 'could-not-run').map(({ id }) => id);
  const valid = probes['token.valid'];
  if (valid && 'id' in valid && (!isAnswered(valid) || !isIssued(valid))) return 'no-token';
  const isOfExpiry = left.every((id) => ['MRS-5.6a', 'MRS-5.6b', 'MRS-7a'].includes(id));
  if (isOfExpiry && 'late' in expiry && expiry.late) return 'token-lifetime-differs';
  return isOfExpiry && expiry.kind === 'none' ? 'expiry-not-tested' : 'not-all-tested';
}

// Words.

export const JUDGED_AGAIN =
  'No request was sent: this judges the evidence of an earlier run, and nothing vouches for that.';

export const UNVERIFIED =
  'This run did not verify certificates, since NODE_TLS_REJECT_UNAUTHORIZED is 0: another server may have answered. ' +
  'Unset it, and run again. For a private authority, give --ca its PEM file.';

/** The result as a short sentence without its full stop. */
function headlineOf(run: Run, marks: string): string {
  const sentence = sentenceOf(run);
  if (marks === '') return sentence;
  return `${marks.charAt(0).toUpperCase()}${marks.slice(1)}: ${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}

function sentenceOf({ outcome, of, items, cause, evidence }: Run): string {
  const { failed = 0, passed = 0, 'could-not-run': untested = 0 } = of;
  const all = several(items.length, 'requirement');
  if (outcome === 'error') return 'The run itself failed';
  if (failed > 0) return `${failed} of ${all} ${failed === 1 ? 'is' : 'are'} violated`;
  if (cause) return cause.headline;
  if (untested > 0) return `${untested} of ${all} could not be tested`;
  if (outcome === 'incomplete') return 'Nothing was tested';
  if (outcome === 'conformant-to-profile')
    return `The deployment matches its profile ${evidence.profile?.name}`;
  return passed === items.length
    ? `All ${all} are met`
    : `${passed} of ${all} are met, and the rest do not apply`;
}

/** What to do next, where that differs from other runs with this outcome. */
function nextOf({ outcome, cause, evidence: { profile }, items, problems }: Run): { next?: string } {
  if (outcome === 'incomplete' && cause)
    return { next: 'Correct the settings of the run. This report says nothing against the deployment.' };
  const stated = items.filter((item) => !isDeclared(item));
  if (outcome === 'nonconformant' && profile && outcomeOf(stated, problems) !== 'nonconformant')
    return {
      next: `No clause of the specification failed. Find out whether the deployment or its profile ${profile.name} is right, and correct the other.`,
    };
  return {};
}

/** What else belongs to the outcome, as sentences. */
function remarksOf({ outcome, evidence, judgedAgain }: Run): string[] {
  const late = evidence.probes['data.late'];
  const is = (condition: boolean | undefined, sentence: string) => (condition ? [sentence] : []);
  return [
    ...is(
      evidence.target.bundledMock,
      'The bundled mock was judged, since no URL was given: this says nothing about a deployment.',
    ),
    ...is(judgedAgain !== undefined, JUDGED_AGAIN),
    ...is(
      outcome === 'conformant-to-profile',
      'The profile leaves out statements of the specification, so the deployment does not conform to the specification.',
    ),
    ...is(
      hasStatus(late, 403),
      `Tokens expire before the agreed ${evidence.target.tokenLifetimeSeconds} s. No clause requires a lifetime: ask the operator which one holds (see MRS-5e).`,
    ),
    ...nonAnswersInWords(evidence),
  ];
}

/** The requests without a decision, as a sentence: a reader must see them next to the verdicts. */
export function nonAnswersInWords(evidence: Evidence): string[] {
  // What no clause binds may be answered in any way.
  const unbound = evidence.probes['open.options'];
  const isUndecided = (exchange: Exchange) => exchange !== unbound && 'verdict' in decided(exchange);
  const answers = [
    ...groupBy(exchanges(evidence).filter(isUndecided), ({ response, failureCode = 'failure' }) =>
      String(response?.status ?? failureCode),
    ),
  ].map(([answer, { length }]) => `${answer} (${length})`);
  return answers.length > 0 ? [`Requests without a decision: ${answers.join(', ')}.`] : [];
}

// Sections: statements without a verdict, in tables that a fold hides.

const POINTS: readonly Column<ReturnType<typeof observeOpenPoints>[number]>[] = [
  ['Point', ({ id }) => id],
  ['What is left open', ({ statement }) => statement],
  ['What was observed', ({ observed = 'nothing' }) => observed],
];

function openPointsOf(evidence: Evidence): Section {
  const points = observeOpenPoints(evidence);
  const seen = points.filter(({ observed }) => observed !== undefined);
  return {
    id: 'open',
    title: 'Open points',
    about:
      'What the specification marks as not shown. A deployment may choose here; it is observed, not judged.',
    inSummary: true,
    fold: `Open points: ${seen.length} of ${points.length} seen on the wire, none judged`,
    blocks: [{ table: tableOf('points', `Open points: ${points.length}`, POINTS, points) }],
  };
}
