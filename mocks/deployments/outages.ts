/** A deployment that is out of order from some request on. */

import type { Override } from './deployment.ts';
import { mapReply } from './overrides.ts';
import { body, sequence, status } from './reply-edits.ts';

/** The requests from which on: each tenth of a run. */
export const OUTAGES = [1, 10, 20, 30, 40, 50, 60, 70] as const;

/** From this request on, answers everything with 503 for so many seconds of its clock, or resets each connection. */
export const outage =
  (from: number, seconds: number, by: 503 | 'reset' = 503): Override =>
  (parts) => {
    const { now } = parts.state.clock;
    let [nth, endMs] = [0, Number.NaN];
    return mapReply((reply, { request }) => {
      if (++nth === from) endMs = now() + seconds * 1000;
      if (!(now() < endMs)) return reply;
      if (by === 'reset') request.socket.resetAndDestroy();
      return by === 'reset' ? reply : sequence(status(503), body('{"error":"maintenance"}'))(reply);
    })(parts);
  };
