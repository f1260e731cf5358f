import {
  couldNotRun,
  decided,
  expectNoData,
  expectServed,
  givesData,
  ifSent,
  inWords,
  isIssued,
  judgeEach,
  needsData,
  settled,
  show,
  test,
  violates,
} from './support/test.ts';

test('MRS-5.3b one token serves several calls', ({ evidence }) => {
  needsData(evidence);
  const { second, third, late } = evidence.data;
  // A token that expires early is observed under MRS-5e; one that is refused as no expired token may be is used up.
  const isEarly = 'id' in late && late.response?.status === 403;
  judgeEach([second, third, ...(isEarly ? [] : ifSent(late))], (call) =>
    expectServed(call, evidence.token.valid, evidence),
  );
});

test('MRS-5.5a a token that was never issued does not open the data', ({ evidence }) => {
  expectNoData(evidence.data.unknownToken, evidence);
});

test('MRS-5.5b an altered token does not open the data', ({ evidence }) => {
  const { alteredToken, alteredClaims } = evidence.data;
  judgeEach([alteredToken, ...ifSent(alteredClaims)], (probe) => expectNoData(probe, evidence));
});

test('MRS-5.6a an expired token does not open the data', ({ evidence }) => {
  const { expiredToken, expiredAgain } = evidence.data;
  judgeEach([expiredToken, ...ifSent(expiredAgain)], (probe) => expectNoData(probe, evidence));
});

test('MRS-5.6b after expiry the same credentials obtain a new token, which opens the data', ({
  evidence,
}) => {
  const served = needsData(evidence);
  const expired = decided(evidence.data.expiredToken);
  if (givesData(expired, served, evidence))
    couldNotRun(`The token did not expire (see MRS-5.6a): ${inWords(expired)}.`);
  const again = settled(evidence.token.again);
  if (!isIssued(again)) violates('a new token for the same credentials', again);
  show(again, served, expired);
  expectServed(evidence.data.freshToken, evidence.token.again, evidence);
  if (evidence.renewalRepeats) violates('another token than the one that has expired', again);
});
