/** The end of a run that a user asks for, by Ctrl-C or a signal. */

/** Aborted by the first signal that asks this program to end; the second ends it at once. */
export function interruption(): AbortSignal {
  const interrupted = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => {
      interrupted.abort();
      process.once(signal, () => process.exit(130));
    });
  return interrupted.signal;
}
