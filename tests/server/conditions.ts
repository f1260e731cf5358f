/**
 * What a run shows: its exchanges in the conditions by which requirements ask for answers, each with the exchanges that it is
 * compared with, and why an answer counts for nothing. The same of recorded calls is in classify.ts.
 */
import { inSeconds } from '../report/text.ts';
import { firstMomentOf } from '../support/clock.ts';
import { type Condition, kindOf, mustBeRefused, requests } from './requests.ts';
import {
  dataAnswers,
  decided,
  decidedHealth,
  firstIssue,
  firstRead,
  ifSent,
  ifSettled,
  servedReads,
  settled,
  tokenResponses,
} from './support/condition.ts';
import {
  type Answered,
  type Evidence,
  type Exchange,
  exchanges,
  hasStatus,
  inWords,
  isAnswered,
  isRefused,
  isServed,
  isSuccess,
  numberOf,
  type Probe,
  repeatsOf,
} from './support/evidence.ts';
import { givesItsData } from './support/expectations.ts';
import { couldNotRun, type Judgement, type Shown } from './support/judgement.ts';

/** What the exchanges of a run show. `gap` of a request that must be refused: a 5xx is no refusal. */
export function shownIn(evidence: Evidence): Shown[] {
  return [
    ...refusalsIn(evidence),
    ...formsIn(evidence),
    ...readsIn(evidence),
    ...expiryIn(evidence),
    ...healthIn(evidence),
  ];
}

const gapOf = (answer: Answered | Judgement): Judgement | undefined =>
  'verdict' in answer ? answer : undefined;

export const shown = (when: Condition, probe: Probe | undefined, more: Partial<Shown> = {}): Shown[] =>
  probe ? [{ when, probe, gap: gapOf((mustBeRefused({ when }) ? decided : settled)(probe)), ...more }] : [];

const optional = (when: Condition, probes: readonly Probe[], more: Partial<Shown> = {}): Shown[] =>
  probes.flatMap((probe) => shown(when, probe, { ...more, isOptional: true }));

/** A health check may say by 503 that the service is not well. */
const gapOfHealth = (probe: Probe): Judgement | undefined => gapOf(decidedHealth(probe, settled));

/** The requests that must be refused, next to what was accepted. */
function refusalsIn(evidence: Evidence): Shown[] {
  const { probes } = evidence;
  const beside = { issue: firstIssue(evidence), read: firstRead(evidence) };
  const lastServed = Math.max(...servedReads(evidence).map(numberOf));
  const rows = requests.flatMap((row) => {
    const probe = probes[row.key];
    if (!probe || !row.when || !mustBeRefused(row)) return [];
    const { when } = row;
    const isAside = 'aside' in row && { isAside: true as const };
    const isSilent =
      'id' in probe && (isAside || probe.failureCode === 'hang-up') && lastServed > numberOf(probe);
    const own = { ...beside, kind: kindOf(row), ...isAside };
    // An answer without a decision, whose request was repeated, may still have given the data away.
    const replaced = repeatsOf(probe, evidence).filter((one) => isAnswered(one) && !isSuccess(one));
    // The read that asks for JSON decides for the others of its kind.
    const proof = 'by' in row && row.by === 'expired' ? probes['data.expiredToken'] : probe;
    const unproven = when === 'expired-token' && isAnswered(proof) ? whyUnproven(proof, evidence) : undefined;
    return [
      ...shown(when, probe, {
        ...own,
        ...(isSilent && { mayBeSilent: true }),
        ...(unproven && { gap: unproven }),
      }),
      ...optional(when, replaced, own),
    ];
  });
  // No clause says how OPTIONS is answered, so only records that a valid token opens are held against it.
  const options = ifSettled(probes['open.options']).filter(
    ({ response }) => (response.values?.found ?? 0) > 1,
  );
  return [...rows, ...optional('missing-token', options, { ...beside, isAside: true })];
}

