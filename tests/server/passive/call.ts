/** A call of recorded traffic as the judge of services reads it. */
import type { JsonAcceptance } from '../../traffic/accept.ts';
import type { Field } from '../../traffic/exchange.ts';
import { lastIssueOf, type TokenCall, type TokenLife } from '../../traffic/tokens.ts';
import { type Answered, type Exchange, isAnswered, isSuccess } from '../support/evidence.ts';
import { isIssued } from '../support/expectations.ts';

export interface ServiceCall extends TokenCall {
  /** The request line and what is kept of the answer; its id is `x` and the entry in the file. */
  exchange: Exchange;
  /** Of a token request: the fields of its form; absent where its body is not a form, or not in the file. */
  form?: readonly Field[];
  clientSecret?: string;
  /** Whether it has an Authorization header, and whether that has the form of a bearer token, or was replaced. */
  authorization?: 'bearer' | 'other' | 'masked';
  /** What the Accept header says of JSON; absent without one. */
  accepts?: JsonAcceptance;
  /** A digest of the query; empty without one. */
  query: string;
  /** Whether it carries something else by which a service could know its client, such as a cookie. */
  isIdentified: boolean;
  /** Whether the file has the whole body of the answer. */
  hasBody: boolean;
  /** Whether the recorder replaced values in it. */
  isReplaced?: true;
}

export const answerOf = ({ exchange }: ServiceCall): Answered | undefined =>
  isAnswered(exchange) ? exchange : undefined;

export const isServed = (call: ServiceCall): boolean => {
  const answer = answerOf(call);
  return answer !== undefined && isSuccess(answer);
};

export const isRefusal = (call: ServiceCall): boolean =>
  [401, 403].includes(answerOf(call)?.response.status ?? 0);

/**
 * The age of a token when the request came in, at least, and when it was answered, at most; in seconds. It is open whether
 * one that is handed out again is as old as before.
 */
export function ageOf(call: ServiceCall, life: TokenLife): { least: number; most: number } | undefined {
  const { issued } = life;
  const last = lastIssueOf(life, call.startMs);
  if (!issued || !last) return undefined;
  return { least: (call.startMs - last.endMs) / 1000, most: (call.endMs - issued.startMs) / 1000 };
}

export const isIssue = (call: ServiceCall): boolean => {
  const answer = answerOf(call);
  return answer !== undefined && isSuccess(answer) && isIssued(answer);
};
