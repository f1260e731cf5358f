import { expect, _baseTest as test } from '@playwright/test';
import { MockError } from '../contract/mock-error.ts';
import { type Client, createClients } from './clients.ts';
import { createReplicaTokens } from './replica-tokens.ts';
import { readTokenKey } from './token-key.ts';
import type { Tokens } from './tokens.ts';

const KEY = 'the first key, of more than 32 bytes';

const START = (): number => 5_000;

interface Replica {
  tokens: Tokens;
  client: Client;
}

/** A replica in its own state, with two clients. */
function replica({ key = KEY, now = START, skew = 0, ids = ['acme', 'other'] } = {}): Replica {
  const clients = createClients(900);
  const [client] = ids.map((id) => clients.add({ id, secret: 'x', skew }));
  return { tokens: createReplicaTokens(now, readTokenKey(key), clients), client: client as Client };
}
const issue = ({ tokens, client }: Replica, lifetimeSeconds = 60) =>
  tokens.issue({ client, lifetimeSeconds });
const statusOf = ({ tokens }: Replica, token: string) => tokens.find(token).status;

test('a token is valid on another replica until its last millisecond, and expired from then on', () => {
  let now = 5_000;
  const [one, other] = [replica({ now: () => now }), replica({ now: () => now })];
  const token = issue(one);
  for (const [at, status] of [
    [5_000, 'valid'],
    [64_999, 'valid'],
    [65_000, 'expired'],
    [9e9, 'expired'],
  ] as const) {
    now = at;
    expect([at, statusOf(one, token), statusOf(other, token)]).toEqual([at, status, status]);
  }
});

test('a token names its client, its issue, its expiry and its number on every replica', () => {
  const [one, other] = [replica(), replica({ ids: ['other', 'acme'] })];
  const token = issue(one);
  const { issued: here } = one.tokens.find(token);
  const { issued: there } = other.tokens.find(token);
  expect(there).toMatchObject({ issuedAt: 5_000, expiresAt: 65_000, number: here?.number });
  expect(there?.client).toMatchObject({ id: 'acme' });
  expect(there?.client).not.toBe(here?.client);
});

test('a replica that was started later knows the token, and one without its client does not', () => {
  const token = issue(replica());
  expect(statusOf(replica(), token)).toBe('valid');
  expect(statusOf(replica({ ids: ['other'] }), token)).toBe('unknown');
});

test('a replica with another key does not know the token', () => {
  const token = issue(replica());
  expect(statusOf(replica({ key: 'another key, which has 32 bytes too' }), token)).toBe('unknown');
});

test('the skew of a client counts on the replica that judges its token', () => {
  const token = issue(replica());
  expect(statusOf(replica({ skew: 59 }), token)).toBe('valid');
  expect(statusOf(replica({ skew: 60 }), token)).toBe('expired');
});

test('tokens are all different, and each is known after any number of others', () => {
  const [one, other] = [replica(), replica()];
  const issued = Array.from({ length: 20_001 }, () => issue(one));
  expect(new Set(issued).size).toBe(issued.length);
  expect(new Set(issued.map((token) => statusOf(one, token)))).toEqual(new Set(['valid']));
  expect(new Set(issued.map((token) => statusOf(other, token)))).toEqual(new Set(['valid']));
});

test('a replica counts the tokens that it has issued to a client, and knows the newest', () => {
  const [one, other] = [replica(), replica()];
  const [, last] = [issue(one), issue(one)];
  expect([one.tokens.countOf(one.client), other.tokens.countOf(other.client)]).toEqual([2, 0]);
  expect(one.tokens.newestOf(one.client)?.value).toBe(last);
  expect(one.tokens.latestOf(one.client).map(({ value }) => value)).toEqual([last]);
  expect(other.tokens.latestOf(other.client)).toEqual([]);
});

test('a token that outlives the calendar expires on its last day', () => {
  const one = replica();
  const { issued } = one.tokens.find(issue(one, 1e15));
  expect(new Date(issued?.expiresAt ?? 0).toISOString()).toMatch(/^9999-12-31/);
});

test('a replica does not end a token, and does not know the next expiry', () => {
  const { tokens, client } = replica();
  expect(() => tokens.end(() => true, 'expired')).toThrow(MockError);
  expect(() => tokens.nextExpiry(client)).toThrow(MockError);
});
