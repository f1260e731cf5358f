/** Tokens and forms that a deployment must refuse, most of them close to ones that it accepts. */
import { randomBytes, randomInt } from 'node:crypto';
import type { TokenRequest } from './support/contract.ts';

/** A form for the token endpoint; a field can be left out or hold what the contract does not allow. */
export type TokenForm = { [Field in keyof TokenRequest]?: string };

/** The form that obtains a token. */
export interface ValidForm extends Record<string, string> {
  grant_type: string;
  client_id: string;
  client_secret: string;
}

/** The form without one field. */
export const without =
  (field: keyof TokenForm) =>
  (form: ValidForm): TokenForm =>
    Object.fromEntries(Object.entries(form).filter(([name]) => name !== field));

/** The form with another value in one field; undefined where `change` returns none, or the same. */
export const changed =
  (field: keyof TokenForm, change: (value: string) => string | undefined) =>
  (form: ValidForm): TokenForm | undefined => {
    const value = change(form[field] ?? '');
    return value === undefined || value === form[field] ? undefined : { ...form, [field]: value };
  };

/** 192 random bits, of characters that a token, an identifier and a secret may hold (RFC 6750 section 2.1). */
export const unguessable = (): string => randomBytes(24).toString('base64url');

/**
 * `token` with one character changed, in the middle of the last part between dots. Of the characters that it can become,
 * one that base64 decodes to other bytes: libraries ignore the bits at the end that are too many for a byte.
 */
export function alter(token: string): string {
  const last = token.lastIndexOf('.') + 1;
  const middle = last + Math.floor((token.length - last) / 2);
  const at = token[middle] === '-' ? middle + 1 : middle;
  const old = token[at] ?? '';
  const first = old.toLowerCase() === 'x' ? 'y' : /\d/.test(old) ? String((Number(old) + 1) % 10) : 'x';
  const kind = /\d/.test(old) ? '0123456789' : 'ghijklmnopqrstuvw';
  // A character that a hexadecimal token cannot have would show only that its form is checked.
  const candidates = isHex(token)
    ? [...HEX].filter((digit) => digit !== old.toLowerCase())
    : [first, ...kind];
  const [altered = '', ...others] = candidates.map(
    (character) => token.slice(0, at) + character + token.slice(at + 1),
  );
  return [altered, ...others].find((one) => !hasBytesOf(token, one)) ?? altered;
}

/** Whether a deployment that decodes its tokens may take one for the other, and be right. */
export const hasBytesOf = (token: string, other: string): boolean => bytesOf(token) === bytesOf(other);

/** A token of several parts with one character changed in the last but one, where a JWT has its claims. */
export function alterClaims(token: string): string | undefined {
  const last = token.lastIndexOf('.');
  return last < 1 ? undefined : alter(token.slice(0, last)) + token.slice(last);
}

/** Shorter by a character, or by as many as it takes to lose a byte; undefined for a text of one character. */
export function cut(token: string): string | undefined {
  let end = token.length - 1;
  while (end > 1 && hasBytesOf(token, token.slice(0, end))) end--;
  return token.slice(0, end) || undefined;
}

/** Longer by a character, or by as many as it takes to gain a byte, before the padding of base64. */
export function extended(token: string): string {
  const [padding = ''] = /=*$/.exec(token) ?? [];
  const text = token.slice(0, token.length - padding.length);
  const longer = ['x', 'xx', 'xxx'].map((more) => text + more + padding);
  return longer.find((one) => !hasBytesOf(token, one)) ?? `${token}x`;
}

/** Undefined for a text of one character. */
export const withoutLastCharacter = (text: string): string | undefined => text.slice(0, -1) || undefined;

/** Undefined for a text of one character. */
export const withoutFirstCharacter = (text: string): string | undefined => text.slice(1) || undefined;

/** Upper case for lower case and the other way round; undefined for a text without letters. */
export function inOtherCase(text: string): string | undefined {
  const swapped = text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  return swapped === text ? undefined : swapped;
}

/**
 * Random, with the length, the separators and the kinds of characters of `token`; of a JWT the header is kept, and of any
 * token a prefix such as `tok-`. Undefined
 * for a token that could be guessed.
 */
export function randomLike(token: string): string | undefined {
  const start = isJwt(token) ? token.indexOf('.') + 1 : prefixOf(token).length;
  return randomised(token, start, token.length);
}

/** Its first half is that of `token`. Undefined for a token that could be guessed. */
export function randomEnd(token: string): string | undefined {
  return randomised(token, Math.floor(token.length / 2), token.length);
}

/** Its last half is that of `token`. Undefined for a token that could be guessed. */
export function randomBeginning(token: string): string | undefined {
  return randomised(token, prefixOf(token).length, Math.floor(token.length / 2));
}

/** A JWT whose signature is empty (RFC 7515 section 7.1); undefined for other tokens. */
export function withoutSignature(token: string): string | undefined {
  return isJwt(token) ? token.slice(0, token.lastIndexOf('.') + 1) : undefined;
}

/** A JWT with the algorithm `none` and an empty signature (RFC 7519 section 6); undefined for other tokens. */
export function unsigned(token: string): string | undefined {
  if (!isJwt(token)) return undefined;
  const header = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  return `${header}.${token.split('.')[1]}.`;
}

/** Three parts, of which the first is base64url of a JSON object that names an algorithm (RFC 7515 section 4.1.1). */
function isJwt(token: string): boolean {
  const parts = token.split('.');
  if (parts.length !== 3) return false;
  try {
    return typeof JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString()).alg === 'string';
  } catch {
    return false;
  }
}

/** What says of which kind a token is, such as `tok-` or `ghp_`; empty where nothing does. */
const prefixOf = (token: string): string => /^[a-z]{1,12}[-_](?=.{16})/i.exec(token)?.[0] ?? '';

const HEX = '0123456789abcdef';

/** Whether a token without its prefix is a hexadecimal number, or a UUID. */
const isHex = (token: string): boolean => /^[\da-f-]+$/i.test(token.slice(prefixOf(token).length));

/** One of fewer random tokens may be one that was issued. */
const FEWEST = 1_000_000;

/**
 * Each letter and digit from `start` to `end` replaced by a random one of its kind; of hexadecimal tokens by such a digit.
 * Undefined if there are too few others.
 */
function randomised(token: string, start: number, end: number): string | undefined {
  const letters = isHex(token) ? 'abcdef' : 'abcdefghijklmnopqrstuvwxyz';
  let others = 1;
  const part = token.slice(start, end).replace(/[a-z\d]/gi, (character) => {
    const kind = /\d/.test(character) ? '0123456789' : letters;
    others *= kind.length;
    const picked = kind.charAt(randomInt(kind.length));
    return character === character.toUpperCase() ? picked.toUpperCase() : picked;
  });
  const forged = token.slice(0, start) + part + token.slice(end);
  return others < FEWEST || forged === token ? undefined : forged;
}

/** Each part between dots as a library reads it that takes both alphabets and ignores what it cannot decode. */
export const bytesOf = (token: string): string =>
  token
    .split('.')
    .map((part) => Buffer.from(part, 'base64').toString('hex'))
    .join('.');
