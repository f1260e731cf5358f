/** Clause 5: one token for all calls until it expires, and then a new one. */
import { requirement, test } from './suite.ts';
import {
  decided,
  earlyExpiryInWords,
  ifSent,
  ifSettled,
  lateExpiryInWords,
  readsUntilExpiry,
  settled,
  whyUnproven,
} from './support/condition.ts';
import { givesData } from './support/data.ts';
import { inWords, isAnswered, isIssued, isSuccess, refusedKinds, repeatsOf } from './support/evidence.ts';
import { obtainNoData, obtainsData } from './support/expectations.ts';
import { allOf, couldNotRun, failed, passed } from './support/judgement.ts';

test(
  ...requirement('MRS-5.3b', (evidence) => {
    const { probes } = evidence;
    const again = probes['token.again'];
    const isFresh = obtainsData(probes['data.freshToken'], again, evidence).verdict === 'passed';
    const renewed = (isFresh ? ifSent(probes['data.freshTokenAgain']) : [])
      .map((call) => obtainsData(call, again, evidence))
      .filter(({ verdict }) => verdict !== 'could-not-run');
    const early = earlyExpiryInWords(evidence);
    return allOf([
      ...readsUntilExpiry(evidence).map((call) => obtainsData(call, probes['token.valid'], evidence)),
      ...renewed,
      ...(early ? [couldNotRun(early, ...ifSettled(probes['data.late']))] : []),
    ]);
  }),
);

for (const id of ['MRS-5.5a', 'MRS-5.5b'] as const)
  test(...requirement(id, (evidence, served) => obtainNoData(refusedKinds(evidence, id), served, evidence)));

test(
  ...requirement('MRS-5.6a', (evidence, served) => {
    const expiredToken = evidence.probes['data.expiredToken'];
    const kinds = refusedKinds(evidence, 'MRS-5.6a');
    const judged = obtainNoData(kinds, served, evidence);
    const reads = kinds.flatMap(({ probes }) => probes.flatMap((one) => [one, ...repeatsOf(one, evidence)]));
    const accepted = reads.filter(isAnswered).filter(isSuccess);
    // A token that opens the data after it was refused violates it, whatever its lifetime.
    if (judged.verdict === 'failed')
      return { ...judged, exchanges: [...new Set([...judged.exchanges, ...accepted.map(({ id }) => id)])] };
    const unproven = isAnswered(expiredToken) ? whyUnproven(expiredToken, evidence) : undefined;
    if (unproven) return unproven;
    const sentence = lateExpiryInWords(evidence);
    if (sentence === undefined) return judged;
    return couldNotRun(sentence, ...ifSettled(expiredToken), ...accepted);
  }),
);

test(
  ...requirement('MRS-5.6b', (evidence, served) => {
    const expired = decided(evidence.probes['data.expiredToken']);
    if ('verdict' in expired) return expired;
    if (isSuccess(expired) && givesData(expired, served))
      return couldNotRun(`The token did not expire (see MRS-5.6a): ${inWords(expired)}.`);
    const again = settled(evidence.probes['token.again']);
    if ('verdict' in again) return again;
    if (!isIssued(again)) return failed('a new token for the same credentials', again);
    return allOf([
      passed(again, served, expired),
      obtainsData(evidence.probes['data.freshToken'], again, evidence),
      ...(evidence.renewalRepeats ? [failed('another token than the one that has expired', again)] : []),
    ]);
  }),
);
