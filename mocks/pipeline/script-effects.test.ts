import { expect, _baseTest as test } from '@playwright/test';
import { type Client, createClients } from '../clients.ts';
import { answers } from '../contract/answers.ts';
import { loadContract } from '../contract/contract.ts';
import type { Action, Delay, ScriptedAnswer } from '../contract/control-types.ts';
import { json } from '../http.ts';
import { type Engine, engineFor } from '../prism.ts';
import { createRandom } from '../random.ts';
import type { TriggeredSteps } from '../rules.ts';
import { applySteps, deliveryFor, endsTokens, scriptedReply, withAddedMembers } from '../rules.ts';
import { createTokens, type IssuedToken } from '../tokens.ts';

let engine: Engine;
test.beforeAll(async () => {
  engine = await engineFor(loadContract());
});

const random = createRandom('a seed');
const due = (...before: Action[]): TriggeredSteps => ({
  on: 'readData',
  call: 1,
  before,
  during: [],
  after: [],
  steps: [1],
});

/** Two clients, with tokens of 60 s: three of acme, the second of which is that of the call, and one of the other. */
function stage() {
  const clients = createClients(900);
  const [acme, other] = ['acme', 'other'].map((id) => clients.add({ id, secret: 'x' })) as [Client, Client];
  const clock = { now: 1_000 };
  const tokens = createTokens({ now: () => clock.now, random, clients });
  const values = [acme, acme, acme, other].map((client) => tokens.issue({ client, lifetimeSeconds: 60 }));
  const issued = tokens.find(values[1] ?? '').issued as IssuedToken;
  return {
    clock,
    acme,
    other,
    applySteps: (...actions: Action[]) =>
      applySteps(actions, { tokens, client: acme, issued, now: () => clock.now }),
    playWithout: (...actions: Action[]) =>
      applySteps(actions, { tokens, client: acme, issued: undefined, now: () => clock.now }),
    standings: () => values.map((value) => tokens.find(value).status).join(' '),
  };
}

for (const [what, actions, standings] of [
  ['nothing', [{}], 'valid valid valid valid'],
  ['an answer', [{ answer: { status: 403 }, delay: 1 }], 'valid valid valid valid'],
  ['expire token', [{ expire: 'token' }], 'valid expired valid valid'],
  ['expire client', [{ expire: 'client' }], 'expired expired expired valid'],
  ['revoke token', [{ revoke: 'token' }], 'valid unknown valid valid'],
  ['revoke client', [{ revoke: 'client' }], 'unknown unknown unknown valid'],
  ['expireOthers', [{ expireOthers: true }], 'expired valid expired valid'],
  [
    'expire token and expireOthers',
    [{ expire: 'token', expireOthers: true }],
    'expired expired expired valid',
  ],
  [
    'expire client, then revoke token',
    [{ expire: 'client' }, { revoke: 'token' }],
    'expired unknown expired valid',
  ],
  ['revoke token, then expire it', [{ revoke: 'token' }, { expire: 'token' }], 'valid unknown valid valid'],
] as [string, Action[], string][])
  test(`after ${what} the tokens are ${standings}`, () => {
    const { applySteps, standings: seen, acme } = stage();
    applySteps(...actions);
    expect([seen(), acme.aheadMs]).toEqual([standings, 0]);
  });

test('where the call has no token, nothing is done to one', () => {
  const { playWithout, standings, acme } = stage();
  playWithout({ expire: 'token' }, { revoke: 'token' }, { advanceToExpiry: 0 });
  expect([standings(), acme.aheadMs]).toEqual(['valid valid valid valid', 0]);
  playWithout({ expireOthers: true });
  expect(standings()).toBe('expired expired expired valid');
});

for (const [what, actions, ahead] of [
  ['advance', [{ advance: '1.5s' }], 1_500],
  ['advance by seconds', [{ advance: 2 }], 2_000],
  ['advance twice', [{ advance: '1s' }, { advance: '2s' }], 3_000],
  ['advance back', [{ advance: '-1s' }], -1_000],
  ['advanceToExpiry', [{ advanceToExpiry: 0 }], 59_500],
  ['advanceToExpiry and further', [{ advanceToExpiry: '1s' }], 60_500],
  ['advanceToExpiry and not so far', [{ advanceToExpiry: '-1ms' }], 59_499],
  ['advanceToExpiry after advance', [{ advance: '1h' }, { advanceToExpiry: 0 }], 59_500],
] as [string, Action[], number][])
  test(`${what} moves the own time of the client to ${ahead} ms ahead, and no other's`, () => {
    const { applySteps, clock, acme, other } = stage();
    clock.now += 500;
    applySteps(...actions);
    expect([acme.aheadMs, other.aheadMs, clock.now]).toEqual([ahead, 0, 1_500]);
  });

