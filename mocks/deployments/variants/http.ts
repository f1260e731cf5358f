/** Deployments that use HTTP differently, or do not answer all requests, or not at once. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type {} from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type AnswerName, form, instead, limit, on, outage, serveRecords } from '../behaviour.ts';
import { all, type Override, type Variant, variantsOf } from '../deployment.ts';
import {
  blockPage,
  body,
  bytes,
  type Edit,
  edited,
  empty,
  give,
  headers,
  noContent,
  raw,
  reset,
  trailers,
  type,
  withoutLength,
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
const busyOnce = (to: AnswerName, code: number, after: string): Override =>
  on({ to, nth: 1 }, code, headers({ 'retry-after': after }), busy);

const LINK = { link: '</style.css>; rel=preload; as=style' };
const CORS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, OPTIONS',
  'access-control-allow-headers': 'authorization',
};
const quoted: Edit = (reply) =>
  reply.bytes.length > 0 ? type('Application/JSON; Charset="UTF-8"')(reply) : reply;
const slowly: Edit = async (reply) => {
  await sleep(150);
  return reply;
};
const lacksSlash: Which = ({ request }) => !request.url?.endsWith('/');
const toSlash: Edit = (reply, moment) =>
  reply.status === 404
    ? edited(reply, [308, headers({ location: `${moment.request.url}/` }), empty], moment)
    : reply;
const hints = raw((response) => response.writeEarlyHints(LINK));
const untilClose = (response: ServerResponse) => {
  response.useChunkedEncodingByDefault = false;
  response.shouldKeepAlive = false;
};

const endsTokens = form((fields, client, tokens) => {
  if (fields.get('client_id') === client.id && fields.get('client_secret') !== client.secret)
    tokens.endAll({ client }, 'revoked');
});

type Which = (known: { request: IncomingMessage }) => boolean;
const asks =
  (target: RegExp): Which =>
  ({ request: { method, url } }) =>
    target.test(`${method} ${url}`);

/** What was refused after a ban cannot be judged. */
const UNJUDGED = ['MRS-1.3', 'MRS-4.1f', 'MRS-4.1h', 'MRS-4.1i', 'MRS-4.1j', 'MRS-5.5a', 'MRS-5.5b'];
const banned = (edit: Edit): Override => on({ if: ({ count }) => count('unknownToken') >= 6 }, edit);

const evasive = (code: number): Override =>
  all(
    serveRecords,
    on({ to: 'unknownToken', from: 3 }, code),
    on({ to: 'invalidRequest', from: 4 }, code),
    on({ to: 'unsupportedGrantType', from: 2 }, code),
    on({ to: 'wrongCredentials', from: 3 }, code),
  );

const downFrom = (from: number, name: string, period: string, seconds: number): Variant[] =>
  variantsOf(
    {
      [`${name}-from-${from}: answers everything with 503 ${period}from request ${from} on`]: () =>
        all(serveRecords, outage(from, seconds)),
    },
    name === 'down' || from < 20 ? { mayNotRun: true } : {},
  );

