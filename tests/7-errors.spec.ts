import {
  couldNotRun,
  decided,
  expectStatus,
  inWords,
  isSuccess,
  needsData,
  settled,
  show,
  test,
} from './support/test.ts';

test('MRS-7a the answer to an expired token has status 403', ({ evidence }) => {
  const served = needsData(evidence);
  const expired = decided(evidence.data.expiredToken);
  expectStatus(expired, 'readData', 403);

  // A service that refuses everybody by now would answer 403 as well.
  const fresh = settled(evidence.data.freshToken);
  if (!isSuccess(fresh)) couldNotRun(`A fresh token is refused too (see MRS-5.6b): ${inWords(fresh)}.`);
  show(served, fresh);
});
