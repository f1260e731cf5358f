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
  expectStatus(expired, 'readData', 403);

  // A service that refuses everybody by now would answer 403 as well.
  const fresh = settled(evidence.data.freshToken);
  if (!isSuccess(fresh)) couldNotRun(`A fresh token is refused too (see MRS-5.6b): ${inWords(fresh)}.`);
  show(served, fresh);
});

/** Whether a token was refused that was not old: a newer one has taken its place. */
const isSuperseded = (tokenBefore: Probe) => isAnswered(tokenBefore) && !isSuccess(tokenBefore);
