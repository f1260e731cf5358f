import { expect, _baseTest as test } from '@playwright/test';
import { UsageError } from '../support/usage-error.ts';
import {
  type AgreedLifetimes,
  addLifetime,
  agreedWith,
  clientLifetimes,
  type TokenCall,
  tokenHistoryOf,
} from './tokens.ts';

/** Requests for tokens and reads: the second of each, its token, its status if that is not 200, and the client or the query. */
const calls = (text: string): TokenCall[] =>
  text.split(', ').map((one) => {
    const [at, token, what = '200', more] = one.split(' ');
    const startMs = Number(at) * 1000;
    const common = { startMs, endMs: startMs + 10, token: token ?? '' };
    return what === 'issued'
      ? { ...common, kind: 'token', status: 200, clientId: more ?? 'acme' }
      : { ...common, kind: 'data', status: Number(what), query: more ?? '' };
  });

const lives = (text: string, lifetimeSeconds?: number) =>
  tokenHistoryOf(calls(text), () => lifetimeSeconds).lives.map(({ value, hasExpired, isSuperseded }) =>
    [value, hasExpired && 'expired', isSuperseded && 'superseded'].filter(Boolean).join(' '),
  );

const ROWS: [what: string, calls: string, known: string, lifetimeSeconds?: number][] = [
  ['refused with 403 for good, and replaced', '0 a issued, 1 a, 60 a 403, 61 b issued, 62 b', 'a expired, b'],
  ['refused with 403, and accepted again', '0 a issued, 1 a, 2 a 403, 3 b issued, 4 b, 5 a', 'a, b'],
  ['refused with 403, as the new one is', '0 a issued, 1 a, 2 a 403, 3 b issued, 4 b 403', 'a, b'],
  ['refused with 401', '0 a issued, 1 a, 60 a 401, 61 b issued, 62 b', 'a, b'],
  ['never accepted', '0 a issued, 1 a 403, 2 b issued, 3 b', 'a, b'],
  ['refused after its lifetime', '0 a issued, 61 a 403', 'a expired', 60],
  ['refused before its lifetime', '0 a issued, 31 a 403', 'a', 60],
  [
    'refused once a newer one was issued',
    '0 a issued, 1 a, 2 b issued, 3 a 403, 4 b',
    'a expired superseded, b',
  ],
  ['not replaced by that of another client', '0 a issued, 1 a, 60 a 403, 61 b issued other, 62 b', 'a, b'],
  [
    'refused with 403 for a query with which none was accepted',
    '0 a issued, 1 a, 30 a 403 scope, 61 b issued, 62 b',
    'a, b',
  ],
  [
    'refused with 403 for a query that is accepted with the new one',
    '0 a issued, 1 a, 60 a 403 page, 61 b issued, 62 b 200 page',
    'a expired, b',
  ],
  ['of before the recording', '0 old, 5 old 403, 6 b issued, 7 b', 'old expired, b'],
];

for (const [what, text, known, lifetimeSeconds] of ROWS)
  test(`a token that is ${what} is known as ${known}`, () => {
    expect(lives(text, lifetimeSeconds).join(', ')).toBe(known);
  });

test('a token that is issued anew after its 403 begins a new life', () => {
  const own = calls('0 a issued, 1 a, 60 a 403, 61 a issued, 62 a');
  const { lives, lifeOf } = tokenHistoryOf(own);
  expect(lives.map(({ number, hasExpired, isRepeated }) => [number, hasExpired, isRepeated])).toEqual([
    [1, true, false],
    [2, false, true],
  ]);
  expect(own.map((call) => lifeOf(call)?.number)).toEqual([1, 1, 1, 2, 2]);
});

test('a token that is handed out again while it is alive goes on with its life', () => {
  const { lives } = tokenHistoryOf(calls('0 a issued, 1 a, 30 a issued, 62 a'));
  expect(lives.map(({ issued, reissued }) => [issued?.startMs, reissued.length])).toEqual([[0, 1]]);
});

test('a token that is given to two clients belongs to neither', () => {
  const { lives } = tokenHistoryOf(calls('0 a issued, 1 a issued other, 2 b issued'));
  expect(lives.map(({ isShared, clientId }) => [isShared, clientId])).toEqual([
    [true, undefined],
    [false, 'acme'],
  ]);
});

