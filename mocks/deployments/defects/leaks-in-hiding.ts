/** Deployments that give the data away in a form that hides it. */
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import { combine, mapReply, mapReplyTo } from '../overrides.ts';
import { body, bytes, type Change, headers, json, mediaType, sequence, toLoginPage } from '../reply-edits.ts';
import { responseOf, watchResponses } from '../response-of.ts';
import { servedRecords, serveRecords } from '../served-records.ts';
import { expired, leak, missing, serve, unknown } from './leak.ts';

const text = (type: string, content: string): Change => sequence(mediaType(type), body(content));
const [first] = servedRecords;
const asJson = JSON.stringify(servedRecords);
const asTable = servedRecords
  .map((one) => `<tr><td>${Object.values(one).join('</td><td>')}</td></tr>`)
  .join('');
const identifiers = servedRecords.map(({ request_id }) => request_id);

const MANY = Array.from({ length: 6000 }, (_, nth) => ({
  request_id: `mr-${(nth * 7919).toString(16)}`,
  lower_hz: 1_400_000_000 + nth * 3571,
}));

export const leaksInHiding: readonly Defect[] = [
  leak(
    'last-records',
    missing,
    401,
    'as far as the last of many records go',
    json((error) => ({ ...error, recent: MANY.slice(-3).map(({ request_id }) => request_id) })),
    serve(MANY),
  ),
  {
    ...leak(
      'in-health-too',
      missing,
      401,
      'there and in its health check',
      json((error) => ({ ...error, ods_data: servedRecords })),
    ),
    override: combine(
      serveRecords,
      mapReplyTo(
        [answers.missingToken, answers.healthy],
        json((own) => ({ ...own, ods_data: servedRecords })),
      ),
    ),
  },
  leak(
    'cookie',
    expired,
    403,
    'in a cookie',
    headers({ 'set-cookie': `last=${encodeURIComponent(JSON.stringify(first))}; Path=/; HttpOnly` }),
  ),
  leak(
    'location',
    missing,
    302,
    'in the address of a redirect',
    sequence(
      toLoginPage,
      headers({ location: `/login?resume=${encodeURIComponent(JSON.stringify(first))}` }),
    ),
  ),
  leak(
    'utf-16',
    expired,
    403,
    'in UTF-16',
    sequence(
      bytes(() => Buffer.from(asJson, 'utf16le')),
      mediaType('text/plain; charset=utf-16le'),
    ),
  ),
  leak(
    'hexadecimal',
    missing,
    401,
    'in hexadecimal',
    json((error) => ({ ...error, dump: Buffer.from(asJson).toString('hex') })),
  ),
  leak(
    'gzip-file',
    missing,
    200,
    'as a compressed file',
    sequence(
      bytes(() => gzipSync(asJson)),
      mediaType('application/gzip'),
    ),
  ),
  leak(
    'after-two-mebibytes',
    missing,
    200,
    'after two mebibytes of markup',
    text('text/html', `<!-- ${'x'.repeat(2 ** 21)} --><table>${asTable}</table>`),
  ),
  sent('reason', 'in the reason phrase', (response) => {
    response.statusMessage = `Not for ${servedRecords.map(({ request_id }) => request_id).join(' and ')}`;
  }),
  sent('early-hints', 'in an interim response', (response) => {
    response.writeEarlyHints({
      link: servedRecords.map(({ request_id }) => `</${request_id}>; rel=preload`),
    });
  }),
  sent(
    'trailer',
    'in a trailer',
    (response) => response.addTrailers({ 'x-cached': asJson }),
    headers({ 'content-length': undefined, trailer: 'x-cached' }),
  ),
  leak('etag', unknown, 401, 'in an entity tag', headers({ etag: `"${identifiers.join('.')}"` })),
  leak(
    'twice-base64',
    missing,
    401,
    'in base64 of base64',
    json((error) => ({
      ...error,
      dump: Buffer.from(Buffer.from(asJson).toString('base64')).toString('base64'),
    })),
  ),
  leak(
    'grouped-digits',
    missing,
    401,
    'as numbers with commas between their digits',
    json((error) => ({
      ...error,
      bands: servedRecords.map(({ lower_hz }) => lower_hz.toLocaleString('en')),
    })),
  ),
];

/** Gives the data away through the response object, in the refusal of a missing token. */
function sent(
  name: string,
  summary: string,
  give: (response: ServerResponse) => void,
  change = headers({}),
): Defect {
  return {
    ...leak(name, missing, 401, summary, change),
    override(parts) {
      watchResponses();
      return combine(
        serveRecords,
        mapReply((reply, { request, expected }) => {
          if (expected !== answers.missingToken || request.method === 'HEAD') return reply;
          give(responseOf(request));
          return change(reply);
        }),
      )(parts);
    },
  };
}
