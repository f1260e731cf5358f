/** What a deployment does differently from the mock: `when → do`. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Client } from '../clients.ts';
import { BEARER } from '../condition.ts';
import { type Answer, answers, type OperationId } from '../contract/answers.ts';
import type { Operation } from '../contract/document.ts';
import type { Hooks, Parts } from '../respond.ts';
import { waitMs } from '../script.ts';
import type { TokenLookup, TokenStatus, Tokens } from '../tokens.ts';
import type { Override } from './deployment.ts';
import { body, type Edit, edited, give, headers, type Moment } from './edits.ts';
import { servedRecords } from './served.ts';

export type AnswerName = keyof typeof answers;

const names = new Map<Answer, AnswerName>(
  Object.entries(answers).map(([name, answer]) => [answer, name as AnswerName]),
);

/** A request for data without a valid token. */
export const REFUSED: readonly AnswerName[] = ['missingToken', 'malformedToken', 'unknownToken'];
/** A form that must obtain no token. */
export const BAD_FORM: readonly AnswerName[] = ['invalidRequest', 'unsupportedGrantType', 'wrongCredentials'];

/** What a mock was asked so far: the answers that the contract requires. */
interface Past {
  /** How often this answer was required, this time included. */
  count(name: AnswerName): number;
}

/** What is known of a request whose reply is edited. */
interface Known extends Past, Pick<Moment, 'request' | 'client'> {
  /** The number of the valid token that it carries, and how often that has opened the data, both from 1; otherwise 0. */
  token: number;
  read: number;
}

/** Selects requests. Without a member: all. Numbers count from 1 the requests that the members before them select. */
interface Selector<Of> {
  /** By the answer that the contract requires. */
  to?: AnswerName | readonly AnswerName[];
  at?: OperationId;
  /** By what else is known of it. */
  if?: (known: Of) => boolean;
  nth?: number;
  from?: number;
  upTo?: number;
  every?: number;
  /** For this number of seconds of the mock's clock, from the first that is selected. */
  seconds?: number;
}

export type When = Selector<Known>;
type Which<Of> = AnswerName | readonly AnswerName[] | Of;

/** The number of a request among those that are selected; undefined for another one. */
function createSelector<Of extends Past>(given: Which<Selector<Of>>, now: () => number) {
  const when = (typeof given === 'string' || Array.isArray(given) ? { to: given } : given) as Selector<Of>;
  const counts = new Map<AnswerName, number>();
  let [nth, endMs] = [0, Number.NaN];
  return (answer: Answer | undefined, known: Omit<Of, keyof Past>): number | undefined => {
    const name = answer && names.get(answer);
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (when.to && !(name && [when.to].flat().includes(name))) return undefined;
    if (when.at && answer?.operation !== when.at) return undefined;
    if (when.if?.({ ...known, count: (of) => counts.get(of) ?? 0 } as Of) === false) return undefined;
    nth++;
    const { from = 1, upTo = Number.POSITIVE_INFINITY, every = 1 } = when;
    if (nth !== (when.nth ?? nth) || nth < from || nth > upTo || nth % every !== 0) return undefined;
    if (when.seconds === undefined) return nth;
    if (Number.isNaN(endMs)) endMs = now() + when.seconds * 1000;
    return now() < endMs ? nth : undefined;
  };
}

/** Edits the replies that `given` selects. */
export function on(given: Which<When>, ...edits: Edit[]): Override {
  return ({ state: { clock, clients, tokens: issued }, finish }) => {
    const select = createSelector(given, clock.now);
    const reads = new Map<number, number>();
    return {
      async finish(reply, context) {
        const own = await finish(reply, context);
        const { expected, request } = context;
        const bearer = expected === answers.served && BEARER.exec(request.headers.authorization ?? '')?.[1];
        const token = (bearer && issued.find(bearer).issued?.number) || 0;
        const read = token && (reads.get(token) ?? 0) + 1;
        reads.set(token, read);
        const [client] = clients.list();
        const nth = select(expected, { request, client, token, read });
        return nth === undefined ? own : edited(own, edits, { nth, request, client, nowMs: clock.now() });
      },
    };
  };
}

/** Gives `other` where the contract requires what `given` selects. */
export const instead =
  (given: Which<Selector<Past>>, other: AnswerName): Override =>
  ({ selectAnswer, state }) => {
    const select = createSelector<Past>(given, state.clock.now);
    return {
      selectAnswer(call) {
        const own = selectAnswer(call);
        return select(own, {}) === undefined ? own : answers[other];
      },
    };
  };

