/**
 * A token that is accepted after its stated lifetime is sent a few more times. Where it is refused then, the stated
 * lifetime and the deployment differ, and a run cannot know which of them is wrong.
 */
import { endOfWatch } from '../../support/duration.ts';
import type { LateExpiry, Probe } from '../support/evidence.ts';
import { isRefused, isServed } from './sender.ts';

/** An answer, and the ages of the token when the request was sent and when the answer had come. */
export interface Asked {
  probe: Probe;
  sentAtSeconds: number;
  ageSeconds: number;
}

/** How often the token is sent. */
const REQUESTS = 6;

/** The first refusal after `asked`, or the last success; `askAt` sends the token at this age. Another answer ends the watch. */
export async function watchToken(
  asked: Asked,
  lifetimeSeconds: number,
  askAt: (ageSeconds: number) => Promise<Asked>,
): Promise<Asked & { late?: LateExpiry }> {
  const end = endOfWatch(lifetimeSeconds);
  const factor = (end / asked.ageSeconds) ** (1 / REQUESTS);
  let last = asked;
  for (let nth = 1; isServed(last.probe) && last.sentAtSeconds < end; nth++) {
    const next = await askAt(nth < REQUESTS ? asked.ageSeconds * factor ** nth : end);
    if (isRefused(next.probe)) {
      const late = { acceptedSeconds: last.sentAtSeconds, refusedSeconds: next.ageSeconds };
      return { ...next, late };
    }
    // Another answer does not undo that the token was accepted.
    if (!isServed(next.probe)) return last;
    last = next;
  }
  return last;
}
