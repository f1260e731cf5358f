/** One exchange as it passed through the proxy. It holds secrets. */
import type { IssuedToken } from '../../../mocks/tokens.ts';
import type { ProxyError } from './own-answer.ts';

export interface Passed {
  /** In milliseconds since 1970, with fractions, on a clock that only moves forwards. */
  startMs: number;
  endMs: number;
  method: string;
  /** As the client sent it: path and query. */
  target: string;
  /** Names and values in turn, as they were sent. */
  headers: readonly string[];
  body: Body;
  answer?: PassedAnswer;
  /** Why the service gave no complete answer, as the rest of a sentence that begins with "the deployment". */
  failure?: string;
  /** The kind of that failure. */
  problem?: ProxyError;
  /** How the connection of the client ended, if it did not get a complete answer. */
  ended?: 'gone' | 'reset';
  /** What the proxy answered in place of the service: an injected scenario, or what went wrong. */
  proxyAnswer?: string;
  /** To be called when it has been recorded, with the token of the state that represents its own. */
  onRecorded?(issued: IssuedToken | undefined): void;
  /** To be called when its bodies have been read: their memory then counts no more. */
  release(): void;
}

export interface PassedAnswer {
  status: number;
  headers: readonly string[];
  body: Body;
}

export interface Body {
  /** How much passed. */
  bytes: number;
  /** Absent if it was too large to keep, or did not pass completely. */
  content?: Buffer;
}
