import { exitCodes } from './report/report.ts';

/** Whoever started this run and is gone does not want it any more. */
export function endWithParent(): void {
  process.once('disconnect', () => process.exit(exitCodes.error));
}
