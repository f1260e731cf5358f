/** Whether an answer counts for the condition of its request, and why another does not. */
import { mustBeAccepted, mustBeRefused, type ProbeRow } from '../requests.ts';
import {
  type Answered,
  type Evidence,
  hasStatus,
  inWords,
  isAnswered,
  isIssued,
  isSuccess,
  isTransient,
  type Observed,
  type Probe,
  probesMeeting,
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
export function hasNoDecision(row: (ProbeRow & { key: string }) | undefined, probe: Probe): boolean {
  const isFirstRead = mustBeAccepted(probe.what) && !('again' in probe) && row?.key.startsWith('data.');
  const isStrict = mustBeRefused(row) || row?.key === 'token.valid' || isFirstRead;
  return 'verdict' in (isStrict ? decided : settled)(probe);
}

/** The answer of a health check, which may say by 503 that the service is not well. */
export const decidedHealth = (probe: Probe, by = decided): Answered | Judgement =>
  (hasStatus(probe, 503) ? answered : by)(probe);

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
