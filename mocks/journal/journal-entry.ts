/** An exchange as it is shown: what the control, the events, the page and a test in process see. */
import type { OperationId } from '../contract/answers.ts';
import { timeText } from '../state/clock.ts';
import type { Exchange } from '../state/journal.ts';
import { type Issued, nameOf, type Standing } from '../state/tokens.ts';
import type { ConnectionOutcome } from '../wire/send.ts';

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
  ended?: Exclude<ConnectionOutcome, undefined>;
  token?: TokenSeen;
  request: {
    accept?: string;
    contentType?: string;
    authorization?: 'bearer' | 'malformed';
    fields?: readonly string[];
  };
  response: { contentType?: string; bytes: number };
}

export interface TokenSeen {
  /** The client's id and the token's number: `acme#3`. */
  name: string;
  standing: Standing;
  ageSeconds: number;
  /** Less than nothing once it has expired. */
  remainingSeconds: number;
}

export function entryOf(exchange: Exchange): Entry {
  const { seq, at, wallAt, duration, method, path, query, status, reason, client, operation } = exchange;
  const { script, ended, issued, standing, clientTime, accept, contentType, authorization, fields } =
    exchange;
  const responseType = exchange.headers['content-type'];
  return {
    seq,
    at: timeText(at),
    wallAt: timeText(wallAt),
    durationMs: Math.round(duration * 1000) / 1000,
    ...(client !== undefined && { client }),
    ...(operation && { operation }),
    method,
    path,
    query,
    status,
    reason,
    ...(script && { script }),
    ...(ended && { ended }),
    ...(issued && standing && { token: tokenSeen(issued, standing, clientTime) }),
    request: {
      ...(accept !== undefined && { accept }),
      ...(contentType !== undefined && { contentType }),
      ...(authorization && { authorization }),
      ...(fields && { fields }),
    },
    response: { bytes: exchange.bytes, ...(responseType !== undefined && { contentType: responseType }) },
  };
}

/** `now` is the client's own time, in milliseconds. */
export function tokenSeen(issued: Issued, standing: Standing, now: number): TokenSeen {
  const { client, issuedAt, expiresAt } = issued;
  return {
    name: nameOf(issued),
    standing,
    ageSeconds: (now - issuedAt) / 1000,
    remainingSeconds: (expiresAt - now - client.skewMs) / 1000,
  };
}
