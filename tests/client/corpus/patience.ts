/** How long clients wait for an answer. */
import type { Clock } from '../../support/clock.ts';

/** Of an answer that takes too long. */
export const TOO_LATE = 'no answer in time';

/** Of a wait that is over; the default reason would take the time to note the stack. */
const DONE = 'done';

/** Aborts what it does when `signal` is aborted, or when it has taken too long. */
export async function withPatience<Result>(
  { clock, milliseconds, signal }: { clock: Clock; milliseconds: number; signal: AbortSignal },
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  signal.throwIfAborted();
  const given = new AbortController();
  const done = new AbortController();
  const stop = () => given.abort(signal.reason);
  signal.addEventListener('abort', stop);
  clock.sleep(milliseconds, done.signal).then(
    () => given.abort(new Error(TOO_LATE)),
    () => {}, // it was done
  );
  try {
    return await act(given.signal);
  } finally {
    signal.removeEventListener('abort', stop);
    done.abort(DONE);
  }
}
