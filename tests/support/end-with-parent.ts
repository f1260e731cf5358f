import { exitCodes } from './outcome.ts';

/** Ends this process when the one that started it is gone, after `cleanUp`: no one waits for the result any more. */
export function endWithParent(cleanUp: () => void): void {
  process.once('disconnect', () => {
    cleanUp();
    process.exit(exitCodes.error);
  });
}
