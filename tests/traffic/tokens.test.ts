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

const SECOND = 1000;
const issue = (at: number, token: string, clientId = 'acme'): TokenCall => ({
  ...timed(at),
  kind: 'token',
  status: 200,
  token,
  clientId,
});
const read = (at: number, token: string, status = 200, query = ''): TokenCall => ({
  ...timed(at),
  kind: 'data',
  status,
  token,
  query,
});
const timed = (at: number) => ({ startMs: at * SECOND, endMs: at * SECOND + 10 });

const lives = (calls: TokenCall[], lifetimeSeconds?: number) =>
  tokenHistoryOf(calls, () => lifetimeSeconds).lives.map(({ value, hasExpired, isSuperseded }) =>
    [value, hasExpired && 'expired', isSuperseded && 'superseded'].filter(Boolean).join(' '),
  );

for (const [what, calls, lifetime, expected] of [
  [
    'refused with 403 for good, and replaced',
    [issue(0, 'a'), read(1, 'a'), read(60, 'a', 403), issue(61, 'b'), read(62, 'b')],
    undefined,
    ['a expired', 'b'],
  ],
  [
    'refused with 403, and accepted again',
    [issue(0, 'a'), read(1, 'a'), read(2, 'a', 403), issue(3, 'b'), read(4, 'b'), read(5, 'a')],
    undefined,
    ['a', 'b'],
  ],
  [
    'refused with 403, as the new one is',
    [issue(0, 'a'), read(1, 'a'), read(2, 'a', 403), issue(3, 'b'), read(4, 'b', 403)],
    undefined,
    ['a', 'b'],
  ],
  [
    'refused with 401',
    [issue(0, 'a'), read(1, 'a'), read(60, 'a', 401), issue(61, 'b'), read(62, 'b')],
    undefined,
    ['a', 'b'],
  ],
  ['never accepted', [issue(0, 'a'), read(1, 'a', 403), issue(2, 'b'), read(3, 'b')], undefined, ['a', 'b']],
  ['refused after its lifetime', [issue(0, 'a'), read(61, 'a', 403)], 60, ['a expired']],
  ['refused before its lifetime', [issue(0, 'a'), read(31, 'a', 403)], 60, ['a']],
  [
    'refused once a newer one was issued',
    [issue(0, 'a'), read(1, 'a'), issue(2, 'b'), read(3, 'a', 403), read(4, 'b')],
    undefined,
    ['a expired superseded', 'b'],
  ],
  [
    'not replaced by that of another client',
    [issue(0, 'a'), read(1, 'a'), read(60, 'a', 403), issue(61, 'b', 'other'), read(62, 'b')],
    undefined,
    ['a', 'b'],
  ],
  [
    'refused with 403 for a query with which none was accepted',
    [issue(0, 'a'), read(1, 'a'), read(30, 'a', 403, 'scope'), issue(61, 'b'), read(62, 'b')],
    undefined,
    ['a', 'b'],
  ],
  [
    'refused with 403 for a query that is accepted with the new one',
    [issue(0, 'a'), read(1, 'a'), read(60, 'a', 403, 'page'), issue(61, 'b'), read(62, 'b', 200, 'page')],
    undefined,
    ['a expired', 'b'],
  ],
  [
    'of before the recording',
    [read(0, 'old'), read(5, 'old', 403), issue(6, 'b'), read(7, 'b')],
    undefined,
    ['old expired', 'b'],
  ],
] as [string, TokenCall[], number | undefined, string[]][])
  test(`a token that is ${what} is known as ${expected[0]}`, () => {
    expect(lives(calls, lifetime)).toEqual(expected);
  });

test('a token that is issued anew after its 403 begins a new life', () => {
  const calls = [issue(0, 'a'), read(1, 'a'), read(60, 'a', 403), issue(61, 'a'), read(62, 'a')];
  const { lives, lifeOf } = tokenHistoryOf(calls);
  expect(lives.map(({ number, hasExpired, isRepeated }) => [number, hasExpired, isRepeated])).toEqual([
    [1, true, false],
    [2, false, true],
  ]);
  expect(calls.map((call) => lifeOf(call)?.number)).toEqual([1, 1, 1, 2, 2]);
});

test('a token that is handed out again while it is alive goes on with its life', () => {
  const { lives } = tokenHistoryOf([issue(0, 'a'), read(1, 'a'), issue(30, 'a'), read(62, 'a')]);
  expect(lives.map(({ issued, reissued }) => [issued?.startMs, reissued.length])).toEqual([[0, 1]]);
});

test('a token that is given to two clients belongs to neither', () => {
  const { lives } = tokenHistoryOf([issue(0, 'a'), issue(1, 'a', 'other'), issue(2, 'b')]);
  expect(lives.map(({ isShared, clientId }) => [isShared, clientId])).toEqual([
    [true, undefined],
    [false, 'acme'],
  ]);
});

test('a token that never came up as issued or accepted is not one', () => {
  expect(lives([read(0, 'x', 403), read(1, 'undefined'), read(2, '')])).toEqual([]);
});

test('the lifetime is between the highest age at which a token was accepted and the lowest at which one was refused', () => {
  const calls = [
    issue(0, 'a'),
    read(50, 'a'),
    read(65, 'a', 403),
    issue(66, 'b'),
    read(67, 'b'),
    read(122, 'b'),
    read(127, 'b', 403),
    issue(128, 'c'),
    read(129, 'c'),
  ];
  expect(tokenHistoryOf(calls).seenLifetimes.get('acme')).toEqual({
    atLeastSeconds: 55.99,
    atMostSeconds: 60.99,
  });
});

test('a refusal of a query with which none was accepted does not shorten the lifetime', () => {
  const calls = [
    issue(0, 'a'),
    read(50, 'a'),
    read(52, 'a', 403, 'scope'),
    read(65, 'a', 403),
    issue(66, 'b'),
    read(67, 'b'),
  ];
  expect(tokenHistoryOf(calls).seenLifetimes.get('acme')).toEqual({
    atLeastSeconds: 49.99,
    atMostSeconds: 64.99,
  });
});

test('tokens that contradict each other show no lifetime', () => {
  const calls = [issue(0, 'a'), read(1, 'a'), read(5, 'a', 403), issue(6, 'b'), read(7, 'b'), read(90, 'b')];
  expect(tokenHistoryOf(calls).seenLifetimes.size).toBe(0);
});

test('the tokens of each client have a lifetime of their own', () => {
  const calls = [
    issue(0, 'a'),
    issue(1, 'b', 'other'),
    read(8, 'b'),
    read(10, 'b', 403),
    issue(11, 'c', 'other'),
    read(12, 'c'),
    read(50, 'a'),
    read(65, 'a', 403),
    issue(66, 'd'),
    read(67, 'd'),
  ];
  expect([...tokenHistoryOf(calls).seenLifetimes]).toEqual([
    ['acme', { atLeastSeconds: 49.99, atMostSeconds: 64.99 }],
    ['other', { atLeastSeconds: 6.99, atMostSeconds: 8.99 }],
  ]);
});

test('a token of before belongs to the only client', () => {
  const { lives } = tokenHistoryOf([read(0, 'old'), issue(6, 'b')]);
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