test('a token that never came up as issued or accepted is not one', () => {
  expect(lives('0 x 403, 1 undefined, 2 ')).toEqual([]);
});

test('the lifetime is between the highest age at which a token was accepted and the lowest at which one was refused', () => {
  const text = '0 a issued, 50 a, 65 a 403, 66 b issued, 67 b, 122 b, 127 b 403, 128 c issued, 129 c';
  expect(tokenHistoryOf(calls(text)).seenLifetimes.get('acme')).toEqual({
    atLeastSeconds: 55.99,
    atMostSeconds: 60.99,
  });
});

test('a refusal of a query with which none was accepted does not shorten the lifetime', () => {
  const text = '0 a issued, 50 a, 52 a 403 scope, 65 a 403, 66 b issued, 67 b';
  expect(tokenHistoryOf(calls(text)).seenLifetimes.get('acme')).toEqual({
    atLeastSeconds: 49.99,
    atMostSeconds: 64.99,
  });
});

test('tokens that contradict each other show no lifetime', () => {
  const text = '0 a issued, 1 a, 5 a 403, 6 b issued, 7 b, 90 b';
  expect(tokenHistoryOf(calls(text)).seenLifetimes.size).toBe(0);
});

test('the tokens of each client have a lifetime of their own', () => {
  const text =
    '0 a issued, 1 b issued other, 8 b, 10 b 403, 11 c issued other, 12 c, 50 a, 65 a 403, 66 d issued, 67 d';
  expect([...tokenHistoryOf(calls(text)).seenLifetimes]).toEqual([
    ['acme', { atLeastSeconds: 49.99, atMostSeconds: 64.99 }],
    ['other', { atLeastSeconds: 6.99, atMostSeconds: 8.99 }],
  ]);
});

test('a token of before belongs to the only client', () => {
  const { lives } = tokenHistoryOf(calls('0 old, 6 b issued'));
  expect(lives.map(({ clientId }) => clientId)).toEqual(['acme', 'acme']);
});

const given = (...texts: string[]): AgreedLifetimes =>
  texts.reduce<AgreedLifetimes | undefined>(
    (before, text) => addLifetime(text, '--token-lifetime', before),
    undefined,
  ) as AgreedLifetimes;

test('a duration is the lifetime of each client that has none of its own', () => {
  const lifetimes = given('demo=8s', '15m', 'a=b=90');
  expect(['demo', 'a=b', 'other'].map((id) => agreedWith(lifetimes, id))).toEqual([8, 90, 900]);
});

test('the lifetime of an unknown client is known only where all have the same', () => {
  expect([given('15m'), given('15m', 'demo=8s')].map((one) => agreedWith(one, undefined))).toEqual([
    900,
    undefined,
  ]);
});

for (const [texts, message] of [
  [['soon'], '--token-lifetime is "soon", which is not a duration above zero.'],
  [['demo=soon'], '--token-lifetime for the client "demo" is "soon", which is not a duration above zero.'],
  [['demo='], '--token-lifetime for the client "demo" is "", which is not a duration above zero.'],
  [['=8s'], '--token-lifetime is "=8s", which names no client.'],
  [['15m', '16m'], '--token-lifetime has two values for all clients, the second is "16m".'],
  [['demo=8s', 'demo=9s'], '--token-lifetime has two values for the client "demo", the second is "demo=9s".'],
] as [string[], string][])
  test(`the option is refused with ${texts.join(' and ')}`, () => {
    expect(() => given(...texts)).toThrow(UsageError);
    expect(() => given(...texts)).toThrow(message);
  });

test('a lifetime that contradicts the traffic of one client is not judged by, and that of another is', () => {
  const seen = new Map([
    ['demo', { atLeastSeconds: 7, atMostSeconds: 9 }],
    ['other', { atLeastSeconds: 800, atMostSeconds: 901 }],
  ]);
  const lifetimes = clientLifetimes(given('15m'), seen);
  expect(['demo', 'other'].map(lifetimes.agreed)).toEqual([undefined, 900]);
  expect(lifetimes.doubt('demo')).toContain('The agreed token lifetime of demo is 900 s, but tokens');
  expect(lifetimes.doubt('other')).toBeUndefined();
});
