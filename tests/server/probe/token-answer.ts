/** Reads the answers of the token endpoint of one deployment, and registers every secret in them. */
import { append } from '@hyperjump/json-pointer';
import { visit } from 'jsonc-parser';
import { decodeOnce } from '../../support/decoded-text.ts';
import type { Secrets } from '../../support/secrets.ts';
import { type Mismatch, tokenResponseMismatches } from '../support/contract.ts';
import { isSuccessStatus, type Response } from '../support/evidence.ts';
import { type Parsed, parseJson } from '../support/json.ts';
import type { HttpResponse } from './http.ts';

/** `token`: what was issued, in the field `token` or in another place. `record` is what is kept of the answer. */
export type ReadToken = (
  answer: HttpResponse,
  parsed: Parsed,
) => { token?: string; record: Partial<Response> };

/** `given`: what the user gave and nobody hides, such as the base URL and the client id. */
export function createTokenReader(
  secrets: Pick<Secrets, 'register'>,
  given: () => readonly string[] = () => [],
): ReadToken {
  let issued = 0;
  let hiddenCharacters = 0;
  /** Of the tokens that were issued. */
  const lengths = new Set<number>();

  return (answer, parsed) => {
    // A byte order mark makes the JSON malformed, and does not hide a token.
    const lenient = parsed.wellFormed || parsed.refused ? parsed : parseJson(withoutMark(answer.body));
    const inPlace = tokenIn(lenient);
    const taken = inPlace === undefined ? misplacedToken(lenient, answer, lengths) : undefined;
    const token = inPlace ?? taken?.token;
    if (inPlace !== undefined && isSuccessStatus(answer.status)) lengths.add(inPlace.length);
    if (token !== undefined && !given().includes(token)) secrets.register(token, `token ${++issued}`);
    const open = given().map((one) => one.toLowerCase());
    const hidden = hiddenIn(lenient, isSuccessStatus(answer.status)).filter(
      ({ value }) => !isGiven(value, open),
    );
    hiddenCharacters += hidden.reduce((sum, { value }) => sum + value.length, 0);
    const { twice, overwritten } = lenient.wellFormed ? repeatedIn(lenient.value, answer.body) : NONE;
    for (const value of overwritten) {
      hiddenCharacters += value.length;
      hidden.push({ value, named: false });
    }
    const isKnown = hidden.length < HIDDEN_VALUES && hiddenCharacters <= HIDDEN_CHARACTERS;
    if (isKnown) for (const { value } of hidden) secrets.register(value, 'hidden', { whole: true });
    const record: Partial<Response> = {
      // A body that is not JSON may be a token as a whole, and one of many values hides too many: none is kept.
      ...((!parsed.wellFormed || !isKnown || twice.length > 0) && { excerpt: '' }),
      ...((!isKnown || twice.length > 0 || token !== undefined) && { shape: undefined }),
      tokenResponse: {
        issued: inPlace !== undefined,
        ...(taken && { takenFrom: taken.pointer }),
        unclear:
          taken === undefined &&
          ((parsed.wellFormed === false && parsed.refused === true) ||
            hidden.some(({ named }) => named) ||
            mayBeToken(answer.body, parsed, hidden)),
        mismatches: parsed.wellFormed
          ? [...tokenResponseMismatches(parsed.value), ...twice.map(mismatchOf)]
          : [],
      },
    };
    return { record, ...(token !== undefined && { token }) };
  };
}

interface Repeated {
  /** The names of members that an object has more than once. */
  twice: string[];
  /** The long values that a parser which keeps the last of them does not have: another one may read them. */
  overwritten: string[];
}

const NONE: Repeated = { twice: [], overwritten: [] };

