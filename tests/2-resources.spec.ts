import { expectNoMismatch, test, tokenResponse } from './support/test.ts';

test('MRS-2a the token response has the field token, a string that is not empty', ({ evidence }) => {
  expectNoMismatch(
    tokenResponse(evidence),
    ({ pointer, keyword }) => pointer === '/token' || keyword === 'required',
  );
});
