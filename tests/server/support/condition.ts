/**
 * Whether an answer counts for the condition of its request, and why another does not: the one place that knows of answers
 * that are no decision, of tokens that are too old, superseded or were never seen alive, and of banned clients.
 */
import {
  type Answered,
  type Evidence,
  type Exchange,
  inWords,
  isAnswered,
  isServed,
  isSuccess,
  type Probe,
  probesMeeting,
  repeatsOf,
} from './evidence.ts';
import { couldNotRun, type Judgement } from './judgement.ts';

/** Why an answer does not count. */
export type NotCounted =
  | { code: 'not-sent'; why: string }
  | { code: 'no-answer'; exchange: Exchange }
  | { code: 'unsettled' | 'no-decision' | 'superseded'; answer: Answered }
  /** A token that was never issued is answered with the same status. */
  | { code: 'unproven'; answer: Answered; unknown: Answered }
  /** The token was refused before it could expire. */
  | { code: 'used-up'; late: Answered }
  /** The token was accepted after its stated lifetime, and refused later. */
  | { code: 'outlived'; sentence: string; answers: Answered[] }
  | { code: 'too-old'; answer: Answered; ageSeconds: number; lifetimeSeconds: number };

/** A requirement that has no other answer could not run. */
export function notCounted(reason: NotCounted): Judgement {
  switch (reason.code) {
    case 'not-sent':
      return couldNotRun(reason.why);
    case 'no-answer':
      return couldNotRun(`For ${reason.exchange.what}, the deployment ${reason.exchange.failure}.`);
    case 'unsettled':
      return {
        ...couldNotRun(
          `${inWords(reason.answer)}. That settles nothing; run again when the deployment is at rest.`,
          reason.answer,
        ),
        unsettled: reason.answer,
      };
    case 'no-decision':
      return couldNotRun(
        `${inWords(reason.answer)}. A server error is not a decision about the request.`,
        reason.answer,
      );
    case 'superseded':
      return couldNotRun(
        `${inWords(reason.answer)}. The deployment keeps no token but the newest, so it need not know an earlier one.`,
      );
    case 'unproven':
      return couldNotRun(
        `${inWords(reason.answer)}. A token that was never issued is answered alike, so this does not show that the token in ` +
          'MRS_EXPIRED_TOKEN was ever valid. Give --token-lifetime (MRS_TOKEN_LIFETIME), so that the run sees a token expire.',
        reason.answer,
        reason.unknown,
      );
    case 'used-up':
      return couldNotRun(
        `The token was refused before it could expire (see MRS-5.3b): ${inWords(reason.late)}.`,
      );
    case 'outlived':
      return couldNotRun(reason.sentence, ...reason.answers);
    case 'too-old':
      return couldNotRun(
        `The token was ${reason.ageSeconds} s old by the answer, and lives ${reason.lifetimeSeconds} s.`,
        reason.answer,
      );
  }
}

/** The answer to a probe, or why there is none to judge. */
export function answered(probe: Probe): Answered | Judgement {
  if ('notSent' in probe) return notCounted({ code: 'not-sent', why: probe.notSent });
  return isAnswered(probe) ? probe : notCounted({ code: 'no-answer', exchange: probe });
}

/**
 * The answer to a probe, if it is conclusive. Timeouts, overload and gateway errors (408, 429, 502, 503, 504) are not:
 * a client that waits may get a different answer.
 */
export function settled(probe: Probe): Answered | Judgement {
  const answer = answered(probe);
  if ('verdict' in answer || ![408, 429, 502, 503, 504].includes(answer.response.status)) return answer;
  return notCounted({ code: 'unsettled', answer });
}

/** The answer to a request that must be refused, if it is a decision about that request; a 5xx is not. */
export function decided(probe: Probe): Answered | Judgement {
  const answer = settled(probe);
  if ('verdict' in answer || answer.response.status < 500) return answer;
  return notCounted({ code: 'no-decision', answer });
}

/** The probe, in a list, if it was sent: the deployment may not have given occasion for it. */
export const ifSent = (probe: Probe): Probe[] => ('id' in probe ? [probe] : []);

/** The answers of these that settle something: a deployment may limit how often it is asked. */
export const ifSettled = (...probes: Probe[]): Answered[] =>
  probes.map(settled).flatMap((answer) => ('verdict' in answer ? [] : [answer]));

