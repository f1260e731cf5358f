/** Deployments that use HTTP differently, or do not answer all requests, or not at once. */
import type { IncomingMessage } from 'node:http';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type AnswerName, form, limit, on, outage, serveRecords } from '../behaviour.ts';
import { all, type Deployment, type Override, UNDECIDED, variantsOf } from '../deployment.ts';
import {
  blockPage,
  bytes,
  type Edit,
  edited,
  empty,
  give,
  headers,
  noContent,
  reset,
  type,
} from '../edits.ts';

const everything = (...edits: Edit[]): Override => on({}, ...edits);

/** In a content coding, unless the client refuses it. Without the header, any may be sent (RFC 9110 section 12.5.3). */
const coded = (name: string, compress: (old: Buffer) => Buffer): Override => {
  const isTaken = ({ headers: { 'accept-encoding': accepted = name } }: IncomingMessage) =>
    String(accepted)
      .split(',')
      .some((one) => [name, '*'].includes(one.replace(/;.*/, '').trim()));
  const edits: Edit = [bytes(compress), headers({ 'content-encoding': name })];
  return everything((reply, moment) =>
    reply.bytes.length === 0 || !isTaken(moment.request) ? reply : edited(reply, edits, moment),
  );
};

const busy = give({ error: 'busy' });
const refusesFirst = (to: AnswerName, code: number, times = 1, ...edits: Edit[]): Override =>
  on({ to, times }, code, busy, ...edits);
const soon = headers({ 'retry-after': '1' });

const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': 'authorization',
};
const quoted: Edit = (reply) =>
  reply.bytes.length > 0 ? type('Application/JSON; Charset="UTF-8"')(reply) : reply;
const slowly: Edit = (reply) => ({ ...reply, delivery: { delay: '150ms' } });

type Which = (known: { request: IncomingMessage }) => boolean;
const lacksSlash: Which = ({ request }) => !request.url?.endsWith('/');
const toSlash: Edit = (reply, moment) =>
  reply.status === 404
    ? edited(reply, [308, headers({ location: `${moment.request.url}/` }), empty], moment)
    : reply;
const isPreflight: Which = ({ request }) => request.method === 'OPTIONS';

const endsTokens = form((fields, client, tokens) => {
  if (fields.get('client_id') === client.id && fields.get('client_secret') !== client.secret)
    tokens.endAll({ client }, 'revoked');
});

/** Refuses a client permanently once so many wrong secrets were sent for it. */
const locksAfter = (most: number): Override => {
  let wrong = 0;
  return form((fields, { id, secret }) => {
    if (fields.get('client_id') !== id) return;
    if (fields.get('client_secret') !== secret) wrong++;
    else if (wrong >= most) fields.set('client_secret', `not ${secret}`);
  });
};

export const httpVariants: readonly Deployment[] = [
  ...variantsOf({
    'coded-gzip: sends bodies in gzip, unless the client refuses it': () => coded('gzip', gzipSync),
    'coded-br: sends bodies in brotli, unless the client refuses it': () => coded('br', brotliCompressSync),
    'charset-quoted: quotes the charset, and writes media types in capitals': () => everything(quoted),
    'slow: takes 150 ms for every answer': () => everything(slowly),
    'redirects-to-slash: redirects a path without its trailing slash': () => on({ if: lacksSlash }, toSlash),
    'base-path: has a base path':
      () =>
      ({ basePath }) => ({ basePath: `${basePath}/api/v1` }),
    'wrong-secret-ends-tokens: ends tokens at a wrong secret': () => all(serveRecords, endsTokens),
    'open-cors: answers OPTIONS as CORS demands': () => on({ if: isPreflight }, noContent, headers(CORS)),
    'busy-429: answers its first read with 429 and Retry-After: 1': () =>
      refusesFirst('served', 429, 1, soon),
    'first-form-503: answers its first two forms with 503': () => refusesFirst('issued', 503, 2),
    'first-form-reset: resets the connection of its first form': () => on({ to: 'issued', nth: 1 }, reset),
    'first-read-500: fails with 500 on its first read': () => refusesFirst('served', 500),
    'limits-all-requests: allows 20 requests in a second': () => limit(20, 1),
    'limits-forms: allows 10 forms in a minute': () => limit(10, 60, { at: 'obtainToken' }),
    'outage-from-1: answers everything with 503 for six seconds, from request 1 on': () =>
      all(serveRecords, outage({ from: 1, ttl: 6 })),
    'outage-from-40: answers everything with 503 for six seconds, from request 40 on': () =>
      all(serveRecords, outage({ from: 40, ttl: 6 })),
    'bans-for-seconds: answers everything with a page and 403 for 8 seconds from request 31 on': () =>
      all(serveRecords, outage({ from: 31, ttl: 8 }, blockPage)),
  }),
  ...variantsOf(
    {
      'down-from-1: answers everything with 503 from request 1 on': () =>
        all(serveRecords, outage({ from: 1 })),
      'bans-with-page: refuses everything with 403 and a page once six bad tokens were sent': () =>
        all(serveRecords, on({ if: ({ count }) => count('unknownToken') >= 6 }, blockPage)),
      'bad-tokens-ban: answers every request for data with 429 once eight bad tokens were sent': () =>
        all(
          serveRecords,
          on({ at: 'readData', if: ({ count }) => count('unknownToken') > 8 }, 429, soon, busy),
        ),
      'locks-after-five-secrets: refuses a client permanently once five wrong secrets were sent for it': () =>
        locksAfter(5),
      'first-read-401: answers its first read with 401': () => refusesFirst('served', 401),
      'first-forms-503: issues no token for eight seconds': () => refusesFirst('issued', 503, 4),
      'evasive-503: answers only the plainest of the requests that it must refuse, and the others with 503':
        () =>
          all(
            serveRecords,
            on({ to: 'unknownToken', from: 3 }, 503),
            on({ to: 'invalidRequest', from: 4 }, 503),
            on({ to: 'unsupportedGrantType', from: 2 }, 503),
            on({ to: 'wrongCredentials', from: 3 }, 503),
          ),
    },
    UNDECIDED,
  ),
];
