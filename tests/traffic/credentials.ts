/** The credentials that a recorded request carries, wherever they are. */
import { type Field, fieldNamed, type RecordedExchange } from './exchange.ts';

export interface Credentials {
  clientId?: string;
  clientSecret?: string;
}

type Request = Pick<RecordedExchange, 'headers' | 'body' | 'params' | 'query'>;

const FORM = 'application/x-www-form-urlencoded';

/** The fields of a form; undefined where the body is not one, or the file does not have it. */
export function formOf({ headers, body, params }: Request): readonly Field[] | undefined {
  const type = fieldNamed(headers, 'content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== FORM) return undefined;
  return body === undefined ? params : [...new URLSearchParams(body)];
}

/** Whether the recorder, or who cleaned the file, has replaced the value: `[REDACTED]`, `***`, `‹not kept›`. */
export const isMasked = (value: string): boolean =>
  /^\W*(redacted|removed|hidden|masked|filtered|sanitized|not kept|secret)\W*$/i.test(value) ||
  /^[*•.…x]{3,}$/i.test(value);

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

function basicFields({ headers }: Request): Field[] {
  const encoded = /^basic +(\S+)$/i.exec(fieldNamed(headers, 'authorization') ?? '')?.[1];
  if (encoded === undefined) return [];
  const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  return [
    ['client_id', id],
    ['client_secret', secret],
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
