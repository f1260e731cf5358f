/** Values that no deployment has issued. */
import { randomBytes } from 'node:crypto';

/** 192 random bits, of characters that a token, an identifier and a secret may hold (RFC 6750 section 2.1). */
export const unguessable = (): string => randomBytes(24).toString('base64url');

/**
 * `token` with one character changed. It is in the middle of the last part between dots, since the last character
 * of a base64url signature may hold bits that decoders ignore.
 */
export function alter(token: string): string {
  const last = token.lastIndexOf('.') + 1;
  const at = last + Math.floor((token.length - last) / 2);
  const old = token[at] ?? '';
  const replacement = old.toLowerCase() === 'x' ? 'y' : /\d/.test(old) ? String((Number(old) + 1) % 10) : 'x';
  return token.slice(0, at) + replacement + token.slice(at + 1);
}

/** A token of several parts with one character changed in the last but one, where a JWT has its claims. */
export function alterClaims(token: string): string | undefined {
  const last = token.lastIndexOf('.');
  return last < 1 ? undefined : alter(token.slice(0, last)) + token.slice(last);
}
