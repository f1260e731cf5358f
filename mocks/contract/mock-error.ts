/** A problem with the mock's options or contract that the user can fix. The message is a sentence. */
export class MockError extends Error {
  override name = 'MockError';
}

/** Why replicas that share a token key refuse something: the others would not know of it. `what` is its subject. */
export const oneReplica = (what: string): string =>
  `Several replicas may serve this address, and ${what} would be of only one of them: start one mock without a token key for this.`;
