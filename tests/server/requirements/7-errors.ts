import { inWords, isAnswered, isSuccess, type Probe } from '../support/evidence.ts';
import { hasStatus, ifSettled } from '../support/expectations.ts';
import { allOf, couldNotRun, decided, failed, passed, settled } from '../support/judgement.ts';
import { requirement } from '../support/requirement.ts';

export const errors = [
  requirement('MRS-7a', 'the answer to an expired token has status 403', (evidence, served) => {
    const { data, expiry, open } = evidence;
    const first = decided(data.expiredToken);
    if ('verdict' in first) return first;
    // A deployment that keeps only the newest token need not know by then that the older one had expired.
    const isForgotten = isSuperseded(open.tokenBefore);
    // One that has banned the client for its bad tokens refuses everything.
    const isBanned = isAnswered(data.control) && !isSuccess(data.control);
    const later = isForgotten
      ? []
      : ifSettled(data.expiredAgain, ...(isBanned ? [] : [data.expiredLater, data.expiredLast]));
    const expired = [first, ...later].find(({ response }) => response.status !== 403) ?? first;
    if (expired.response.status !== 403) {
      if (expiry.kind === 'kept' && isForgotten)
        return couldNotRun(
          `${inWords(expired)}. The deployment keeps no token but the newest, so it need not know one of an earlier run.`,
        );
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

    // A service that refuses every request by now would answer 403 as well.
    const fresh = settled(data.freshToken);
    if ('verdict' in fresh) return allOf([passed(expired), fresh]);
    if (!isSuccess(fresh))
      return couldNotRun(`A fresh token is refused too (see MRS-5.6b): ${inWords(fresh)}.`, expired);
    return passed(expired, served, fresh);
  }),
];

/** Whether a token was refused that was not old: a newer one has taken its place. */
const isSuperseded = (tokenBefore: Probe) => isAnswered(tokenBefore) && !isSuccess(tokenBefore);
