/** Tokens that are JWTs (RFC 7519), signed with HS256 (RFC 7518 section 3.2). */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Override } from './deployment.ts';
import { wrapTokens } from './overrides.ts';

/** A token of three parts, as it was sent. */
export interface SentJwt {
  header: { alg?: unknown };
  claims: { jti?: unknown };
  signature: Buffer;
  /** The signature that the header and the claims should have. */
  expected: Buffer;
}

const KEY = 'a key that only this deployment knows';
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const sign = (text: string) => createHmac('sha256', KEY).update(text).digest();

export const isSigned = ({ header, signature, expected }: SentJwt): boolean =>
  header.alg === 'HS256' && signature.length === expected.length && timingSafeEqual(signature, expected);

/** Issues signed tokens, and finds those that `accepts` agrees to by their `jti`. */
export const signTokens = (accepts: (sent: SentJwt) => boolean): Override =>
  wrapTokens((tokens) => ({
    issue(options) {
      const jti = tokens.issue(options);
      const issuedAt = tokens.newestOf(options.client)?.issuedAt ?? 0;
      const claims = { sub: options.client.id, iat: Math.floor(issuedAt / 1000), jti };
      const text = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded(claims)}`;
      return `${text}.${sign(text).toString('base64url')}`;
    },
    find(token) {
      const sent = readJwt(token);
      return sent && accepts(sent) ? tokens.find(String(sent.claims.jti)) : { status: 'unknown' };
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
