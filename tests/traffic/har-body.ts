/**
 * Bodies in a HAR file. Recorders lose them, cut them, keep them as they came over the wire, or put words in their place:
 * such a body is not known, and nothing is judged by it.
 */
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { type Field, fieldNamed } from './exchange.ts';
import { membersOf } from './har-members.ts';

/** Bytes of a body without its content codings; a larger one is not known. */
const MOST_DECODED = 64 * 1024 * 1024;
const DECODERS: Readonly<Record<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
};
/** Values of `encoding` by which a recorder says that the text is text. */
const PLAIN = /^(|none|plain|text|identity|utf-?8)$/i;
/** What recorders write next to a body, or at its end, that they did not keep as a whole. */
const LEFT_OUT =
  /truncat|discard|not (been )?(included|available|kept|captured)|omitted|too (large|big|long)/i;
/** A text in place of a body, such as `[application/json redacted]`. */
const PLACEHOLDER = /^\s*(<[^<>]*>|\[[^[\]]*\]|\([^()]*\)|[*•█x.…]{3,})\s*$/i;
const WORD = /^\s*(redacted|removed|hidden|masked|filtered|saniti[sz]ed|omitted)\s*$/i;
/** Recorders cut at a round number of bytes or characters. */
const ROUND = [1000, 1024];

/**
 * The body of the answer with this `content`; undefined where the file does not have the whole of it. What may be damaged
 * is taken for whole where it is JSON: then a value in it was replaced.
 */
export function answerBodyOf(
  content: unknown,
  { status, headers }: { status: number; headers: readonly Field[] },
): Buffer | undefined {
  const { text, encoding = '', size: given, comment, ...marks } = membersOf(content);
  const size = Number(given) || 0;
  if (typeof text !== 'string') return size <= 0 && hasNoContent(status) ? Buffer.alloc(0) : undefined;
  if (text === '') return isEmpty(status, size, headers) ? Buffer.alloc(0) : undefined;
  const isBase64 = /^base64$/i.test(String(encoding));
  if (!isBase64 && !PLAIN.test(String(encoding ?? ''))) return undefined;
  const codings = codingsIn(headers);
  const body = Buffer.from(text, isBase64 ? 'base64' : 'utf8');
  if (isJson(body)) return body;
  if (isBase64 && codings.length > 0) return decoded(body, codings);
  const isMarked = LEFT_OUT.test(`${comment} ${Object.keys(marks).join(' ')} ${text.slice(-60)}`);
  const isRound = ROUND.some((unit) => body.length % unit === 0 || text.length % unit === 0);
  const isShort = size > body.length || (codings.length === 0 && lengthIn(headers) > body.length);
  const isDamaged = codings.length > 0 || isMarked || isRound || isShort || PLACEHOLDER.test(text);
  return isDamaged || WORD.test(text) || hasLostBytes(text) ? undefined : body;
}

/** An answer with success has a body, unless its headers say otherwise: browsers lose one, and write an empty text. */
const isEmpty = (status: number, size: number, headers: readonly Field[]): boolean =>
  size <= 0 && (hasNoContent(status) || status >= 300 || fieldNamed(headers, 'content-length') === '0');

const hasNoContent = (status: number): boolean => [204, 205, 304].includes(status);

const lengthIn = (headers: readonly Field[]): number => Number(fieldNamed(headers, 'content-length')) || 0;

const codingsIn = (headers: readonly Field[]): string[] =>
  (fieldNamed(headers, 'content-encoding') ?? '')
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '' && coding !== 'identity');

function decoded(body: Buffer, codings: readonly string[]): Buffer | undefined {
  try {
    return codings
      .toReversed()
      .reduce<Buffer | undefined>(
        (bytes, coding) => bytes && DECODERS[coding]?.(bytes, { maxOutputLength: MOST_DECODED }),
        body,
      );
  } catch {
    return undefined;
  }
}

/** Whether bytes that are not text were written as text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what bytes become that are not text.
const hasLostBytes = (text: string): boolean => /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text);

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** What a file has of the body of a request. */
export interface RequestBody {
  body?: string;
  /** Fields of a form that the file has in parts only. */
  params?: readonly Field[];
  /** The type that the recorder noted with the body. */
  mimeType?: string;
}

/** `bodySize` as the recorder states it. An empty text of a body that was not empty, and one that was replaced, is left out. */
export function requestBodyOf({ postData, bodySize, _content }: Record<string, unknown>): RequestBody {
  const { text, params, mimeType } = membersOf(postData);
  const type = typeof mimeType === 'string' && mimeType !== '' ? { mimeType } : {};
  const fields = paramsOf(params);
  if (typeof text === 'string' && !isReplacedForm(text) && (text !== '' || Number(bodySize) === 0))
    return { ...type, body: text };
  if (fields.length > 0) return { ...type, params: fields };
  const kept = membersOf(_content); // As HTTP Toolkit keeps a body that is not text.
  if (typeof kept.text === 'string' && kept.encoding === 'base64')
    return { ...type, body: Buffer.from(kept.text, 'base64').toString('utf8') };
  return type;
}

/** Whether the whole of a form was replaced. */
const isReplacedForm = (text: string): boolean => PLACEHOLDER.test(text) || WORD.test(text);

/** The value of a field that the recorder has left out, as one that was replaced. */
const LEFT_OUT_VALUE = '‹not kept›';

const paramsOf = (list: unknown): Field[] =>
  (Array.isArray(list) ? list : []).flatMap((item): Field[] => {
    const { name, value } = membersOf(item);
    if (typeof name !== 'string') return [];
    return [[name, typeof value === 'string' ? value : LEFT_OUT_VALUE]];
  });
