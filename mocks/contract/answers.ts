/** Every answer that the mock may give: an operation, a documented status and a named example. */
import type { operations } from 'mrs-contract/openapi';

export type OperationId = keyof operations;

/** A documented answer. An operation or a status that the contract does not have is a compile error. */
export type Answer = {
  [Id in OperationId]: {
    readonly operation: Id;
    readonly status: keyof operations[Id]['responses'];
    /** Name of the example; the generated types do not have it, so `loadContract` checks it. */
    readonly example: string;
    /** The condition for this answer: `x-response-when` in the document, wherever a profile may have moved it. */
    readonly when: string;
  };
}[OperationId];

export const answers = {
  issued: { operation: 'obtainToken', status: 200, example: 'issued', when: 'valid-credentials' },
  invalidRequest: {
    operation: 'obtainToken',
    status: 400,
    example: 'invalid-request',
    when: 'malformed-request',
  },
  unsupportedGrantType: {
    operation: 'obtainToken',
    status: 400,
    example: 'unsupported-grant-type',
    when: 'other-grant-type',
  },
  wrongCredentials: {
    operation: 'obtainToken',
    status: 401,
    example: 'wrong-credentials',
    when: 'wrong-credentials',
  },
  tokenNotAcceptable: {
    operation: 'obtainToken',
    status: 406,
    example: 'not-acceptable',
    when: 'not-acceptable',
  },
  tooLarge: { operation: 'obtainToken', status: 413, example: 'too-large', when: 'too-large' },
  tokenRateLimited: { operation: 'obtainToken', status: 429, example: 'rate-limited', when: 'rate-limited' },
  unsupportedMediaType: {
    operation: 'obtainToken',
    status: 415,
    example: 'unsupported-media-type',
    when: 'other-media-type',
  },

  served: { operation: 'readData', status: 200, example: 'served', when: 'valid-token' },
  missingToken: { operation: 'readData', status: 401, example: 'missing-token', when: 'missing-token' },
  malformedToken: { operation: 'readData', status: 401, example: 'malformed-token', when: 'malformed-token' },
  unknownToken: { operation: 'readData', status: 401, example: 'unknown-token', when: 'unknown-token' },
  expired: { operation: 'readData', status: 403, example: 'expired', when: 'expired-token' },
  insufficientScope: {
    operation: 'readData',
    status: 403,
    example: 'insufficient-scope',
    when: 'insufficient-scope',
  },
  dataRateLimited: { operation: 'readData', status: 429, example: 'rate-limited', when: 'rate-limited' },
  dataNotAcceptable: {
    operation: 'readData',
    status: 406,
    example: 'not-acceptable',
    when: 'not-acceptable',
  },

  healthy: { operation: 'checkHealth', status: 200, example: 'healthy', when: 'any-request' },
  healthNotAcceptable: {
    operation: 'checkHealth',
    status: 406,
    example: 'not-acceptable',
    when: 'not-acceptable',
  },
} as const satisfies Record<string, Answer>;
