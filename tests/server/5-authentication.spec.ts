/** Clause 5: one token for all calls until it expires, and then a new one. */
import type { RefusedBy } from './requests.ts';
import { requirement, test } from './suite.ts';
import { givesData } from './support/data.ts';
import { inWords, isAnswered, isSuccess, refusedKinds, repeatsOf } from './support/evidence.ts';
import {
  ifSent,
  ifSettled,
  isIssued,
  obtainNoData,
  obtainsData,
  unprovenExpiry,
} from './support/expectations.ts';
import { allOf, couldNotRun, decided, failed, passed, settled } from './support/judgement.ts';
import { lateExpiryInWords } from './support/late-lifetime.ts';

test(
  ...requirement('MRS-5.3b', (evidence) => {
    const { second, third, late } = evidence.data;
    // A token that expires early is observed under MRS-5e; one refused with another status than 403 is used up.
    const isEarly = 'id' in late && late.response?.status === 403;
    const calls = [second, third, ...(isEarly ? [] : ifSent(late))];
    const { freshToken, freshTokenAgain } = evidence.data;
    const { again } = evidence.token;
    const isFresh = obtainsData(freshToken, again, evidence).verdict === 'passed';
    const renewed = (isFresh ? ifSent(freshTokenAgain) : [])
      .map((call) => obtainsData(call, again, evidence))
      .filter(({ verdict }) => verdict !== 'could-not-run');
    return allOf([...calls.map((call) => obtainsData(call, evidence.token.valid, evidence)), ...renewed]);
  }),
);

const refused = (id: RefusedBy) =>
  requirement(id, (evidence, served) => obtainNoData(refusedKinds(evidence, id), served, evidence));
test(...refused('MRS-5.5a'));
test(...refused('MRS-5.5b'));

test(
  ...requirement('MRS-5.6a', (evidence, served) => {
    const { expiredToken, expiredAgain, expiredLater, expiredLast } = evidence.data;
    const later = [expiredAgain, expiredLater, expiredLast].flatMap(ifSent);
    const judged = obtainNoData([{ probes: [expiredToken, ...later] }], served, evidence);
    const reads = [expiredToken, ...repeatsOf(expiredToken, evidence), ...later];
    const accepted = reads.filter(isAnswered).filter(isSuccess);
    // A token that opens the data after it was refused violates it, whatever its lifetime.
    if (judged.verdict === 'failed')
      return { ...judged, exchanges: [...new Set([...judged.exchanges, ...accepted.map(({ id }) => id)])] };
    const unproven = isAnswered(expiredToken) ? unprovenExpiry(expiredToken, evidence) : undefined;
    if (unproven) return unproven;
    const sentence = lateExpiryInWords(evidence);
    return sentence === undefined ? judged : couldNotRun(sentence, ...ifSettled(expiredToken), ...accepted);
  }),
);

test(
  ...requirement('MRS-5.6b', (evidence, served) => {
    const expired = decided(evidence.data.expiredToken);
    if ('verdict' in expired) return expired;
    if (isSuccess(expired) && givesData(expired, served, evidence))
      return couldNotRun(`The token did not expire (see MRS-5.6a): ${inWords(expired)}.`);
    const again = settled(evidence.token.again);
    if ('verdict' in again) return again;
    if (!isIssued(again)) return failed('a new token for the same credentials', again);
    return allOf([
      passed(again, served, expired),
      obtainsData(evidence.data.freshToken, again, evidence),
      ...(evidence.renewalRepeats ? [failed('another token than the one that has expired', again)] : []),
    ]);
  }),
);
