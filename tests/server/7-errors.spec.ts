/** Clause 7: the statuses of refusals. */
import { requirement, test } from './suite.ts';
import { settled } from './support/condition.ts';
import { inWords, isSuccess } from './support/evidence.ts';
import { adviceOnGiven, decision } from './support/expectations.ts';
import { allOf, couldNotRun, failed, passed } from './support/judgement.ts';

test(
  ...requirement(
    'MRS-7a',
    ['expired-token status', 'expired-token served'],
    decision((answer, shown) => {
      const { fresh, read } = shown;
      if (answer.response.status !== 403) return failed(`status 403${adviceOnGiven(shown)}`, answer);
      // A service that refuses every request by now would answer 403 as well.
      const opened = settled(fresh);
      if ('verdict' in opened) return allOf([passed(answer), opened]);
      if (!isSuccess(opened))
        return couldNotRun(`A fresh token is refused too (see MRS-5.6b): ${inWords(opened)}.`, answer);
      return passed(answer, read, opened);
    }),
  ),
);
