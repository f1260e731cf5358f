import { expect, test } from 'vitest';
import { clientLifetimes, type TokenCall, tokenHistoryOf } from './tokens.ts';

/** Requests for tokens and reads: the second of each, its token, its status if that is not 200, and the client or the query. */
const calls = (text: string): TokenCall[] =>
  text.split(', ').map((one) => {
    const [at, token, what = '200', more] = one.split(' ');
    const startMs = Number(at) * 1000;
    const common = { startMs, endMs: startMs + 10, token: token ?? '' };
    return what === 'issued'
      ? { ...common, kind: 'token', status: 200, clientId: more ?? 'acme' }
      : { ...common, kind: 'data', status: Number(what), queryDigest: more ?? '' };
  });

/** Each token by its name and what became of it, and the lifetime that they show, in seconds. */
function known(text: string, lifetimeSeconds?: number): string {
  const { lives, seenLifetimes } = tokenHistoryOf(calls(text), () => lifetimeSeconds);
  const names = lives.map((life) =>
    [
      life.value,
      life.isRepeated && 'repeated',
      life.reissued.length > 0 && 'reissued',
      life.isShared && 'shared',
      life.hasExpired && 'expired',
      life.isSuperseded && 'superseded',
    ].filter(Boolean),
  );
  const seen = [...seenLifetimes].map(
    ([id, { atLeastSeconds: least, atMostSeconds: most }]) => `${id} ${least}-${most}`,
  );
  return [...names.map((own) => own.join(' ')), ...seen].join(', ');
}

const ROWS: [what: string, calls: string, known: string, lifetimeSeconds?: number][] = [
  [
    'refused with 403 for good, and replaced',
    '0 a issued, 50 a, 65 a 403, 66 b issued, 67 b, 122 b, 127 b 403, 128 c issued, 129 c',
    'a expired, b expired, c, acme 55.99-60.99',
  ],
  ['refused with 403, and accepted again', '0 a issued, 1 a, 2 a 403, 3 b issued, 4 b, 5 a', 'a, b'],
  ['refused with 403, as the new one is', '0 a issued, 1 a, 2 a 403, 3 b issued, 4 b 403', 'a, b'],
  ['refused with 401', '0 a issued, 1 a, 60 a 401, 61 b issued, 62 b', 'a, b'],
  ['never accepted', '0 a issued, 1 a 403, 2 b issued, 3 b', 'a, b'],
  ['refused after its lifetime', '0 a issued, 61 a 403', 'a expired, acme 0-60.99', 60],
  ['refused before its lifetime', '0 a issued, 31 a 403', 'a', 60],
  ['refused after a newer one', '0 a issued, 1 a, 2 b issued, 3 a 403, 4 b', 'a expired superseded, b'],
  ['not replaced by that of another client', '0 a issued, 1 a, 60 a 403, 61 b issued other, 62 b', 'a, b'],
  [
    'refused with 403 for a query with which none was accepted',
    '0 a issued, 50 a, 52 a 403 scope, 65 a 403, 66 b issued, 67 b',
    'a expired, b, acme 49.99-64.99',
  ],
  [
    'refused with 403 for a query that is accepted with the new one',
    '0 a issued, 1 a, 60 a 403 page, 61 b issued, 62 b 200 page',
    'a expired, b, acme 0.99-59.99',
  ],
  ['of before the recording', '0 old, 5 old 403, 6 b issued, 7 b', 'old expired, b'],
  [
    'issued anew after its 403',
    '0 a issued, 1 a, 60 a 403, 61 a issued, 62 a',
    'a expired, a repeated, acme 0.99-59.99',
  ],
  ['handed out again while it is alive', '0 a issued, 1 a, 30 a issued, 62 a', 'a reissued'],
  ['given to two clients', '0 a issued, 1 a issued other, 2 b issued', 'a reissued shared, b'],
  ['neither issued nor accepted', '0 x 403, 1 undefined, 2 ', ''],
  ['expired earlier than another', '0 a issued, 1 a, 5 a 403, 6 b issued, 7 b, 90 b', 'a expired, b'],
  [
    'of a client with a lifetime of its own',
    '0 a issued, 1 b issued other, 8 b, 10 b 403, 11 c issued other, 12 c, 50 a, 65 a 403, 66 d issued, 67 d',
    'a expired, b expired, c, d, acme 49.99-64.99, other 6.99-8.99',
  ],
];

for (const [what, text, expected, lifetimeSeconds] of ROWS)
  test(`a token that is ${what} is known as ${expected || 'none'}`, () => {
    expect(known(text, lifetimeSeconds)).toBe(expected);
  });

test('a call belongs to the life of its token at its time', () => {
  const own = calls('0 a issued, 1 a, 60 a 403, 61 a issued, 62 a');
  const { lifeOf } = tokenHistoryOf(own);
  expect(own.map((call) => lifeOf(call)?.number)).toEqual([1, 1, 1, 2, 2]);
});

test('a lifetime that contradicts the traffic of one client is not judged by, and that of another is', () => {
  const seen = new Map([
    ['demo', { atLeastSeconds: 7, atMostSeconds: 9 }],
    ['other', { atLeastSeconds: 800, atMostSeconds: 901 }],
  ]);
  const lifetimes = clientLifetimes(900, seen);
  expect(['demo', 'other'].map(lifetimes.agreed)).toEqual([undefined, 900]);
  expect(lifetimes.doubt('demo')).toContain('The agreed token lifetime is 900 s, but tokens');
  expect(lifetimes.doubt('other')).toBeUndefined();
});
