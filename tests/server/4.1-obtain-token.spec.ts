import {
  couldNotRun,
  expectJson,
  expectNoMismatch,
  expectNoToken,
  expectStatus,
  ifSent,
  inWords,
  isIssued,
  judgeEach,
  needsToken,
  settled,
  show,
  test,
  tokenResponses,
  violates,
} from './support/test.ts';

test('MRS-4.1a valid credentials, posted as a form, are answered with 200', ({ evidence }) => {
  const valid = settled(evidence.token.valid);
  if ([400, 401, 403].includes(valid.response.status))
    violates(
      'status 200; check MRS_CLIENT_ID and MRS_CLIENT_SECRET first, since wrong ones look the same',
      valid,
    );
  if (valid.response.status === 404)
    violates('status 200; check MRS_BASE_URL first, since a wrong path looks the same', valid);
  expectStatus(valid, 'obtainToken', 200);
  for (const response of tokenResponses(evidence)) expectStatus(response, 'obtainToken', 200);
});

test('MRS-4.1b the token endpoint asks for no Authorization header', ({ evidence }) => {
  const { valid, withAuthorization } = evidence.token;
  const plain = settled(valid);
  show(plain);
  if (isIssued(plain)) return;
  const authorized = settled(withAuthorization);
  if (isIssued(authorized)) violates('a token without an Authorization header', plain, authorized);
  couldNotRun(
    `No token was obtained, with or without an Authorization header (see MRS-4.1a): ${inWords(plain)}.`,
  );
});

test('MRS-4.1e a form without grant_type obtains no token', ({ evidence }) => {
  expectNoToken(evidence.token.withoutGrantType, evidence);
});

test('MRS-4.1f a form with another grant_type obtains no token', ({ evidence }) => {
  expectNoToken(evidence.token.otherGrantType, evidence);
});

test('MRS-4.1g a form without client_id obtains no token', ({ evidence }) => {
  expectNoToken(evidence.token.withoutClientId, evidence);
});

test('MRS-4.1h an unknown client_id obtains no token', ({ evidence }) => {
  expectNoToken(evidence.token.unknownClientId, evidence);
});

test('MRS-4.1i a form without client_secret obtains no token', ({ evidence }) => {
  const { withoutClientSecret, emptyClientSecret } = evidence.token;
  judgeEach([withoutClientSecret, ...ifSent(emptyClientSecret)], (probe) => expectNoToken(probe, evidence));
});

test('MRS-4.1j a wrong client_secret obtains no token', ({ evidence }) => {
  expectNoToken(evidence.token.wrongClientSecret, evidence);
});

test('MRS-4.1k the token response is a JSON object, of a JSON media type', ({ evidence }) => {
  judgeEach(tokenResponses(evidence), (response) => {
    expectJson(response);
    expectNoMismatch(response, ({ pointer, keyword }) => pointer === '' && keyword === 'type');
  });
});

test('MRS-4.1l the token response has no field besides token', ({ evidence }) => {
  judgeEach(tokenResponses(evidence), (response) =>
    expectNoMismatch(response, ({ keyword }) => keyword === 'additionalProperties'),
  );
});

test('MRS-4.1m the same credentials obtain a token again', ({ evidence }) => {
  const first = needsToken(evidence);
  const again = settled(evidence.token.again);
  if (!isIssued(again)) violates('a token for the same credentials again', again);
  show(again, first);
});
