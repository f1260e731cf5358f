/** Every answer that the mock may owe: an operation, a documented status of it, a named example there. */
import type { operations } from 'mrs-contract/openapi';

export type OperationId = keyof operations;

/** A documented answer. An operation or a status that the contract does not have is a compile error. */
export type Answer = {
  [Id in OperationId]: {
    readonly operation: Id;
    readonly status: keyof operations[Id]['responses'];
    /** Name of the example; the generated types do not carry it, so `loadContract` checks it. */
    readonly example: string;
  };
}[OperationId];

export const answers = {
  issued: { operation: 'obtainToken', status: 200, example: 'issued' },
  invalidRequest: { operation: 'obtainToken', status: 400, example: 'invalid-request' },
  unsupportedGrantType: { operation: 'obtainToken', status: 400, example: 'unsupported-grant-type' },
  wrongCredentials: { operation: 'obtainToken', status: 401, example: 'wrong-credentials' },
  tokenNotAcceptable: { operation: 'obtainToken', status: 406, example: 'not-acceptable' },
  tooLarge: { operation: 'obtainToken', status: 413, example: 'too-large' },
  unsupportedMediaType: { operation: 'obtainToken', status: 415, example: 'unsupported-media-type' },

  served: { operation: 'readData', status: 200, example: 'served' },
  missingToken: { operation: 'readData', status: 401, example: 'missing-token' },
  malformedToken: { operation: 'readData', status: 401, example: 'malformed-token' },
  unknownToken: { operation: 'readData', status: 401, example: 'unknown-token' },
  expired: { operation: 'readData', status: 403, example: 'expired' },
  dataNotAcceptable: { operation: 'readData', status: 406, example: 'not-acceptable' },

  healthy: { operation: 'checkHealth', status: 200, example: 'healthy' },
  healthNotAcceptable: { operation: 'checkHealth', status: 406, example: 'not-acceptable' },
} as const satisfies Record<string, Answer>;