/** RFC 8259 section 4: which of several members of one name counts, each parser decides. */
function repeatedIn(value: unknown, body: Buffer): Repeated {
  const twice = new Set<string>();
  const written: string[] = [];
  const open: Set<string>[] = [];
  visit(withoutMark(body).toString(), {
    onObjectBegin: () => void open.push(new Set()),
    onObjectEnd: () => void open.pop(),
    onObjectProperty(name) {
      const names = open.at(-1);
      if (names?.has(name) && twice.size < HIDDEN_VALUES) twice.add(name);
      names?.add(name);
    },
    onLiteralValue: (one) => void written.push(String(one)),
  });
  if (twice.size === 0) return NONE;
  const kept = new Set<string>();
  const keep = (one: unknown) => {
    if (typeof one !== 'object' || one === null) kept.add(String(one));
    else for (const member of Object.values(one)) keep(member);
  };
  keep(value);
  const overwritten = [...new Set(written)].filter((one) => one.length >= 8 && !kept.has(one));
  return { twice: [...twice], overwritten };
}

/** Whether a member is there twice: parsers differ in which of them they take. */
export const hasTwice = ({ tokenResponse }: Pick<Response, 'tokenResponse'>): boolean =>
  tokenResponse?.mismatches.some(({ keyword }) => keyword === 'twice') === true;

const mismatchOf = (name: string): Mismatch => ({
  pointer: '',
  keyword: 'twice',
  expected: `no member twice, but there is ${name}`.slice(0, 200),
});

/** Whether a value is part of what the user gave, as it is or percent-encoded. */
const isGiven = (value: string, given: readonly string[]): boolean =>
  [value, decodeOnce(value)].some((form) => given.some((one) => one.includes(form.toLowerCase())));

/** Of a success: one word that is not JSON, or a long word in an answer without an error. */
function mayBeToken(body: Buffer, parsed: Parsed, hidden: { value: string }[]): boolean {
  if (!parsed.wellFormed)
    return body.length < TOKEN_BYTES && /^[^\s<>]{8,}$/.test(body.toString('latin1').trim());
  const names = Object.keys(Object(parsed.value));
  return (
    hidden.some(({ value }) => !/\s/.test(value)) &&
    !names.some((name) => /^(error|message|detail)/i.test(name))
  );
}

const withoutMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;

/**
 * Whatever else in a token answer may be a credential: the value of a member with such a name, and of a success every
 * long string too.
 */
function hiddenIn(parsed: Parsed, success: boolean): { value: string; named: boolean }[] {
  const found: { value: string; named: boolean }[] = [];
  const visit = (value: unknown, named: boolean, depth: number) => {
    if (found.length === HIDDEN_VALUES || depth > HIDDEN_DEPTH) return;
    if (typeof value === 'object' && value !== null)
      for (const [name, member] of Object.entries(value))
        visit(member, isTokenName(name) || (named && name !== 'token_type'), depth + 1);
    else if (
      typeof value === 'string' &&
      (success ? named || value.length >= 20 : named && isTelling(value))
    ) {
      if (value !== '') found.push({ value, named });
    } else if (typeof value === 'number' && named) found.push({ value: String(value), named });
  };
  if (parsed.wellFormed) visit(parsed.value, false, 0);
  return found;
}

/** Of a refusal: no word of a sentence, which the reports would lack then. */
const isTelling = (value: string) => value.length >= 8 && !/^[a-z]{1,15}$|\s/i.test(value);

const HIDDEN_VALUES = 50;
/** In a whole run: each is looked for, in every encoding, in all that a deployment sends. */
const HIDDEN_CHARACTERS = 16_384;
const HIDDEN_DEPTH = 16;

const isTokenName = (name: string) => /token|secret/i.test(name) && name !== 'token_type';

// Where an answer holds a token.

/** The token of a token response, whatever its status: a string in the field `token`, not empty. */
function tokenIn(parsed: Parsed): string | undefined {
  if (!parsed.wellFormed || parsed.value === null || typeof parsed.value !== 'object') return undefined;
  const token = (parsed.value as { token?: unknown }).token;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** A token in another place than the field `token`, with a JSON pointer to it; the pointer of a whole body is "". */
interface MisplacedToken {
  token: string;
  pointer: string;
}

/**
 * The one string of an answer that can be a token: by its name, in a success because nothing else in it can be one, or
 * because it is as long as the tokens of this deployment (`lengths`). Undefined where there is none, or several without
 * anything that decides.
 */
function misplacedToken(
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
const TOKEN_BYTES = 64 * 1024;
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
