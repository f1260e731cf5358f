/** JSON as RFC 8259 has it: UTF-8 without a byte order mark. */
import { MIMEType } from 'node:util';
import type { Json } from './evidence.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const MAX_FIELDS = 100;

export type Parsed = { wellFormed: true; value: unknown } | { wellFormed: false; error: string };

export function parseJson(body: Buffer): Parsed {
  if (body.length === 0) return { wellFormed: false, error: 'the body is empty' };
  try {
    return { wellFormed: true, value: JSON.parse(utf8.decode(body)) };
  } catch (error) {
    // The parser's own message quotes the body, so it is not passed on.
    return {
      wellFormed: false,
      error: error instanceof SyntaxError ? 'it does not parse' : 'it is not UTF-8',
    };
  }
}

export function describeJson(parsed: Parsed): Json {
  if (!parsed.wellFormed) return parsed;
  const type = typeOf(parsed.value);
  if (type !== 'object') return { wellFormed: true, type };
  return { wellFormed: true, type, fields: Object.keys(parsed.value as object).slice(0, MAX_FIELDS) };
}

function typeOf(value: unknown) {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as 'object' | 'string' | 'number' | 'boolean';
}

/** Type and subtype of a Content-Type header, in lower case; undefined if it does not parse. */
export function mediaTypeOf(contentType: string | undefined): string | undefined {
  try {
    return contentType === undefined ? undefined : new MIMEType(contentType).essence;
  } catch {
    return undefined;
  }
}

/** `application/json`, `text/json` and every `+json` (RFC 6839 section 3.1; WHATWG MIME Sniffing section 4.6). */
export const isJsonMediaType = (mediaType: string | undefined): boolean =>
  mediaType !== undefined && /^(application\/json|text\/json|[^/]+\/[^/]+\+json)$/.test(mediaType);
