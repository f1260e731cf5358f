import { expect, test } from 'vitest';
import { answers } from './answers.ts';
import { loadContract, readContract } from './contract.ts';
import { loadProfile } from './profile.ts';

const contract = loadContract();

test('the operations are listed with their method and path', () => {
  expect(contract.operations.map(({ id, method, path }) => `${id} ${method} ${path}`)).toEqual([
    'obtainToken POST /token/',
    'readData GET /ods_data/',
    'checkHealth GET /health/',
  ]);
});

test('the assumptions are those of the document, in its order', () => {
  const written = JSON.stringify(contract.document).match(/"x-assumption"/g) ?? [];
  expect(contract.assumptions).toHaveLength(written.length);
  expect(contract.assumptions[0]).toEqual({
    answers: 'MRS-7d',
    choice: expect.stringContaining('400'),
    reason: expect.stringContaining('RFC 6749'),
  });
  for (const { answers: id, choice, reason } of contract.assumptions) {
    expect(id).toMatch(/^MRS-/);
    expect(choice && reason).toBeTruthy();
  }
});

interface Loose {
  // biome-ignore lint/suspicious/noExplicitAny: a document to be spoilt at any place
  [key: string]: any;
}

for (const [fault, spoil, sentence] of [
  [
    'a schema that does not compile',
    (one) => Object.assign(one.components.schemas.TokenRequest.properties.client_id, { pattern: '[' }),
    /the schema at .*requestBody.* does not compile: /,
  ],
  [
    'a schema within a response that does not compile',
    (one) =>
      Object.assign(one.paths['/health/'].get.responses['200'].content['application/json'].schema, {
        type: 7,
      }),
    /schema/,
  ],
  ['a reference that leads nowhere', (one) => delete one.components.schemas.TokenResponse, /TokenResponse/],
  ['no token lifetime', (one) => delete one.components.securitySchemes, /lifetime-seconds is not a number/],
  [
    'an operation without an id',
    (one) => delete one.paths['/health/'].get.operationId,
    /\/health\/ has no op/,
  ],
  ['a missing operation', (one) => delete one.paths['/ods_data/'], /it has no operation "readData"/],
] as [string, (document: Loose) => unknown, RegExp][])
  test(`a contract with ${fault} is refused`, () => {
    expect(() => readSpoilt(spoil)).toThrow(sentence);
  });

for (const { operation, status, example, when } of Object.values(answers).filter(
  (answer) => !['insufficient-scope', 'rate-limited'].includes(answer.when),
))
  test(`a contract without the example ${operation} ${status} ${example} is refused`, () => {
    const withoutExample = (document: Loose) => {
      const { method, path } = contract.operations.find(({ id }) => id === operation) ?? {
        method: '',
        path: '',
      };
      const response = document.paths[path][method.toLowerCase()].responses[status];
      const shared = response.$ref ? document.components.responses.NotAcceptable : response;
      delete shared.content['application/json'].examples[example];
    };
    expect(() => readSpoilt(withoutExample)).toThrow(`has "x-response-when: ${when}"`);
  });

function readSpoilt(spoil: (document: Loose) => unknown) {
  const document = structuredClone(contract.document) as Loose;
  spoil(document);
  return readContract(document);
}

test('an operation that only a profile declares is not among those that the mock answers', async () => {
  const { document, operations } = loadContract(await loadProfile('nrao-ods'));
  expect(document.paths).toHaveProperty(['/tle_data', 'post', 'operationId'], 'uploadTle');
  expect(operations.map(({ id }) => id)).toEqual(['obtainToken', 'readData', 'checkHealth']);
});