/** The successful answers to valid credentials. */
export const tokenResponses = ({ token }: Evidence): Answered[] =>
  ifSettled(token.valid, token.again, token.another, token.last).filter(isSuccess);

/** The successful answers to requests for the data with a token, or without one where the deployment offers none. */
export const dataAnswers = (evidence: Pick<Evidence, 'token' | 'data' | 'open'>): Answered[] =>
  probesMeeting(evidence, 'readData', 'valid-token').filter(isAnswered).filter(isSuccess);

/** The same, those included by which a run sees that the deployment is well. */
export const servedReads = (evidence: Evidence): Answered[] => [
  ...dataAnswers(evidence),
  ...evidence.open.repeated
    .filter(isAnswered)
    .filter((exchange) => exchange.request.method === 'GET' && isSuccess(exchange)),
];

/** The reads with one token that a deployment must serve until the token expires. */
export function readsUntilExpiry({ data: { second, third, late } }: Evidence): Probe[] {
  // A token that expires early is observed under MRS-5e; one refused with another status than 403 is used up.
  const isEarly = isAnswered(late) && late.response.status === 403;
  return [second, third, ...(isEarly ? [] : ifSent(late))];
}

/** The reads with the newest token at the end of a run, unless they were refused: that may be a ban for bad tokens. */
export function readsAtEnd(evidence: Evidence): Answered[] {
  // A refusal that is over a second later is not a ban.
  const { control } = evidence.data;
  const served = ifSettled(control).filter(isSuccess);
  return served.length > 0 ? [...ifSettled(...repeatsOf(control, evidence)), ...served] : [];
}

/** The reads with the expired token that a deployment must answer by status 403, after the first. */
export function laterExpiredReads({ data, open }: Evidence): Probe[] {
  // A deployment that keeps only the newest token need not know by then that the older one had expired.
  if (isSuperseded(open.tokenBefore)) return [];
  // One that has banned the client for its bad tokens refuses everything.
  const isBanned = 'id' in data.control && !isServed(data.control);
  return [data.expiredAgain, ...(isBanned ? [] : [data.expiredLater, data.expiredLast])].flatMap(ifSent);
}

/** Why a refusal of the expired token by another status than 403 is no violation; undefined if it is one. */
export function whyNotExpired(answer: Answered, { data, expiry, open }: Evidence): Judgement | undefined {
  if (expiry.kind === 'asserted' && isSuperseded(open.tokenBefore))
    return notCounted({ code: 'superseded', answer });
  if (isAnswered(data.late) && !isSuccess(data.late) && data.late.response.status !== 403)
    return notCounted({ code: 'used-up', late: data.late });
  return undefined;
}

/** Whether a token was refused that was not old: a newer one has taken its place. */
const isSuperseded = (tokenBefore: Probe) => 'id' in tokenBefore && !isServed(tokenBefore);

/** Why the answer to a token that the operator calls expired proves nothing: this deployment may never have issued it. */
export function whyUnproven(answer: Answered, { expiry, data }: Evidence): Judgement | undefined {
  const { unknownToken: unknown } = data;
  if (expiry.kind !== 'asserted' || !isAnswered(unknown)) return undefined;
  const isAlike = unknown.response.status === answer.response.status;
  return isAlike ? notCounted({ code: 'unproven', answer, unknown }) : undefined;
}

/**
 * When a token expired that had outlived the stated lifetime, and what to do, as sentences; otherwise undefined. A run
 * cannot know whether the deployment is wrong or the stated lifetime.
 */
export function lateExpiryInWords({ expiry }: Pick<Evidence, 'expiry'>): string | undefined {
  if (!('late' in expiry) || expiry.late === undefined) return undefined;
  const { acceptedSeconds, refusedSeconds } = expiry.late;
  const from = Math.floor(acceptedSeconds * 10) / 10;
  const to = Math.ceil(refusedSeconds * 10) / 10;
  const stated = expiry.lifetimeSeconds;
  return (
    `The token expired between ${from} s and ${to} s after it was obtained, not after ${stated} s: set --token-lifetime to ` +
    `the agreed lifetime, such as ${Math.ceil(refusedSeconds)}s. If ${stated} s are agreed, the deployment expires tokens too late.`
  );
}
