/** The end of a run that a user asks for, by Ctrl-C or a signal. */

/**
 * Aborted by the first signal that asks this program to end, with the beginning of a sentence as its reason; the second
 * ends it at once.
 */
export function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      interrupted.abort(new Error('Interrupted'));
      process.once(signal, () => process.exit(130));
    });
  return interrupted.signal;
}
