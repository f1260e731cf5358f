import { expect, test } from 'vitest';
import { answers } from './answers.ts';
import { loadContract, readContract } from './contract.ts';

const contract = loadContract();

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
