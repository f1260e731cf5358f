/** What several requirements expect of an answer. Each function returns a judgement. */

import { inSeconds, several } from '../../report/text.ts';
import { requests } from '../requests.ts';
import { answered, decided, firstRead, servedReads, settled, tokenResponses } from './condition.ts';
import type { Mismatch } from './contract.ts';
import { givesData, isWithoutRecords, speaksOnlyOfError, unlikeData } from './data.ts';
import {
  type Answered,
  type Evidence,
  type Exchange,
  inWords,
  isAnswered,
  isRefused,
  isServed,
  isSuccess,
  type Kind,
  numberOf,
  type Probe,
  repeatsOf,
} from './evidence.ts';
import { isJsonMediaType } from './json.ts';
import { allOf, couldNotRun, failed, type Judgement, passed } from './judgement.ts';

/** None of the forms obtains a token, whatever the refusals look like; `valid` is the form that does. */
export const obtainNoToken = (kinds: readonly Kind[], valid: Answered, evidence: Evidence): Judgement =>
  allRefused(kinds, evidence, valid, (exchange) => {
    const { tokenResponse } = exchange.response;
    if (tokenResponse?.issued) return failed('no token', exchange);
    return isSuccess(exchange) && tokenResponse?.unclear
      ? couldNotRun(
          `${inWords(exchange)}. It may hold a token under another name, or nested too deep to be found.`,
        )
      : undefined;
  });

/** None of the requests obtains the data; `served` is the same with a good token. */
export const obtainNoData = (kinds: readonly Kind[], served: Answered, evidence: Evidence): Judgement =>
  allRefused(kinds, evidence, served, (exchange) => {
    const given = givesData(exchange, served);
    if (given === 'unclear') return couldNotRun(`${inWords(exchange)}. It may contain the data.`);
    const { found, of } = exchange.response.values ?? { found: 0, of: 0 };
    const share = found > 0 ? ` (this one has ${found} of ${of} distinctive values)` : '';
    return given ? failed(`an answer without the data${share}`, exchange) : undefined;
  });

/**
 * Each kind of request was refused at least once, and none of them got what it must not get, by `violation`. A closed
 * connection counts as a refusal only next to a refusal that is an answer, and if the deployment answered well after it.
 */
function allRefused(
  kinds: readonly Kind[],
  evidence: Evidence,
  accepted: Answered,
  violation: (exchange: Answered) => Judgement | undefined,
): Judgement {
  const judge = (probe: Probe): Judgement => {
    const exchange = answered(probe);
    if ('verdict' in exchange) return exchange;
    const refusal = decided(exchange);
    return violation(exchange) ?? ('verdict' in refusal ? refusal : passed(refusal, accepted));
  };
  const some = kinds
    .map((kind) => ({ ...kind, probes: kind.probes.filter((probe) => !('isOptional' in probe)) }))
    .filter(({ probes }) => probes.length > 0);
  const asked = (some.length > 0 ? some : kinds).map(({ probes, isAside }) => {
    const judgements = probes.map(judge);
    // An answer without a decision, whose request was repeated, may still have given the data away.
    const replaced = probes.flatMap((probe) => repeatsOf(probe, evidence)).filter(isAnswered);
    const leaks = replaced.filter((one) => !isSuccess(one)).map(judge);
    const decisive = [
      ...judgements.filter(({ verdict }) => verdict !== 'could-not-run'),
      ...leaks.filter(({ verdict }) => verdict === 'failed'),
    ];
    return { probes, isAside, judgements, decisive };
  });
  const isRefusedByAnswer = asked.some(({ decisive, isAside }) => decisive.length > 0 && !isAside);
  const lastServed = Math.max(...servedReads(evidence).map(numberOf));
  return allOf(
    asked.flatMap(({ probes, isAside, judgements, decisive }) => {
      // The deployment was not out of order for good.
      const isSettled = probes.some(
        (probe) =>
          'id' in probe && (isAside || probe.failureCode === 'hang-up') && lastServed > numberOf(probe),
      );
      return decisive.length > 0 || (isRefusedByAnswer && isSettled) ? decisive : judgements;
    }),
  );
}

/** Of requests that ask the same in several ways, the conclusive ones, and the first; all, if the first is not conclusive. */
export const conclusive = (all: readonly Judgement[]): Judgement[] =>
  all.filter(({ verdict }) => verdict !== 'could-not-run' || all[0]?.verdict === 'could-not-run');

