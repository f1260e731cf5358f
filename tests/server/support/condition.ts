/** Whether an answer counts for the condition of its request, and why another does not. */
import { inSeconds } from '../../report/text.ts';
import { firstMomentOf } from '../../support/clock.ts';
import { mustBeAccepted } from '../requests.ts';
import {
  type Answered,
  type Evidence,
  hasStatus,
  inWords,
  isAnswered,
  isIssued,
  isRefused,
  isServed,
  isSuccess,
  isTransient,
  type Observed,
  type Probe,
  probesMeeting,
  repeatsOf,
} from './evidence.ts';
import { couldNotRun, type Judgement } from './judgement.ts';

/** The answer to a probe, or why there is none to judge. */
export function answered(probe: Probe | undefined): Answered | Judgement {
  if (!probe) return couldNotRun('The evidence does not have the request that this takes.');
  if ('notSent' in probe) return couldNotRun(probe.notSent);
  return isAnswered(probe)
    ? probe
    : couldNotRun(probe.undecided ?? `For ${probe.what}, the deployment ${probe.failure}.`);
}

/**
 * The answer to a probe, unless a client that waits may get another answer, or other answers of the run show that this
 * answer is no decision.
 */
export function settled(probe: Probe | undefined): Answered | Judgement {
  if (probe && 'undecided' in probe && probe.undecided) return couldNotRun(probe.undecided);
  const answer = answered(probe);
  if ('verdict' in answer || !isTransient(answer)) return answer;
  return couldNotRun(
    `${inWords(answer)}. This proves nothing: judge the deployment when it is healthy.`,
    answer,
  );
}

/** The answer to a request that must be refused, if it is a decision about that request; a 5xx is not. */
export function decided(probe: Probe | undefined): Answered | Judgement {
  const answer = settled(probe);
  if ('verdict' in answer || answer.response.status < 500) return answer;
  return couldNotRun(`${inWords(answer)}. A server error is not a decision about the request.`, answer);
}

/**
 * Whether the answer to the request of a row decides nothing. A request that must be refused has no decision after any 5xx, nor
 * has the first form, which a run needs at once, nor a read that must be served: a second 5xx to that is no accident. Another has
 * none only after a transient status.
 */
export const hasNoDecision = (
  row: { key: string; refusedBy?: string } | undefined,
  probe: Probe,
): boolean => {
  const isFirstRead = mustBeAccepted(probe.what) && !('again' in probe) && row?.key.startsWith('data.');
  return (
    'verdict' in (row?.refusedBy || row?.key === 'token.valid' || isFirstRead ? decided : settled)(probe)
  );
};

/** The answer of a health check, which may say by 503 that the service is not well. */
export const decidedHealth = (probe: Probe, by = decided): Answered | Judgement =>
  (hasStatus(probe, 503) ? answered : by)(probe);

const isDecision = (probe: Probe | undefined): boolean => !('verdict' in decided(probe));

/** The probes that were sent: the deployment may not have given occasion for some. */
export const ifSent = (...probes: (Probe | undefined)[]): Probe[] =>
  probes.flatMap((probe) => (probe && 'id' in probe ? [probe] : []));

/** The answers of these that prove something: a deployment may limit how often it is asked. */
export const ifSettled = (...probes: (Probe | undefined)[]): Answered[] =>
  probes.map(settled).flatMap((answer) => ('verdict' in answer ? [] : [answer]));

/** The forms with valid credentials, but for that at the end: wrong secrets may have locked the client by then. */
const validForms = ({ probes }: Evidence): (Probe | undefined)[] =>
  (['token.valid', 'token.again', 'token.another', 'token.last'] as const).map((key) => probes[key]);

/** The successful answers to valid credentials. */
export const tokenResponses = (evidence: Evidence): Answered[] =>
  ifSettled(...validForms(evidence)).filter(isSuccess);

/**
 * The first form with valid credentials that obtained a token; the first of all where none did. What is in another place than
 * the field `token` is one only if it opens the data.
 */
