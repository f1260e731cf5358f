import { beforeAll, expect, test } from 'vitest';
import { type Client, createClients } from './clients.ts';
import { answers } from './contract/answers.ts';
import { loadContract } from './contract/contract.ts';
import type { Action, ScriptedAnswer, ScriptedOperation, Step } from './contract/control-contract.ts';
import { type Engine, engineFor } from './prism.ts';
import {
  applySteps,
  createScripts,
  deliveryFor,
  scriptedReply,
  scriptProblem,
  type TriggeredSteps,
} from './script.ts';
import { createTokens, type IssuedToken, keysOf } from './tokens.ts';

const clients = createClients(900);
const acme = clients.add({ id: 'acme', secret: 'x' });
const expire: Action = { expire: 'token' };

/** On which of this number of calls something is due. */
type Scripts = ReturnType<typeof createScripts>;

function dueOn(scripts: Scripts, calls: number, on: ScriptedOperation = 'readData', client = acme): number[] {
  const dues = Array.from({ length: calls }, () => scripts.count(client, on));
  return dues.flatMap((due, index) => (due ? index + 1 : []));
}

/** A script that was given to acme. */
function given(...steps: Step[]): Scripts {
  const scripts = createScripts(() => 0);
  scripts.give(acme, steps);
  return scripts;
}

for (const [what, step, calls] of [
  ['neither nth nor from nor every', {}, [1, 2, 3, 4, 5, 6, 7]],
  ['nth 1', { nth: 1 }, [1]],
  ['nth 3', { nth: 3 }, [3]],
  ['from 5', { from: 5 }, [5, 6, 7]],
  ['every 3', { every: 3 }, [3, 6]],
  ['from 4 every 2', { from: 4, every: 2 }, [4, 6]],
  ['nth 4 every 2', { nth: 4, every: 2 }, [4]],
  ['nth 3 from 4', { nth: 3, from: 4 }, []],
  ['times 2', { times: 2 }, [1, 2]],
  ['from 3 times 2', { from: 3, times: 2 }, [3, 4]],
] as const)
  test(`a step with ${what} is due on ${calls.length > 0 ? `call ${calls.join(', ')}` : 'no call'}`, () => {
    expect(dueOn(given({ ...step, do: expire }), 7)).toEqual(calls);
  });

test('a step that begins with a used token waits for one, and then acts on every token', () => {
  const scripts = given({ from: 2, reused: true, do: expire }, { on: 'obtainToken', nth: 9, do: expire });
  const calls = (...tokens: (number | undefined)[]) =>
    tokens.map((token) => scripts.count(acme, 'readData', token)?.steps);
  expect(calls(1, 2, undefined, 3)).toEqual([undefined, undefined, undefined, undefined]);
  scripts.count(acme, 'obtainToken', 9);
  expect(calls(9, 9, 10)).toEqual([undefined, [1], [1]]);
});

test('what is due has its operation, its steps by number, and what is done when', () => {
  const [first, second] = [{ revoke: 'token' }, { revoke: 'client' }] as const;
  const [third, fourth] = [{ delay: 3 }, { cut: 4 }] as const;
  const scripts = given(
    { when: 'after', do: first },
    { nth: 2, do: expire },
    { when: 'during', do: second },
    { when: 'before', do: third },
    { do: fourth },
  );
  expect(scripts.count(acme, 'readData')).toEqual({
    on: 'readData',
    steps: [1, 3, 4, 5],
    before: [third, fourth],
    during: [second],
    after: [first],
  } satisfies TriggeredSteps);
});

test('a step with a ttl is due for so long from its first time on, on the clock', () => {
  let now = 50_000;
  const scripts = createScripts(() => now);
  scripts.give(acme, [{ from: 2, ttl: '30s', do: expire }]);
  const seen = [50_000, 70_000, 70_001, 99_999, 100_000, 200_000, 99_999].map((moment) => {
    now = moment;
    return dueOn(scripts, 1).length;
  });
  expect(seen).toEqual([0, 1, 1, 1, 0, 0, 1]);
});

const contract = loadContract();

for (const [what, step] of [
  ['moves alone', { do: { expire: 'client' } }],
  ['the way of an answer', { do: { delay: 1, cut: 3, drip: { bytes: 1, every: 0 } } }],
  ['a documented example', { do: { answer: { status: 401, example: 'malformed-token' } } }],
  ['a body that fits', { do: { answer: { status: 200, body: { ods_data: [{ a: 1 }] } } } }],
  ['a refusal with a body that fits', { do: { answer: { status: 403, body: { error: 'scope' } } } }],
  ['what is outside and says so', { outsideContract: true, do: { answer: { status: 503 } } }],
] as [string, Step][])
  test(`a step with ${what} can be played`, () => {
    expect(scriptProblem(contract, [step])).toBeUndefined();
  });

