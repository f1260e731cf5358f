import { expectNoData, judgeEach, test } from './support/test.ts';

test('MRS-1.3 a request without a token is not given the data', ({ evidence }) => {
  const { withoutToken, malformedToken } = evidence.data;
  judgeEach([withoutToken, malformedToken], (probe) => expectNoData(probe, evidence));
});
