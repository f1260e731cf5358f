/** Waits for something to be seen in what a mock records. */

/** How often it looks. */
const LOOK_MS = 100;

export interface Limits {
  /** In milliseconds of `now`; without it, as long as it takes. */
  deadline?: number;
  /** Default: performance.now(). */
  now?: () => number;
  /** Ends the wait early. */
  signal?: AbortSignal;
}

/** Looks at once and then again and again, until `look` returns something; undefined if time is up before. */
export async function poll<Result>(
  look: () => Result | undefined,
  { deadline = Number.POSITIVE_INFINITY, now = () => performance.now(), signal }: Limits,
): Promise<Result | undefined> {
  for (;;) {
    const result = look();
    if (result !== undefined) return result;
    if (signal?.aborted || now() > deadline) return undefined;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
