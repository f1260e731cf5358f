/** What a deployment does differently with tokens. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Parts } from '../respond.ts';
import type { TokenLookup, TokenStatus, Tokens } from '../tokens.ts';
import type { Override } from './deployment.ts';

/** Replaces functions that issue and find tokens. `issued` are those that this mock has issued so far. */
export const tokens =
  (change: (own: Tokens, issued: readonly string[], parts: Parts) => Partial<Tokens>): Override =>
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

/** Issues other tokens. A token of `accepted` that it did not issue is as good as the newest that it issued. */
export const replaced = (replace: (own: string) => string, accepted?: RegExp): Override =>
  tokens((own, list) => {
    const issued = new Map<string, string>();
    return {
      issue(options) {
        const value = own.issue(options);
        const token = replace(value);
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
  /** The number of this request among those that carry a token. */
  nth: number;
  /** How often this token was found with this status, this time included. */
  times: number;
  /** The number of tokens that the client was issued after this one. */
  newer: number;
  /** Below zero before its end, and of a token that was never issued. */
  sinceExpiryMs: number;
}

/** Decides what status a token has. */
export const status = (decide: (lookup: Lookup) => TokenStatus): Override =>
  tokens((own, issued, { state: { clock } }) => {
    const counts = new Map<string, number>();
    let nth = 0;
    return {
      find(token) {
        const found = own.find(token);
        const key = `${found.status} ${token}`;
        const times = (counts.get(key) ?? 0) + 1;
        counts.set(key, times);
        const newer = found.issued ? own.countOf(found.issued.client) - found.issued.number : 0;
        const sinceExpiryMs = clock.now() - (found.issued?.expiresAt ?? Number.POSITIVE_INFINITY);
        return {
          ...found,
          status: decide({ token, found, issued, nth: ++nth, times, newer, sinceExpiryMs }),
        };
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

/** The same as long as it is valid. */
export const againUntilExpiry: Override = again((issued, own) =>
  own.find(issued.at(-1) ?? '').status === 'valid' ? issued.at(-1) : undefined,
);

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

const isSigned = ({ header, signature, expected }: SentJwt): boolean =>
  header.alg === 'HS256' && signature.length === expected.length && timingSafeEqual(signature, expected);

/** Issues JWTs (RFC 7519) signed with HS256, and finds those that are, or that `accepts` agrees to, by their `jti`. */
export const signed = (accepts: (sent: SentJwt) => boolean = () => false): Override =>
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
      return sent && (isSigned(sent) || accepts(sent))
        ? own.find(String(sent.claims.jti))
        : { status: 'unknown' };
    },
  }));

/** Undefined for a text that is not a JWT in base64url without needless bits. */
function readJwt(token: string): SentJwt | undefined {
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
