/** One request of recorded traffic and its answer, as every judge reads it. What it holds came from outside. */
import type { CredentialLeak } from '../support/secrets.ts';

export interface RecordedExchange {
  /** Its place in the file, from 1. */
  entry: number;
  /** The number that mrs mock and mrs proxy give each entry: quick calls may be equal in everything else. */
  seq?: number;
  /**
   * When the request was sent and when its answer was complete, in milliseconds since 1970, by the recorder's clock; NaN
   * where the file does not have it.
   */
  startMs: number;
  endMs: number;
  method: string;
  /** Scheme, host and port, in lower case. */
  origin: string;
  /** As it was sent, without the query. */
  path: string;
  query: readonly Field[];
  /** Of the request, names in lower case, in their order. */
  headers: readonly Field[];
  /** Whether the recorder left headers of the request out: what is not among them may have been sent. */
  lacksHeaders?: true;
  /** The body of the request; absent where the file does not have it. */
  body?: string;
  /** Fields of a form that the file has in parts only. */
  params?: readonly Field[];
  answer?: RecordedAnswer;
  /** Why there is no answer, as the rest of a sentence that begins with "the deployment". */
  failure?: string;
  /**
   * Secrets and tokens in parts of the request where they must not be, as mrs mock and mrs proxy note them: the file does not
   * have those parts.
   */
  misplaced?: readonly CredentialLeak[];
  /** What a proxy answered in place of the service, and why. The answer is judged as one to the client, not as the service's. */
  proxyAnswer?: string;
}

export type Field = readonly [name: string, value: string];

export interface RecordedAnswer {
  status: number;
  /** Names in lower case, in their order. */
  headers: readonly Field[];
  /** Bytes of the body, with its content codings removed; undefined where the file does not have the whole of it. */
  readBody(): Buffer | undefined;
  /** Whether the recorder replaced values in the body. */
  isReplaced?: true;
}

/** The media type of the form in a token request (clause 4.1). */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The value of the first field of this name. */
export const fieldNamed = (fields: readonly Field[], wanted: string): string | undefined =>
  fields.find(([name]) => name === wanted)?.[1];
