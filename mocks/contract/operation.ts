/** What a contract offers and what it assumes: the part that users of the package see. */
import type { OperationId } from './answers.ts';

/** The members of a path that are operations (OpenAPI 3.1 section 4.8.9). */
export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export interface Operation {
  id: OperationId;
  /** In capitals, as on the wire. */
  method: string;
  path: string;
  summary: string;
}

/** A choice that the mock makes where the specification is open: an `x-assumption` of the contract. */
export interface Assumption {
  /** Id of the open point. */
  answers: string;
  choice: string;
  reason: string;
}
