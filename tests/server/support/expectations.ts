/** What several requirements expect of an answer. Each function returns a judgement. */
import type { Mismatch, OperationId, Status } from './contract.ts';
import { givesData } from './data.ts';
import { type Answered, type Evidence, inWords, isAnswered, isSuccess, type Probe } from './evidence.ts';
import { isJsonMediaType } from './json.ts';
import { answered, couldNotRun, decided, failed, type Judgement, passed, settled } from './judgement.ts';

/** Whether a token was issued: the answer's field `token` is a string that is not empty, whatever the status. */
export const isIssued = ({ response }: Answered): boolean => response.tokenResponse?.issued === true;

/** The probe, in a list, if it was sent: the deployment may not have given occasion for it. */
export const ifSent = (probe: Probe): Probe[] => ('id' in probe ? [probe] : []);

/** The status is `status`. Only a status that the contract documents for the operation compiles. */
export function hasStatus<Id extends OperationId>(
  exchange: Answered,
  _operation: Id,
  status: Status<Id>,
): Judgement {
  return exchange.response.status === status ? passed(exchange) : failed(`status ${status}`, exchange);
}

/** The form obtains no token, whatever the refusal looks like; `valid` is the form that does. */
export function obtainsNoToken(probe: Probe, valid: Answered): Judgement {
  const exchange = answered(probe);
  if ('verdict' in exchange) return exchange;
  if (isIssued(exchange)) return failed('no token', exchange);
  if (isSuccess(exchange) && exchange.response.tokenResponse?.unclear)
    return couldNotRun(
      `${inWords(exchange)}. It may hold a token under another name, or nested too deep to be found.`,
    );
  const refusal = decided(exchange);
  return 'verdict' in refusal ? refusal : passed(refusal, valid);
}

/** The request does not obtain the data, whatever the refusal looks like; `served` is the same with a good token. */
export function obtainsNoData(probe: Probe, served: Answered, evidence: Evidence): Judgement {
  const exchange = answered(probe);
  if ('verdict' in exchange) return exchange;
  const given = givesData(exchange, served, evidence);
  if (given === 'unclear') return couldNotRun(`${inWords(exchange)}. It may contain the data.`);
  if (given) return failed('that the data is not given', exchange);
  const refusal = decided(exchange);
  return 'verdict' in refusal ? refusal : passed(refusal, served);
}

/** The data is served with a token, issued by the exchange `issuedBy`, that is not older than its lifetime. */
export function obtainsData(probe: Probe, issuedBy: Probe, { target }: Evidence): Judgement {
  const exchange = settled(probe);
  if ('verdict' in exchange) return exchange;
  if (isSuccess(exchange)) return passed(exchange);
  const issue = answered(issuedBy);
  if ('verdict' in issue) return issue;
  const ageMs = exchange.sentAtMs + exchange.durationMs - issue.sentAtMs;
  const { tokenLifetimeSeconds = Number.POSITIVE_INFINITY } = target;
  if (ageMs < tokenLifetimeSeconds * 1000) return failed('a 2xx status', exchange);
  return couldNotRun(
    `The token was ${ageMs / 1000} s old by the answer, and lives ${tokenLifetimeSeconds} s.`,
    exchange,
  );
}

/** The successful answers to valid credentials: the first of them, and the later one if there was one. */
export const tokenResponses = (first: Answered, { token }: Evidence): Answered[] => [
  first,
  ...[token.again].filter(isAnswered).filter(isSuccess),
];

/** None of the differences between a token response and the contract is one that `concerns` the requirement. */
export function matchesContract(exchange: Answered, concerns: (mismatch: Mismatch) => boolean): Judgement {
  const { json, tokenResponse } = exchange.response;
  const first = tokenResponse?.mismatches.find(concerns);
  if (first) return failed(`that ${first.pointer || 'its body'} ${first.message}`, exchange);
  if (!json.wellFormed || json.type !== 'object')
    return couldNotRun('The token response is not a JSON object (see MRS-4.1k).');
  return passed(exchange);
}

/** The body is well-formed JSON and its Content-Type says so. */
export function isJson(exchange: Answered): Judgement {
  const { json, mediaType } = exchange.response;
  if (!json.wellFormed && json.refused)
    return couldNotRun(`${inWords(exchange)}. It was not parsed: ${json.error}.`);
  if (!json.wellFormed) return failed(`well-formed JSON, but ${json.error}`, exchange);
  return isJsonMediaType(mediaType) ? passed(exchange) : failed('a JSON media type', exchange);
}
