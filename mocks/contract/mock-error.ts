/** Something about the mock's options or contract that its user can put right. The message is a sentence. */
export class MockError extends Error {
  override name = 'MockError';
}
