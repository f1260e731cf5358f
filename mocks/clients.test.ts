import { expect, test } from '@playwright/test';
import { createClients, type MockClient } from './clients.ts';
import { MockError } from './mock-error.ts';

const clientsOf = (given: readonly MockClient[], lifetime: number) => {
  const clients = createClients(lifetime);
  for (const client of given) clients.add(client);
  return clients;
};

const given = [
  { id: 'a', secret: 'one' },
  { id: 'b', secret: 'two', tokenLifetime: 5 },
];

test('a client is known by its id and its own secret alone', () => {
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
    ['nobody', ''],
    ['__proto__', 'one'],
  ] as const)
    expect(authenticate(id, secret), `${id}:${secret}`).toBeUndefined();
});

test('a client has its own token lifetime, or else the given one', () => {
  expect(
    clientsOf(given, 900)
      .list()
      .map((client) => client.tokenLifetimesSeconds),
  ).toEqual([[900], [5]]);
});

for (const [fault, clients, lifetime, sentence] of [
  ['a repeated id', [...given, { id: 'a', secret: 'three' }], 900, /^The client "a" is given twice/],
  ['an empty id', [{ id: '', secret: 'x' }], 900, /^A client has an empty id/],
  ['an empty secret', [{ id: 'c', secret: '' }], 900, /^The client "c" has an empty secret/],
  [
    'a term that is none',
    [{ id: 'c', secret: 'hush', tokenLifetimeSeconds: 3 } as MockClient],
    900,
    /^The client "c" has "tokenLifetimeSeconds", which is no term\. There are id, secret, tokenLifetime/,
  ],
  ['a negative lifetime', given, -1, /^"-1" is no value for the token lifetime/],
  ['no lifetime', given, Number.NaN, /^The token lifetime: "NaN" is no duration/],
  [
    'a negative lifetime of a client',
    [{ id: 'c', secret: 'hush', tokenLifetime: -2 }],
    900,
    /^"-2" is no value for the token lifetime of the client "c"/,
  ],
] as const)
  test(`${fault} is refused with a sentence, which does not hold a secret`, () => {
    const attempt = () => clientsOf(clients, lifetime);
    expect(attempt).toThrow(MockError);
    expect(attempt).toThrow(sentence);
    expect(attempt).not.toThrow(/hush|three/);
  });
