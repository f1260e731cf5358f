/** An entry of a HAR file as an exchange. Recorders differ in what they leave out; none of them is trusted. */
import { UsageError } from '../support/usage-error.ts';
import type { Field, RecordedAnswer, RecordedExchange } from './exchange.ts';

/** More headers or fields than these are not read. */
const MOST_FIELDS = 300;
/** More of one text is not read: it is neither a header nor a form that a client of this service sends. */
const MOST_CHARACTERS = 64 * 1024;

/**
 * `undefined`: the entry is not an exchange with a service, since the browser answered it from its cache or the address
 * is not of HTTP. Throws UsageError for an entry that is not what HAR 1.2 describes; `name` is that of the file.
 */
export function exchangeOf(entry: unknown, number: number, name: string): RecordedExchange | undefined {
  const refuse = (what: string): never => {
    throw new UsageError(`${name}: entry ${number} ${what}. Export the traffic as HAR 1.2 again.`);
  };
  const { startedDateTime, time, request, response, _fromCache, _proxyAnswer } = membersOf(entry);
  const { method, url: address, headers, postData } = membersOf(request);
  if (typeof method !== 'string' || typeof address !== 'string')
    refuse('has no request with a method and a url');
  const startMs = typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN;
  if (Number.isNaN(startMs)) refuse('has no startedDateTime that is a date');
  const url = URL.canParse(String(address)) ? new URL(String(address)) : undefined;
  if (!url) refuse('has a url that is not an address');
  if (!url || !/^https?:$/.test(url.protocol) || _fromCache !== undefined) return undefined;
  const took = typeof time === 'number' && time > 0 ? time : 0;
  const { text, params } = membersOf(postData);
  const fields = fieldsOf(params);
  const answer = answerOf(response);
  return {
    entry: number,
    startMs,
    endMs: startMs + took,
    method: cut(String(method), 40),
    origin: url.origin,
    path: cut(url.pathname, MOST_CHARACTERS),
    query: [...url.searchParams].slice(0, MOST_FIELDS),
    headers: headersOf(headers),
    ...(typeof text === 'string' && { body: cut(text, MOST_CHARACTERS) }),
    ...(typeof text !== 'string' && fields.length > 0 && { params: fields }),
    // As mrs proxy marks what it answered in place of the service.
    ...(typeof _proxyAnswer === 'string' && { proxyAnswer: _proxyAnswer.slice(0, 200) }),
    ...(answer ? { answer } : { failure: 'gave no answer that was recorded' }),
  };
}

/** Undefined where none arrived: browsers write the status 0 then. */
function answerOf(response: unknown): RecordedAnswer | undefined {
  const { status, headers, content } = membersOf(response);
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 100 || status > 999)
    return undefined;
  return { status, headers: headersOf(headers), readBody: () => bodyOf(content, status) };
}

/** A text that is shorter than its `size` was cut by the recorder, unless it is whole JSON: then a secret in it was replaced. */
function bodyOf(content: unknown, status: number): Buffer | undefined {
  const { text, encoding, size } = membersOf(content);
  const bytes = typeof size === 'number' ? size : 0;
  if (typeof text !== 'string') return bytes <= 0 && hasNoContent(status) ? Buffer.alloc(0) : undefined;
  const body = Buffer.from(text, encoding === 'base64' ? 'base64' : 'utf8');
  return bytes > body.length && !isJson(body) ? undefined : body;
}

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

const hasNoContent = (status: number): boolean => [204, 205, 304].includes(status);

/** Without the pseudo-headers of HTTP/2. */
const headersOf = (list: unknown): Field[] =>
  fieldsOf(list)
    .filter(([name]) => !name.startsWith(':'))
    .map(([name, value]) => [name.toLowerCase(), value]);

const fieldsOf = (list: unknown): Field[] =>
  (Array.isArray(list) ? list : []).slice(0, MOST_FIELDS).flatMap((item): Field[] => {
    const { name, value } = membersOf(item);
    if (typeof name !== 'string') return [];
    return [[cut(name, 200), typeof value === 'string' ? cut(value, MOST_CHARACTERS) : '']];
  });

/** The members of an object; of anything else, none. */
const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** The first characters, as a text of their own: a slice would keep the whole text in memory. */
const cut = (text: string, characters: number): string =>
  text.length <= characters ? text : Buffer.from(text.slice(0, characters), 'utf16le').toString('utf16le');
