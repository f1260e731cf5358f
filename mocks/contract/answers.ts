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

/** An answer whose example may be named after its condition. */
const answer = <Id extends OperationId, Status extends Extract<Answer, { operation: Id }>['status']>(
  operation: Id,
  status: Status,
  when: string,
  example = when,
) => ({ operation, status, example, when });

export const answers = {
  issued: answer('obtainToken', 200, 'valid-credentials', 'issued'),
  invalidRequest: answer('obtainToken', 400, 'malformed-request', 'invalid-request'),
  unsupportedGrantType: answer('obtainToken', 400, 'other-grant-type', 'unsupported-grant-type'),
  wrongCredentials: answer('obtainToken', 401, 'wrong-credentials'),
  tokenNotAcceptable: answer('obtainToken', 406, 'not-acceptable'),
  tooLarge: answer('obtainToken', 413, 'too-large'),
  tokenRateLimited: answer('obtainToken', 429, 'rate-limited'),
  unsupportedMediaType: answer('obtainToken', 415, 'other-media-type', 'unsupported-media-type'),
  served: answer('readData', 200, 'valid-token', 'served'),
  missingToken: answer('readData', 401, 'missing-token'),
  malformedToken: answer('readData', 401, 'malformed-token'),
  unknownToken: answer('readData', 401, 'unknown-token'),
  expired: answer('readData', 403, 'expired-token', 'expired'),
  insufficientScope: answer('readData', 403, 'insufficient-scope'),
  dataRateLimited: answer('readData', 429, 'rate-limited'),
  dataNotAcceptable: answer('readData', 406, 'not-acceptable'),
  healthy: answer('checkHealth', 200, 'any-request', 'healthy'),
  healthNotAcceptable: answer('checkHealth', 406, 'not-acceptable'),
} as const satisfies Record<string, Answer>;
