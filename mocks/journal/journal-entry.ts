/** An exchange as the control API, the events, the page and a test in the same process see it. */
import type { Entry, TokenStatus, TokenView } from '../contract/control-types.ts';
import { timeText } from '../state/clock.ts';
import type { Exchange } from '../state/journal.ts';
import { type IssuedToken, nameOf } from '../state/tokens.ts';

export function entryOf(exchange: Exchange): Entry {
  const { client, operation, script, ended, issued, tokenStatus, accept, contentType } = exchange;
  const { authorization, fields } = exchange;
  const responseType = exchange.headers['content-type'];
  return {
    seq: exchange.seq,
    at: timeText(exchange.at),
    wallAt: timeText(exchange.wallAt),
    durationMs: Math.round(exchange.duration * 1000) / 1000,
    ...(client !== undefined && { client }),
    ...(operation && { operation }),
    method: exchange.method,
    path: exchange.path,
    query: exchange.query,
    status: exchange.status,
    reason: exchange.reason,
    ...(script && { script }),
    ...(ended && { ended }),
    ...(issued && tokenStatus && { token: tokenView(issued, tokenStatus, exchange.clientTime) }),
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
