/** Reads and writes entries of HAR 1.2 (http://www.softwareishard.com/blog/har-12-spec/), as the usual recorders have them. */
import { BRACE, BRACE_END, BRACKET, BRACKET_END, COMMA, QUOTE } from '../support/json/bytes.ts';
import type { CredentialLeak } from '../support/secrets.ts';
import { UsageError } from '../support/usage-error.ts';
import { isMark, isMasked } from './credentials.ts';
import {
  type AnswerBody,
  type Field,
  FORM_TYPE,
  fieldNamed,
  PARTS,
  type Part,
  type RecordedExchange,
  UNREAD,
} from './exchange.ts';

const MEBIBYTE = 1024 * 1024;
/** Of one entry, or of what is around the entries. */
const MOST_BYTES = 64 * MEBIBYTE;
const UNPACK = 'Unpack it, and name the HAR file in it';
const EXPORT = 'Export the traffic as HAR 1.2';
/** What else a file may be, by its first bytes in hexadecimal, and what to do. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^504b0304/, `a zip archive. ${UNPACK}`],
  [/^1f8b/, `compressed by gzip. ${UNPACK}`],
  [/^(425a68|fd377a58|377abcaf|28b52ffd)/, `compressed. ${UNPACK}`],
  [/^(fffe|feff|00|..00)/, `text in UTF-16. Save it as UTF-8`],
  [/^(d4c3b2a1|a1b2c3d4|0a0d0d0a)/, `a capture of network packets. ${EXPORT}`],
  [/^(3\d)+3a(3\d)+3a/, `a file of flows of mitmproxy. ${EXPORT}, by its option hardump`],
];

/**
 * Calls `onEntry` with each entry of the file `name` as parsed JSON, and its place in the file, from 1: only one is in memory.
 * Returns the program that wrote the file, and the number of entries. Throws UsageError for what it cannot read.
 */
export function readHar(
  bytes: Buffer,
  name: string,
  onEntry: (entry: unknown, number: number) => void,
): { creator: string; entries: number } {
  const from = startOfEntries(bytes);
  if (from === undefined) {
    const [, what] = OTHERS.find(([start]) => start.test(bytes.toString('hex', 0, 100))) ?? [];
    if (what) throw new UsageError(`${name} is not a HAR file: it is ${what}.`);
    throw new UsageError(
      `${name} is not a HAR file: it ${bytes.length === 0 ? 'is empty' : 'has no list log.entries'}. ${EXPORT}.`,
    );
  }
  let entries = 0;
  let rest = from;
  for (const [start, end] of itemsIn(bytes, from)) {
    rest = end;
    const text = end - start > MOST_BYTES ? tooLarge() : bytes.toString('utf8', start, end).trim();
    if (text !== '' || bytes[end] === COMMA || entries > 0) onEntry(parsed(text, start), ++entries);
  }
  if (bytes[rest] !== BRACKET_END) notHar('it is cut off, or is not JSON', rest);
  if (from + bytes.length - rest > MOST_BYTES) tooLarge();
  // All but the entries, which may be those of something else.
  const { log } = membersOf(
    parsed(`${bytes.toString('utf8', 0, from)}]${bytes.toString('utf8', rest + 1)}`, rest),
  );
  const { entries: own, creator: program } = membersOf(log);
  if (!Array.isArray(own) || own.length > 0)
    throw new UsageError(
      `${name} is not a HAR file: its first list "entries" is not log.entries. ${EXPORT}.`,
    );
  const { name: creator } = membersOf(program);
  return { creator: typeof creator === 'string' ? creator.slice(0, 100) : '', entries };

  function parsed(text: string, start: number): unknown {
    try {
      return JSON.parse(text.replace(/^\ufeff/, ''));
    } catch {
      return notHar('it is not JSON', start);
    }
  }

  function tooLarge(): never {
    throw new UsageError(
      `${name}: the value after entry ${entries} is larger than ${MOST_BYTES / MEBIBYTE} MiB. Remove the bodies of other hosts from the file, or the entry.`,
    );
  }

  function notHar(what: string, place: number): never {
    throw new UsageError(
      `${name} is not a HAR file: ${what} (byte ${place}, after entry ${entries}). ${EXPORT} again.`,
    );
  }
}

