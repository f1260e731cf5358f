/**
 * The response object of a request, for what a `Reply` cannot hold: interim responses, trailers, the end of a connection.
 * Node publishes it on a diagnostics channel; the pipeline has no use for it in a hook.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

const responses = new WeakMap<IncomingMessage, ServerResponse>();
let isSubscribed = false;

/** To be called before the first request: later ones are known. */
export function watchResponses(): void {
  if (isSubscribed) return;
  isSubscribed = true;
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    responses.set(request, response);
  });
}

export function responseOf(request: IncomingMessage): ServerResponse {
  const response = responses.get(request);
  if (!response) throw new Error('The response to this request is unknown. Call watchResponses() before.');
  return response;
}
