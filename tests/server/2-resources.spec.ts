import { expectNoMismatch, judgeEach, test, tokenResponses } from './support/test.ts';

test('MRS-2a the token response has the field token, a string that is not empty', ({ evidence }) => {
  judgeEach(tokenResponses(evidence), (response) =>
    expectNoMismatch(response, ({ pointer, keyword }) => pointer === '/token' || keyword === 'required'),
  );
});