/** The forms with valid credentials. The first counts only where it was decided, if others brought a token. */
function formsIn(evidence: Evidence): Shown[] {
  const { 'token.valid': valid, 'token.again': again, ...probes } = evidence.probes;
  const others = tokenResponses(evidence).filter((one) => one !== valid);
  const beside = { issue: firstIssue(evidence) };
  const authorized = beside.issue === valid ? probes['token.withAuthorization'] : undefined;
  const more = others.length > 0 ? ({ isOptional: true } as const) : {};
  return [
    ...shown('valid-credentials', valid, { ...beside, ...more, authorized }),
    ...others.flatMap((one) => shown('valid-credentials', one, beside)),
    ...shown('valid-credentials again', again, beside),
    ...optional('valid-credentials again', ifSettled(probes['token.another'], probes['token.last']), beside),
  ];
}

/** Whether the newest token was replaced between two reads. */
const isRenewedBetween = (from: Probe | undefined, to: Probe | undefined, { repeated }: Evidence): boolean =>
  repeated.filter(isAnswered).some((one) => one.request.method === 'POST' && isBetween(from, one, to));

/** Whether an exchange took place after one, and before another. */
const isBetween = (from: Probe | undefined, one: Exchange, to: Probe | undefined): boolean =>
  from !== undefined &&
  to !== undefined &&
  'id' in from &&
  'id' in to &&
  numberOf(one) > numberOf(from) &&
  numberOf(one) < numberOf(to);

/** The reads with a token that a deployment must serve. */
function readsIn(evidence: Evidence): Shown[] {
  const { probes } = evidence;
  const { tokenLifetimeSeconds: lifetimeSeconds } = evidence.target;
  const { 'data.first': first, 'token.valid': valid, 'token.another': another, 'token.last': last } = probes;
  // Where the new token after expiry is refused already, MRS-5.6b says so.
  const fresh = ifSettled(probes['data.freshToken']).filter(isSuccess);
  const isFresh = fresh.some((one) => givesItsData(one, { read: firstRead(evidence) }).verdict === 'passed');
  // What had no decision decides nothing where others were served.
  const decisive = 'verdict' in settled(first) ? firstRead(evidence) : first;
  const read = firstRead(evidence);
  const served = (
    when: Condition,
    issue: Probe | undefined,
    probe: Probe | undefined,
    more: Partial<Shown> = {},
  ) =>
    shown(when, probe, {
      ...{ issue, read, lifetimeSeconds, doubt: accidentIn(probe, evidence) },
      hasOpened: servedReads(evidence).some((one) => isBetween(issue, one, probe)),
      ...more,
    });
  const isOptional = { isOptional: true } as const;
  const early = earlyExpiryInWords(evidence);
  const late = ifSettled(probes['data.late']);
  return [
    ...served('valid-token', valid, decisive),
    ...(fresh.length > 0
      ? [
          ...ifSent(probes['data.newestToken']).flatMap((one) => served('valid-token', another, one)),
          ...[...ifSent(probes['data.lastToken']), ...readsAtEnd(evidence)].flatMap((one) =>
            served('valid-token', last, one),
          ),
        ]
      : []),
    ...dataAnswers(evidence).flatMap((one) => shown('valid-token body', one)),
    ...readsUntilExpiry(evidence).flatMap((one) => served('valid-token again', valid, one)),
    ...(isFresh
      ? served('valid-token again', probes['token.again'], probes['data.freshTokenAgain'], isOptional)
      : []),
    ...(early && late[0] ? shown('valid-token again', late[0], { gap: couldNotRun(early, late[0]) }) : []),
  ];
}

