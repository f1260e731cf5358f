/** The end of a run that a user asks for, by Ctrl-C or a signal. */

import { INTERRUPTED } from '../tests/support/clock.ts';

/** npx passes on the Ctrl-C that the terminal sends to both: within this time, that is one wish. */
const ONE_WISH_MS = 1000;

/**
 * Aborted by the first signal that asks this program to end, with the beginning of a sentence as its reason; a later one ends it
 * at once.
 */
export function interruption(): AbortSignal {
  const interrupted = new AbortController();
  let firstMs = Number.POSITIVE_INFINITY;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // On a busy machine, it may be heard only when the report is written.
      if (performance.now() > firstMs + ONE_WISH_MS) process.exit(process.exitCode ?? 130);
      firstMs = Math.min(firstMs, performance.now());
      interrupted.abort(new Error(INTERRUPTED));
    });
  return interrupted.signal;
}
