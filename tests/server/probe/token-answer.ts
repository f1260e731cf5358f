/** Where the answer of a token endpoint holds a token. */
import { append } from '@hyperjump/json-pointer';
import { isSuccessStatus } from '../support/evidence.ts';
import type { Parsed } from '../support/json.ts';
import type { HttpResponse } from './http.ts';

/** The token of a token response, whatever its status: a string in the field `token`, not empty. */
export function tokenIn(parsed: Parsed): string | undefined {
  if (!parsed.wellFormed || parsed.value === null || typeof parsed.value !== 'object') return undefined;
  const token = (parsed.value as { token?: unknown }).token;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** A token in another place than the field `token`, with a JSON pointer to it; the pointer of a whole body is "". */
export interface MisplacedToken {
  token: string;
  pointer: string;
}

/**
 * The one string of an answer that can be a token: by its name, in a success because nothing else in it can be one, or
 * because it is as long as the tokens of this deployment (`lengths`). Undefined where there is none, or several without
 * anything that decides.
 */
export function misplacedToken(
  parsed: Parsed,
  { status, headers, body }: Pick<HttpResponse, 'status' | 'headers' | 'body'>,
  lengths: ReadonlySet<number> = new Set(),
): MisplacedToken | undefined {
  const isSuccess = isSuccessStatus(status);
  if (!parsed.wellFormed) {
    const text = parsed.refused || body.length > TOKEN_BYTES ? '' : body.toString('latin1').trim();
    return isSuccess && isLikeToken(text) && !/[<>{}[\]"]/.test(text)
      ? { token: text, pointer: '' }
      : undefined;
  }
  const strings = [...stringsIn(parsed.value, '', 0)].filter(({ token }) => IN_A_HEADER.test(token));
  for (const name of TOKEN_NAMES) {
    const named = strings.find(({ pointer }) => nameIn(pointer).toLowerCase() === name);
    if (named) return named;
  }
  const unnamed = strings.filter(
    ({ token, pointer }) => isLikeToken(token) && !NO_TOKEN_NAMES.test(nameIn(pointer)),
  );
  if (isSuccess && unnamed.length === 1) return unnamed[0];
  const cookies = headers.filter(([name]) => name === 'set-cookie').map(([, value]) => value);
  const words = cookies.flatMap((value) => value.split(/[\s=;,]+/)).map((token) => ({ token, pointer: '' }));
  return [...unnamed, ...words].find(({ token }) => token.length >= LONG && lengths.has(token.length));
}

/** An identifier of a request is as long as a token of this length only by chance. */
const LONG = 16;

const nameIn = (pointer: string) => pointer.split('/').at(-1) ?? '';

/** The most usual first. */
const TOKEN_NAMES = ['token', 'access_token', 'accesstoken', 'access-token', 'bearer', 'id_token', 'jwt'];
/** Members that hold other identifiers, addresses, times and words. */
const NO_TOKEN_NAMES =
  /(^|[_-])(type|scope|id|uri|url|error|code|message|detail|description|title|status|at|time|timestamp|date|path|instance|expires?|refresh_token)$|Id$|^(iss|sub|aud|jti)$/i;
/** More than any header carries. */
export const TOKEN_BYTES = 64 * 1024;
const DEPTH = 4;
const STRINGS = 100;

/** Printable, without spaces. */
const IN_A_HEADER = /^[\x21-\x7e]+$/;
/** Longer than a word. */
const isLikeToken = (text: string) =>
  IN_A_HEADER.test(text) && text.length >= 8 && !/^[a-z]{1,15}$/i.test(text);

function* stringsIn(value: unknown, pointer: string, depth: number): Generator<MisplacedToken> {
  if (typeof value === 'string') yield { token: value, pointer };
  if (typeof value !== 'object' || value === null || depth === DEPTH) return;
  for (const [name, member] of Object.entries(value).slice(0, STRINGS))
    yield* stringsIn(member, append(name, pointer), depth + 1);
}
