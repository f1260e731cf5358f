/** The report of a run: the verdict on each requirement, with what was expected and seen, and the open points. */
import { type Finding as FeedFinding, isFailure } from '../../feed/findings.ts';
import {
  type Column,
  factsIn,
  type Item,
  itemWith,
  type Report,
  reportWith,
  type Section,
  tableOf,
} from '../../report/report.ts';
import { inSeconds, inUtc, several } from '../../report/text.ts';
import { groupBy } from '../../support/collections.ts';
import { isBinding, ledger, type Requirement } from '../../support/requirements.ts';
import { type Outcome, outcomeOf, type Verdict } from '../../support/verdict.ts';
import { fieldNamed } from '../../traffic/exchange.ts';
import { earlyExpiryInWords } from '../conditions.ts';
import type { Judged } from '../judge.ts';
import { declaredRequirements } from '../profile.ts';
import { mustBeAccepted, rowNamed } from '../requests.ts';
import { decidedHealth, firstIssue, hasNoDecision } from '../support/condition.ts';
import { assess } from '../support/decisions.ts';
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
  isServed,
  isTransient,
  timesOf,
} from '../support/evidence.ts';
import type { ReadEvidence } from '../support/evidence-file.ts';
import type { Judgement } from '../support/judgement.ts';
import { commandFor } from './curl.ts';
import { observeOpenPoints } from './open-points.ts';

export interface RunEnd extends ReadEvidence, Judged {}

/** The report, without a baseline. */
export function reportOf({ evidence, profile: document, verdicts, problems }: RunEnd): Report {
  const { target, profile, requests, certificatesVerified, startedAt, durationMs, interrupted } = evidence;
  const { baseUrl, bundledMock, tokenLifetimeSeconds: lifetime, headers = [] } = target;
  const rows = [...ledger, ...(document ? declaredRequirements(document) : [])].filter(isBinding);
  const all = new Map(exchanges(evidence).map((exchange) => [exchange.id, exchange]));
  const judgedOf = (id: string) => verdicts.find((verdict) => verdict.id === id) ?? UNJUDGED;
  const items = rows.map((row) => itemOf(row, judgedOf(row.id), evidence, all));
  const byItems = outcomeOfRun(items, problems, profile);
  const outcome = interrupted && byItems.startsWith('conformant') ? 'incomplete' : byItems;
  const end = interrupted && { reason: 'interrupted', headline: interrupted.slice(0, -1) };
  const { cause: gap, counted } = assess(evidence);
  const isCause = outcome === 'incomplete' && items.some(({ reason }) => reason === gap?.sentence);
  const cause = outcome === 'incomplete' ? end || (isCause ? gap : undefined) : undefined;
  const isPassed = outcome.startsWith('conformant');
  const undecided = nonAnswersInWords(evidence, items);
  return reportWith({
    judge: 'verify',
    runId: runIdOf(evidence),
    subject: { name: 'Deployment', text: baseUrl + (bundledMock ? ' (bundled mock)' : ''), isCode: true },
    ...{ outcome, items, problems, startedAt, durationMs },
    reason: outcome === 'incomplete' ? (cause?.reason ?? reasonOf(items, evidence)) : undefined,
    ...(cause && { headline: cause.headline }),
    note: isPassed ? undecided.map((one) => `${one}, and sent again`)[0] : undefined,
    marks: bundledMock ? ['bundled mock'] : [],
    remarks: [
      ...(interrupted && !cause ? [interrupted] : []),
      ...(certificatesVerified === false ? [UNVERIFIED] : []),
      ...(bundledMock ? [BUNDLED_MOCK] : []),
      ...(isPassed ? [] : undecided.map((one) => `${one}.`)),
      ...noEndInWords(counted),
      ...openHealthInWords(evidence),
    ],
    facts: factsIn([
      ['Client', target.clientId, 'code'],
      ['Profile', profile && profileInWords(profile, items, problems)],
      ['Token lifetime', lifetime === undefined ? 'not given' : `${lifetime} s, as agreed`],
      ...headers.map(
        ({ name, variable }) => ['Gateway header', `${name}, from the variable ${variable}`] as const,
      ),
      ['User agent', target.userAgent, 'code'],
      ['Requests', `${requests} in ${inSeconds(durationMs)}, ${inUtc(startedAt)}`],
    ]),
    properties: {
      target: baseUrl,
      ...(profile && { profile: profile.name, 'not-offered': profile.notOffered.join(' ') }),
      ...(bundledMock && { bundledMock: 'true' }),
      ...(interrupted && { interrupted: 'true' }),
    },
    sections: [openPointsOf(evidence)],
    exchanges: [...all.values()].map(exchangeOf),
  });
}

/** The outcome for the specification and for the profile. */
function profileInWords(
  profile: NonNullable<Evidence['profile']>,
  items: readonly Item[],
  problems: readonly string[],
): string {
  const declared = items.filter(isDeclared);
  const stated = items.filter((item) => !isDeclared(item));
  const faulty = problems.length > 0;
  const ofStated = outcomeOf(stated, { faulty, reduced: leavesOut(profile) });
  return `${profile.name} (${profile.title}); specification: ${ofStated}; profile: ${outcomeOf(declared, { faulty })}`;
}

