import { expect, _baseTest as test } from '@playwright/test';
import { createClients } from '../clients.ts';
import { type DataCall, expectedAnswer, type TokenCall } from '../condition.ts';
import { type Answer, answers } from '../contract/answers.ts';

const client = createClients(900).add({ id: 'a', secret: 'b' });
const fine: TokenCall = {
  kind: 'token',
  operation: 'obtainToken',
  tooLarge: false,
  violations: [],
  complete: true,
  client,
};
const accept = { of: 'accept' } as const;
const contentType = { of: 'content-type' } as const;
const form = { of: 'form' } as const;
const grant = { of: 'form', field: 'grant_type' } as const;

for (const [what, call, expected] of [
  ['a valid form', {}, answers.issued],
  ['a body that is too large', { tooLarge: true, complete: false, client: undefined }, answers.tooLarge],
  ['another media type', { violations: [contentType, accept] }, answers.unsupportedMediaType],
  ['an incomplete form', { complete: false }, answers.invalidRequest],
  ['a form that breaks the schema', { violations: [form] }, answers.invalidRequest],
  ['another grant', { violations: [grant] }, answers.unsupportedGrantType],
  ['another grant and a missing field', { violations: [grant, form] }, answers.invalidRequest],
  ['an incomplete form with another grant', { violations: [grant], complete: false }, answers.invalidRequest],
  ['wrong credentials', { client: undefined }, answers.wrongCredentials],
  ['wrong credentials and no JSON', { client: undefined, violations: [accept] }, answers.wrongCredentials],
  ['no JSON', { violations: [accept] }, answers.tokenNotAcceptable],
] satisfies [string, Partial<TokenCall>, Answer][])
  test(`a token request with ${what} gets ${expected.status} ${expected.example}`, () => {
    expect(expectedAnswer({ ...fine, ...call })).toBe(expected);
  });

for (const [token, expected, unacceptable] of [
  ['missing', answers.missingToken, answers.missingToken],
  ['malformed', answers.malformedToken, answers.malformedToken],
  ['unknown', answers.unknownToken, answers.unknownToken],
  ['expired', answers.expired, answers.expired],
  ['valid', answers.served, answers.dataNotAcceptable],
] satisfies [DataCall['token'], Answer, Answer][]) {
  test(`a data request with a token that is ${token} gets ${expected.status} ${expected.example}`, () => {
    expect(expectedAnswer({ kind: 'data', operation: 'readData', token, violations: [] })).toBe(expected);
  });
  test(`a data request that accepts no JSON, with a token that is ${token} gets ${unacceptable.status}`, () => {
    expect(expectedAnswer({ kind: 'data', operation: 'readData', token, violations: [accept] })).toBe(
      unacceptable,
    );
  });
}

test('a health check gets 200, or 406 if the client accepts no JSON', () => {
  expect(expectedAnswer({ kind: 'health', operation: 'checkHealth', violations: [] })).toBe(answers.healthy);
  expect(expectedAnswer({ kind: 'health', operation: 'checkHealth', violations: [accept] })).toBe(
    answers.healthNotAcceptable,
  );
});

test('an answer that the contract does not document does not compile', () => {
  // @ts-expect-error readData documents no 418
  const undocumented: Answer = { operation: 'readData', when: 'valid-token', status: 418, example: 'teapot' };
  // @ts-expect-error only readData documents 403
  const misplaced: Answer = {
    operation: 'obtainToken',
    when: 'valid-credentials',
    status: 403,
    example: 'expired',
  };
  expect([undocumented, misplaced]).toHaveLength(2);
});
