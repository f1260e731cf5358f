import { expect, _baseTest as test } from '@playwright/test';
import { createClients } from '../clients.ts';
import { createJournal, type Exchange, trafficOf } from '../exchange.ts';
import { exchange } from '../testing/exchange.ts';
import type { IssuedToken } from '../tokens.ts';

const acme = createClients(900).add({ id: 'acme', secret: 'x' });
const issued = (number: number, more: Partial<IssuedToken> = {}): IssuedToken => ({
  value: `value-${number}`,
  client: acme,
  number,
  issuedAt: 1000,
  expiresAt: 4000,
  ...more,
});
const data: Partial<Exchange> = {
  client: 'acme',
  operation: 'readData',
  path: '/ods_data/',
  target: 'readData',
};

function seen(
  exchanges: readonly Partial<Exchange>[],
  { size = 100, since = 0, known = [] as IssuedToken[] } = {},
) {
  const journal = createJournal(size);
  for (const one of exchanges) journal.add(exchange(one));
  const find = (value: string) => ({ status: 'valid', issued: known.find((one) => one.value === value) });
  return trafficOf({ journal, tokens: { find, latestOf: () => [] } as never }, 'acme', since);
}

test('of a client that never called there is nothing', () => {
  expect(seen([])).toEqual({ calls: [], lives: [], durationMs: 0, lost: 0 });
  expect(seen([{ client: 'other', operation: 'readData' }]).calls).toEqual([]);
});

test('a call has the facts of its journal entry, with times since the first call', () => {
  const { calls } = seen([
    { ...data, started: 5000, duration: 20, judgedAt: 70_000 },
    {
      client: 'acme',
      operation: 'obtainToken',
      method: 'POST',
      path: '/token/',
      target: 'obtainToken',
      started: 5100,
      duration: 30,
      judgedAt: 71_000,
      status: 429,
      reason: 'script',
      accept: 'a/b',
      contentType: 'c/d',
      fields: ['e'],
      authorization: 'malformed',
      query: ['f'],
      headers: { 'retry-after': '2' },
      ended: 'cut',
      leaks: [{ what: 'token', where: 'query' }],
    },
  ]);
  expect(calls[0]).toEqual({
    id: 1,
    kind: 'data',
    startMs: 0,
    endMs: 20,
    atMs: 0,
    method: 'GET',
    path: '/ods_data/',
    query: [],
    target: 'readData',
    status: 200,
    reason: 'served',
    misplaced: [],
  });
  expect(calls[1]).toEqual({
    id: 2,
    kind: 'token',
    startMs: 100,
    endMs: 130,
    atMs: 1000,
    method: 'POST',
    path: '/token/',
    target: 'obtainToken',
    status: 429,
    reason: 'script',
    accept: 'a/b',
    contentType: 'c/d',
    fields: ['e'],
    authorization: 'malformed',
    query: ['f'],
    retryAfterSeconds: 2,
    ended: 'cut',
    misplaced: [{ what: 'token', where: 'query' }],
  });
});

test('calls are in the order in which they came in, and not in that of their answers', () => {
  const { calls } = seen([
    { ...data, started: 30, duration: 5, path: '/second/' },
    { ...data, started: 40, duration: 1, path: '/third/' },
    { ...data, started: 20, duration: 100, path: '/first/' },
  ]);
  expect(calls.map(({ id, path, startMs }) => [id, path, startMs])).toEqual([
    [1, '/first/', 0],
    [2, '/second/', 10],
    [3, '/third/', 20],
  ]);
});

test('calls that show no client are those of the only one, and of none where two called', () => {
  const nobody = [{ operation: 'checkHealth' as const }, { path: '/nowhere/' }];
  expect(seen([data, ...nobody]).calls.map(({ kind }) => kind)).toEqual(['data', 'health', 'other']);
  expect(seen(nobody).calls).toHaveLength(2);
  expect(seen([data, ...nobody, { ...data, client: 'other' }]).calls.map(({ kind }) => kind)).toEqual([
    'data',
  ]);
});

test('a Retry-After that is a date, or absent, has no seconds', () => {
  const told = (value: string) => seen([{ ...data, headers: { 'retry-after': value } }]).calls[0];
  expect(told('0')).toHaveProperty('retryAfterSeconds', 0);
  expect(told('Wed, 21 Oct 2026 07:28:00 GMT')).not.toHaveProperty('retryAfterSeconds');
  expect(seen([data]).calls[0]).not.toHaveProperty('retryAfterSeconds');
});

test('a token has one life, with its current end', () => {
  const token = issued(3);
  const uses = [token, token].map((one) => ({
    ...data,
    issued: one,
    tokenStatus: 'valid' as const,
    judgedAt: 500,
  }));
  expect(seen(uses).lives).toEqual([{ number: 3, issuedMs: 500, expiresMs: 3500 }]);
  const known = [issued(3, { endedAt: 2000 })];
  expect(seen(uses, { known }).lives).toEqual([{ number: 3, issuedMs: 500, expiresMs: 3500, endedMs: 1500 }]);
  expect(seen(uses).calls).toMatchObject([{ token: 3, standing: 'valid' }, { token: 3 }]);
});

test('lives are in the order of their tokens', () => {
  const { lives } = seen(
    [2, 1, 3].map((number) => ({ ...data, issued: issued(number), tokenStatus: 'valid' as const })),
  );
  expect(lives.map(({ number }) => number)).toEqual([1, 2, 3]);
});

test('only what came after a number is read, and what the journal has no more is counted', () => {
  const paths = ['/1/', '/2/', '/3/', '/4/'].map((path, started) => ({ ...data, path, started }));
  const { calls, lost } = seen(paths, { since: 2 });
  expect([calls.map(({ path, startMs, id }) => [path, startMs, id]), lost]).toEqual([
    [
      ['/3/', 0, 1],
      ['/4/', 1, 2],
    ],
    0,
  ]);
  expect(seen(paths, { size: 1, since: 1 })).toMatchObject({ lost: 2, calls: [{ path: '/4/' }] });
});

test('a connection that was reset is a call that ended so', () => {
  expect(seen([{ ...data, ended: 'reset' }]).calls).toMatchObject([{ ended: 'reset', kind: 'data' }]);
  expect(seen([data]).calls[0]).not.toHaveProperty('ended');
});