const UNJUDGED: Judgement = { verdict: 'could-not-run', reason: 'No test of it ran.', exchanges: [] };

function itemOf(row: Requirement, judged: Judgement, evidence: Evidence, all: Map<string, Exchange>): Item {
  const { id, clause, kind, statement, reading, source } = row;
  const { verdict, expected, reason, findings = [] } = judged;
  const ids = [...new Set(judged.exchanges)];
  const deciding = ids.flatMap((one) => all.get(one) ?? []);
  const [first] = deciding;
  const isFailed = verdict === 'failed';
  const command = isFailed && first ? commandFor(first, evidence) : undefined;
  return itemWith({
    ...{ id, group: clause, statement, verdict, reason, expected, command, exchanges: ids },
    ...{ severity: row.severity, violation: row.violation, advice: row.advice },
    ...(kind === 'declared' && {
      severity: 'breaks-clients', // What a profile declares is what its clients rely on.
      violation: `The deployment differs from its profile, which declares: ${statement}`,
      advice: 'Find out whether the deployment or its profile is right, and correct the other.',
    }),
    ...(OF_TOKEN_FIELD.includes(id) && renamedIn(evidence)),
    seen: seenInWords(deciding) || undefined,
    facts: factsIn([
      ['Sent', isFailed && first && sentInWords(first, evidence)],
      ['Body', isFailed && first?.response ? bodyInWords(first.response) : undefined],
      ['Read as', reading],
      ['Declared by', source],
      ['$FORGED_TOKEN', command?.includes('FORGED_TOKEN') && 'a token, changed as the request describes'],
      ['$COOKIES', command?.includes('COOKIES') && 'the cookies that came with the data'],
      ...findings.map(findingText),
    ]),
    durationMs: deciding.reduce((sum, exchange) => sum + exchange.durationMs, 0),
  });
}

/** What fails by one mistake where the token is in a field of another name, as in OAuth. */
const OF_TOKEN_FIELD = ['MRS-2a', 'MRS-4.1l'];

function renamedIn({ probes }: Evidence): Pick<Item, 'cause' | 'advice'> | undefined {
  const issue = probes['token.valid'];
  if (!isAnswered(issue)) return undefined;
  const { tokenResponse, json } = issue.response;
  const [, field] = /^\/(\w{1,40})$/.exec(tokenResponse?.takenFrom ?? '') ?? [];
  const { fields = [] } = json.wellFormed ? json : {};
  if (field === undefined || fields.includes('token')) return undefined;
  const others = fields.filter((one) => one !== field);
  const named = others.every((one) => /^\w{1,40}$/.test(one)) && others.length <= 4;
  const list = named ? new Intl.ListFormat('en-GB').format(others) : 'all other fields';
  return {
    cause: `The token is in the field ${field}, and not in token.`,
    advice: `Rename ${field} to token${others.length > 0 ? `, and drop ${list}` : ''}.`,
  };
}

/** A finding in records, as a fact of its requirement. */
function findingText(finding: FeedFinding): [name: string, text: string] {
  const { rule, count, places } = finding;
  const where = places.map(({ pointer, seen }) => `${pointer || 'the body'}: ${seen}`).join('; ');
  return [isFailure(finding) ? 'Rule violated' : 'Warning', `${rule}, ${several(count, 'time')}: ${where}`];
}

/** When the request was sent, and how its line in the log of the deployment is found. */
function sentInWords({ sentAtMs }: Exchange, evidence: Evidence): string {
  const time = new Date(Date.parse(evidence.startedAt) + sentAtMs).toISOString();
  const runId = runIdOf(evidence);
  const found = runId ? `, with the run ${runId} in its User-Agent` : '';
  return `${time.slice(0, 10)} ${time.slice(11, 19)} UTC${found}`;
}

/** The deciding answer, and then the others, of which equal ones are counted. */
function seenInWords(deciding: readonly Exchange[]): string {
  const [first, ...others] = deciding.filter(isAnswered);
  const alike = [...groupBy(others, answerInWords)].map(([answer, [one, ...more]]) => {
    const rest = more.length > 0 ? ` and ${several(more.length, 'more request')}` : '';
    return `${one?.what}${rest}: ${answer}`;
  });
  return first ? [inWords(first), ...alike].join('; ') : '';
}

function exchangeOf({ id, what, request, response, failure, sentAtMs, durationMs }: Exchange) {
  const received = response && {
    ...{ status: response.status, mediaType: response.mediaType, headers: response.headers },
    ...{ body: response.excerpt || undefined, bytes: response.bodyBytes },
  };
  return { id, what, request, response: received, failure, sentAtMs, durationMs };
}

/** The id of the run, which every request has in its User-Agent. */
function runIdOf(evidence: Evidence): string | undefined {
  const [first] = exchanges(evidence);
  const agent = fieldNamed(first?.request.headers ?? [], 'user-agent') ?? '';
  return /\(run ([\da-f-]{36})\)/.exec(agent)?.[1];
}

