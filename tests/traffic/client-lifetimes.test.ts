import { expect, _baseTest as test } from '@playwright/test';
import { UsageError } from '../support/usage-error.ts';
import { type AgreedLifetimes, addLifetime, agreedWith, clientLifetimes } from './client-lifetimes.ts';

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
