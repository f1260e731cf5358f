/** Which documented answer the contract requires. Pure: all that it needs to know of the request is in the `Call`. */
import { type Answer, answers } from '../contract/answers.ts';
import type { Violation } from '../engine/prism-engine.ts';
import type { Client } from '../state/clients.ts';
import type { TokenStatus } from '../state/tokens.ts';

export interface TokenCall {
  kind: 'token';
  operation: 'obtainToken';
  /** The body exceeds the limit and was not read, so nothing else is known. */
  tooLarge: boolean;
  violations: readonly Violation[];
  /** Every field is present exactly once, with a value. */
  complete: boolean;
  /** The client with these credentials. */
  client: Client | undefined;
}

export interface DataCall {
  kind: 'data';
  operation: 'readData';
  token: 'missing' | 'malformed' | TokenStatus;
  /** Whether the token's client lacks the scope. */
  unscoped?: boolean;
  violations: readonly Violation[];
}

export interface HealthCall {
  kind: 'health';
  operation: 'checkHealth';
  violations: readonly Violation[];
}

export type Call = TokenCall | DataCall | HealthCall;

/**
 * A refusal is JSON whatever the client accepts, as RFC 9110 section 15.5.7 allows: 406 only replaces a success. So
 * the token is checked before the Accept header, and the client learns the more important problem first.
 */
export function expectedAnswer(call: Call): Answer {
  switch (call.kind) {
    case 'token':
      return tokenAnswer(call);
    case 'data':
      return dataAnswer(call);
    case 'health':
      return isAcceptable(call.violations) ? answers.healthy : answers.healthNotAcceptable;
  }
}

function tokenAnswer({ tooLarge, violations, complete, client }: TokenCall): Answer {
  if (tooLarge) return answers.tooLarge;
  if (violations.some(({ of }) => of === 'content-type')) return answers.unsupportedMediaType;
  const ofForm = violations.filter(({ of }) => of === 'form');
  if (!complete || ofForm.some(({ field }) => field !== 'grant_type')) return answers.invalidRequest;
  if (ofForm.length > 0) return answers.unsupportedGrantType;
  if (!client) return answers.wrongCredentials;
  return isAcceptable(violations) ? answers.issued : answers.tokenNotAcceptable;
}

function dataAnswer({ token, unscoped, violations }: DataCall): Answer {
  switch (token) {
    case 'missing':
      return answers.missingToken;
    case 'malformed':
      return answers.malformedToken;
    case 'unknown':
      return answers.unknownToken;
    case 'expired':
      return answers.expired;
    case 'valid':
      if (unscoped) return answers.insufficientScope;
      return isAcceptable(violations) ? answers.served : answers.dataNotAcceptable;
  }
}

const isAcceptable = (violations: readonly Violation[]): boolean =>
  !violations.some(({ of }) => of === 'accept');
