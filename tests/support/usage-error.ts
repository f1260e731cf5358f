/** A mistake that the user can correct. Only its message is printed; the exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}