for (const [what, step, sentence] of [
  ['another status', { do: { answer: { status: 503 } } }, /^step 1: the contract does not answer readData/],
  [
    'an example of another status',
    { do: { answer: { status: 403, example: 'unknown-token' } } },
    /^step 1: the contract has no example "unknown-token" where it answers readData with 403\. /,
  ],
  [
    'a token of another form',
    { on: 'obtainToken', do: { answer: { status: 200, body: { token: 5 } } } },
    /^step 1: .* obtainToken with 200 and this body: \/token must be string\. /,
  ],
  ['a text', { do: { answer: { status: 200, body: '{"ods_data": []}' } } }, /body: it is text, not JSON\. /],
] as [string, Step, RegExp][])
  test(`a step with ${what} is refused with advice`, () => {
    const fault = scriptProblem(contract, [step]);
    expect(fault).toMatch(sentence);
    expect(fault).toMatch(/\. Change it, or add outsideContract: true if it is intended\.$/);
  });

let engine: Engine;
beforeAll(async () => {
  engine = await engineFor(loadContract());
});

const due = (...before: Action[]): TriggeredSteps => ({
  on: 'readData',
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
  const tokens = createTokens({ now: () => clock.now, keys: keysOf('a seed'), clients });
  const values = [acme, acme, acme, other].map((client) => tokens.issue({ client, lifetimeSeconds: 60 }));
  const issued = tokens.find(values[1] ?? '').issued as IssuedToken;
  return {
    clock,
    acme,
    other,
    applySteps: (...actions: Action[]) => applySteps(actions, { tokens, client: acme, issued }),
    playWithout: (...actions: Action[]) => applySteps(actions, { tokens, client: acme, issued: undefined }),
    standings: () => values.map((value) => tokens.find(value).status).join(' '),
  };
}

for (const [what, actions, standings] of [
  ['an answer', [{ answer: { status: 403 }, delay: 1 }], 'valid valid valid valid'],
  ['expire token', [{ expire: 'token' }], 'valid expired valid valid'],
  ['expire client', [{ expire: 'client' }], 'expired expired expired valid'],
  ['revoke token', [{ revoke: 'token' }], 'valid unknown valid valid'],
  ['revoke client', [{ revoke: 'client' }], 'unknown unknown unknown valid'],
  ['expireOthers', [{ expireOthers: true }], 'expired valid expired valid'],
  ['expire token, expireOthers', [{ expire: 'token', expireOthers: true }], 'expired expired expired valid'],
  ['expire, then revoke', [{ expire: 'client' }, { revoke: 'token' }], 'expired unknown expired valid'],
  ['revoke token, then expire it', [{ revoke: 'token' }, { expire: 'token' }], 'valid unknown valid valid'],
] as [string, Action[], string][])
  test(`after ${what} the tokens are ${standings}`, () => {
    const { applySteps, standings: seen } = stage();
    applySteps(...actions);
    expect(seen()).toEqual(standings);
  });

for (const [what, answer, expected, status] of [
  ['a refusal instead of a success', { status: 403 }, answers.served, 403],
  ['a refusal instead of a refusal', { status: 403 }, answers.unknownToken, 403],
  ['a success instead of a success', { status: 200 }, answers.served, 200],
  ['no success instead of a refusal', { status: 200, body: {} }, answers.expired, undefined],
  ['a redirect instead of a refusal', { status: 300 }, answers.expired, 300],
] as const)
  test(`a script gives ${what}`, () => {
    expect(scriptedReply(engine, due({ answer }), expected)?.status).toBe(status);
  });

const JSON_TYPE = { 'content-type': 'application/json' };
for (const [what, answer, headers, text] of [
  [
    'of an object is JSON',
    { status: 503, body: { é: 1 } },
    { ...JSON_TYPE, 'content-length': '8' },
    '{"é":1}',
  ],
  ['of text is sent as it is', { status: 503, body: '{é' }, { ...JSON_TYPE, 'content-length': '3' }, '{é'],
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
  const { headers, bytes } = engine.negotiated.get(answers.unknownToken) ?? {};
  expect(scriptedReply(engine, due({ answer }), answers.served)).toEqual({
    status: 401,
    bytes,
    headers: { ...headers, 'x-more': '1' },
  });
  const atToken = { ...due({ answer: { status: 401 } }), on: 'obtainToken' } as const;
  expect(scriptedReply(engine, atToken, answers.issued)?.bytes).toBe(
    engine.negotiated.get(answers.wrongCredentials)?.bytes,
  );
});

test('the delivery is that of the steps before, the last above the first', () => {
  const steps = due(
    { cut: 1, delay: '1s' },
    { drip: { bytes: 2, every: '50ms' } },
    { cut: 0 },
    { reset: true },
  );
  const delivery = { drip: { bytes: 2, every: '50ms' }, cut: 0, reset: true, delay: '1s' };
  expect(deliveryFor(steps)).toEqual(delivery);
  expect(deliveryFor({ ...due(), after: steps.before })).toBeUndefined();
  expect(deliveryFor(due({ expire: 'token' }))).toBeUndefined();
});
