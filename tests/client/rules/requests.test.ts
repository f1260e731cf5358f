import { expect, _baseTest as test } from '@playwright/test';
import {
  asks,
  fails,
  judgedBy,
  type Made,
  reads,
  refused,
  trafficOf,
  verdictOf,
} from '../testing/traffic.ts';

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const withRequest = (more: Partial<Made>, at = 0) =>
  trafficOf([asks(at, 1, more), reads(20, 1), reads(220, 1)]);
const withRead = (more: Partial<Made>) => trafficOf([asks(0, 1), reads(20, 1), reads(220, 1, more)]);

for (const [contentType, verdict] of [
  [FORM, 'passed'],
  [`${FORM}; charset=utf-8`, 'passed'],
  ['Application/X-WWW-Form-URLencoded', 'passed'],
  [JSON_TYPE, 'failed'],
  ['multipart/form-data', 'failed'],
] as const)
  test(`a token request of the content type ${contentType} has ${verdict}`, () => {
    expect(verdictOf('form-content-type', withRequest({ contentType }))).toBe(verdict);
  });

test('a token request without a content type has failed, and says so', () => {
  const { contentType: _, ...bare } = asks(0, 1);
  const { verdict, findings } = judgedBy('form-content-type', trafficOf([bare, reads(20, 1)]));
  expect(verdict).toBe('failed');
  expect(findings).toEqual([
    {
      verdict: 'failed',
      scenario: 'journal',
      calls: [1],
      seen: 'The content type of a token request was none.',
    },
  ]);
});

for (const [accept, verdict] of [
  [JSON_TYPE, 'passed'],
  [`text/html;q=0.5, ${JSON_TYPE}; q=0.9`, 'passed'],
  ['APPLICATION/JSON', 'passed'],
  [`${JSON_TYPE};q=0`, 'failed'],
  [`${JSON_TYPE};q=0.000`, 'failed'],
  [`${JSON_TYPE};q=0.001`, 'passed'],
  ['*/*', 'failed'],
  ['application/*', 'failed'],
  ['application/jsonlines', 'failed'],
] as const)
  test(`"accept: ${accept}" has ${verdict}, on a token request as on a read`, () => {
    expect(verdictOf('token-accept', withRequest({ accept }))).toBe(verdict);
    expect(verdictOf('data-accept', withRead({ accept }))).toBe(verdict);
    expect(verdictOf('data-accept', withRequest({ accept }))).toBe('passed');
    expect(verdictOf('token-accept', withRead({ accept }))).toBe('passed');
  });

test('a repeated request needs its accept header as well as the first', () => {
  const { accept: _, ...bare } = reads(3060, 2);
  const calls = [asks(0, 1), reads(20, 1), refused(3020, 1), asks(3040, 2), bare, reads(3260, 2)];
  const judged = judgedBy('data-accept', trafficOf(calls, { agreedSeconds: 3 }));
  expect([judged.verdict, judged.findings[0]?.calls]).toEqual(['failed', [5]]);
});

for (const [what, more, seen] of [
  ['without a field', { fields: ['grant_type', 'client_id'] }, 'without client_secret'],
  ['without two fields', { fields: ['client_id'] }, 'without grant_type and client_secret'],
  ['with another grant', { reason: 'unsupported-grant-type', status: 400 }, 'with another grant_type'],
  ['with an empty field', { reason: 'invalid-request', status: 400 }, 'empty, is there twice'],
  ['with another secret', { reason: 'wrong-credentials', status: 401 }, 'than it was given'],
] as const)
  test(`a first token request ${what} has failed`, () => {
    const { token: _, ...request } = asks(0, 1, more);
    const { verdict, findings } = judgedBy('form-fields', trafficOf([request]));
    expect(verdict).toBe('failed');
    expect(findings[0]?.seen).toContain(seen);
  });

test('a token request that is no form is judged by its content type, and its fields by nothing', () => {
  const { fields: _, ...request } = fails(0, 400, { contentType: JSON_TYPE, reason: 'invalid-request' });
  expect(verdictOf('form-fields', trafficOf([request]))).toBe('could-not-run');
});

test('credentials in HTTP Basic are named, with the method to choose instead', () => {
  const request = fails(0, 400, {
    fields: ['grant_type'],
    authorization: 'malformed',
    misplaced: [{ what: 'client_secret', where: 'header' }],
    reason: 'invalid-request',
  });
  const basic =
    'The client authenticates by HTTP Basic; let it put the credentials into the form: libraries call that client_secret_post, "body" or include_client_id.';
  expect(judgedBy('form-fields', trafficOf([request])).findings[0]?.seen).toBe(
    'A token request came without client_id and client_secret. The client authenticates by HTTP Basic, as OAuth2 libraries do by default: let it put the credentials into the form, which libraries call client_secret_post, "body" or include_client_id, and read the member token of the answer where the library looks for access_token.',
  );
  expect(judgedBy('credentials-place', trafficOf([request])).findings[0]?.seen).toBe(
    `The client secret was in the header of 1 request. ${basic}`,
  );
});