/** The refusals of an expired token by their status, the renewal after it, and what says that the lifetime is another. */
function expiryIn(evidence: Evidence): Shown[] {
  const { probes, target } = evidence;
  const { 'data.expiredToken': first, 'token.again': renewal, 'data.freshToken': fresh } = probes;
  const isFaulty = isNeverDecided(evidence);
  const read = firstRead(evidence);
  const late = lateExpiryInWords(evidence);
  const unprovenFirst = isAnswered(first) ? whyUnproven(first, evidence) : undefined;
  return [
    ...[first, ...laterExpiredReads(evidence)].flatMap((probe) => {
      if (!isAnswered(probe)) return shown('expired-token status', probe, { read, fresh });
      const unproven = whyUnproven(probe, evidence);
      return shown('expired-token status', probe, {
        ...{ read, fresh, doubt: whyNotExpired(probe, evidence) ?? unproven },
        ...(isGiven(probe, evidence) && { isGiven: true }),
        ...(isFaulty && { gap: undefined }),
        ...(unproven && probe === first && { gap: unproven }),
      });
    }),
    ...shown('expired-token renewed', first, {
      ...(unprovenFirst && { gap: unprovenFirst }),
      ...{ read, renewal, fresh, lifetimeSeconds: target.tokenLifetimeSeconds },
      ...{ isRepeated: evidence.renewalRepeats, doubt: accidentIn(fresh, evidence) },
    }),
    ...(late && first
      ? shown('expired-token', first, {
          read,
          gap: couldNotRun(late, first, ...repeatsOf(first, evidence).filter(isServed)),
        })
      : []),
  ];
}

function healthIn({ health, target }: Evidence): Shown[] {
  return health.flatMap(({ plain, withToken, again }) =>
    [plain, ...ifSent(again)].flatMap((probe, nth) =>
      shown('healthy', probe, {
        gap: gapOfHealth(probe),
        ...{ withToken, isStated: target.statesHealthPaths },
        ...(nth > 0 && { isOptional: true }),
      }),
    ),
  );
}

/** Where at least this number of answers has no decision, that is not an accident. */
const FEWEST = 4;

/**
 * Whether a deployment has no decision on any read with the expired token, whatever the moment, while it serves each read with a
 * valid token between those, and one after them: then its errors are its answer to an expired token.
 */
function isNeverDecided(evidence: Evidence): boolean {
  const { probes } = evidence;
  const reads = requests.flatMap(({ key, when }) => (when === 'expired-token' ? (probes[key] ?? []) : []));
  const asked = exchanges(evidence).filter(({ what }) => reads.some((read) => read.what === what));
  // Answers that decisions.ts marked have another cause.
  const undecided = asked.filter(isAnswered).filter((one) => !one.undecided && 'verdict' in decided(one));
  if (asked.length < FEWEST || undecided.length < asked.length || !isAnswered(probes['data.expiredToken']))
    return false;
  const numbers = asked.map(numberOf);
  const last = Math.max(...numbers);
  const isBetween = (exchange: Exchange) =>
    numberOf(exchange) > Math.min(...numbers) && numberOf(exchange) < last;
  const others = requests.filter((row) => 'post' in row || row.when === 'valid-token');
  const isWell = ifSent(...others.map(({ key }) => probes[key]), ...evidence.repeated)
    .filter((probe) => 'id' in probe)
    .filter((one) => isBetween(one) && !numbers.includes(numberOf(one)))
    .every((one) => !('verdict' in decided(one)));
  const served = servedReads(evidence);
  return isWell && served.some(isBetween) && served.some((one) => numberOf(one) > last);
}

