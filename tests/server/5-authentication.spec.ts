/** Clause 5: one token for all calls until it expires, and then a new one. */
import { requirement, test } from './suite.ts';
import { settled } from './support/condition.ts';
import { givesData } from './support/data.ts';
import { inWords, isAnswered, isIssued, isSuccess } from './support/evidence.ts';
import { decision, givesItsData, obtainsData, obtainsNoData } from './support/expectations.ts';
import { allOf, couldNotRun, failed, passed } from './support/judgement.ts';

test(...requirement('MRS-5.3b', ['valid-token again'], obtainsData));
test(...requirement('MRS-5.5a', ['unknown-token'], obtainsNoData));
test(...requirement('MRS-5.5b', ['unknown-token altered'], obtainsNoData));
test(...requirement('MRS-5.6a', ['expired-token', 'expired-token served'], obtainsNoData));

test(
  ...requirement(
    'MRS-5.6b',
    ['expired-token renewed'],
    decision((expired, { read, renewal, fresh, isRepeated, lifetimeSeconds }) => {
      if (isSuccess(expired) && isAnswered(read) && givesData(expired, read))
        return couldNotRun(`The token did not expire (see MRS-5.6a): ${inWords(expired)}.`);
      const again = settled(renewal);
      if ('verdict' in again) return again;
      if (!isIssued(again)) return failed('a new token for the same credentials', again);
      const opened = settled(fresh);
      return allOf([
        passed(again, read, expired),
        'verdict' in opened ? opened : givesItsData(opened, { read, issue: again, lifetimeSeconds }),
        ...(isRepeated ? [failed('another token than the one that has expired', again)] : []),
      ]);
    }),
  ),
);
