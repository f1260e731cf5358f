import { expectNoData, judgeEach, test } from './support/test.ts';

test('MRS-1.3 a request without a token is not given the data', ({ evidence }) => {
  const { withoutToken, malformedToken, otherScheme } = evidence.data;
  judgeEach([withoutToken, malformedToken, otherScheme], (probe) => expectNoData(probe, evidence));
});
