/** Deployments that use HTTP differently. The specification leaves to HTTP what it does not name. */
import { setTimeout as sleep } from 'node:timers/promises';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { type Answer, answers } from '../../contract/answers.ts';
import type { Reply } from '../../http.ts';
import type { Variant } from '../deployment.ts';
import { combine, mapForm, mapOperation, mapReply } from '../overrides.ts';
import { bytes, empty, headers, json, sequence, status } from '../reply-edits.ts';
import { serveRecords } from '../served-records.ts';

const coded = (name: string, compress: (old: Buffer) => Buffer, kind = ''): Variant => ({
  name: `coded-${kind}${name}`,
  summary: `sends bodies in the content coding ${kind && 'raw '}${name}, unless the client refuses it`,
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

const busyOnce = (
  code: 429 | 503,
  after = '1',
  name = `busy-${code}`,
  to: Answer = answers.served,
): Variant => ({
  name,
  summary: `answers its first ${to === answers.served ? 'request for data' : 'form'} with ${code} and Retry-After: ${after}`,
  override: (parts) => {
    let busy = true;
    const tell = sequence(
      status(code),
      headers({ 'retry-after': after }),
      json(() => ({ error: 'busy' })),
    );
    return mapReply((reply, { expected }) => {
      if (!busy || expected !== to) return reply;
      busy = false;
      return tell(reply);
    })(parts);
  },
});

/** Answers more than this number of requests in a second of the mock's clock with 429. */
const limited = (name: string, to: Answer, perSecond: number): Variant => ({
  name: `limits-${name}`,
  summary: `answers more than ${perSecond} ${name.replace('-', ' ')} in a second with 429 and Retry-After`,
  override(parts) {
    const { now } = parts.state.clock;
    const served: number[] = [];
    const refuse = sequence(
      status(429),
      headers({ 'retry-after': '1' }),
      json(() => ({ error: 'slow_down' })),
    );
    return mapReply((reply, { expected }) => {
      if (expected !== to) return reply;
      if (now() - (served.at(-perSecond) ?? Number.NEGATIVE_INFINITY) < 1000) return refuse(reply);
      served.push(now());
      return reply;
    })(parts);
  },
});

export const transportVariants: Variant[] = [
  coded('gzip', gzipSync),
  coded('deflate', deflateSync),
  coded('deflate', deflateRawSync, 'raw-'),
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
  busyOnce(429, '0', 'busy-429-until-now'),
  busyOnce(429, '1', 'busy-429-token', answers.issued),
  busyOnce(503, '0', 'busy-503-token', answers.issued),
  {
    name: 'locks-after-five-secrets',
    summary: 'refuses a client permanently once five wrong secrets were sent for it',
    override: (parts) => {
      let wrong = 0;
      return mapForm((form, { id, secret }) => {
        if (form.get('client_id') !== id) return;
        if (form.get('client_secret') !== secret) wrong++;
        else if (wrong >= 5) form.set('client_secret', `not ${secret}`);
      })(parts);
    },
  },
  limited('token-requests', answers.issued, 2),
  limited('data-requests', answers.served, 2),
  {
    name: 'bad-tokens-ban',
    summary: 'answers every request for data with 429 once eight bad tokens were sent',
    cannotRun: ['MRS-1.3', 'MRS-5.5a', 'MRS-5.5b'],
    override: combine(serveRecords, ({ selectAnswer }) => {
      let bad = 0;
      return {
        selectAnswer(call) {
          const own = selectAnswer(call);
          if (own === answers.unknownToken) bad++;
          return call.kind === 'data' && bad > 8 ? answers.dataRateLimited : own;
        },
      };
    }),
  },
  {
    name: 'wrong-secret-ends-tokens',
    summary: 'ends the tokens of a client when a wrong secret is sent for it',
    override: combine(serveRecords, (parts) =>
      mapForm((form, client) => {
        if (form.get('client_id') === client.id && form.get('client_secret') !== client.secret)
          parts.tokens.endAll({ client }, 'revoked');
      })(parts),
    ),
  },
  {
    name: 'health-refuses-tokens',
    summary: 'answers a health check with a token with 400',
    override: mapOperation(
      'checkHealth',
      status(400),
      ({ headers: { authorization } }) => authorization !== undefined,
    ),
  },
  {
    name: 'charset-quoted',
    summary: 'quotes the charset of its media types, and writes them in capitals',
    override: mapReply((reply) =>
      reply.bytes.length > 0
        ? headers({ 'content-type': 'Application/JSON; Charset="UTF-8"' })(reply)
        : reply,
    ),
  },
];

const capitalised = ({ headers: given }: Reply) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toUpperCase(), value]));
