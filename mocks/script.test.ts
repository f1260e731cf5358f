import { expect, _baseTest as test } from '@playwright/test';
import { type Client, createClients } from './clients.ts';
import { answers } from './contract/answers.ts';
import { loadContract } from './contract/contract.ts';
import type { Action, ScriptedAnswer, ScriptedOperation, Step } from './contract/control-contract.ts';
import { json } from './http.ts';
import { type Engine, engineFor } from './prism.ts';
import {
  applySteps,
  createScripts,
  deliveryFor,
  type Scripts,
  scriptedReply,
  scriptProblem,
  type TriggeredSteps,
  withAddedMembers,
} from './script.ts';
import { createRandom } from './testing/chance.ts';
import { createTokens, type IssuedToken, keysOf } from './tokens.ts';

const clients = createClients(900);
const [acme, other] = ['acme', 'other'].map((id) => clients.add({ id, secret: 'x' })) as [Client, Client];
const expire: Action = { expire: 'token' };

/** On which of so many calls something is due. */
function dueOn(scripts: Scripts, calls: number, on: ScriptedOperation = 'readData', client = acme): number[] {
  const dues = Array.from({ length: calls }, () => scripts.count(client, on));
  return dues.flatMap((due) => due?.call ?? []);
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
  ['every 1', { every: 1 }, [1, 2, 3, 4, 5, 6, 7]],
  ['every 3', { every: 3 }, [3, 6]],
  ['from 4 every 2', { from: 4, every: 2 }, [4, 6]],
  ['nth 4 every 2', { nth: 4, every: 2 }, [4]],
  ['nth 3 every 2', { nth: 3, every: 2 }, []],
  ['nth 3 from 4', { nth: 3, from: 4 }, []],
  ['times 2', { times: 2 }, [1, 2]],
  ['from 3 times 2', { from: 3, times: 2 }, [3, 4]],
  ['every 2 times 2', { every: 2, times: 2 }, [2, 4]],
] as const)
  test(`a step with ${what} is due on ${calls.length > 0 ? `call ${calls.join(', ')}` : 'no call'}`, () => {
    expect(dueOn(given({ ...step, do: expire }), 7)).toEqual(calls);
  });

test('a step that begins with a used token waits for one, and then acts on every token', () => {
  const scripts = given({ from: 2, reused: true, do: expire }, { on: 'obtainToken', nth: 9, do: expire });
  const calls = (...tokens: (number | undefined)[]) =>
    tokens.map((token) => scripts.count(acme, 'readData', token)?.call);
  expect(calls(1, 2, undefined, 3)).toEqual([undefined, undefined, undefined, undefined]);
  scripts.count(acme, 'obtainToken', 9);
  expect(calls(9, 9, 10)).toEqual([undefined, 6, 7]);
});

