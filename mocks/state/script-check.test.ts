import { expect, _baseTest as test } from '@playwright/test';
import { answers } from '../contract/answers.ts';
import { loadContract } from '../contract/contract.ts';
import type { Step } from '../contract/control-types.ts';
import { documented, scriptProblem } from '../rules.ts';

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

test('the first invalid step is reported by its number, after steps that are marked as outside', () => {
  const outside: Step = { outsideContract: true, do: { answer: { status: 500 } } };
  const faults: Step[] = [{ do: { answer: { status: 501 } } }, { do: { answer: { status: 502 } } }];
  expect(scriptProblem(contract, [{ do: {} }, outside, ...faults])).toMatch(/^step 3: .* 501\./);
  expect(scriptProblem(contract, [])).toBeUndefined();
});

test('without a name the first example of the status is meant, with one that of the name', () => {
  expect(documented('readData', 401)).toBe(answers.missingToken);
  expect(documented('readData', 401, 'unknown-token')).toBe(answers.unknownToken);
  expect(documented('obtainToken', 401)).toBe(answers.wrongCredentials);
  expect(documented('obtainToken', 200)).toBe(answers.issued);
  expect(documented('readData', 200, 'issued')).toBeUndefined();
  expect(documented('readData', 400)).toBeUndefined();
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
