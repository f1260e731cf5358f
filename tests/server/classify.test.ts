/** The conditions that calls are found in, by the codes that the judge of services takes. */
import { expect, _baseTest as test } from '@playwright/test';
import type { RecordedCall } from '../traffic/exchange.ts';
import { clientLifetimes, tokenHistoryOf } from '../traffic/tokens.ts';
import { createAlteredTokens, createClassifier, type ServiceTraffic } from './classify.ts';

const TOKEN = 'a-token-of-the-service';
const FORM = [
  ['grant_type', 'client_credentials'],
  ['client_id', 'acme'],
  ['client_secret', 's3cret'],
] as const;

function call(at: number, kind: RecordedCall['kind'], more: Partial<RecordedCall> = {}): RecordedCall {
  const times = { startMs: at * 1000, endMs: at * 1000 + 10 };
  const exchange = {
    entry: at,
    ...times,
    method: 'GET',
    origin: '',
    path: '/health/',
    query: [],
    headers: [],
  };
  const brings = { token: kind === 'token', json: true, error: false };
  const facts = { query: '', isIdentified: false, misplaced: [], lacksPlaces: false, hasBody: true };
  return { ...times, exchange, kind, status: 200, brings, ...facts, ...more };
}
const asks = (at: number, more: Partial<RecordedCall> = {}) =>
  call(at, 'token', { token: TOKEN, clientId: 'acme', clientSecret: 's3cret', form: FORM, ...more });
const reads = (at: number, more: Partial<RecordedCall> = {}) =>
  call(at, 'data', { token: TOKEN, authorization: 'bearer', ...more });
const plain = (at: number, more: Partial<RecordedCall> = {}) => call(at, 'data', more);
const refusal = { status: 403, brings: { token: false, json: true, error: true } };

function conditionsOf(last: RecordedCall, more: Partial<ServiceTraffic> = {}): string[] {
  const calls = [asks(0), reads(1), last];
  const agreed = { others: 60, byClient: new Map() };
  const classify = createClassifier({
    calls,
    history: tokenHistoryOf(calls, () => 60),
    lifetimes: clientLifetimes(agreed, new Map()),
    healthPaths: ['/health/'],
    lacksAuthorization: false,
    isPublic: false,
    ...more,
  });
  return classify(last).map((one) => ('gap' in one ? one.gap.code : one.when));
}

const ROWS: [what: string, call: RecordedCall, conditions: string[], more?: Partial<ServiceTraffic>][] = [
  ['the same credentials', asks(2), ['valid-credentials', 'valid-credentials again']],
  [
    'other credentials that are refused',
    asks(2, { clientSecret: 'x', ...refusal }),
    ['may-be-wrong-credentials'],
  ],
  [
    'a form without a secret',
    asks(2, { form: FORM.slice(0, 2), ...refusal }),
    ['malformed-request without client_secret'],
  ],
  ['another grant', asks(2, { form: [['grant_type', 'password'], ...FORM.slice(1)] }), ['other-grant-type']],
  ['a read with the token', reads(2), ['valid-token', 'valid-token body', 'valid-token again']],
  ['a read without a token', plain(2, refusal), ['missing-token']],
  ['a read without a body', plain(2, { ...refusal, hasBody: false }), ['lacks-body']],
  [
    'a read without a body in a file of the proxy',
    plain(2, { hasBody: false }),
    ['left-out'],
    { isPublic: true },
  ],
  ['a read with a cookie', plain(2, { isIdentified: true }), ['may-be-identified']],
  ['a file without Authorization', plain(2), ['lacks-authorization'], { lacksAuthorization: true }],
  ['an unset variable', reads(2, { token: 'undefined', ...refusal }), ['unknown-token']],
  ['a longer token', reads(2, { token: `${TOKEN}..`, ...refusal }), ['unknown-token altered']],
  ['a refusal within the lifetime', reads(20, refusal), ['valid-token again']],
  ['a refusal at the end of the lifetime', reads(58, refusal), ['may-have-expired']],
  ['a refusal after the lifetime', reads(90, refusal), ['expired-token', 'expired-token status']],
  ['a success just after the lifetime', reads(90), ['accepted-late']],
  ['a success long after the lifetime', reads(150), ['expired-token served']],
  ['a read that was not modified', reads(2, { status: 304 }), []],
  ['a health check', call(2, 'health'), ['healthy']],
  ['a health check with a token', call(2, 'health', { authorization: 'bearer' }), ['no-plain-check']],
];

for (const [what, last, conditions, more] of ROWS)
  test(`${what}: ${conditions.join(', ') || 'no occasion'}`, () => {
    expect(conditionsOf(last, more)).toEqual(conditions);
  });

// Tokens that are almost one that was issued.

const ISSUED = 'Zm9vYmFyYmF6cXV4LW9mLXRoZS1zZXJ2aWNl';

for (const [what, token, expected] of [
  ['in capital letters', ISSUED.toUpperCase(), true],
  ['with a character after it', `${ISSUED}.`, true],
  ['with a character before it', `.${ISSUED}`, true],
  ['in quotation marks', `"${ISSUED}"`, true],
  ['with two characters after it', `${ISSUED}..`, true],
  ['with padding after it', `${ISSUED}==`, false],
  ['with bits after it that are too few for a byte', `${ISSUED}x`, false],
  ['with two characters before it', `..${ISSUED}`, true],
  ['with three characters after it', `${ISSUED}...`, false],
  ['without its last character', ISSUED.slice(0, -1), true],
  ['without its first character', ISSUED.slice(1), true],
  ['without its first and its last character', ISSUED.slice(1, -1), true],
  ['cut to 16 characters', ISSUED.slice(4, 20), true],
  ['cut to 15 characters', ISSUED.slice(4, 19), false],
  ['with another character in its place', ISSUED.replace('m', 'n'), false],
] as const)
  test(`an issued token ${what} is ${expected ? 'an altered one' : 'another one'}`, () => {
    expect(createAlteredTokens(['the-first-one-of-all', ISSUED, 'short'])(token)).toBe(expected);
  });

test('a token is not compared with short ones, which may resemble it by chance', () => {
  expect(createAlteredTokens(['fifteen-letters'])('fifteen-letters.')).toBe(false);
});

test('a part of two tokens one after the other is not a part of one', () => {
  const [one, other] = ['the-end-of-the-first-one', 'the-begin-of-the-second-one'];
  expect(createAlteredTokens([one, other])(one.slice(-10) + other.slice(0, 10))).toBe(false);
});

test('of many tokens that are not known, the first are compared', () => {
  const isAltered = createAlteredTokens([ISSUED]);
  for (let nth = 0; nth < 1000; nth++)
    expect(isAltered(`another-token-${String(nth).padStart(4, '0')}`)).toBe(false);
  expect(isAltered(ISSUED.toUpperCase())).toBe(false);
});
