/** An exchange as it is shown: what the control, the events, the page and a test in process see. */
import type { Entry, TokenView } from '../contract/control-types.ts';
import { timeText } from '../state/clock.ts';
import type { Exchange } from '../state/journal.ts';
import { type IssuedToken, nameOf, type TokenStatus } from '../state/tokens.ts';

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
    ...(issued && standing && { token: tokenView(issued, standing, clientTime) }),
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
export function tokenView(issued: IssuedToken, standing: TokenStatus, now: number): TokenView {
  const { client, issuedAt, expiresAt } = issued;
  return {
    name: nameOf(issued),
    standing,
    ageSeconds: (now - issuedAt) / 1000,
    remainingSeconds: (expiresAt - now - client.skewMs) / 1000,
  };
}
