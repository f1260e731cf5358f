/** Clause 7: the statuses of refusals. */

import { requirement, test } from './suite.ts';
import {
  type Answered,
  type Evidence,
  type Exchange,
  inWords,
  isAnswered,
  isSuccess,
  type Probe,
} from './support/evidence.ts';
import { hasStatus, ifSent, numberOf, servedReads, unprovenExpiry } from './support/expectations.ts';
import { allOf, couldNotRun, decided, failed, type Judgement, passed, settled } from './support/judgement.ts';

test(
  ...requirement('MRS-7a', (evidence, served) => {
    const { data, expiry, open } = evidence;
    const first = decided(data.expiredToken);
    if ('verdict' in first) return neverDecided(evidence) ?? first;
    // A deployment that keeps only the newest token need not know by then that the older one had expired.
    const isForgotten = isSuperseded(open.tokenBefore);
    // One that has banned the client for its bad tokens refuses everything.
    const isBanned = 'id' in data.control && !isServed(data.control);
    const later = isForgotten
      ? []
      : [data.expiredAgain, ...(isBanned ? [] : [data.expiredLater, data.expiredLast])]
          .flatMap(ifSent)
          .map(decided);
    const answers = later.filter((one): one is Answered => !('verdict' in one));
    const expired = [first, ...answers].find(({ response }) => response.status !== 403) ?? first;
    if (expired.response.status !== 403 && expiry.kind === 'asserted' && isForgotten)
      return couldNotRun(
        `${inWords(expired)}. The deployment keeps no token but the newest, so it need not know an earlier one.`,
      );
    const unproven = unprovenExpiry(expired, evidence);
    if (unproven) return unproven;
    if (expired.response.status !== 403) {
      if (isAnswered(data.late) && !isSuccess(data.late) && data.late.response.status !== 403)
        return couldNotRun(
          `The token was refused before it could expire (see MRS-5.3b): ${inWords(data.late)}.`,
        );
      if (expiry.kind === 'asserted')
        return failed(
          'status 403; check MRS_EXPIRED_TOKEN first, since this run never saw it accepted',
          expired,
        );
      return hasStatus(expired, 'readData', 403);
    }

    const undecided = later.find((one) => 'verdict' in one);
    if (undecided) return undecided;

    // A service that refuses every request by now would answer 403 as well.
    const fresh = settled(data.freshToken);
    if ('verdict' in fresh) return allOf([passed(expired), fresh]);
    if (!isSuccess(fresh))
      return couldNotRun(`A fresh token is refused too (see MRS-5.6b): ${inWords(fresh)}.`, expired);
    return passed(expired, served, fresh);
  }),
);

/** Whether a token was refused that was not old: a newer one has taken its place. */
const isSuperseded = (tokenBefore: Probe) => 'id' in tokenBefore && !isServed(tokenBefore);

const isServed = (probe: Probe) => isAnswered(probe) && isSuccess(probe);

/** The fewest answers of which it is no accident that none is a decision. */
const FEWEST = 4;

/**
 * The violation of a deployment that has no decision on any read with the expired token, whatever the moment, while it
 * serves each read with a valid token between those, and one after them.
 */
function neverDecided(evidence: Evidence): Judgement | undefined {
  const { data, token, open } = evidence;
  const names = [data.expiredToken, data.expiredAgain, data.expiredLater, data.expiredLast].map(
    ({ what }) => what,
  );
  const asked = [...Object.values(data), ...open.repeated].filter(
    (probe): probe is Exchange => 'id' in probe && names.includes(probe.what),
  );
  const undecided = asked.filter((exchange) => isAnswered(exchange) && 'verdict' in decided(exchange));
  if (asked.length < FEWEST || undecided.length < asked.length) return undefined;
  const numbers = asked.map(numberOf);
  const isBetween = (exchange: Exchange) =>
    numberOf(exchange) > Math.min(...numbers) && numberOf(exchange) < Math.max(...numbers);
  const served = servedReads(evidence);
  const others = [
    ...Object.values(token),
    data.freshToken,
    data.freshTokenAgain,
    data.newestToken,
    data.lastToken,
    data.control,
    ...open.repeated,
  ]
    .filter((probe) => 'id' in probe)
    .filter((one) => isBetween(one) && !asked.includes(one));
  const isWell = others.every((one) => isAnswered(one) && !('verdict' in decided(one)));
  const isWellAfter = served.some((one) => numberOf(one) > Math.max(...numbers));
  if (!isWell || !served.some(isBetween) || !isWellAfter || !isAnswered(data.expiredToken)) return undefined;
  return failed('status 403', data.expiredToken, ...undecided.filter(isAnswered));
}
