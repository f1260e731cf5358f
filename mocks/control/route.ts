/** A route of the control API, and a request to it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Reply } from '../wire/reply.ts';

/** A request to one route. */
export interface ControlRequest {
  request: IncomingMessage;
  response: ServerResponse;
  /** The decoded path segment for the route's braces. */
  name: string;
  query: URLSearchParams;
  /** Matches the schema `takes` of the route. */
  body: never;
}

export interface ControlRoute {
  method: string;
  /** As in control.openapi.yaml; braces match one segment. */
  path: string;
  /** Answered without the key. */
  open?: true;
  /**
   * Why it is refused where other replicas may serve the same address, as the rest of a sentence; undefined if it is right on
   * every replica.
   */
  oneReplica: string | undefined;
  /** Why it is refused where a proxy shows a real service, as the rest of a sentence; absent if it is right there. */
  realService?: string;
  /** Name of the schema of its body. */
  takes?: string;
  answer(request: ControlRequest): Reply | undefined;
}
