/** CORS, by which a browser lets a page of another origin call the API (Fetch standard, section 3.3). */
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Reply } from './reply.ts';
import type { HeaderList } from './send.ts';

/** Whether the request says that it comes from a page: browsers send `Origin`, and other clients do not. */
const isFromPage = ({ origin }: IncomingHttpHeaders): boolean => origin !== undefined;

/** Whether a reply to this request gets CORS_HEADERS: a script or a variant may have its own. */
export const mayAllow = (headers: IncomingHttpHeaders, reply: Reply): boolean =>
  isFromPage(headers) && !('access-control-allow-origin' in reply.headers);

/** A browser asks what it may send before it sends it. */
export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && isFromPage(headers) && 'access-control-request-method' in headers;

/** Added to each answer to a page. The API takes no cookies, so that any origin may read it. */
export const CORS_HEADERS: HeaderList = [
  'access-control-allow-origin',
  '*',
  'access-control-expose-headers',
  '*',
];

/** What a page may send; `allow` are the methods of the path. */
export function preflightReply({ headers }: IncomingMessage, allow: string): Reply {
  const names = headers['access-control-request-headers'];
  return {
    status: 204,
    headers: {
      'access-control-allow-methods': allow,
      // Those that it asks for, since `*` would leave out Authorization.
      ...(names !== undefined && NAMES.test(names) && { 'access-control-allow-headers': names }),
      'access-control-max-age': '600',
    },
    bytes: Buffer.alloc(0),
  };
}

const NAMES = /^[\w, -]{1,500}$/;
