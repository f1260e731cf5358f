import { expectNoData, test } from './support/test.ts';

test('MRS-1.3 a request without a token is not given the data', ({ evidence }) => {
  expectNoData(evidence.data.withoutToken, evidence);
});