/** Answers with 429 what exceeds this number of requests within this number of seconds of its clock. */
export const limit =
  (most: number, seconds: number, { to, at }: Pick<When, 'to' | 'at'> = {}): Override =>
  (parts) => {
    const { now } = parts.state.clock;
    const through: number[] = [];
    let leftMs = 0;
    const isTooMuch = () => {
      leftMs = waitMs({ calls: most, within: seconds }, through, now());
      return leftMs > 0;
    };
    const retryAfter: Edit = (reply) => headers({ 'retry-after': String(Math.ceil(leftMs / 1000)) })(reply);
    const selected = { ...(to && { to }), ...(at && { at }), if: isTooMuch };
    return on(selected, 429, retryAfter, body('{"error":"slow_down"}'))(parts);
  };

/** From this request on, answers everything with 503 for this many seconds of its clock, or resets each connection. */
export const outage = (
  from: number,
  seconds: number,
  edit: Edit = [503, body('{"error":"maintenance"}')],
): Override => on({ from, seconds }, edit);

/** Changes the form of a token request before it is validated; `client` is the mock's first client. */
export const form =
  (change: (form: URLSearchParams, client: Client, tokens: Tokens) => void): Override =>
  ({ state, editForm, tokens }) => ({
    editForm(text) {
      const fields = new URLSearchParams(editForm(text));
      const [client] = state.clients.list();
      if (client) change(fields, client, tokens);
      return fields.toString();
    },
  });

export type Field = 'grant_type' | 'client_id' | 'client_secret';
export const GRANT = 'client_credentials';
const rightFor = ({ id, secret }: Client) => ({ grant_type: GRANT, client_id: id, client_secret: secret });

/** Takes a value of the field for the right one if it is near to it. */
export const near = (
  field: Field,
  isNear: (value: string, right: string) => boolean = () => true,
): Override =>
  form((fields, client) => {
    const value = fields.get(field);
    const right = rightFor(client)[field];
    if (value !== null && isNear(value, right)) fields.set(field, right);
  });

/** Needs no such field. */
export const absent = (field: Field): Override =>
  form((fields, client) => fields.has(field) || fields.set(field, rightFor(client)[field]));

/** Gives an operation another path or other operations in its place. */
export const move =
  (id: OperationId, to: string | ((operation: Operation) => Operation[])): Override =>
  ({ contract }) => ({
    contract: {
      ...contract,
      operations: contract.operations.flatMap((one) => {
        if (one.id !== id) return one;
        return typeof to === 'string' ? { ...one, path: to } : to(one);
      }),
    },
  });

/** Replaces functions that issue and find tokens. `issued` are those that this mock has issued so far. */
export const tokens =
  (change: (own: Tokens, issued: readonly string[], parts: Parts & Hooks) => Partial<Tokens>): Override =>
  (parts) => {
    const issued: string[] = [];
    const own: Tokens = {
      ...parts.tokens,
      issue(options) {
        const token = parts.tokens.issue(options);
        issued.push(token);
        return token;
      },
    };
    return { tokens: { ...own, ...change(own, issued, parts) } };
  };

/** Issues what `encode` makes of a token, and accepts whatever `decode` makes it of again. */
export const decoded = (encode: (own: string) => string, decode: (token: string) => string): Override =>
  tokens((own) => ({
    issue: (options) => encode(own.issue(options)),
    find: (token) => own.find(decode(token)),
  }));

/** The same, and accepts no other than it has issued. */
export const encoded = (encode: (own: string) => string, decode: (token: string) => string): Override =>
  decoded(encode, (token) => (encode(decode(token)) === token ? decode(token) : ''));

/**
 * Issues tokens that `encode` makes of their number, from 1. A token of `accepted` that it did not issue is as good as the
 * newest that it issued.
 */
export const numbered = (encode: (nth: number, own: string) => string, accepted?: RegExp): Override =>
  tokens((own, list) => {
    const issued = new Map<string, string>();
    return {
      issue(options) {
        const value = own.issue(options);
        const token = encode(list.length, value);
        issued.set(token, value);
        return token;
      },
      find: (token) => own.find(issued.get(token) ?? (accepted?.test(token) ? (list.at(-1) ?? '') : '')),
    };
  });

/** A token that a request carries. */
export interface Lookup {
  token: string;
  found: TokenLookup;
  issued: readonly string[];
  /** How often this token was found with this status, this time included. */
  times: number;
  /** Whether any token was found expired so far. */
  isAnyExpired: boolean;
  /** The number of tokens that the client was issued after this one. */
  newer: number;
}

