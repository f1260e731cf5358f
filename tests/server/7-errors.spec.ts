/** Clause 7: the statuses of refusals. */

import { requests } from './requests.ts';
import { requirement, test } from './suite.ts';
import {
  decided,
  ifSent,
  isGiven,
  laterExpiredReads,
  servedReads,
  settled,
  whyNotExpired,
  whyUnproven,
} from './support/condition.ts';
import {
  type Answered,
  type Evidence,
  type Exchange,
  exchanges,
  inWords,
  isAnswered,
  isSuccess,
  numberOf,
  refusedKinds,
} from './support/evidence.ts';
import { allOf, couldNotRun, failed, type Judgement, passed } from './support/judgement.ts';

test(
  ...requirement('MRS-7a', (evidence, served) => {
    const { probes } = evidence;
    const first = decided(probes['data.expiredToken']);
    if ('verdict' in first) return neverDecided(evidence) ?? first;
    const later = laterExpiredReads(evidence).map(decided);
    const answers = [first, ...later.filter((one): one is Answered => !('verdict' in one))];
    const other = answers.find(({ response }) => response.status !== 403);
    if (other) {
      const reason = whyNotExpired(other, evidence) ?? whyUnproven(other, evidence);
      if (reason) return reason;
      const advice = '; check MRS_EXPIRED_TOKEN first, since this run never saw it accepted';
      return failed(`status 403${isGiven(other, evidence) ? advice : ''}`, other);
    }
    const open = whyUnproven(first, evidence) ?? later.find((one) => 'verdict' in one);
    if (open) return open;

    // A service that refuses every request by now would answer 403 as well.
    const fresh = settled(probes['data.freshToken']);
    if ('verdict' in fresh) return allOf([passed(first), fresh]);
    if (!isSuccess(fresh))
      return couldNotRun(`A fresh token is refused too (see MRS-5.6b): ${inWords(fresh)}.`, first);
    return passed(first, served, fresh);
  }),
);

/** Where at least this number of answers has no decision, that is not an accident. */
const FEWEST = 4;

/**
 * The violation of a deployment that has no decision on any read with the expired token, whatever the moment, while it
 * serves each read with a valid token between those, and one after them.
 */
function neverDecided(evidence: Evidence): Judgement | undefined {
  const expiredToken = evidence.probes['data.expiredToken'];
  const reads = refusedKinds(evidence, 'MRS-5.6a').flatMap(({ probes }) => probes);
  const asked = exchanges(evidence).filter(({ what }) => reads.some((read) => read.what === what));
  // Answers that decisions.ts marked have another cause.
  const undecided = asked.filter(isAnswered).filter((one) => !one.undecided && 'verdict' in decided(one));
  if (asked.length < FEWEST || undecided.length < asked.length || !isAnswered(expiredToken)) return undefined;
  const numbers = asked.map(numberOf);
  const last = Math.max(...numbers);
  const isBetween = (exchange: Exchange) =>
    numberOf(exchange) > Math.min(...numbers) && numberOf(exchange) < last;
  const others = requests.filter((row) => 'post' in row || row.when === 'valid-token');
  const isWell = ifSent(...others.map(({ key }) => evidence.probes[key]), ...evidence.repeated)
    .filter((probe) => 'id' in probe)
    .filter((one) => isBetween(one) && !numbers.includes(numberOf(one)))
    .every((one) => !('verdict' in decided(one)));
  const served = servedReads(evidence);
  if (!isWell || !served.some(isBetween) || !served.some((one) => numberOf(one) > last)) return undefined;
  return failed('status 403', expiredToken, ...undecided);
}
