/** Tokens and forms that a deployment must refuse, most of them close to ones that it accepts. */
import { randomBytes, randomInt } from 'node:crypto';
import type { TokenRequest } from './support/contract.ts';

/** A form for the token endpoint; a field can be left out or hold what the contract does not allow. */
export type TokenForm = { [Field in keyof TokenRequest]?: string };

/** The form that obtains a token. */
export type ValidForm = Record<keyof TokenForm, string>;

/** A change of a value; undefined where the value gives no occasion for it. */
export type Change = (value: string) => string | undefined;

/** The form with another value in one field; undefined where `change` returns none, or the same. */
export const changed =
  (field: keyof TokenForm, change: Change) =>
  (form: ValidForm): TokenForm | undefined => {
    const value = change(form[field]);
    return value === undefined || value === form[field] ? undefined : { ...form, [field]: value };
  };

/** 192 random bits, of characters that a token, an identifier and a secret may hold (RFC 6750 section 2.1). */
export const unguessable = (): string => randomBytes(24).toString('base64url');

/**
 * `token` with one character changed, in the middle of the last part between dots: to one of its kind, since another would show
 * only that the form is checked, and to one that base64 decodes to other bytes, since libraries ignore bits at the end.
 */
export function alter(token: string): string {
  const last = token.lastIndexOf('.') + 1;
  const middle = last + Math.floor((token.length - last) / 2);
  const at = token[middle] === '-' ? middle + 1 : middle;
  const old = token.charAt(at).toLowerCase();
  const kind = isHex(token) ? HEX : /\d/.test(old) ? DIGITS : 'xyghijklmnopqrstuvw';
  const altered = [...kind]
    .filter((character) => character !== old)
    .map((character) => token.slice(0, at) + character + token.slice(at + 1));
  return altered.find((one) => !hasBytesOf(token, one)) ?? altered[0] ?? token;
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
  const longer = ['x', 'xx', 'xxx'].map((more) => token.replace(/(?<!=)=*$/, (padding) => more + padding));
  return longer.find((one) => !hasBytesOf(token, one)) ?? `${token}x`;
}

export const withoutLastCharacter: Change = (text) => text.slice(0, -1) || undefined;
export const withoutFirstCharacter: Change = (text) => text.slice(1) || undefined;

/** Upper case for lower case and the other way round; undefined for a hexadecimal number or a UUID, which stays the same. */
export function inOtherCase(text: string): string | undefined {
  if (isHex(text)) return undefined;
  const swapped = text.replace(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  return swapped === text ? undefined : swapped;
}

// Random, with the length, the separators and the kinds of characters of a token; undefined for one that could be guessed.

/** All of it but the header of a JWT, or a prefix such as `tok-`. */
export const randomLike: Change = (token) =>
  randomised(token, isJwt(token) ? token.indexOf('.') + 1 : prefixOf(token).length);

export const randomEnd: Change = (token) => randomised(token, Math.floor(token.length / 2));

export const randomBeginning: Change = (token) => {
  const [prefix, half] = [prefixOf(token).length, Math.floor(token.length / 2)];
  // Where a prefix leaves too little of the first half, it may be no prefix, but the beginning of a random token.
  return randomised(token, half - prefix < LEAST_RANDOM ? 0 : prefix, half);
};

/** Characters of a half, for so many random tokens. */
const LEAST_RANDOM = 6;
/** One of fewer random tokens may be one that was issued. */
const FEWEST = 1_000_000;

/** Each letter and digit from `start` to `end` replaced by one of its kind. */
function randomised(token: string, start: number, end = token.length): string | undefined {
  const letters = isHex(token) ? 'abcdef' : 'abcdefghijklmnopqrstuvwxyz';
  let others = 1;
  const part = token.slice(start, end).replace(/[a-z\d]/gi, (character) => {
    const kind = /\d/.test(character) ? DIGITS : letters;
    others *= kind.length;
    const picked = kind.charAt(randomInt(kind.length));
    return character === character.toUpperCase() ? picked.toUpperCase() : picked;
  });
  const forged = token.slice(0, start) + part + token.slice(end);
  return others < FEWEST || forged === token ? undefined : forged;
}

/** A JWT whose signature is empty (RFC 7515 section 7.1). */
export const withoutSignature: Change = (token) =>
  isJwt(token) ? token.slice(0, token.lastIndexOf('.') + 1) : undefined;

/** A JWT with the algorithm `none` and an empty signature (RFC 7519 section 6). */
export const unsigned: Change = (token) => unsignedBy('none', token);

/** The same, spelled as a check for `none` may overlook. */
export const unsignedInOtherCase: Change = (token) => unsignedBy('nOnE', token);

function unsignedBy(alg: string, token: string): string | undefined {
  const header = Buffer.from(JSON.stringify({ alg, typ: 'JWT' })).toString('base64url');
  return isJwt(token) ? `${header}.${token.split('.')[1]}.` : undefined;
}

/** Three parts, of which the first is base64url of a JSON object that names an algorithm (RFC 7515 section 4.1.1). */
function isJwt(token: string): boolean {
  const parts = token.split('.');
  try {
    const header = JSON.parse(Buffer.from(parts[0] ?? '', 'base64url').toString());
    return parts.length === 3 && typeof header.alg === 'string';
  } catch {
    return false;
  }
}

/** The headers by which gateways and frameworks know a request of their own. A Host of another name would reach another service. */
export const fromInside = (baseUrl: string, publicPath: string): Record<string, string> => ({
  'X-Forwarded-For': '127.0.0.1',
  'X-Real-IP': '127.0.0.1',
  'X-Original-URL': publicPath,
  'X-Requested-With': 'XMLHttpRequest',
  Referer: `${baseUrl}/`,
  Origin: new URL(baseUrl).origin,
});

/** What says of which kind a token is, such as `tok-` or `ghp_`; empty where nothing does. */
const prefixOf = (token: string): string => /^[a-z]{1,12}[-_](?=.{16})/i.exec(token)?.[0] ?? '';

const DIGITS = '0123456789';
const HEX = `${DIGITS}abcdef`;

/** Whether a token without its prefix is a hexadecimal number, or a UUID. */
const isHex = (token: string): boolean => /^[\da-f-]+$/i.test(token.slice(prefixOf(token).length));

/** Each part between dots as a library reads it that takes both alphabets and ignores what it cannot decode. */
const bytesOf = (token: string): string =>
  token
    .split('.')
    .map((part) => Buffer.from(part, 'base64').toString('hex'))
    .join('.');