/** Where each item of a list begins and ends, by the commas of the list: JSON.parse decides whether it is one. */
function* itemsIn(bytes: Buffer, from: number): Generator<[start: number, end: number]> {
  let [start, depth] = [from, 0];
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    const isEnd = byte === BRACKET_END || byte === BRACE_END;
    if (byte === QUOTE) {
      for (at++; at < bytes.length && bytes[at] !== QUOTE; at++) if (bytes[at] === BACKSLASH) at++;
    } else if (byte === BRACKET || byte === BRACE) depth++;
    else if (isEnd && depth > 0) depth--;
    else if (depth === 0 && (isEnd || byte === COMMA)) {
      yield [start, at];
      start = at + 1;
      if (isEnd) return;
    }
  }
}

const BACKSLASH = 0x5c;

/** Within a string of JSON, a quotation mark follows a backslash. */
function startOfEntries(bytes: Buffer): number | undefined {
  const name = '"entries"';
  for (let at = bytes.indexOf(name); at !== -1; at = bytes.indexOf(name, at + 1)) {
    const [all] = /^\s*:\s*\[/.exec(bytes.toString('latin1', at + name.length, at + 200)) ?? [];
    if (all !== undefined && bytes[at - 1] !== BACKSLASH) return at + name.length + all.length;
  }
  return undefined;
}

// An entry of a HAR file as an exchange.

/** More headers or fields than these are not read. */
const MOST_FIELDS = 300;
/** More of one text is not read: it is neither a header nor a form that a client of this service sends. */
const MOST_CHARACTERS = 64 * 1024;

/** Undefined for one that did not go over the network by HTTP. What HAR 1.2 does not describe is returned as a sentence. */
export function exchangeOf(entry: unknown, number: number): RecordedExchange | string | undefined {
  const { request, startedDateTime, response, _proxyAnswer, _misplaced, _mrs } = membersOf(entry);
  const span = spanOf(membersOf(entry));
  const { method, url: address, headers, postData, bodySize, queryString, cookies } = membersOf(request);
  if (typeof method !== 'string' || typeof address !== 'string')
    return `Entry ${number} has no request with a method and a url`;
  if (address === '') return undefined;
  if (!URL.canParse(address))
    return `Entry ${number} has a url without a host: ${cut(address.replace(/[?#].*|^.*@/gs, '…'), 100)}`;
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol) || !isOfNetwork(entry)) return undefined;
  const sent = headersOf(headers).filter((one) => !one[0].startsWith(':') && !isLeftOut(one));
  const answer = answerOf(response);
  // What a recorder leaves out of the headers and the address, it may have noted elsewhere.
  if (isForm(postData) && fieldNamed(sent, 'content-type') === undefined)
    sent.push(['content-type', FORM_TYPE]);
  const set = fieldsOf(cookies).map((cookie) => cookie.join('='));
  if (set.length > 0 && fieldNamed(sent, 'cookie') === undefined) sent.push(['cookie', set.join('; ')]);
  const noted = notedIn(_mrs);
  const query = url.search === '' ? fieldsOf(queryString) : [...url.searchParams];
  return {
    entry: number,
    ...span,
    ...(Number.isNaN(span.sentMs) && { startText: cut(`${JSON.stringify(startedDateTime)}`, 60) }),
    method: cut(method, 40),
    origin: url.origin,
    path: cut(pathOf(url, address), MOST_CHARACTERS),
    kind: 'other',
    query: query.slice(0, MOST_FIELDS),
    headers: sent,
    lacks: partsLeftOut(membersOf(entry)),
    ...requestBodyOf(postData, bodySize),
    misplaced: (Array.isArray(_misplaced) ? _misplaced : []).slice(0, MOST_MISPLACED).flatMap(misplacedOf),
    ...(noted.length > 0 && { noted }),
    // As mrs proxy marks what it answered in place of the service.
    ...(typeof _proxyAnswer === 'string' && { proxyAnswer: _proxyAnswer.slice(0, 200) }),
    ...(answer ? { answer } : { failure: 'gave no answer that was recorded' }),
    ...UNREAD,
  };
}

