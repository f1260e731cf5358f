/** Something the person who runs the program can put right. Its message is printed alone; the exit code is 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}
