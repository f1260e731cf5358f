/** A route of the control API, and a request to it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from '../wire/reply.ts';

/** What is asked of one route. */
export interface ControlRequest {
  request: IncomingMessage;
  response: ServerResponse;
  /** What stands in the path where the route has braces, decoded. */
  name: string;
  query: URLSearchParams;
  /** As `takes` of the route has it. */
  body: never;
}

export interface ControlRoute {
  method: string;
  /** As in control.openapi.yaml; braces stand for one segment. */
  path: string;
  /** Whether it is answered without the key. */
  open?: true;
  /** Name of the schema of its body. */
  takes?: string;
  answer(request: ControlRequest): Reply | undefined;
}
