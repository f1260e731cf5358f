/** An exchange as it is shown: what the control, the events, the page and a test in process see. */
import type { OperationId } from './answers.ts';
import type { Exchange } from './journal.ts';
import type { Standing } from './tokens.ts';

export interface Entry {
  /** Counts from 1, in the order in which exchanges ended. */
  seq: number;
  /** When the request was judged, on the mock's clock (RFC 3339). */
  at: string;
  /** When it was, on the machine's. */
  wallAt: string;
  durationMs: number;
  client?: string;
  operation?: OperationId;
  method: string;
  path: string;
  query: readonly string[];
  status: number;
  reason: string;
  script?: readonly number[];
  ended?: Exchange['ended'];
  token?: { name: string; standing: Standing; ageSeconds: number; remainingSeconds: number };
  request: Exchange['request'];
  response: { contentType?: string; bytes: number };
}

export function entryOf({ seq, at, wallAt, duration, token, response, ...rest }: Exchange): Entry {
  const contentType = response.headers['content-type'];
  return {
    seq,
    at: timeText(at),
    wallAt: timeText(wallAt),
    durationMs: Math.round(duration * 1000) / 1000,
    ...rest,
    ...(token && {
      token: {
        name: token.name,
        standing: token.standing,
        ageSeconds: token.age / 1000,
        remainingSeconds: token.remaining / 1000,
      },
    }),
    response: { bytes: response.bytes, ...(contentType !== undefined && { contentType }) },
  };
}

export const timeText = (milliseconds: number): string => new Date(milliseconds).toISOString();