test('another secret at a renewal violates the rule of the renewal, not that of the form', () => {
  const traffic = trafficOf(
    [
      ...[asks(0, 1), reads(20, 1), refused(3020, 1)],
      ...[
        fails(3040, 401, { reason: 'wrong-credentials' }),
        fails(5040, 401, { reason: 'wrong-credentials' }),
      ],
    ],
    { agreedSeconds: 3 },
  );
  expect(verdictOf('form-fields', traffic)).toBe('passed');
  expect(judgedBy('renewal', traffic).findings[0]?.seen).toContain(
    '2 token requests came with other credentials',
  );
});

for (const [what, where] of [
  ['client_secret', 'query'],
  ['client_secret', 'header'],
  ['client_secret', 'body'],
  ['token', 'query'],
  ['token', 'path'],
] as const)
  test(`a ${what} in the ${where} has failed by the rule of that one alone, whatever the call was for`, () => {
    const misplaced = [{ what, where }];
    const [own, other] =
      what === 'token' ? ['token-place', 'credentials-place'] : ['credentials-place', 'token-place'];
    const stray = reads(420, 1, { kind: 'other', status: 404, misplaced });
    for (const traffic of [
      withRead({ misplaced }),
      withRequest({ misplaced }),
      trafficOf([asks(0, 1), stray]),
    ]) {
      expect(judgedBy(own, traffic)).toMatchObject({ verdict: 'failed', findings: [{ verdict: 'failed' }] });
      expect(judgedBy(own, traffic).findings[0]?.seen).toContain(`in the ${where} of 1 request.`);
      expect(verdictOf(other, traffic)).toBe('passed');
    }
  });

for (const [what, more, seen] of [
  ['another scheme', { authorization: 'malformed', status: 401 }, 'that is not Bearer and a token'],
  ['a token of nobody', { reason: 'unknown-token', status: 401 }, 'with a token that was never issued'],
] as const)
  test(`a read with ${what} has failed`, () => {
    const { token: _, ...read } = reads(220, 1, more);
    const judged = judgedBy('bearer-header', trafficOf([asks(0, 1), reads(20, 1), read]));
    expect([judged.verdict, judged.findings[0]?.calls]).toEqual(['failed', [3]]);
    expect(judged.findings[0]?.seen).toContain(seen);
  });

test('a read without the header has failed, and a token that was revoked has not', () => {
  const { authorization: _, token: __, ...bare } = reads(220, 1, { status: 401, reason: 'missing-token' });
  expect(judgedBy('bearer-header', trafficOf([asks(0, 1), bare])).findings[0]?.seen).toContain(
    'without the header',
  );
  expect(verdictOf('bearer-header', withRead({ status: 401, reason: 'revoked' }))).toBe('passed');
});

test('health checks and calls of nothing in the contract need neither token nor accept header', () => {
  const { authorization: _, token: __, accept: ___, ...bare } = reads(220, 1);
  const traffic = trafficOf([
    asks(0, 1),
    reads(20, 1),
    { ...bare, kind: 'health' },
    { ...bare, kind: 'other' },
  ]);
  for (const rule of ['bearer-header', 'data-accept', 'token-accept', 'form-content-type'])
    expect(verdictOf(rule, traffic), rule).toBe('passed');
});

test('a client that only sends HEAD has not read the data, and HEAD next to GET is no fault', () => {
  const head = reads(20, 1, { method: 'HEAD' });
  expect(verdictOf('data-path', trafficOf([asks(0, 1), head]))).toBe('could-not-run');
  expect(verdictOf('data-path', trafficOf([asks(0, 1), head, reads(40, 1)]))).toBe('passed');
});

test('who never read owes the rules of reads, and who never asked for a token those of the request', () => {
  const rules = ['token-accept', 'form-content-type', 'form-fields', 'data-accept', 'bearer-header'];
  const verdicts = (...calls: Made[]) => rules.map((rule) => verdictOf(rule, trafficOf(calls)));
  const [passed, required] = ['passed', 'could-not-run'];
  expect(verdicts(asks(0, 1))).toEqual([passed, passed, passed, required, required]);
  expect(verdicts(reads(0, 1))).toEqual([required, required, required, passed, passed]);
});
