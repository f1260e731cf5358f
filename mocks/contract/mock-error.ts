/** A problem with the mock's options or contract that the user can fix. The message is a sentence. */
export class MockError extends Error {
  override name = 'MockError';
}
