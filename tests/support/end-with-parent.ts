import { rmSync } from 'node:fs';
import { exitCodes } from './outcome.ts';

/** Whoever started this run and is gone does not want it any more. */
export function endWithParent(): void {
  process.once('disconnect', () => {
    if (process.env.MRS_SCRATCH) rmSync(process.env.MRS_SCRATCH, { recursive: true, force: true });
    process.exit(exitCodes.error);
  });
}