/** Only this read with a valid token was not served, and a later read with the same token was: then it was an accident. */
function accidentIn(probe: Probe | undefined, evidence: Evidence): Judgement | undefined {
  const { probes } = evidence;
  const reads = requests.flatMap((row) => {
    const one = probes[row.key];
    return 'by' in row && row.when === 'valid-token' && one && 'id' in one ? [{ by: row.by, one }] : [];
  });
  const own = reads.find(({ one }) => one === probe);
  const others = reads.filter((read) => read !== own);
  const isLater = ({ by, one }: (typeof reads)[number]) =>
    (by === own?.by || (own?.by === 'newest' && by === 'live')) &&
    own &&
    numberOf(one) > numberOf(own.one) &&
    !isRenewedBetween(own.one, one, evidence);
  if (
    !own ||
    !isAnswered(own.one) ||
    isSuccess(own.one) ||
    !others.every(({ one }) => isServed(one)) ||
    !others.some(isLater)
  )
    return undefined;
  return couldNotRun(
    `${inWords(own.one)}. The same token opened the data after that, and each other read was served: this may be an ` +
      'accident, or a second replica that learns of a token late. Run again; if it recurs, report it to the operator.',
    own.one,
  );
}

/** The reads with one token that a deployment must serve until the token expires. */
function readsUntilExpiry({ probes }: Evidence): (Probe | undefined)[] {
  const late = probes['data.late'];
  // Of a token that expires early, the stated lifetime may be wrong; one refused with another status than 403 is used up.
  const isEarly = hasStatus(late, 403);
  const { 'data.second': second, 'data.third': third, 'data.fourth': fourth, 'data.fifth': fifth } = probes;
  return [second, third, ...ifSent(fourth, fifth, ...(isEarly ? [] : [late]))];
}

/** The reads with the newest token at the end of a run, unless they were refused: that may be a ban for bad tokens. */
function readsAtEnd(evidence: Evidence): Answered[] {
  // A refusal that is over a second later is not a ban.
  const control = evidence.probes['data.control'];
  const served = ifSettled(control).filter(isSuccess);
  const before = control ? repeatsOf(control, evidence).filter((one) => !('verdict' in decided(one))) : [];
  // Those with another token than the control are about that token.
  const own = before.filter((one) => !isRenewedBetween(one, control, evidence));
  return served.length > 0 ? [...ifSettled(...own), ...served] : [];
}

/** The reads with the expired token that a deployment must answer by status 403, after the first. */
function laterExpiredReads(evidence: Evidence): Probe[] {
  // What refuses the newest token after its end may be a lock for wrong secrets.
  const second = ifSent(evidence.probes['data.newestExpired']).filter(isServed);
  return [...ofFirstToken(evidence), ...second];
}

function ofFirstToken(evidence: Evidence): Probe[] {
  const { probes } = evidence;
  // A deployment that keeps only the newest token need not know by then that the older one had expired.
  if (isRefused(probes['open.tokenBefore'])) return [];
  // One that has banned the client for its bad tokens refuses everything, or decides on nothing.
  const { 'data.control': control } = probes;
  const isBanned = control && [control, ...repeatsOf(control, evidence)].some((one) => 'undecided' in one);
  // A token that was lost later had expired before that.
  const last = ifSent(probes['data.expiredLater'], probes['data.expiredLast']).filter(
    (one) => !('undecided' in one),
  );
  const counted =
    isBanned || isRefused(control)
      ? []
      : last.filter((one) => isServed(control) || !('verdict' in decided(one)));
  const { 'data.givenToken': given, 'data.expiredAgain': again, 'data.expiredLongAgo': longAgo } = probes;
  return ifSent(given, again, ...counted, longAgo);
}

/** Whether the answer is to a token that only the operator says has expired. */
const isGiven = ({ id }: Answered, { probes, expiry }: Pick<Evidence, 'probes' | 'expiry'>): boolean =>
  expiry.kind === 'asserted' || ifSent(probes['data.givenToken']).some((one) => 'id' in one && one.id === id);

