/** The conditions of the contract that open points leave to a deployment, each with its answer unknown. */

export interface Condition {
  operation: string;
  when: string;
  answers: string;
  /** The request, as the beginning of a sentence. */
  what: string;
}

export const CONDITIONS: readonly Condition[] = [
  { operation: 'readData', when: 'valid-token', answers: 'MRS-4.2g', what: 'A request for the data' },
  { operation: 'readData', when: 'missing-token', answers: 'MRS-7e', what: 'A request without a token' },
  {
    operation: 'readData',
    when: 'malformed-token',
    answers: 'MRS-7f',
    what: 'A bearer header without a token',
  },
  { operation: 'readData', when: 'unknown-token', answers: 'MRS-7f', what: 'A token that was never issued' },
  { operation: 'readData', when: 'expired-token', answers: 'MRS-7c', what: 'An expired token' },
  {
    operation: 'obtainToken',
    when: 'wrong-credentials',
    answers: 'MRS-7g',
    what: 'A form with wrong credentials',
  },
  {
    operation: 'obtainToken',
    when: 'malformed-request',
    answers: 'MRS-7d',
    what: 'A form that lacks a field',
  },
  {
    operation: 'obtainToken',
    when: 'other-grant-type',
    answers: 'MRS-7d',
    what: 'A form with another grant_type',
  },
  { operation: 'obtainToken', when: 'rate-limited', answers: 'MRS-8a', what: 'A client that asks too often' },
  {
    operation: 'readData',
    when: 'rate-limited',
    answers: 'MRS-8a',
    what: 'A client that asks for the data too often',
  },
];