/** As it was sent: parsing resolves dot segments, and takes a backslash for a slash. */
function pathOf({ pathname }: URL, address: string): string {
  const [, path = ''] = /^\w+:\/\/[^/?#]*([^?#]*)/.exec(address) ?? [];
  return /\\|\/(\.|%2e){1,2}(\/|$)/i.test(path) ? path : pathname;
}

/** What mrs proxy notes of the client in a request. */
function notedIn(mrs: unknown): Field[] {
  const { client, secret } = membersOf(mrs);
  return [['client_id', client] as const, ['client_secret', secret] as const].flatMap(
    ([name, value]): Field[] => (typeof value === 'string' ? [[name, cut(value, 200)]] : []),
  );
}

/** The body of the answer of an entry, which `exchangeOf` has read. */
export function answerBodyIn(entry: unknown, { answer }: RecordedExchange): AnswerBody {
  const { response, _mrs: described } = membersOf(entry);
  const { content } = membersOf(response);
  return { bytes: () => answer && answerBodyOf(content, answer), described };
}

const MOST_MISPLACED = 20;
const CREDENTIALS: readonly unknown[] = ['client_secret', 'token'];
const PLACES: readonly unknown[] = ['query', 'path', 'header', 'body'];

function misplacedOf(one: unknown): CredentialLeak[] {
  const { what, where } = membersOf(one);
  return CREDENTIALS.includes(what) && PLACES.includes(where) ? [{ what, where } as CredentialLeak] : [];
}

// What a recorder has left out. It shows where an entry does not have what HTTP demands.

/** Headers that a browser shows of a request before it is sent, with no others: they are provisional. */
const PROVISIONAL =
  /^(sec-.*|user-agent|referer|origin|upgrade-insecure-requests|dnt|save-data|x-client-data)$/;
/** Versions of HTTP whose requests need neither Host nor Content-Length; recorders write "h2", "HTTP/2.0", "http/2.0" … */
const WITHOUT_HOST = /^h(ttp\/)?([23]|1\.0|0\.9)/i;

/** A header of which a judge reads the value, where a recorder emptied or replaced that. */
const isLeftOut = ([name, value]: Field): boolean =>
  /^(accept|content-type)$/.test(name) && (value === '' || isMasked(value));

const isForm = (postData: unknown): boolean =>
  /^application\/x-www-form-urlencoded/i.test(String(membersOf(postData).mimeType));

function partsLeftOut({ request, response }: Members): Part[] {
  const { headers: list, httpVersion, postData, bodySize } = membersOf(request);
  const headers = headersOf(list);
  const has = (...names: string[]) => headers.some(([name]) => names.includes(name));
  const { body, params } = requestBodyOf(postData, bodySize);
  const form = body ?? (params && String(new URLSearchParams(params as [string, string][])));
  const isOlder = !WITHOUT_HOST.test(String(httpVersion));
  const length = fieldNamed(headers, 'content-length');
  const size = Math.max(Number(bodySize) || 0, Number(length) || 0);
  const isLacking: Record<Part, boolean> = {
    headers:
      headers.every(([name]) => PROVISIONAL.test(name)) ||
      headers.some((header) => isLeftOut(header) || /provisional headers/i.test(header.join(' '))) ||
      (isOlder && !has('host', ':authority')) ||
      (isOlder && Boolean(form) && !has('content-length', 'transfer-encoding')) ||
      (isForm(postData) && !has('content-type')),
    // One that was sent empty has its length in the headers.
    form: form
      ? isCut(postData, Buffer.from(form), size)
      : size > 0 || (postData !== undefined && length !== '0'),
    'headers of the answer': headersOf(membersOf(response).headers).length === 0,
  };
  return PARTS.filter((part) => isLacking[part]);
}

/** Undefined where none arrived: browsers write the status 0 then. */
function answerOf(response: unknown): RecordedExchange['answer'] {
  const { status: given, headers: list, content } = membersOf(response);
  const status = Number(given);
  if (!Number.isInteger(status) || status < 100 || status > 999) return undefined;
  const headers = headersOf(list);
  const { mimeType } = membersOf(content);
  // A recorder that leaves the headers out may have noted the type. None guesses JSON where the service did not state it.
  const isNoted = /json/i.test(String(mimeType)) && fieldNamed(headers, 'content-type') === undefined;
  if (isNoted) headers.push(['content-type', cut(String(mimeType), 200)]);
  return { status, headers };
}

/** With the pseudo-headers of HTTP/2. */
const headersOf = (headers: unknown): Field[] =>
  fieldsOf(headers).map(([name, value]): Field => [name.toLowerCase(), value]);

/** What a list of names and values has; `unkept` where a value is not a text. */
const fieldsOf = (list: unknown, unkept = ''): Field[] =>
  (Array.isArray(list) ? list : []).slice(0, MOST_FIELDS).flatMap((item): Field[] => {
    const { name, value } = membersOf(item);
    if (typeof name !== 'string') return [];
    return [[cut(name, 200), cut(typeof value === 'string' ? value : unkept, MOST_CHARACTERS)]];
  });

/** The first characters, as a text of their own: a slice would keep the whole text in memory. */
export const cut = (text: string, characters: number): string =>
  text.length <= characters ? text : Buffer.from(text.slice(0, characters), 'utf16le').toString('utf16le');

// Bodies in a HAR file. Recorders lose them, cut them, keep them as they came over the wire, or put words in their place:
// such a body is not known, and nothing is judged by it.

/** What recorders write next to a body, or at its end, that they did not keep as a whole. */
const LEFT_OUT =
  /truncat|discard|not (been )?(included|available|kept|captured)|omitted|too (large|big|long)/i;
/** A text in place of a body, such as `[application/json redacted]`. */
const isPlaceholder = (text: string): boolean =>
  isMark(text) || /^\s*(<[^<>]*>|\[[^[\]]*\]|\([^()]*\)|[*•█x.…]{3,})\s*$/i.test(text);

/** The body of an answer; undefined where the file does not have all of it. Damaged JSON had a value replaced. */
function answerBodyOf(
  content: unknown,
  { status, headers }: NonNullable<RecordedExchange['answer']>,
): Buffer | undefined {
  const size = Number(membersOf(content).size) || 0;
  const length = fieldNamed(headers, 'content-length');
  const body = keptBytes(content);
  if (!body?.length) {
    // A success has a body, unless its headers say otherwise: browsers lose one, and write an empty text.
    const mayBeEmpty = body && (status >= 300 || length === '0');
    return size <= 0 && (mayBeEmpty || [204, 205, 304].includes(status)) ? Buffer.alloc(0) : undefined;
  }
  return isJson(body) || !isCut(content, body, Math.max(size, Number(length) || 0)) ? body : undefined;
}

/** What the text of a body stands for; undefined where there is none, or one that cannot be read. */
function keptBytes(holder: unknown): Buffer | undefined {
  const { text, encoding = '', _file, _sha1 } = membersOf(holder);
  // Playwright can write bodies into files of their own.
  const isElsewhere = text === '' && (_file ?? _sha1) !== undefined;
  if (typeof text !== 'string' || isElsewhere) return undefined;
  if (encoding === 'base64') return Buffer.from(text, 'base64');
  return encoding === '' ? Buffer.from(text) : undefined;
}

/** Whether a recorder has cut a body, or put other text in its place. `size`: how many bytes there were, where that is known. */
function isCut(holder: unknown, body: Buffer, size: number): boolean {
  const { text: _, encoding: __, size: ___, comment, ...marks } = membersOf(holder);
  const read = body.toString();
  return (
    LEFT_OUT.test(`${comment} ${Object.keys(marks).join(' ')} ${read.slice(-60)}`) ||
    size > body.length ||
    isPlaceholder(read) ||
    LOST_BYTES.test(read)
  );
}

/** What bytes become that are not text and were written as text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant.
const LOST_BYTES = /[\u0000-\u0008\u000e-\u001f\ufffd]/;

function isJson(body: Buffer): boolean {
  try {
    JSON.parse(body.toString('utf8'));
    return true;
  } catch {
    return false;
  }
}

/** The body of a request, or the fields of its form; without what the recorder emptied or replaced. */
function requestBodyOf(postData: unknown, bodySize: unknown): Pick<RecordedExchange, 'body' | 'params'> {
  const text = keptBytes(postData)?.toString();
  const isKept = text !== undefined && !isPlaceholder(text) && !LOST_BYTES.test(text);
  if (isKept && (text !== '' || Number(bodySize) === 0)) return { body: cut(text, MOST_CHARACTERS) };
  // A value that the recorder has left out counts as one that was replaced.
  const fields = fieldsOf(membersOf(postData).params, '‹not kept›');
  return fields.length > 0 ? { params: fields } : {};
}

/** By recorder: how it marks what a cache, a service worker or a test answered, what was stopped, or redirected by itself. */
const NOT_SENT: Record<string, (entry: Members, response: Members) => boolean> = {
  Chromium: ({ _fromCache }, { _fetchedViaServiceWorker, _error, ...response }) =>
    Boolean(_fromCache || _fetchedViaServiceWorker) ||
    /BLOCKED_BY/.test(String(_error)) ||
    isUpgrade(response),
  'chrome-har': (_, { fromDiskCache }) => Boolean(fromDiskCache),
  // Firefox writes this member only for what came from its cache, and no body was received then.
  Firefox: ({ cache }, { bodySize }) =>
    Object.hasOwn(membersOf(cache), 'afterRequest') && !(Number(bodySize) > 0),
  Safari: ({ _fetchType }) => typeof _fetchType === 'string' && _fetchType !== 'Network Load',
  Playwright: ({ _wasFulfilled, _wasAborted }) => Boolean(_wasFulfilled || _wasAborted),
};

/** From http to https without asking, since the host requires it (RFC 6797, 8.3). */
const isUpgrade = ({ status, statusText, headers }: Members): boolean =>
  status === 307 &&
  (statusText === 'Internal Redirect' ||
    fieldNamed(headersOf(headers), 'non-authoritative-reason') !== undefined);

/** What a service worker asked the network for has an entry of its own. */
const isOfNetwork = (entry: unknown): boolean =>
  !Object.values(NOT_SENT).some((isMarked) =>
    isMarked(membersOf(entry), membersOf(membersOf(entry).response)),
  );

/** What is earlier is what a program writes that has no time. */
const EARLIEST_MS = Date.parse('1995-01-01T00:00:00Z');

/** In milliseconds since 1970; NaN for each where the file does not have a usable time. */
export function spanOf({
  startedDateTime,
  time,
  timings,
}: Members): Pick<RecordedExchange, 'sentMs' | 'answeredMs'> {
  // HAR 1.2 demands a time zone. Where one is missing, the time zone of this machine must not matter.
  const text = typeof startedDateTime === 'string' ? startedDateTime : '';
  const parsed = Date.parse(/T[\d:.]+$/.test(text) ? `${text}Z` : text);
  const sentMs = parsed >= EARLIEST_MS ? parsed : Number.NaN;
  const lasting = (took: unknown) => (Number.isFinite(Number(took)) ? Math.max(0, Number(took)) : 0);
  // Of the phases that were measured: -1 marks one that was not (HAR 1.2, timings). `ssl` is part of `connect`.
  const { blocked, dns, connect, send, wait, receive } = membersOf(timings);
  const phases = [blocked, dns, connect, send, wait, receive].map(lasting);
  return { sentMs, answeredMs: sentMs + (lasting(time) || phases.reduce((sum, took) => sum + took, 0)) };
}

// Members of what was parsed from a file, whatever it is.

type Members = Record<string, unknown>;

/** The members of an object; of anything else, none. */
const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null ? (value as Members) : {};

// An entry as the judges write it.

/** What is written of an exchange. */
interface Written {
  sentMs: number;
  tookMs: number;
  request: { method: string; url: string; headers: readonly Field[] };
  /** The fields of a form in the request. */
  form?: readonly Field[] | undefined;
  /** The status is 0 where no answer came; `bytes` are those of its body. */
  answer: { status: number; headers: readonly Field[]; mediaType?: string | undefined; bytes: number };
}

/** HAR 1.2 has members for what a recorder may not know. */
const UNKNOWN = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: -1 };
const pairs = (fields: Iterable<Field>) => Array.from(fields, ([name, value]) => ({ name, value }));

/** An entry of HAR 1.2. */
export function harEntry({ sentMs, tookMs, request, form, answer }: Written) {
  const { headers, url } = request;
  const { status, bytes: size, mediaType: mimeType = '' } = answer;
  const type = fieldNamed(headers, 'content-type') ?? '';
  // A secret may be a part of the address: what is in its place need not be a URL.
  const queryString = URL.canParse(url) ? pairs(new URL(url).searchParams) : [];
  const content = { size, mimeType };
  return {
    ...{ startedDateTime: new Date(sentMs).toISOString(), time: tookMs },
    request: {
      ...{ ...UNKNOWN, ...request, headers: pairs(headers), queryString },
      ...(form && { postData: { mimeType: type, params: pairs(form) } }),
    },
    response: {
      ...UNKNOWN,
      status,
      statusText: '',
      headers: pairs(answer.headers),
      redirectURL: '',
      content,
    },
    ...{ cache: {}, timings: { send: 0, wait: tookMs, receive: 0 } },
  };
}
