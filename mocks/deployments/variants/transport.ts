/** Deployments that use HTTP differently. The specification leaves to HTTP what it does not name. */
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { answers } from '../../contract/answers.ts';
import type { Reply } from '../../wire/reply.ts';
import type { Variant } from '../deployment.ts';
import { mapReply } from '../overrides.ts';
import { bytes, empty, headers, json, sequence, status } from '../reply-edits.ts';

const coded = (name: string, compress: (old: Buffer) => Buffer): Variant => ({
  name: `coded-${name}`,
  summary: `sends bodies in the content coding ${name}, unless the client refuses it`,
  override: mapReply((reply, { request }) => {
    // Without the header, any coding may be sent (RFC 9110 section 12.5.3).
    const { 'accept-encoding': accepted = name } = request.headers;
    const isTaken = String(accepted)
      .split(',')
      .some((one) => [name, '*'].includes(one.replace(/;.*/, '').trim()));
    if (reply.bytes.length === 0 || !isTaken) return reply;
    return sequence(bytes(compress), headers({ 'content-encoding': name }))(reply);
  }),
});

const busyOnce = (code: 429 | 503): Variant => ({
  name: `busy-${code}`,
  summary: `answers its first request for data with ${code} and Retry-After, and serves the next`,
  override: (parts) => {
    let busy = true;
    const tell = sequence(
      status(code),
      headers({ 'retry-after': '1' }),
      json(() => ({ error: 'busy' })),
    );
    return mapReply((reply, { expected }) => {
      if (!busy || expected !== answers.served) return reply;
      busy = false;
      return tell(reply);
    })(parts);
  },
});

export const transportVariants: Variant[] = [
  coded('gzip', gzipSync),
  coded('deflate', deflateSync),
  coded('br', brotliCompressSync),
  {
    name: 'chunked',
    summary: 'sends every body in chunks',
    override: mapReply(headers({ 'content-length': undefined })),
  },
  {
    name: 'connection-close',
    summary: 'closes the connection after every answer',
    override: mapReply(headers({ connection: 'close' })),
  },
  {
    name: 'extra-headers',
    summary: 'sends headers that the specification does not name',
    override: mapReply(
      headers({
        'set-cookie': 'session=1; HttpOnly; Secure',
        'strict-transport-security': 'max-age=31536000',
        'x-request-id': '5b1f3c',
        'x-ratelimit-remaining': '59',
        link: '</ods_data/?page=2>; rel="next"',
      }),
    ),
  },
  {
    name: 'odd-header-names',
    summary: 'writes the names of its headers in capitals',
    override: mapReply((reply) => ({ ...reply, headers: capitalised(reply) })),
  },
  {
    name: 'slow',
    summary: 'takes 150 ms for every answer',
    override: mapReply(async (reply) => {
      await sleep(150);
      return reply;
    }),
  },
  {
    name: 'redirects-to-slash',
    summary: 'redirects a path without its trailing slash to the path with it',
    override: mapReply((reply, { expected, request: { url = '' } }) =>
      expected || reply.status !== 404 || url.endsWith('/')
        ? reply
        : sequence(status(308), headers({ location: `${url}/` }), empty)(reply),
    ),
  },
  {
    name: 'base-path',
    summary: 'has a base path',
    override: ({ basePath }) => ({ basePath: `${basePath}/api/v1` }),
  },
  busyOnce(429),
  busyOnce(503),
];

const capitalised = ({ headers: given }: Reply) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toUpperCase(), value]));