for (const [delta, standing] of [
  ['-1ms', 'valid'],
  [0, 'expired'],
  ['1ms', 'expired'],
] as const)
  test(`moved to its expiry and ${delta}, a token is ${standing}, with a skew as well`, () => {
    for (const skewMs of [0, 30_000, -30_000]) {
      const { applySteps, standings, acme } = stage();
      acme.skewMs = skewMs;
      applySteps({ advanceToExpiry: delta });
      expect(standings(), `${skewMs}`).toBe(`${standing} ${standing} ${standing} valid`);
    }
  });

test('moves are separated from changes to the answer', () => {
  const moves: Action[] = [{ expire: 'token' }, { revoke: 'client' }, { advance: 0 }, { advanceToExpiry: 0 }];
  for (const move of [...moves, { expireOthers: true } as const, { delay: 1, expire: 'token' } as const])
    expect(endsTokens(move), JSON.stringify(move)).toBe(true);
  const others: Action[] = [{ sameToken: true }, { answer: { status: 403 } }, { add: {} }, { delay: 1 }];
  for (const other of [...others, { drip: { bytes: 1, every: 1 } }, { cut: 1 }, { reset: true } as const, {}])
    expect(endsTokens(other), JSON.stringify(other)).toBe(false);
});

for (const [what, answer, expected, status] of [
  ['a refusal instead of a success', { status: 403 }, answers.served, 403],
  ['a refusal instead of a refusal', { status: 403 }, answers.unknownToken, 403],
  ['a success instead of a success', { status: 200 }, answers.served, 200],
  ['no success instead of a refusal', { status: 200, body: {} }, answers.expired, undefined],
  ['no success of another status either', { status: 299 }, answers.expired, undefined],
  ['a redirect instead of a refusal', { status: 300 }, answers.expired, 300],
] as const)
  test(`a script gives ${what}`, () => {
    expect(scriptedReply(engine, due({ answer }), expected)?.status).toBe(status);
  });

test('a script without an answer scripts no reply, and of two answers the last counts', () => {
  expect(scriptedReply(engine, due({ expire: 'token' }), answers.served)).toBeUndefined();
  const two = due({ answer: { status: 401 } }, { delay: 1 }, { answer: { status: 403 } }, { cut: 1 });
  expect(scriptedReply(engine, two, answers.served)?.status).toBe(403);
  const elsewhere = { ...due(), during: two.before, after: two.before };
  expect(scriptedReply(engine, elsewhere, answers.served)).toBeUndefined();
});

const JSON_TYPE = { 'content-type': 'application/json' };
for (const [what, answer, headers, text] of [
  [
    'of an object is JSON',
    { status: 503, body: { é: 1 } },
    { ...JSON_TYPE, 'content-length': '8' },
    '{"é":1}',
  ],
  ['of null is JSON', { status: 503, body: null }, { ...JSON_TYPE, 'content-length': '4' }, 'null'],
  ['of text is sent as it is', { status: 503, body: '{é' }, { ...JSON_TYPE, 'content-length': '3' }, '{é'],
  ['of no text has no type', { status: 403, body: '' }, { 'content-length': '0' }, ''],
  ['that the contract does not know is empty', { status: 503 }, { 'content-length': '0' }, ''],
  [
    'with headers has them, in lower case, above its own',
    { status: 403, body: '<p>', headers: { 'Content-Type': 'text/html', 'Retry-After': '2' } },
    { 'content-type': 'text/html', 'content-length': '3', 'retry-after': '2' },
    '<p>',
  ],
] as [string, ScriptedAnswer, Record<string, string>, string][])
  test(`a scripted answer ${what}`, () => {
    const reply = scriptedReply(engine, due({ answer }), answers.served);
    expect(reply).toMatchObject({ status: answer.status });
    expect(reply?.headers).toEqual(headers);
    expect(reply?.bytes.toString()).toBe(text);
  });

test("a scripted answer of the contract is the contract's own, with more headers where the script has them", () => {
  const answer = { status: 401, example: 'unknown-token', headers: { 'X-More': '1' } };
  const { headers, bytes } = engine.negotiated(answers.unknownToken);
  expect(scriptedReply(engine, due({ answer }), answers.served)).toEqual({
    status: 401,
    bytes,
    headers: { ...headers, 'x-more': '1' },
  });
  const atToken = { ...due({ answer: { status: 401 } }), on: 'obtainToken' } as const;
  expect(scriptedReply(engine, atToken, answers.issued)?.bytes).toBe(
    engine.negotiated(answers.wrongCredentials).bytes,
  );
});