/** Decides what status a token has. */
export const status = (decide: (lookup: Lookup) => TokenStatus): Override =>
  tokens((own, issued) => {
    const times = new Map<string, number>();
    let isAnyExpired = false;
    return {
      find(token) {
        const found = own.find(token);
        const key = `${found.status} ${token}`;
        times.set(key, (times.get(key) ?? 0) + 1);
        isAnyExpired ||= found.status === 'expired';
        const newer = found.issued ? own.countOf(found.issued.client) - found.issued.number : 0;
        const known = { token, found, issued, times: times.get(key) ?? 0, isAnyExpired, newer };
        return { ...found, status: decide(known) };
      },
    };
  });

/** Decides each time by how long the token has been over whether it is valid. */
export const aged = (
  isValid: (sinceExpiryMs: number, lifetimeMs: number, nth: number) => boolean,
): Override =>
  tokens((own, _, { state: { clock } }) => {
    let nth = 0;
    return {
      find(token) {
        const found = own.find(token);
        const { issued } = found;
        if (!issued || found.status === 'unknown') return found;
        const since = clock.now() - issued.expiresAt;
        const valid = isValid(since, issued.expiresAt - issued.issuedAt, ++nth);
        return { ...found, status: valid ? 'valid' : 'expired' };
      },
    };
  });

/** Accepts what `isNear` says an issued token is meant by; of several issued tokens, the newest. */
export const nearest = (isNear: (token: string, issued: string) => boolean): Override =>
  tokens((own, issued) => ({
    find(token) {
      const found = own.find(token);
      return found.status === 'unknown'
        ? own.find(issued.findLast((one) => isNear(token, one)) ?? token)
        : found;
    },
  }));

/** Issues a token again instead of a new one. */
export const again = (which: (issued: readonly string[], own: Tokens) => string | undefined): Override =>
  tokens((own, issued) => ({ issue: (options) => which(issued, own) ?? own.issue(options) }));

/** Tokens live this many times as long as agreed. */
export const livesLonger = (factor: number): Override =>
  tokens((own) => ({
    issue: (options) => own.issue({ ...options, lifetimeSeconds: factor * options.lifetimeSeconds }),
  }));

/** A token of three parts, as it was sent. */
export interface SentJwt {
  header: { alg?: unknown };
  claims: { jti?: unknown };
  signature: Buffer;
  /** The signature that the header and the claims should have. */
  expected: Buffer;
}

const base64url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const sign = (text: string) =>
  createHmac('sha256', 'a key that only this deployment knows').update(text).digest();

export const isSigned = ({ header, signature, expected }: SentJwt): boolean =>
  header.alg === 'HS256' && signature.length === expected.length && timingSafeEqual(signature, expected);

export const isUnsigned = ({ header, signature }: SentJwt): boolean =>
  header.alg === 'none' && signature.length === 0;

/** Issues JWTs (RFC 7519) signed with HS256, and finds those that `accepts` agrees to by their `jti`. */
export const signed = (accepts: (sent: SentJwt) => boolean): Override =>
  tokens((own) => ({
    issue(options) {
      const jti = own.issue(options);
      const issuedAt = own.newestOf(options.client)?.issuedAt ?? 0;
      const claims = { sub: options.client.id, iat: Math.floor(issuedAt / 1000), jti };
      const text = `${base64url({ alg: 'HS256', typ: 'JWT' })}.${base64url(claims)}`;
      return `${text}.${sign(text).toString('base64url')}`;
    },
    find(token) {
      const sent = readJwt(token);
      return sent && accepts(sent) ? own.find(String(sent.claims.jti)) : { status: 'unknown' };
    },
  }));

/** Undefined for a text that is not a JWT in base64url without needless bits. */
export function readJwt(token: string): SentJwt | undefined {
  const [header = '', claims = '', signature = '', ...rest] = token.split('.');
  const parts = [header, claims, signature].map((part) => Buffer.from(part, 'base64url'));
  if (rest.length > 0 || parts.map((part) => part.toString('base64url')).join('.') !== token)
    return undefined;
  try {
    return {
      header: Object(JSON.parse(String(parts[0]))),
      claims: Object(JSON.parse(String(parts[1]))),
      signature: parts[2] as Buffer,
      expected: sign(`${header}.${claims}`),
    };
  } catch {
    return undefined;
  }
}

/** Serves this instead of the contract's example, which has no records: giving it away would give nothing away. */
export const served = (value: unknown): Override => on('served', give(value));
export const serveRecords: Override = served({ ods_data: servedRecords });
