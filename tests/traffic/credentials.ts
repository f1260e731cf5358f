/** The credentials that a recorded request carries, wherever they are. */
import { type Field, FORM_TYPE, fieldNamed, type RecordedExchange } from './exchange.ts';

export interface Credentials {
  clientId?: string;
  clientSecret?: string;
}

type Request = Pick<RecordedExchange, 'headers' | 'body' | 'params' | 'query'>;

/** The fields of a form; undefined where the body is not one, or the file does not have it. */
export function formOf({ headers, body, params }: Request): readonly Field[] | undefined {
  const type = fieldNamed(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== FORM_TYPE) return undefined;
  return body === undefined ? params : [...new URLSearchParams(body)];
}

/** Words by which a recorder says that it replaced a value. */
const REPLACED =
  'redacted|removed|hidden|masked|filtered|saniti[sz]ed|omitted|obfuscated|scrubbed|withheld|not kept';
const MARK = new RegExp(`^\\W*(${REPLACED}|secret)\\W*$`, 'i');
const BLANK = /^([*•.…x]{3,}|[█▒]+)$/i;
const IN_BRACKETS = new RegExp(`^[[<({‹«].*\\b(${REPLACED})\\b.*[\\]>)}›»]$`, 'i');
/** Characters; what is longer is a value. */
const LONGEST_MASK = 1000;
const SENTENCE = new RegExp(`^\\S+ .*\\b(${REPLACED})\\b`, 'i');

/** Whether it is one of the usual marks for a value that was replaced, and no value itself: `[REDACTED]`, `***`, `‹not kept›`. */
export const isMark = (value: string): boolean => MARK.test(value) || BLANK.test(value);

/**
 * Whether the recorder, or who cleaned the file, has replaced or shortened the value. It may be a value that only looks so:
 * what is not one of the usual marks stays secret.
 */
export const isMasked = (value: string): boolean =>
  value.length <= LONGEST_MASK &&
  (isMark(value) || IN_BRACKETS.test(value) || SENTENCE.test(value) || /\S(\.\.\.|…)$/.test(value));

/** From the form, a JSON body, the query or HTTP Basic (RFC 7617), in this order. */
export function credentialsIn(request: Request): Credentials {
  const places = [formOf(request) ?? [], jsonFields(request.body), request.query, basicFields(request)];
  const find = (wanted: string) => {
    for (const fields of places) {
      const value = fields.find(([name]) => name === wanted)?.[1];
      if (value) return value;
    }
    return undefined;
  };
  const [clientId, clientSecret] = [find('client_id'), find('client_secret')];
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
  };
}

/** The token of `Authorization: Bearer <token>`; empty where the header has none. Undefined without such a header. */
export function bearerOf({ headers }: Pick<RecordedExchange, 'headers'>): string | undefined {
  const value = fieldNamed(headers, 'authorization');
  return value === undefined
    ? undefined
    : /^bearer(?: +(\S*))? *$/i.exec(value)
      ? (/^bearer +(\S*) *$/i.exec(value)?.[1] ?? '')
      : undefined;
}

/**
 * What kind of Authorization header it has; undefined without one. `masked`: the value was replaced or emptied, as a whole
 * or after its scheme. The journal of the mock keeps the names of tokens, so what it writes as ‹not kept› was malformed.
 */
export function authorizationOf(
  request: Pick<RecordedExchange, 'headers'>,
): 'bearer' | 'other' | 'masked' | undefined {
  const value = fieldNamed(request.headers, 'authorization');
  if (value === undefined) return undefined;
  if (value === '') return 'masked';
  const credentials = /^[\w-]+ +(.+)$/.exec(value)?.[1] ?? value;
  if (value !== '‹not kept›' && [value, credentials].some((one) => isMasked(one.trim()))) return 'masked';
  return bearerOf(request) ? 'bearer' : 'other';
}

/** The id and the secret of HTTP Basic (RFC 7617); where no colon divides them, all of it is the secret. */
export function basicOf({
  headers,
}: Pick<RecordedExchange, 'headers'>): { id: string; secret: string } | undefined {
  const encoded = /^basic +(\S+) *$/i.exec(fieldNamed(headers, 'authorization') ?? '')?.[1];
  if (encoded === undefined || isMasked(encoded)) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  return { id: decoded.slice(0, Math.max(0, colon)), secret: decoded.slice(colon + 1) };
}

function basicFields(request: Request): Field[] {
  const basic = basicOf(request);
  if (!basic) return [];
  return [
    ['client_id', basic.id],
    ['client_secret', basic.secret],
  ];
}

function jsonFields(body: string | undefined): Field[] {
  if (body === undefined || !/^\s*\{/.test(body)) return [];
  try {
    const value: Record<string, unknown> = JSON.parse(body);
    return ['client_id', 'client_secret', 'token'].flatMap((name): Field[] => {
      const member = Object.hasOwn(value, name) ? value[name] : undefined;
      return typeof member === 'string' ? [[name, member]] : [];
    });
  } catch {
    return [];
  }
}
