/** The journal as a HAR 1.2 log, which browsers' developer tools can open. */
import type { Entry, Har, PostData } from 'har-format';
import type { Exchange } from './exchange.ts';
import { type IssuedToken, nameOf } from './tokens.ts';

/** Response headers that are shown; others could hold what only the client may know. */
const SHOWN = new Set([
  'content-type',
  'content-length',
  'cache-control',
  'www-authenticate',
  'allow',
  'retry-after',
]);

/** `origin` is the mock's address; `version` is the package's. Secrets and tokens are named, not shown. */
export function harOf(exchanges: readonly Exchange[], origin: string, version: string): Har {
  return {
    log: {
      version: '1.2',
      creator: { name: 'mrs mock', version },
      entries: exchanges.map((exchange) => ({
        ...harEntry(exchange, origin),
        _misplaced: exchange.leaks,
        comment: commentOn(exchange, [`${new Date(exchange.at).toISOString()} on the mock's clock`]),
      })),
    },
  };
}

/** One exchange; `origin` is that of its address. */
export function harEntry(exchange: Exchange, origin: string): Entry {
  const { seq, wallAt, duration, method, path, query, status, bytes, ended } = exchange;
  const time = Math.round(duration * 1000) / 1000;
  const headers = Object.entries(exchange.headers).filter(([name]) => SHOWN.has(name.toLowerCase()));
  return {
    _seq: seq,
    startedDateTime: new Date(wallAt).toISOString(),
    time,
    request: {
      method,
      url: `${origin}${path.replace(/^(?!\/)/, '/')}${query.length > 0 ? `?${query.map(encodeURIComponent).join('&')}` : ''}`,
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: requestHeaders(exchange),
      queryString: query.map((name) => ({ name, value: HIDDEN })),
      ...(exchange.fields && { postData: postData(exchange) }),
      headersSize: -1,
      bodySize: -1,
    },
    response: {
      status: ended === 'reset' ? 0 : status,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      cookies: [],
      headers: headers.map(([name, value]) => ({ name, value })),
      content: {
        size: bytes,
        mimeType: exchange.headers['content-type'] ?? '',
        ...contentOf(exchange),
      },
      redirectURL: '',
      headersSize: -1,
      bodySize: bytes,
    },
    cache: {},
    timings: { send: 0, wait: time, receive: 0 },
    comment: commentOn(exchange),
  };
}

const commentOn = ({ seq, reason, issued, ended }: Exchange, more: readonly string[] = []): string =>
  [
    `exchange ${seq}: ${reason}`,
    ...(issued ? [`token ${nameOf(issued)}`] : []),
    ...more,
    ...(ended ? [ended] : []),
  ].join(', ');

/** In the place of a value that is secret, or may be. */
export const HIDDEN = '‹not kept›';

/** In the place of a path, as a whole. */
export const HIDDEN_PATH = '/‹…›';

/** In the place of a token; a bearer token has no spaces, which the id of a client may have. */
export const labelOf = (issued: IssuedToken): string =>
  `‹${nameOf(issued).replace(/\s/g, (space) => encodeURIComponent(space))}›`;

function requestHeaders(exchange: Exchange): { name: string; value: string }[] {
  const { accept, contentType, authorization, issued, operation } = exchange;
  const bearer = `Bearer ${issued && operation === 'readData' ? labelOf(issued) : '‹unknown›'}`;
  return Object.entries({
    accept,
    'content-type': contentType,
    authorization: authorization && (authorization === 'bearer' ? bearer : HIDDEN),
  }).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

function postData({ contentType = '', fields = [], client }: Exchange): PostData {
  const value = (name: string) => (name === 'client_id' && client !== undefined ? client : HIDDEN);
  return { mimeType: contentType, params: fields.map((name) => ({ name, value: value(name) })) };
}

function contentOf({ reason, issued, body }: Exchange): { text?: string; comment?: string } {
  if (body) return { text: new TextDecoder().decode(body) };
  if (reason === 'issued' && issued) return { text: JSON.stringify({ token: labelOf(issued) }) };
  return { comment: 'The journal does not keep this body.' };
}