export const firstIssue = (evidence: Evidence): Probe | undefined =>
  validForms(evidence)
    .filter(isAnswered)
    .find((form) =>
      dataAnswers(evidence).length > 0 ? isIssued(form) : form.response.tokenResponse?.issued,
    ) ?? evidence.probes['token.valid'];

/** The successful answers to requests for the data with a token, or without one where the deployment offers none. */
export const dataAnswers = (evidence: Pick<Observed, 'probes'>): Answered[] =>
  ifSettled(...probesMeeting(evidence, 'readData', 'valid-token')).filter(isSuccess);

/** The first read with a token that was served; the first of all where none was. */
export const firstRead = (evidence: Pick<Observed, 'probes'>): Probe | undefined =>
  dataAnswers(evidence)[0] ?? evidence.probes['data.first'];

/** The successful answers with the data, those included by which a run sees that the deployment is well. */
export const servedReads = (evidence: Evidence): Answered[] => [
  ...dataAnswers(evidence),
  ...evidence.repeated
    .filter(isAnswered)
    .filter((exchange) => exchange.request.method === 'GET' && isSuccess(exchange)),
];

/** The reads with one token that a deployment must serve until the token expires. */
export function readsUntilExpiry({ probes }: Evidence): (Probe | undefined)[] {
  const late = probes['data.late'];
  // Of a token that expires early, the stated lifetime may be wrong; one refused with another status than 403 is used up.
  const isEarly = hasStatus(late, 403);
  const { 'data.second': second, 'data.third': third, 'data.fourth': fourth, 'data.fifth': fifth } = probes;
  return [second, third, ...ifSent(fourth, fifth, ...(isEarly ? [] : [late]))];
}

/** The reads with the newest token at the end of a run, unless they were refused: that may be a ban for bad tokens. */
export function readsAtEnd(evidence: Evidence): Answered[] {
  // A refusal that is over a second later is not a ban.
  const control = evidence.probes['data.control'];
  const served = ifSettled(control).filter(isSuccess);
  const before = control ? repeatsOf(control, evidence).filter(isDecision) : [];
  return served.length > 0 ? [...ifSettled(...before), ...served] : [];
}

/** The reads with the expired token that a deployment must answer by status 403, after the first. */
export function laterExpiredReads(evidence: Evidence): Probe[] {
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
  const last = ifSent(probes['data.expiredLater'], probes['data.expiredLast']);
  const counted =
    isBanned || isRefused(control) ? [] : last.filter((one) => isServed(control) || isDecision(one));
  const { 'data.givenToken': given, 'data.expiredAgain': again, 'data.expiredLongAgo': longAgo } = probes;
  return ifSent(given, again, ...counted, longAgo);
}

/** Whether the answer is to a token that only the operator says has expired. */
export const isGiven = ({ id }: Answered, { probes, expiry }: Pick<Evidence, 'probes' | 'expiry'>): boolean =>
  expiry.kind === 'asserted' || ifSent(probes['data.givenToken']).some((one) => 'id' in one && one.id === id);

/** Why a refusal of the expired token with a status other than 403 is not a violation; undefined if it is one. */
export function whyNotExpired(answer: Answered, { probes, expiry }: Evidence): Judgement | undefined {
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
export function whyUnproven(answer: Answered, { expiry, probes, target }: Evidence): Judgement | undefined {
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
export function lateExpiryInWords({ expiry }: Pick<Evidence, 'expiry'>): string | undefined {
  if (!('late' in expiry) || expiry.late === undefined) return undefined;
  const { lifetimeSeconds: stated, late } = expiry;
  const from = Math.floor(late.acceptedSeconds * 10) / 10;
  const to = Math.ceil(late.refusedSeconds * 10) / 10;
  return (
    `The token expired between ${from} s and ${to} s after it was obtained, not after ${stated} s: set --token-lifetime to ` +
    `the agreed lifetime, such as ${Math.ceil(late.refusedSeconds)}s. If ${stated} s are agreed, the deployment expires tokens too late.`
  );
}