/** Why a refusal of the expired token with a status other than 403 is not a violation; undefined if it is one. */
function whyNotExpired(answer: Answered, { probes, expiry }: Evidence): Judgement | undefined {
  const { 'open.tokenBefore': before, 'data.control': control, 'data.late': late } = probes;
  const isAsserted = isGiven(answer, { probes, expiry });
  if (isAsserted && isRefused(before))
    return couldNotRun(
      `${inWords(answer)}. The deployment keeps no token but the newest, so it need not know an earlier one.`,
    );
  const isTo = (probe: Probe | undefined) => probe !== undefined && 'id' in probe && probe.id === answer.id;
  const { 'data.expiredLater': later, 'data.expiredLast': last, 'data.expiredLongAgo': longAgo } = probes;
  const isLast = isTo(later) || isTo(last) || isTo(longAgo);
  const excuses = ifSent(
    ...(isAsserted || isLast || isTo(probes['data.expiredAgain']) ? [before] : []),
    ...(isLast ? [control] : []),
  );
  const open = excuses.find((one) => !isServed(one) && !isRefused(one));
  if (open)
    return couldNotRun(
      `${inWords(answer)}. It may be permitted: that depends on the answer to ${open.what}, which was not a decision.`,
    );
  if (isAnswered(late) && !isSuccess(late) && late.response.status !== 403)
    return couldNotRun(`The token was refused before it could expire (see MRS-5.3b): ${inWords(late)}.`);
  return undefined;
}

/** Why the answer to a token that the operator calls expired proves nothing: this deployment may never have issued it. */
function whyUnproven(answer: Answered, { expiry, probes, target }: Evidence): Judgement | undefined {
  const unknown = probes['data.unknownToken'];
  if (!isGiven(answer, { probes, expiry }) || !isAnswered(unknown)) return undefined;
  if (unknown.response.status !== answer.response.status) return undefined;
  const { tokenLifetimeSeconds: lifetime } = target;
  const option = lifetime
    ? `--max-wait ${lifetime}s (MRS_MAX_WAIT)`
    : '--token-lifetime (MRS_TOKEN_LIFETIME)';
  const advice =
    expiry.kind === 'asserted'
      ? `Give ${option}, so that the run sees a token expire.`
      : 'Copy a token of this deployment again, or leave the variable out.';
  return couldNotRun(
    `${inWords(answer)}. A token that was never issued is answered alike, so this does not show that the token in ` +
      `MRS_EXPIRED_TOKEN was ever valid. ${advice}`,
    answer,
    unknown,
  );
}

/** That a token expired before the stated lifetime, which may itself be wrong, and what to do, as sentences. */
export function earlyExpiryInWords({
  expiry,
  probes,
}: Pick<Evidence, 'expiry' | 'probes'>): string | undefined {
  const { 'data.late': late, 'token.valid': issue } = probes;
  if (!('lifetimeSeconds' in expiry) || !isAnswered(issue) || !isAnswered(late)) return undefined;
  if (late.undecided || !hasStatus(late, 403)) return undefined;
  const { lifetimeSeconds: stated } = expiry;
  // Where the clock of a mock is moved, less time passes than the run waits for.
  const ageMs = Math.max(late.sentAtMs - issue.sentAtMs, firstMomentOf(stated) * 1000);
  return (
    `The token was refused with 403 when it was ${inSeconds(ageMs)} old, and not after ${stated} s: ask the operator for ` +
    `the agreed lifetime, and correct --token-lifetime. If ${stated} s are agreed, the deployment expires tokens too early.`
  );
}

/** When a token expired that had outlived the stated lifetime, which may itself be wrong, and what to do, as sentences. */
function lateExpiryInWords({ expiry }: Pick<Evidence, 'expiry'>): string | undefined {
  if (!('late' in expiry) || expiry.late === undefined) return undefined;
  const { lifetimeSeconds: stated, late } = expiry;
  const from = Math.floor(late.acceptedSeconds * 10) / 10;
  const to = Math.ceil(late.refusedSeconds * 10) / 10;
  return (
    `The token expired between ${from} s and ${to} s after it was obtained, not after ${stated} s: set --token-lifetime to ` +
    `the agreed lifetime, such as ${Math.ceil(late.refusedSeconds)}s. If ${stated} s are agreed, the deployment expires tokens too late.`
  );
}