// Outcomes.

const isDeclared = ({ id }: { id: string }): boolean => id.includes('@');

/** What the verdicts come to. */
export function outcomeOfRun(
  items: readonly { id: string; verdict: Verdict }[],
  problems: readonly string[],
  profile: { notOffered?: readonly unknown[] } | undefined,
): Outcome {
  // A profile of which nothing was judged is not passed by what the specification states.
  const partial = profile !== undefined && outcomeOf(items.filter(isDeclared)) === 'incomplete';
  return outcomeOf(items, { faulty: problems.length > 0, partial, reduced: leavesOut(profile) });
}

const leavesOut = (profile: { notOffered?: readonly unknown[] } | undefined): boolean =>
  (profile?.notOffered ?? []).length > 0;

/** Why a run is incomplete where no single cause is known. */
function reasonOf(items: readonly Item[], evidence: Evidence): string {
  const { expiry } = evidence;
  const left = items.filter(({ verdict }) => verdict === 'could-not-run').map(({ id }) => id);
  const valid = firstIssue(evidence);
  if (valid && 'id' in valid && (!isAnswered(valid) || !isIssued(valid))) return 'no-token';
  const isEarly = earlyExpiryInWords(evidence) !== undefined;
  const isOfExpiry = left.every((id) =>
    ['MRS-5.6a', 'MRS-5.6b', 'MRS-7a', isEarly && 'MRS-5.3b'].includes(id),
  );
  if (isOfExpiry && (isEarly || ('late' in expiry && expiry.late))) return 'token-lifetime-differs';
  return isOfExpiry && expiry.kind === 'none' ? 'expiry-not-tested' : 'not-all-tested';
}

// Words.

export const UNVERIFIED =
  'This run did not verify certificates, since NODE_TLS_REJECT_UNAUTHORIZED is 0: another server may have answered. ' +
  'Unset it, and run again. For a private authority, give --ca its PEM file.';

const BUNDLED_MOCK =
  'The bundled mock was judged, since no URL was given: this says nothing about a deployment.';

/** The requests without a decision, without a full stop: a reader must see them next to the verdicts. */
function nonAnswersInWords(evidence: Evidence, items: readonly Item[]): string[] {
  const all = exchanges(assess(evidence).counted);
  const ids = items.flatMap((item) => (item.verdict === 'failed' ? item.exchanges : []));
  const violating = new Set(all.flatMap(({ id, what }) => (ids.includes(id) ? what : [])));
  const undecided = all.filter((one) => {
    const { what, response } = one;
    if (what.startsWith('the health check')) return 'verdict' in decidedHealth(one);
    const row = rowNamed(what);
    const { status = 0 } = response ?? {};
    // A valid request that is answered so again was not met by an accident.
    const isLasting =
      row && mustBeAccepted(what) && status >= 500 && hasStatus(evidence.probes[row.key], status);
    const isViolation = isAnswered(one) && !isTransient(one) && (isLasting || violating.has(what));
    // What no clause binds may be answered in any way.
    return row?.key !== 'open.options' && !isViolation && hasNoDecision(row, one);
  });
  const answers = [
    ...groupBy(undecided, ({ response, failureCode = 'failure' }) => String(response?.status ?? failureCode)),
  ].map(([answer, { length }]) => `${answer} (${length})`);
  const count = `${undecided.length} of ${several(evidence.requests, 'request')}`;
  return answers.length > 0
    ? [`${count} had no decision: ${answers.join(', ')}, ${timesOf(evidence, undecided)}`]
    : [];
}

/** Health checks need no token (clause 5.5), so no verdict says what they give away. */
const openHealthInWords = ({ health }: Evidence): string[] =>
  health.flatMap(({ plain }) => {
    const { found = 0, of = 0 } = (isAnswered(plain) && plain.response.values) || {};
    return found > 1 && found * 2 > of
      ? [`Records of the data are in the answer to ${plain.what}. Remove them there: everyone can read them.`]
      : [];
  });

/** The token lifetime that was given may have the wrong unit. */
function noEndInWords({ expiry, probes }: Evidence): string[] {
  const { 'data.expiredToken': read } = probes;
  if (expiry.kind !== 'waited' || expiry.late || !read) return [];
  if (!isServed(read) || hasNoDecision(undefined, read)) return [];
  const { lifetimeSeconds: agreed, ageSeconds: age } = expiry;
  return [
    `No token was seen to expire: it was accepted at the age of ${Math.floor(age)} s. If more than ${agreed} s are agreed, correct ` +
      '--token-lifetime (MRS_TOKEN_LIFETIME), where a number without a unit is in seconds, and run again.',
  ];
}

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
    blocks: [
      {
        fold: `Open points: ${seen.length} of ${points.length} seen on the wire, none judged`,
        table: tableOf('points', `Open points: ${points.length}`, POINTS, points),
      },
    ],
  };
}
