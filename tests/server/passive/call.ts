/** A call of recorded traffic as the judge of services reads it. */
import type { Field } from '../../traffic/exchange.ts';
import type { TokenCall } from '../../traffic/token-history.ts';
import type { Exchange } from '../support/evidence.ts';

export interface ServiceCall extends TokenCall {
  /** The request line and what is kept of the answer; its id is `x` and the entry in the file. */
  exchange: Exchange;
  /** Of a token request: the fields of its form; absent where its body is not a form, or not in the file. */
  form?: readonly Field[];
  clientSecret?: string;
  /** Whether it has an Authorization header, and whether that has the form of a bearer token, or was replaced. */
  authorization?: 'bearer' | 'other' | 'masked';
  /** Whether the Accept header lets JSON through; absent without one. */
  accepts?: 'json' | 'other';
  /** A digest of the query; empty without one. */
  query: string;
  /** Whether it carries something else by which a service could know its client, such as a cookie. */
  isIdentified: boolean;
  /** Whether the file has the whole body of the answer. */
  hasBody: boolean;
}
