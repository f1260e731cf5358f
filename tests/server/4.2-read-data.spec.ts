import { expectJson, expectServed, needsData, needsToken, notApplicable, test } from './support/test.ts';

test('MRS-4.2a the data is served with a valid token', ({ evidence }) => {
  needsToken(evidence);
  expectServed(evidence.data.first, evidence.token.valid, evidence);
});

test('MRS-4.2b the data is well-formed JSON, of a JSON media type', ({ evidence }) => {
  const served = needsData(evidence);
  if (served.response.status === 204)
    notApplicable('The answer has status 204, which has no content to judge.');
  expectJson(served);
});