test('what is due has its operation, its call, its steps by number, and what is done when', () => {
  const [first, second] = [{ advance: 1 }, { advance: 2 }] as const;
  const [third, fourth] = [{ advance: 3 }, { cut: 4 }] as const;
  const scripts = given(
    { when: 'after', do: first },
    { nth: 2, do: expire },
    { when: 'during', do: second },
    { when: 'before', do: third },
    { do: fourth },
  );
  expect(scripts.count(acme, 'readData')).toEqual({
    on: 'readData',
    call: 1,
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

for (const seed of ['one', 'two'])
  test(`what was saved goes on as if nothing had come after, as often as it is restored: ${seed}`, () => {
    const { share } = createRandom(seed);
    let draws = 0;
    let now = 0;
    const delayMs = (below: number) => Math.floor(below * share(`${++draws}`));
    const scripts = createScripts(() => now);
    const step = (): Step => ({
      on: delayMs(2) === 0 ? 'obtainToken' : 'readData',
      do: { advance: draws },
      ...[{}, { nth: 1 + delayMs(9) }, { from: 1 + delayMs(5) }, { every: 1 + delayMs(3) }][delayMs(4)],
      ...[{}, { times: 1 + delayMs(3) }, { ttl: delayMs(40) }][delayMs(3)],
    });
    const happen = () => {
      const client = delayMs(2) === 0 ? acme : other;
      now += delayMs(10_000);
      if (delayMs(12) === 0) scripts.give(client, Array.from({ length: delayMs(5) }, step));
      return scripts.count(client, delayMs(2) === 0 ? 'obtainToken' : 'readData');
    };
    for (let nth = 0; nth < 60; nth++) {
      for (let more = 0; more < 5; more++) happen();
      const saved = { draws, now, scripts: [scripts.of(acme), scripts.of(other)] };
      const restore = scripts.save();
      const runs = [1, 2, 3].map(() => {
        ({ draws, now } = saved);
        restore();
        expect([scripts.of(acme), scripts.of(other)]).toEqual(saved.scripts);
        return Array.from({ length: 20 }, happen);
      });
      expect(runs[1]).toEqual(runs[0]);
      expect(runs[2]).toEqual(runs[0]);
    }
  });

const contract = loadContract();

for (const [what, step] of [
  ['moves alone', { do: { expire: 'client', advance: '1h' } }],
  ['the way of an answer', { do: { delay: 1, cut: 3, drip: { bytes: 1, every: 0 } } }],
  ['a documented status', { do: { answer: { status: 403 } } }],
  ['a documented status of the token endpoint', { on: 'obtainToken', do: { answer: { status: 415 } } }],
  ['a documented example', { do: { answer: { status: 401, example: 'malformed-token' } } }],
  ['a body that fits', { do: { answer: { status: 200, body: { ods_data: [{ a: 1 }] } } } }],
  ['a refusal with a body that fits', { do: { answer: { status: 403, body: { error: 'scope' } } } }],
  ['a body that the contract leaves open', { do: { answer: { status: 200, body: null } } }],
  ['members of the data, which are open', { do: { add: { ods_data: 5, more: {} } } }],
  ['another token', { on: 'obtainToken', do: { add: { token: 'another' } } }],
  ['what is outside and says so', { outsideContract: true, do: { answer: { status: 503 }, add: { x: 1 } } }],
] as [string, Step][])
  test(`a step with ${what} can be played`, () => {
    expect(scriptProblem(contract, [step])).toBeUndefined();
  });

for (const [what, step, sentence] of [
  [
    'another status',
    { do: { answer: { status: 503 } } },
    /^step 1: the contract does not answer readData with 503\. /,
  ],
  [
    'a status of the other operation',
    { do: { answer: { status: 415 } } },
    /^step 1: the contract does not answer readData with 415\. /,
  ],
  [
    'a status of the data at the token endpoint',
    { on: 'obtainToken', do: { answer: { status: 403 } } },
    /does not answer obtainToken with 403\. /,
  ],
  [
    'an example of another status',
    { do: { answer: { status: 403, example: 'unknown-token' } } },
    /^step 1: the contract has no example "unknown-token" where it answers readData with 403\. /,
  ],
  [
    'a token of another form',
    { on: 'obtainToken', do: { answer: { status: 200, body: { token: 5 } } } },
    /^step 1: .* obtainToken with 200 and this body: the body\/token must be string\. /,
  ],
  [
    'a body without its field',
    { on: 'obtainToken', do: { answer: { status: 200, body: {} } } },
    /must have required property 'token'/,
  ],
  [
    'a body of nothing',
    { on: 'obtainToken', do: { answer: { status: 200, body: null } } },
    /this body: the body must be object/,
  ],
  ['a text', { do: { answer: { status: 200, body: '{"ods_data": []}' } } }, /body: it is text, not JSON\. /],
  [
    'a member of another form',
    { on: 'obtainToken', do: { add: { token: '' } } },
    /these members: the body\/token must NOT have fewer than 1 characters\. /,
  ],
  [
    'a member that the token endpoint does not have',
    { on: 'obtainToken', do: { add: { expires_in: 900 } } },
    /does not answer obtainToken with these members: the body must NOT have additional properties\. /,
  ],
] as [string, Step, RegExp][])
  test(`a step with ${what} is refused with advice`, () => {
    const fault = scriptProblem(contract, [step]);
    expect(fault).toMatch(sentence);
    expect(fault).toMatch(/\. Change it, or add outsideContract: true if it is intended\.$/);
  });

test('members are judged with the body that they are added to, by a contract that says more of the data', () => {
  const components = { ...(contract.document.components as object), schemas: { List: { type: 'array' } } };
  const properties = { ods_data: { $ref: '#/components/schemas/List' }, at: { type: 'number' } };
  const schema = { type: 'object', required: ['ods_data'], properties, additionalProperties: false };
  const responses = { 200: { content: { 'application/json': { schema } } } };
  const document = { components, paths: { '/ods_data/': { get: { responses } } } };
  const stricter = { ...contract, document };
  const faultOf = (add: Record<string, unknown>) => scriptProblem(stricter, [{ do: { add } }]);
  expect([faultOf({ at: 5 }), faultOf({ ods_data: [1] })]).toEqual([undefined, undefined]);
  expect(faultOf({ at: 'x' })).toMatch(/readData with these members: the body\/at must be number/);
  expect(faultOf({ ods_data: 5 })).toMatch(/the body\/ods_data must be array/);
  expect(faultOf({ token: 'x' })).toMatch(/must NOT have additional properties/);
  expect(scriptProblem(stricter, [{ do: { answer: { status: 200, body: {} } } }])).toMatch(
    /property 'ods_data'/,
  );
});

let engine: Engine;
test.beforeAll(async () => {
  engine = await engineFor(loadContract());
});

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
  const tokens = createTokens({ now: () => clock.now, keys: keysOf('a seed'), clients });
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

test('the manner is that of the steps before, in milliseconds, the last above the first', () => {
  const steps = due(
    { cut: 1, delay: '1s' },
    { drip: { bytes: 2, every: '50ms' } },
    { cut: 0 },
    { reset: true },
  );
  const delivery = { drip: { bytes: 2, everyMs: 50 }, cut: 0, reset: true, delayMs: 1_000 };
  expect(deliveryFor(steps)).toEqual(delivery);
  expect(deliveryFor({ ...due(), after: steps.before })).toBeUndefined();
  expect(deliveryFor(due({ expire: 'token' }))).toBeUndefined();
});