export const httpVariants: readonly Variant[] = [
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
    'interim-103: sends 103 Early Hints before each answer': () => everything(hints),
    'trailers: sends trailers': () =>
      everything(trailers({ 'server-timing': 'total;dur=1.5', 'x-node': 'a' })),
    'until-close: ends bodies with their connection': () => everything(raw(untilClose), withoutLength),
    'open-all-reset: resets HEAD, OPTIONS, and a path without its slash': () =>
      on({ if: asks(/^((HEAD|OPTIONS) .*\/ods_data\/|.*\/ods_data)$/) }, reset),
    'routes-by-original-url: answers what X-Original-URL names': () =>
      on(
        { if: ({ request }) => request.headers['x-original-url'] !== undefined },
        200,
        give({ status: 'ok' }),
      ),
    'resets-forwarded: resets requests that say for whom they are forwarded': () =>
      all(serveRecords, on({ if: ({ request }) => request.headers['x-forwarded-for'] !== undefined }, reset)),
    'open-cors: answers OPTIONS as CORS demands': () =>
      on({ if: asks(/^OPTIONS .*\/ods_data\/$/) }, noContent, headers(CORS)),
    'resets-from-40: resets connections for six seconds from request 40 on': () =>
      all(serveRecords, outage(40, 6, reset)),

    'busy-429: answers its first read with 429 and Retry-After: 1': () => busyOnce('served', 429, '1'),
    'busy-429-token: answers its first form with 429 and Retry-After: 1': () => busyOnce('issued', 429, '1'),
    'first-form-503: answers its first two forms with 503': () => on({ to: 'issued', upTo: 2 }, 503, busy),
    'first-form-reset: resets the connection of its first form': () => on({ to: 'issued', nth: 1 }, reset),
    'limits-all-requests: allows 20 requests in a second': () => limit(20, 1),
    'limits-forms: allows 10 forms in a minute': () => limit(10, 60, { at: 'obtainToken' }),
    'limits-forms-silently: allows 10 forms in a minute, and does not say when it answers others': () =>
      all(limit(10, 60, { at: 'obtainToken' }), on({}, headers({ 'retry-after': undefined }))),
  }),
  ...variantsOf(
    {
      'bans-with-429: refuses everything with 429 once six bad tokens were sent': () =>
        all(serveRecords, banned([429, body('{"error":"banned"}')])),
    },
    { cannotRun: UNJUDGED },
  ),
  ...variantsOf(
    {
      'bans-with-page: refuses everything with 403 and a page once six bad tokens were sent': () =>
        all(serveRecords, banned(blockPage)),
    },
    { cannotRun: [...UNJUDGED, 'MRS-4.1e', 'MRS-4.1g'] },
  ),
  ...variantsOf(
    {
      'locks-after-five-secrets: refuses a client permanently once five wrong secrets were sent for it':
        () => {
          let wrong = 0;
          return form((fields, { id, secret }) => {
            if (fields.get('client_id') !== id) return;
            if (fields.get('client_secret') !== secret) wrong++;
            else if (wrong >= 5) fields.set('client_secret', `not ${secret}`);
          });
        },
    },
    { cannotRun: ['MRS-4.1e', 'MRS-4.1f', 'MRS-4.1g', 'MRS-4.1h', 'MRS-4.1i', 'MRS-4.1j'] },
  ),
  ...variantsOf({
    'first-read-500: fails with 500 on its first read': () => on({ to: 'served', nth: 1 }, 500, busy),
    'bans-for-seconds: answers everything with a page and 403 for 8 seconds from request 31 on': () =>
      all(serveRecords, outage(31, 8, blockPage)),
  }),
  ...variantsOf(
    {
      'first-read-401: answers its first read with 401': () => on({ to: 'served', nth: 1 }, 401, busy),
      'first-read-404: answers its first read with 404': () => on({ to: 'served', nth: 1 }, 404, busy),
    },
    { cannotRun: ['MRS-4.2a'] },
  ),
  ...variantsOf(
    {
      'first-forms-503: issues no token for eight seconds': () => on({ to: 'issued', upTo: 4 }, 503, busy),
    },
    { cannotRun: ['MRS-5.3b', 'MRS-5.6a', 'MRS-5.6b', 'MRS-7a'] },
  ),
  ...variantsOf(
    {
      'bad-tokens-ban: answers every request for data with 429 once eight bad tokens were sent': () =>
        all(
          serveRecords,
          instead({ at: 'readData', if: ({ count }) => count('unknownToken') > 8 }, 'dataRateLimited'),
        ),
    },
    { cannotRun: ['MRS-1.3', 'MRS-5.5a', 'MRS-5.5b'] },
  ),
  ...[503, 429].flatMap((code) =>
    variantsOf(
      {
        [`evasive-${code}: answers only the plainest of the requests that it must refuse, and the others with ${code}`]:
          () => evasive(code),
      },
      { cannotRun: UNJUDGED.slice(1) },
    ),
  ),
  ...[1, 40].flatMap((from) => downFrom(from, 'outage', 'for six seconds, ', 6)),
  ...[1, 20, 40, 60].flatMap((from) => downFrom(from, 'down', '', Number.POSITIVE_INFINITY)),
];
