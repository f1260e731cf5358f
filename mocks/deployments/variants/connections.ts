/** Deployments that use connections and messages in ways that HTTP/1.1 permits and few servers use. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Variant } from '../deployment.ts';
import { mapReply } from '../overrides.ts';
import { headers } from '../reply-edits.ts';
import { responseOf, watchResponses } from '../response-of.ts';

/** Does something with each response before its reply is sent. */
const before = (
  name: string,
  summary: string,
  prepare: (response: ServerResponse, request: IncomingMessage) => void,
  change = headers({}),
): Variant => ({
  name,
  summary,
  override(parts) {
    watchResponses();
    return mapReply((reply, { request }) => {
      prepare(responseOf(request), request);
      return change(reply);
    })(parts);
  },
});

const withoutLength = headers({ 'content-length': undefined });

export const connectionVariants: readonly Variant[] = [
  before('interim-100', 'sends 100 Continue unasked before each answer', (response) =>
    response.writeContinue(),
  ),
  before('interim-102', 'sends 102 Processing before each answer', (response) => response.writeProcessing()),
  before('interim-103', 'sends 103 Early Hints before each answer', (response) =>
    response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' }),
  ),
  before('interim-several', 'sends several interim responses before each answer', (response) => {
    response.writeProcessing();
    response.writeProcessing();
    response.writeEarlyHints({ link: '</style.css>; rel=preload; as=style' });
  }),
  {
    name: 'trailers',
    summary: 'sends trailers after each body',
    override(parts) {
      watchResponses();
      return mapReply((reply, { request }) => {
        if (request.method === 'HEAD' || reply.bytes.length === 0) return reply;
        responseOf(request).addTrailers({ 'server-timing': 'total;dur=1.5', 'x-node': 'a' });
        return headers({ 'content-length': undefined, trailer: 'server-timing, x-node' })(reply);
      })(parts);
    },
  },
  before(
    'until-close',
    'sends bodies without a length, each of which ends with its connection',
    (response) => {
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
    },
    withoutLength,
  ),
  before(
    'closes-unannounced',
    'closes each connection after an answer that does not announce it',
    (response) => {
      response.once('finish', () => response.req.socket.end());
    },
  ),
  {
    name: 'closes-on-reuse',
    summary: 'closes a connection without an answer when a second request arrives on it',
    override(parts) {
      const used = new WeakSet<Socket>();
      return mapReply((reply, { request: { socket } }) => {
        if (used.has(socket)) socket.destroy();
        used.add(socket);
        return reply;
      })(parts);
    },
  },
];
