/** The condition of a request, and the answer that the contract documents for it. Pure: the `Call` holds all that it depends on. */
import type { components } from 'mrs-contract/openapi';
import type { Client } from './clients.ts';
import { type Answer, answers } from './contract/answers.ts';
import type { FormProblem } from './prism.ts';
import type { TokenStatus } from './tokens.ts';

interface TokenCall {
  kind: 'token';
  isAcceptable: boolean;
  /** A body that exceeds the limit was not read. */
  problem: FormProblem | 'too-large' | undefined;
  /** The client with these credentials. */
  client: Client | undefined;
}

interface DataCall {
  kind: 'data';
  isAcceptable: boolean;
  token: 'missing' | 'malformed' | TokenStatus;
  /** Whether the token's client lacks the scope. */
  unscoped?: boolean;
}

/** `isAcceptable`: whether the Accept header admits the media type of the success. */
export type Call = TokenCall | DataCall | { kind: 'health'; isAcceptable: boolean };

/**
 * A refusal is JSON whatever the client accepts, as RFC 9110 section 15.5.7 allows: 406 only replaces a success. So
 * the token is checked before the Accept header, and the client learns the more important problem first.
 */
export function expectedAnswer(call: Call): Answer {
  const { isAcceptable } = call;
  if (call.kind === 'health') return isAcceptable ? answers.healthy : answers.healthNotAcceptable;
  if (call.kind === 'token') {
    if (call.problem) return PROBLEMS[call.problem];
    if (!call.client) return answers.wrongCredentials;
    return isAcceptable ? answers.issued : answers.tokenNotAcceptable;
  }
  if (call.token !== 'valid') return REFUSALS[call.token];
  if (call.unscoped) return answers.insufficientScope;
  return isAcceptable ? answers.served : answers.dataNotAcceptable;
}

const PROBLEMS = {
  'too-large': answers.tooLarge,
  'other-media-type': answers.unsupportedMediaType,
  'malformed-request': answers.invalidRequest,
  'other-grant-type': answers.unsupportedGrantType,
} as const;

const REFUSALS = {
  missing: answers.missingToken,
  malformed: answers.malformedToken,
  unknown: answers.unknownToken,
  expired: answers.expired,
} as const;

type Field = keyof components['schemas']['TokenRequest'];

/** Typed by the contract: an added or removed field is a compile error here. */
const fields = Object.keys({
  grant_type: true,
  client_id: true,
  client_secret: true,
} satisfies Record<Field, true>) as Field[];

/**
 * The fields of the specification in any text, as far as the contract's schema cannot validate them; malformed percent-encoding is
 * kept unchanged (URL Standard, section 5.1).
 */
export function readForm(body: string) {
  const entries = new URLSearchParams(`&${body}`); // without the ampersand a leading "?" would be dropped
  const first = (name: Field) => entries.get(name) ?? '';
  return {
    id: first('client_id'),
    secret: first('client_secret'),
    names: fields.filter((name) => entries.has(name)),
    /** Every field is present exactly once, with a value. Repeated and empty fields are errors (RFC 6749 section 3.2). */
    complete: fields.every((name) => entries.getAll(name).length === 1 && first(name) !== ''),
  };
}

/**
 * Reads the token from the value of `Authorization`: the scheme is case-insensitive (RFC 9110 section 11.1), and a b64token
 * follows (RFC 6750 section 2.1).
 */
export const BEARER = /^bearer +([\w.~+/-]+=*)$/i;
