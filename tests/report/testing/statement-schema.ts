/**
 * The published shape of a statement with a test result, as JSON Schema:
 * https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md, resource_descriptor.md and digest_set.md next to it,
 * and https://github.com/in-toto/attestation/blob/main/spec/predicates/test-result.md. Members that these do not name are allowed there; here
 * they would be a mistake.
 */
const tests = { type: 'array', items: { type: 'string', minLength: 1 }, uniqueItems: true };

export const STATEMENT_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['_type', 'subject', 'predicateType', 'predicate'],
  properties: {
    _type: { const: 'https://in-toto.io/Statement/v1' },
    subject: {
      type: 'array',
      minItems: 1,
      items: { $ref: '#/$defs/resource', type: 'object', required: ['digest'] },
    },
    predicateType: { const: 'https://in-toto.io/attestation/test-result/v0.1' },
    predicate: {
      type: 'object',
      additionalProperties: false,
      required: ['result', 'configuration'],
      properties: {
        result: { enum: ['PASSED', 'WARNED', 'FAILED'] },
        configuration: { type: 'array', items: { $ref: '#/$defs/resource' } },
        url: { type: 'string', format: 'uri' },
        passedTests: tests,
        warnedTests: tests,
        failedTests: tests,
      },
    },
  },
  $defs: {
    resource: {
      type: 'object',
      additionalProperties: false,
      anyOf: [{ required: ['uri'] }, { required: ['digest'] }, { required: ['content'] }],
      properties: {
        name: { type: 'string', minLength: 1 },
        uri: { type: 'string', format: 'uri' },
        digest: {
          type: 'object',
          minProperties: 1,
          additionalProperties: false,
          properties: { sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' } },
        },
        content: { type: 'string' },
        downloadLocation: { type: 'string', format: 'uri' },
        mediaType: { type: 'string' },
        annotations: { type: 'object' },
      },
    },
  },
};
