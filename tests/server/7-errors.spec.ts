import {
  couldNotRun,
  decided,
  expectStatus,
  inWords,
  isAnswered,
  isSuccess,
  needsData,
  type Probe,
  settled,
  show,
  test,
  violates,
} from './support/test.ts';

test('MRS-7a the answer to an expired token has status 403', ({ evidence }) => {
  const served = needsData(evidence);
  const expired = decided(evidence.data.expiredToken);
  if (
    evidence.expiry.kind === 'kept' &&
    expired.response.status !== 403 &&
    isSuperseded(evidence.open.tokenBefore)
  )
    couldNotRun(
      `${inWords(expired)}. The deployment keeps no token but the newest, so it need not know one of an earlier run.`,
    );
  const { late } = evidence.data;
  if (expired.response.status !== 403 && isAnswered(late) && !isSuccess(late) && late.response.status !== 403)
    couldNotRun(`The token was refused before it could expire (see MRS-5.3b): ${inWords(late)}.`);
  if (expired.response.status !== 403 && evidence.expiry.kind === 'asserted')
    violates('status 403; check MRS_EXPIRED_TOKEN first, since this run never saw it accepted', expired);
  expectStatus(expired, 'readData', 403);

  // A service that refuses everybody by now would answer 403 as well.
  const fresh = settled(evidence.data.freshToken);
  if (!isSuccess(fresh)) couldNotRun(`A fresh token is refused too (see MRS-5.6b): ${inWords(fresh)}.`);
  show(served, fresh);
});

/** Whether a token was refused that was not old: a newer one has taken its place. */
const isSuperseded = (tokenBefore: Probe) => isAnswered(tokenBefore) && !isSuccess(tokenBefore);
