/** What several requirements expect of an answer. */

import { inSeconds, several } from '../../report/text.ts';
import { answered } from './condition.ts';
import type { Mismatch } from './contract.ts';
import { givesData, isWithoutRecords, speaksOnlyOfError, unlikeData } from './data.ts';
import { type Answered, inWords, isAnswered, isRefused, isSuccess, type Probe } from './evidence.ts';
import { isJsonMediaType } from './json.ts';
import {
  couldNotRun,
  failed,
  type Judgement,
  type JudgeShown,
  passed,
  type Shown,
  unclear,
} from './judgement.ts';

/** Judges answers that are decisions. */
export const decision =
  (check: (answer: Answered, shown: Shown) => Judgement | undefined): JudgeShown =>
  (shown) => {
    const answer = answered(shown.probe);
    return 'verdict' in answer ? answer : (shown.gap ?? check(answer, shown));
  };

/** Judges refusals, whatever they look like: a violation is one also in an answer that is no decision. */
const refusal =
  (
    violation: (answer: Answered, shown: Shown) => Judgement | undefined,
    accepted: 'issue' | 'read',
  ): JudgeShown =>
  (shown) => {
    const answer = answered(shown.probe);
    if ('verdict' in answer) return answer;
    return violation(answer, shown) ?? shown.gap ?? passed(answer, shown[accepted]);
  };

/** The form obtains no token. */
export const obtainsNoToken: JudgeShown = refusal((answer) => {
  const { tokenResponse } = answer.response;
  if (tokenResponse?.issued) return failed('no token', answer);
  return isSuccess(answer) && tokenResponse?.unclear
    ? unclear(`${inWords(answer)}. It may hold a token under another name, or nested too deep to be found.`)
    : undefined;
}, 'issue');

/** What follows where only the user says that a token has expired. */
export const adviceOnGiven = ({ isGiven }: Shown): string =>
  isGiven ? '; check MRS_EXPIRED_TOKEN first, since this run never saw it accepted' : '';

/** The request does not obtain the data that a read with a good token does. */
export const obtainsNoData: JudgeShown = refusal((answer, shown) => {
  const { read } = shown;
  if (!isAnswered(read)) return answered(read) as Judgement;
  const given = givesData(answer, read);
  if (given === 'unclear') return unclear(`${inWords(answer)}. It may contain the data.`);
  const { found, of } = answer.response.values ?? { found: 0, of: 0 };
  const share = found > 0 ? ` (this one has ${found} of ${of} distinctive values)` : '';
  return given ? failed(`an answer without the data${share}${adviceOnGiven(shown)}`, answer) : undefined;
}, 'read');

/** The data is served with a token that is not older than its lifetime. */
export const obtainsData: JudgeShown = decision(givesItsData);

export function givesItsData(
  answer: Answered,
  { read, issue, lifetimeSeconds, hasOpened }: Partial<Shown>,
): Judgement {
  if (isSuccess(answer)) return isData(answer, read);
  const issued = answered(issue);
  if ('verdict' in issued) return issued;
  const ageSeconds = (answer.sentAtMs + answer.durationMs - issued.sentAtMs) / 1000;
  const lifetime = lifetimeSeconds ?? Number.POSITIVE_INFINITY;
  const than = Number.isFinite(lifetime)
    ? `, ${inSeconds((lifetime - ageSeconds) * 1000)} earlier than stated`
    : '';
  const hint = `; the token, which had opened the data, seems to have ended when it was ${inSeconds(ageSeconds * 1000)} old${than}: ask the operator for the agreed lifetime (--token-lifetime), and whether the service lost its tokens in a restart`;
  return ageSeconds < lifetime
    ? failed(`a 2xx status${hasOpened && isRefused(answer) ? hint : ''}`, answer)
    : couldNotRun(`The token was ${ageSeconds} s old by the answer, and lives ${lifetime} s.`, answer);
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

/** The token response does not differ from the contract in a way that `concerns` the requirement. */
export const matchesContract = (concerns: (mismatch: Mismatch) => boolean): JudgeShown =>
  ofTokenResponse((answer) => {
    const { json, tokenResponse } = answer.response;
    const [first, ...more] = tokenResponse?.mismatches.filter(concerns) ?? [];
    const place = tokenResponse?.takenFrom;
    const name = /^\/([^/]+)$/.exec(place ?? '')?.[1];
    const rename = name === undefined ? '' : `: rename ${name} to token`;
    const found = place === undefined ? '' : `; the token was found at ${place || 'the top'}${rename}`;
    const others = more.length > 0 ? `, and ${several(more.length, 'more difference')}` : '';
    if (first) return failed(first.expected + others + found, answer);
    if (!json.wellFormed || json.type !== 'object')
      return couldNotRun('The token response is not a JSON object (see MRS-4.1k).');
    return passed(answer);
  });

/** The successful answers to valid credentials. */
export const ofTokenResponse = (check: (answer: Answered) => Judgement): JudgeShown =>
  decision((answer) => (isSuccess(answer) ? check(answer) : undefined));

/** The body is well-formed JSON and its Content-Type says so. */
export function isJson(exchange: Answered): Judgement {
  const { json, mediaType } = exchange.response;
  if (!json.wellFormed && json.refused)
    return couldNotRun(`${inWords(exchange)}. It was not parsed: ${json.error}.`);
  if (!json.wellFormed) return failed(`well-formed JSON, but ${json.error}`, exchange);
  return isJsonMediaType(mediaType) ? passed(exchange) : failed('a JSON media type', exchange);
}
