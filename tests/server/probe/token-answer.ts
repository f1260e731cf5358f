/** Reads the answers of the token endpoint of one deployment, and registers every secret in them. */
import { append } from '@hyperjump/json-pointer';
import { decodeOnce } from '../../support/decoded-text.ts';
import { repeatedMembers } from '../../support/json/values.ts';
import type { Secrets } from '../../support/secrets.ts';
import { type Mismatch, tokenResponseMismatches } from '../support/contract.ts';
import { isSuccessStatus, type Response } from '../support/evidence.ts';
import { type Parsed, parseJson } from '../support/json.ts';
import type { HttpResponse } from './http.ts';

/** `token`: what was issued, in the field `token` or in another place. `record` is what is kept of the answer. */
type ReadToken = (
  answer: Pick<HttpResponse, 'status' | 'headers' | 'body'>,
  parsed: Parsed,
) => { token?: string; record: Partial<Response> };

const HIDDEN_VALUES = 50;
/** In a whole run: each is looked for, in every encoding, in all that a deployment sends. */
const HIDDEN_CHARACTERS = 16_384;
/** More than any header carries. */
const TOKEN_BYTES = 64 * 1024;

/** `given`: what the user gave and no one hides, such as the base URL and the client id. */
export function createTokenReader(
  secrets: Pick<Secrets, 'register'>,
  given: () => readonly string[] = () => [],
): ReadToken {
  let issued = 0;
  let hiddenCharacters = 0;
  /** Of the tokens that were issued. */
  const lengths = new Set<number>();

  return (answer, parsed) => {
    const isSuccess = isSuccessStatus(answer.status);
    // A byte order mark makes the JSON malformed, and does not hide a token.
    const lenient = parsed.wellFormed || parsed.refused ? parsed : parseJson(withoutMark(answer.body));
    const written = tokenIn(lenient);
    const controls = CONTROLS.exec(written ?? '') ?? [];
    // As lenient clients send it.
    const inPlace = (controls.length > 0 && written?.trim()) || written;
    const taken = inPlace === undefined ? misplacedToken(lenient, answer, lengths) : undefined;
    const token = inPlace ?? taken?.token;
    if (inPlace !== undefined && isSuccess) lengths.add(inPlace.length);
    if (token !== undefined && !given().includes(token)) secrets.register(token, `token ${++issued}`);

    const open = given().map((one) => one.toLowerCase());
    const { twice, overwritten } = repeatedIn(lenient, answer.body);
    const hidden = [
      ...hiddenIn(lenient, isSuccess).filter(({ value }) => !isGiven(value, open)),
      ...overwritten.map((value) => ({ value, named: false })),
    ];
    hiddenCharacters += hidden.reduce((sum, { value }) => sum + value.length, 0);
    const isKnown = hidden.length < HIDDEN_VALUES && hiddenCharacters <= HIDDEN_CHARACTERS;
    if (isKnown) for (const { value } of hidden) secrets.register(value, 'hidden', { whole: true });

    const isUnclear =
      (!parsed.wellFormed && parsed.refused === true) ||
      hidden.some(({ named }) => named) ||
      mayBeToken(answer.body, parsed, hidden);
    const isCovered = isKnown && twice.length === 0;
    const record: Partial<Response> = {
      // A body that is not JSON may be a token as a whole, and one of many values hides too many: none is kept.
      ...((!parsed.wellFormed || !isCovered) && { excerpt: '' }),
      tokenResponse: {
        issued: inPlace !== undefined,
        ...(taken && { takenFrom: taken.pointer }),
        unclear: taken === undefined && isUnclear,
        mismatches: parsed.wellFormed
          ? [...tokenResponseMismatches(parsed.value), ...twice.map(mismatchOf), ...controls.map(unsendable)]
          : [],
      },
    };
    return { record, ...(token !== undefined && { token }) };
  };
}

const withoutMark = (body: Buffer): Buffer =>
  body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body;

/** A value in an answer that is neither an object nor a list. `named`: a name above it speaks of a token or a secret. */
interface Leaf {
  value: unknown;
  pointer: string;
  named: boolean;
}

const isTokenName = (name: string) => /token|secret/i.test(name) && name !== 'token_type';

function* leavesOf(
  value: unknown,
  depth: number,
  width: number,
  pointer = '',
  named = false,
): Generator<Leaf> {
  if (typeof value !== 'object' || value === null) yield { value, pointer, named };
  else if (depth > 0)
    for (const [name, member] of Object.entries(value).slice(0, width)) {
      const isNamed = isTokenName(name) || (named && name !== 'token_type');
      yield* leavesOf(member, depth - 1, width, append(name, pointer), isNamed);
    }
}

// Members that are there twice.

const mismatchOf = (name: string): Mismatch => ({
  pointer: '',
  keyword: 'twice',
  expected: `no member twice, but there is ${name}`.slice(0, 200),
});

/**
 * The names of members that an object has more than once, and the long values that a parser which keeps the last of them
 * does not have: which of them counts, each parser decides (RFC 8259 section 4).
 */
function repeatedIn(parsed: Parsed, body: Buffer): { twice: string[]; overwritten: string[] } {
  const written = new Set<string>();
  if (!parsed.wellFormed) return { twice: [], overwritten: [] };
  const text = withoutMark(body).toString();
  const paths = repeatedMembers(text, HIDDEN_VALUES, (one) => void written.add(String(one)));
  const twice = [...new Set(paths.map((path) => path.at(-1) ?? ''))];
  if (twice.length === 0) return { twice: [], overwritten: [] };
  for (const { value } of leavesOf(parsed.value, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY))
    written.delete(String(value));
  return { twice, overwritten: [...written].filter(({ length }) => length >= 8) };
}

