/** An exchange that is under way: what is noted of it until it is over, and how the proxy itself ends it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Capture } from './capture.ts';
import { type OwnAnswer, sendOwn } from './own-answer.ts';
import type { Body, Passed } from './passed.ts';

/** In milliseconds since 1970, on a clock that only moves forwards. */
export const nowMs = (): number => performance.timeOrigin + performance.now();

/** An exchange that has begun; its answer comes from the service, or from the proxy. */
export interface UnderWay {
  request: IncomingMessage;
  response: ServerResponse;
  /** The request target in origin form. */
  target: string;
  requestBody: Capture;
  answerBody: Capture;
  notes: Partial<Pick<Passed, 'failure' | 'problem' | 'ended' | 'proxyAnswer'>> & {
    answer?: { status: number; headers: readonly string[] };
    /** When all of the answer had come; a client may call again before it is known that it got it. */
    completeMs?: number;
    onRecorded?: Passed['onRecorded'];
  };
}

/** Begins to note an exchange. It is over when the answer has been sent, or the client has disconnected. */
export function begin(
  request: IncomingMessage,
  response: ServerResponse,
  capture: () => Capture,
  onPassed: (passed: Passed) => void,
): UnderWay {
  const startMs = nowMs();
  const begun: UnderWay = {
    request,
    response,
    target: originForm(request.url ?? ''),
    requestBody: capture(),
    answerBody: capture(),
    notes: {},
  };
  const { requestBody, answerBody, notes } = begun;
  const { socket } = request;
  let isOver = false;
  const end = () => {
    if (isOver) return; // A connection that closes tells its response meanwhile, and then those that listen to it.
    isOver = true;
    response.off('close', end);
    socket.off('close', end); // A response that waits for earlier ones does not close with its connection.
    const { answer, completeMs, failure, problem, ended, proxyAnswer, onRecorded } = notes;
    const how = ended ?? (response.writableFinished ? undefined : 'gone');
    onPassed({
      startMs,
      endMs: how === undefined && completeMs !== undefined ? completeMs : nowMs(),
      method: request.method ?? '',
      target: begun.target,
      headers: request.rawHeaders,
      body: bodyOf(requestBody, request.complete),
      ...(answer && { answer: { ...answer, body: bodyOf(answerBody, completeMs !== undefined) } }),
      ...(failure !== undefined && { failure }),
      ...(problem && { problem }),
      ...(how && { ended: how }),
      ...(proxyAnswer !== undefined && { proxyAnswer }),
      ...(onRecorded && { onRecorded }),
      release() {
        requestBody.release();
        answerBody.release();
      },
    });
  };
  response.once('close', end);
  socket.once('close', end);
  response.on('error', () => {}); // The client has disconnected.
  request.on('error', () => {});
  return begun;
}

const bodyOf = (capture: Capture, isComplete: boolean): Body => {
  const content = isComplete ? capture.body() : undefined;
  return { bytes: capture.bytes, ...(content && { content }) };
};

/** Answers in place of the service. */
export function answerOwn(exchange: UnderWay, own: OwnAnswer): void {
  const { response, notes, request, answerBody } = exchange;
  const { status, headers, body, what } = own;
  const list = Object.entries(headers).flat();
  Object.assign(notes, { answer: { status, headers: list }, completeMs: nowMs(), proxyAnswer: what });
  if (request.method !== 'HEAD') answerBody.add(body);
  if (response.headersSent) resetClient(exchange);
  else {
    sendOwn(response, own);
    request.resume();
  }
}

/** Ends the connection of the client as the service would have ended it. */
export function resetClient({ request, notes }: UnderWay): void {
  notes.ended ??= 'reset';
  request.socket.resetAndDestroy();
}

/** Of an absolute form, the path and query (RFC 9112 section 3.2). */
const originForm = (target: string): string => {
  const absolute = /^https?:\/\/[^/?#]*(.*)$/is.exec(target);
  if (!absolute) return target;
  const [, rest = ''] = absolute;
  return rest.startsWith('/') ? rest : `/${rest}`;
};