/** The data is served with a token, issued by the exchange `issuedBy`, that is not older than its lifetime. */
export function obtainsData(
  probe: Probe | undefined,
  issuedBy: Probe | undefined,
  evidence: Evidence,
): Judgement {
  const exchange = settled(probe);
  if ('verdict' in exchange) return exchange;
  if (isSuccess(exchange)) return isData(exchange, firstRead(evidence));
  if (isOnlyRefusal(exchange, evidence))
    return couldNotRun(
      `${inWords(exchange)}. The same token opened the data after that, and each other read was served: this may be an ` +
        'accident, or a second replica that learns of a token late. Run again; if it recurs, report it to the operator.',
      exchange,
    );
  const issue = answered(issuedBy);
  if ('verdict' in issue) return issue;
  const ageSeconds = (exchange.sentAtMs + exchange.durationMs - issue.sentAtMs) / 1000;
  const { tokenLifetimeSeconds: lifetime = Number.POSITIVE_INFINITY } = evidence.target;
  const isBetween = (one: Exchange) => numberOf(one) > numberOf(issue) && numberOf(one) < numberOf(exchange);
  const hasEnded = isRefused(exchange) && servedReads(evidence).some(isBetween);
  const than = Number.isFinite(lifetime)
    ? `, ${inSeconds((lifetime - ageSeconds) * 1000)} earlier than stated`
    : '';
  const hint = `; the token, which had opened the data, seems to have ended when it was ${inSeconds(ageSeconds * 1000)} old${than}: ask the operator for the agreed lifetime (--token-lifetime), and whether the service lost its tokens in a restart`;
  return ageSeconds < lifetime
    ? failed(`a 2xx status${hasEnded ? hint : ''}`, exchange)
    : couldNotRun(`The token was ${ageSeconds} s old by the answer, and lives ${lifetime} s.`, exchange);
}

/** Whether one read of all with a valid token was not served, and a later one with the same token was. */
function isOnlyRefusal(exchange: Answered, { probes }: Evidence): boolean {
  const reads = requests.flatMap((row) => {
    const probe = probes[row.key];
    return 'by' in row && row.when === 'valid-token' && probe && 'id' in probe ? [{ by: row.by, probe }] : [];
  });
  const own = reads.find(({ probe }) => probe.id === exchange.id);
  const others = reads.filter((one) => one !== own);
  return (
    own !== undefined &&
    others.every(({ probe }) => isServed(probe)) &&
    others.some(
      ({ by, probe }) =>
        (by === own.by || (own.by === 'newest' && by === 'live')) && numberOf(probe) > numberOf(exchange),
    )
  );
}

/** A success has the data: neither an error, nor something else than the first answer had. */
function isData(exchange: Answered, first: Probe | undefined): Judgement {
  const { json } = exchange.response;
  const good = isAnswered(first) && isSuccess(first) ? first : undefined;
  const difference = speaksOnlyOfError(json) ? 'the data, not an error' : good && unlikeData(exchange, good);
  if (!difference) return passed(exchange);
  if (!good || !isWithoutRecords(json, good.response.json)) return failed(difference, exchange);
  return couldNotRun(
    `${inWords(exchange)}. It has other members than the first answer, and may say that there are no records: the specification does not show how a service says that. Ask the operator, and run again when there are records.`,
    exchange,
  );
}

/** No token response differs from the contract in a way that `concerns` the requirement. */
export const matchContract = (evidence: Evidence, concerns: (mismatch: Mismatch) => boolean): Judgement =>
  allOf(tokenResponses(evidence).map((response) => matchesContract(response, concerns)));

/** The same of one. */
export function matchesContract(exchange: Answered, concerns: (mismatch: Mismatch) => boolean): Judgement {
  const { json, tokenResponse } = exchange.response;
  const [first, ...more] = tokenResponse?.mismatches.filter(concerns) ?? [];
  const place = tokenResponse?.takenFrom;
  const name = /^\/([^/]+)$/.exec(place ?? '')?.[1];
  const rename = name === undefined ? '' : `: rename ${name} to token`;
  const found = place === undefined ? '' : `; the token was found at ${place || 'the top'}${rename}`;
  const others = more.length > 0 ? `, and ${several(more.length, 'more difference')}` : '';
  if (first) return failed(first.expected + others + found, exchange);
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