// What else may be a credential.

/** Whether a value is part of what the user gave, as it is or percent-encoded. */
const isGiven = (value: string, given: readonly string[]): boolean =>
  [value, decodeOnce(value)].some((form) => given.some((one) => one.includes(form.toLowerCase())));

/** Of a success: one word that is not JSON, or a long word in an answer without an error. */
function mayBeToken(body: Buffer, parsed: Parsed, hidden: { value: string }[]): boolean {
  if (!parsed.wellFormed)
    return body.length < TOKEN_BYTES && /^[^\s<>]{8,}$/.test(body.toString('latin1').trim());
  const isError = Object.keys(Object(parsed.value)).some((name) => /^(error|message|detail)/i.test(name));
  return !isError && hidden.some(({ value }) => !/\s/.test(value));
}

/** The value of a member with the name of a credential, and of a success every long string too. */
function hiddenIn(parsed: Parsed, isSuccess: boolean): { value: string; named: boolean }[] {
  const found: { value: string; named: boolean }[] = [];
  if (!parsed.wellFormed) return found;
  for (const { value, named } of leavesOf(parsed.value, 16, Number.POSITIVE_INFINITY)) {
    if (found.length === HIDDEN_VALUES) break;
    const isNumber = typeof value === 'number' && named;
    // Of a refusal, no word of a sentence, which the reports would lack then.
    const isText =
      typeof value === 'string' &&
      value !== '' &&
      (isSuccess
        ? named || value.length >= 20
        : named && value.length >= 8 && !/^[a-z]{1,15}$|\s/i.test(value));
    if (isNumber || isText) found.push({ value: String(value), named });
  }
  return found;
}

// Where an answer holds a token.

/** The token of a token response, whatever its status: a string in the field `token`, not empty. */
function tokenIn(parsed: Parsed): string | undefined {
  const token = parsed.wellFormed && (parsed.value as { token?: unknown } | null)?.token;
  return typeof token === 'string' && token !== '' ? token : undefined;
}

/** An identifier of a request is as long as a token of this length only by chance. */
const LONG = 16;
/** The most usual first. */
const TOKEN_NAMES = ['token', 'access_token', 'accesstoken', 'access-token', 'bearer', 'id_token', 'jwt'];
/** Members that hold other identifiers, addresses, times and words. */
const NO_TOKEN_NAMES =
  /(^|[_-])(type|scope|id|uri|url|error|code|message|detail|description|title|status|at|time|timestamp|date|path|instance|expires?|refresh_token)$|Id$|^(iss|sub|aud|jti)$/i;
/** What no header can carry (RFC 9110 section 5.5): a program prints a token with the end of its line. */
const CONTROLS = /[^\P{Cc}\t]+/u;
const unsendable = (characters: string): Mismatch => ({
  pointer: '/token',
  keyword: 'pattern',
  expected:
    `a token that an Authorization header can carry, but it holds ${JSON.stringify(characters)}`.slice(
      0,
      200,
    ),
});

/** Of headers that may hold a token. */
const TOKEN_HEADERS = /^(?!.*(request|trace|correlation))(set-cookie|location|.*(token|session|auth|jwt))/;
/** Printable, without spaces. */
const IN_A_HEADER = /^[\x21-\x7e]+$/;
/** Longer than a word. */
const isLikeToken = (text: string) =>
  IN_A_HEADER.test(text) && text.length >= 8 && !/^[a-z]{1,15}$/i.test(text);

/**
 * A token in another place than the field `token`, with a JSON pointer to it, "" for a whole body: the one string of an
 * answer that can be one, by its name, in a success because nothing else in it can be one, or because it is as long as the
 * tokens of this deployment (`lengths`). Undefined where there is none, or several without anything that decides.
 */
function misplacedToken(
  parsed: Parsed,
  { status, headers, body }: Pick<HttpResponse, 'status' | 'headers' | 'body'>,
  lengths: ReadonlySet<number>,
): { token: string; pointer: string } | undefined {
  const isSuccess = isSuccessStatus(status);
  const isText = !parsed.wellFormed && !parsed.refused && body.length <= TOKEN_BYTES;
  const text = isText ? body.toString('latin1').trim() : '';
  if (isSuccess && isLikeToken(text) && !/[<>{}[\]"]/.test(text)) return { token: text, pointer: '' };
  const strings = [...leavesOf(parsed.wellFormed ? parsed.value : null, 4, 100)].flatMap(
    ({ value, pointer }) =>
      typeof value === 'string' && IN_A_HEADER.test(value)
        ? { token: value, pointer, name: pointer.split('/').at(-1) ?? '' }
        : [],
  );
  const named = TOKEN_NAMES.flatMap((one) => strings.find(({ name }) => name.toLowerCase() === one) ?? []);
  if (named[0]) return named[0];
  const unnamed = strings.filter(({ token, name }) => isLikeToken(token) && !NO_TOKEN_NAMES.test(name));
  if (isSuccess && unnamed.length === 1) return unnamed[0];
  const values = headers.filter(([name]) => TOKEN_HEADERS.test(name)).map(([, value]) => value);
  const words = [...values, ...(isSuccess ? [] : [text])]
    .flatMap((value) => value.split(/[\s=;,&?#<>"']+/))
    .map((token) => ({ token, pointer: '' }));
  return [...unnamed, ...words].find(({ token }) => token.length >= LONG && lengths.has(token.length));
}
