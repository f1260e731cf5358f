import { expect, test } from 'vitest';
import { createClients, type MockClient } from './clients.ts';
import type { ClientTerms } from './contract/control-contract.ts';
import { MockError } from './contract/mock-error.ts';

const clientsOf = (given: readonly MockClient[], lifetime: number) => {
  const clients = createClients(lifetime);
  for (const client of given) clients.add(client);
  return clients;
};

const given = [
  { id: 'a', secret: 'one' },
  { id: 'b', secret: 'two', tokenLifetime: 5 },
];

test('a client is accepted only with its id and its own secret', () => {
  const { authenticate } = clientsOf(given, 900);
  expect(authenticate('a', 'one')?.id).toBe('a');
  expect(authenticate('b', 'two')?.id).toBe('b');
  for (const [id, secret] of [
    ['a', 'two'],
    ['a', ''],
    ['a', 'on'],
    ['a', 'one '],
    ['A', 'one'],
    ['', ''],
    ['missing', ''],
    ['__proto__', 'one'],
  ] as const)
    expect(authenticate(id, secret), `${id}:${secret}`).toBeUndefined();
});

for (const [fault, clients, lifetime, sentence] of [
  ['a repeated id', [...given, { id: 'a', secret: 'three' }], 900, /^The client "a" exists twice/],
  ['an empty id', [{ id: '', secret: 'x' }], 900, /^A client has an empty id/],
  ['an empty secret', [{ id: 'c', secret: '' }], 900, /^The client "c" has an empty secret/],
  [
    'a term that is none',
    [{ id: 'c', secret: 'hush', tokenLifetimeSeconds: 3 } as MockClient],
    900,
    /^The client "c" has "tokenLifetimeSeconds", which is not a term\. Valid terms are id, secret, tokenLifetime/,
  ],
  ['no lifetime', given, Number.NaN, /^The token lifetime: "NaN" is not a duration/],
] as const)
  test(`${fault} is refused with a sentence, which does not hold a secret`, () => {
    const attempt = () => clientsOf(clients, lifetime);
    expect(attempt).toThrow(MockError);
    expect(attempt).toThrow(sentence);
    expect(attempt).not.toThrow(/hush|three/);
  });

for (const [what, term, sentence] of [
  [
    'a negative one in the list',
    { tokenLifetime: [5, '-1s'] },
    /^The token lifetime of the client "c": "-1s" is below 0/,
  ],
  ['a word', { tokenLifetime: 'long' }, /^The token lifetime of the client "c": "long" is not a duration/],
  ['an empty secret', { secret: '' }, /^The client "c" has an empty secret\. Set one\.$/],
] as [string, ClientTerms, RegExp][])
  test(`${what} is refused for a new client and an old one, and changes neither`, () => {
    const clients = clientsOf([{ id: 'old', secret: 'hush' }], 900);
    expect(() => clients.add({ id: 'c', secret: 'hush', ...term })).toThrow(sentence);
    expect(clients.get('c')).toBeUndefined();
    const c = clients.add({ id: 'c', secret: 'hush', tokenLifetime: 7 });
    const before = { ...c };
    const attempt = () => clients.change(c, { secret: 'hushed', tokenLifetime: 8, ...term });
    expect(attempt).toThrow(MockError);
    expect(attempt).toThrow(sentence);
    expect(attempt).not.toThrow(/hush/);
    expect(c).toEqual(before);
  });

test('terms are settled once, in seconds', () => {
  const clients = createClients('15m');
  expect(clients.add({ id: 'a', secret: 'x' })).toEqual({
    id: 'a',
    secret: 'x',
    tokenLifetimesSeconds: [900],
  });
  const terms = { tokenLifetime: ['15m', 10, '500ms'], script: [] } as const;
  expect(clients.add({ id: 'b', secret: 'y', ...terms })).toEqual({
    id: 'b',
    secret: 'y',
    tokenLifetimesSeconds: [900, 10, 0.5],
  });
  expect(clients.add({ id: 'c', secret: 'z', tokenLifetime: 0 })).toMatchObject({
    tokenLifetimesSeconds: [0],
  });
});

for (const [what, change, changed] of [
  ['the secret', { secret: 'new' }, { secret: 'new' }],
  ['the lifetime', { tokenLifetime: '1m' }, { tokenLifetimesSeconds: [60] }],
] as const)
  test(`a change of ${what} leaves the rest, and other clients, as they are`, () => {
    const terms = { tokenLifetime: 5 };
    const clients = clientsOf([{ id: 'a', secret: 'one', ...terms }, ...given.slice(1)], 900);
    const [a, b] = clients.list();
    const before = [{ ...a }, { ...b }];
    if (a) clients.change(a, change);
    expect(clients.list()).toEqual([{ ...before[0], ...changed }, before[1]]);
    expect(clients.get('a')).toBe(a);
  });