test('members are added to the object of a success, the last above the first', () => {
  const reply = json(200, { a: 1, b: 2 }, { allow: 'GET' });
  const changed = withAddedMembers(reply, due({ add: { b: 3, c: 3 } }, { delay: 1 }, { add: { c: 'é' } }));
  expect(changed).toEqual(json(200, { a: 1, b: 3, c: 'é' }, { allow: 'GET' }));
  expect(reply.bytes.toString()).toBe('{"a":1,"b":2}');
});

test('nothing is added to a refusal, nor where there is nothing to add', () => {
  for (const status of [300, 403]) {
    const refusal = json(status, {}, {});
    expect(withAddedMembers(refusal, due({ add: { a: 1 } }))).toBe(refusal);
  }
  const success = json(299, {}, {});
  expect(withAddedMembers(success, due({ delay: 1 }))).toBe(success);
  expect(withAddedMembers(success, due({ add: { a: 1 } })).bytes.toString()).toBe('{"a":1}');
});

for (const text of ['', '{"ods_data": [', '[1]', 'null', '"a"', '5'])
  test(`to the body ${text || 'that is empty'} nothing can be added, and it goes out as it is`, () => {
    const reply = { status: 200, headers: {}, bytes: Buffer.from(text) };
    expect(withAddedMembers(reply, due({ add: { a: 1 } }))).toBe(reply);
  });

const acme = createClients(900).add({ id: 'acme', secret: 'x' });

test('the manner is that of the steps before, in milliseconds, the last above the first', () => {
  const steps = due(
    { cut: 1, delay: '1s' },
    { drip: { bytes: 2, every: '50ms' } },
    { cut: 0 },
    { reset: true },
  );
  const delivery = { drip: { bytes: 2, everyMs: 50 }, cut: 0, reset: true, delayMs: 1_000 };
  expect(deliveryFor(steps, acme, random)).toEqual(delivery);
  expect(deliveryFor({ ...due(), after: steps.before }, acme, random)).toBeUndefined();
  expect(deliveryFor(due({ expire: 'token' }), acme, random)).toBeUndefined();
});

const delayOf = (delay: Delay, call: number, client = acme) =>
  deliveryFor({ ...due({ delay }), call }, client, random)?.delayMs ?? Number.NaN;

test('a delay between two is evenly so', () => {
  const delayMs = Array.from({ length: 2_000 }, (_, call) => delayOf({ from: '1s', to: 3 }, call));
  expect(delayMs.every((ms) => ms >= 1_000 && ms < 3_000)).toBe(true);
  for (const quarter of [0, 1, 2, 3]) {
    const within = delayMs.filter((ms) => Math.floor((ms - 1_000) / 500) === quarter);
    expect(Math.abs(within.length - 500)).toBeLessThan(80);
  }
  expect(delayOf({ from: 2, to: 2 }, 1)).toBe(2_000);
});

test('a log-normal delay has its median, and its logarithm the given spread', () => {
  const delayMs = Array.from({ length: 4_000 }, (_, call) => delayOf({ median: '300ms', sigma: 0.5 }, call));
  const logs = delayMs.map((ms) => Math.log(ms / 300));
  const mean = logs.reduce((sum, log) => sum + log) / logs.length;
  const spread = Math.sqrt(logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / logs.length);
  expect(Math.abs(mean)).toBeLessThan(0.03);
  expect(Math.abs(spread - 0.5)).toBeLessThan(0.03);
  const below = (sigmas: number) => logs.filter((log) => log < sigmas * 0.5).length / logs.length;
  expect(Math.abs(below(0) - 0.5)).toBeLessThan(0.03);
  expect(Math.abs(below(1) - 0.841)).toBeLessThan(0.03);
  expect(Math.abs(below(-1) - 0.159)).toBeLessThan(0.03);
  expect(delayOf({ median: '300ms', sigma: 0 }, 1)).toBe(300);
});

test('a delay repeats with its seed, operation, client and call, and with no other', () => {
  const delay = { from: 0, to: 1 };
  const other = createClients(900).add({ id: 'other', secret: 'x' });
  const onToken = deliveryFor({ ...due({ delay }), on: 'obtainToken' }, acme, random)?.delayMs;
  const elsewhere = deliveryFor(due({ delay }), acme, createRandom('another seed'))?.delayMs;
  const delayMs = [delayOf(delay, 1), delayOf(delay, 2), delayOf(delay, 1, other), onToken, elsewhere];
  expect(new Set(delayMs).size).toBe(5);
  expect(delayOf(delay, 1)).toBe(delayMs[0]);
});
