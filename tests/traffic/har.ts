/** Reads a HAR 1.2 file (http://www.softwareishard.com/blog/har-12-spec/) as its bytes arrive, one entry at a time. */
import { createBodyWindow, type Expected, findItems } from '../support/json/json-bytes.ts';
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

export interface HarReading {
  /** The name of the file in messages. */
  name: string;
  /** Receives each entry as parsed JSON, with its place in the file, from 1. */
  onEntry(entry: unknown, number: number): void;
  /** Bytes that are gathered before they are examined, and those of the largest entry, or of what is around the entries. */
  blockBytes?: number;
  valueBytes?: number;
}

const MEBIBYTE = 1024 * 1024;
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
  [/^(09|0a|0d|20)*3c/, `a page or XML. ${EXPORT}`],
];
/** Within a string of JSON, a quotation mark follows a backslash. */
const ENTRIES = /(?<!\\)"entries"\s*:\s*\[/;

/** Returns the program that wrote the file, and the number of its entries. Throws UsageError for what it cannot read. */
export async function readHar(
  bytes: AsyncIterable<Uint8Array>,
  { name, onEntry, blockBytes = MEBIBYTE, valueBytes = 64 * MEBIBYTE }: HarReading,
): Promise<{ creator: string; entries: number }> {
  const window = createBodyWindow();
  let entries = 0;
  let part = 'before' as 'before' | 'entries' | 'after';
  let expected: Expected = 'first item or end';
  /** The file up to its entries. */
  let before = '';
  for await (const chunk of bytes) {
    window.add(chunk);
    // What is not complete is searched from its start again: each time, at least twice as much of it is there.
    if (window.waitingBytes >= Math.max(blockBytes, window.block.length - window.at)) readOn();
  }
  readOn();
  const rest = window.block.subarray(window.at).toString('utf8');
  const [, what] = OTHERS.find(([start]) => start.test(window.block.toString('hex', 0, 100))) ?? [];
  if (part === 'before' && what) throw new UsageError(`${name} is not a HAR file: it is ${what}.`);
  if (part === 'entries') notHar('it is cut off');
  if (part === 'before' && rest.trim() === '') notHar('it is empty');
  // All but the entries.
  const { log } = membersOf(parsed(part === 'before' ? rest : `${before}]${rest}`));
  const { entries: left, creator: program } = membersOf(log);
  if (!Array.isArray(left))
    throw new UsageError(
      `${name} is not a HAR file: it has no list log.entries. Export the traffic as HAR 1.2.`,
    );
  // The entries of something else have been read.
  if (left.length > 0) notHar('it has another list "entries" before log.entries');
  const { name: creator } = membersOf(program);
  return { creator: typeof creator === 'string' ? creator.slice(0, 100) : '', entries };

  function readOn(): void {
    window.advance();
    if (part === 'before') {
      const found = ENTRIES.exec(window.block.toString('latin1'));
      if (found) {
        window.at = found.index + found[0].length;
        before = window.block.toString('utf8', 0, window.at);
        part = 'entries';
      }
    }
    if (part === 'entries') readEntries();
    if (window.block.length - window.at > valueBytes) tooLarge();
  }

  function readEntries(): void {
    const { starts, ends, at, stop, ...next } = findItems(window.block, window.at, expected, valueBytes);
    for (const [item, start] of starts.entries()) {
      entries++;
      window.at = start;
      onEntry(parsed(window.block.toString('utf8', start, ends[item])), entries);
    }
    window.at = at;
    expected = next.expected;
    if (stop === 'ended') part = 'after';
    if (stop === 'wrong') notHar(`it is not JSON after entry ${entries}`);
    if (stop === 'too deep') notHar(`the value after entry ${entries} is nested more than 64 levels deep`);
    if (stop === 'too large') tooLarge();
  }

  function parsed(text: string): unknown {
    try {
      return JSON.parse(text.replace(/^\ufeff/, ''));
    } catch {
      return notHar('it is not JSON');
    }
  }

  function tooLarge(): never {
    throw new UsageError(
      `${name}: the value after entry ${entries} is larger than ${valueBytes / MEBIBYTE} MiB. Remove the bodies of other hosts from the file, or the entry.`,
    );
  }

  function notHar(what: string): never {
    const { byte, line } = window.positionOf(Math.min(window.at, window.block.length));
    throw new UsageError(
      `${name} is not a HAR file: ${what} (byte ${byte}, line ${line}). Export the traffic as HAR 1.2 again.`,
    );
  }
}

// An entry of a HAR file as an exchange. Recorders differ in what they leave out; none of them is trusted.

/** More headers or fields than these are not read. */
const MOST_FIELDS = 300;
/** More of one text is not read: it is neither a header nor a form that a client of this service sends. */
const MOST_CHARACTERS = 64 * 1024;

/** Undefined for one that did not go over the network by HTTP. What HAR 1.2 does not describe is returned as a sentence. */
export function exchangeOf(entry: unknown, number: number): RecordedExchange | string | undefined {
  const { request, startedDateTime, response, _seq, _proxyAnswer, _misplaced, _mrs } = membersOf(entry);
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
    ...(typeof _seq === 'number' && { seq: _seq }),
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

function partsLeftOut({ request, response }: Record<string, unknown>): Part[] {
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

/** Values of `encoding` by which a recorder says that the text is text. */
const PLAIN = /^(|none|plain|text|identity|utf-?8)$/i;
/** What recorders write next to a body, or at its end, that they did not keep as a whole. */
const LEFT_OUT =
  /truncat|discard|not (been )?(included|available|kept|captured)|omitted|too (large|big|long)/i;
/** A text in place of a body, such as `[application/json redacted]`. */
const isPlaceholder = (text: string): boolean =>
  isMark(text) || /^\s*(<[^<>]*>|\[[^[\]]*\]|\([^()]*\)|[*•█x.…]{3,})\s*$/i.test(text);
/** Recorders cut at a round number of bytes or characters. */
const ROUND = [1000, 1024];

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

/** Members by which recorders name the file that has the body. */
const ELSEWHERE = /^_?(file(name|path)?|sha1|path|ref|blob|url)$/i;

/** What the text of a body stands for; undefined where there is none, or one that cannot be read. */
function keptBytes(holder: unknown): Buffer | undefined {
  const { text, encoding, ...others } = membersOf(holder);
  const isElsewhere = text === '' && Object.keys(others).some((name) => ELSEWHERE.test(name));
  if (typeof text !== 'string' || isElsewhere) return undefined;
  if (/^base64$/i.test(String(encoding))) return Buffer.from(text, 'base64');
  return PLAIN.test(String(encoding ?? '')) ? Buffer.from(text) : undefined;
}

/** Whether a recorder has cut a body, or put other text in its place. `size`: how many bytes there were, where that is known. */
function isCut(holder: unknown, body: Buffer, size: number): boolean {
  const { text = '', encoding: _, size: __, comment, ...marks } = membersOf(holder);
  const read = body.toString();
  return (
    LEFT_OUT.test(`${comment} ${Object.keys(marks).join(' ')} ${read.slice(-60)}`) ||
    [body.length, String(text).length].some((all) => all > 0 && ROUND.some((unit) => all % unit === 0)) ||
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
export function requestBodyOf(
  postData: unknown,
  bodySize: unknown,
): Pick<RecordedExchange, 'body' | 'params'> {
  const text = keptBytes(postData)?.toString();
  const isKept = text !== undefined && !isPlaceholder(text) && !LOST_BYTES.test(text);
  if (isKept && (text !== '' || Number(bodySize) === 0)) return { body: cut(text, MOST_CHARACTERS) };
  // A value that the recorder has left out counts as one that was replaced.
  const fields = fieldsOf(membersOf(postData).params, '‹not kept›');
  return fields.length > 0 ? { params: fields } : {};
}

/** Members by which recorders mark what a cache, a service worker or a test answered, or what a test stopped. */
const NOT_SENT = /^_?(from\w*cache|fetchedViaServiceWorker|wasFulfilled|wasAborted)$/i;

/** What a service worker asked the network for has an entry of its own. */
function isOfNetwork(entry: unknown): boolean {
  const { request, response, cache, _fetchType } = membersOf(entry);
  const { status, statusText, headers, bodySize, _error } = membersOf(response);
  const members = [entry, request, response].flatMap((one) => Object.entries(membersOf(one)));
  const isMarked = members.some(([name, value]) => NOT_SENT.test(name) && Boolean(value));
  // Firefox writes this member only for what came from its cache, and no body was received then.
  const isCached = Object.hasOwn(membersOf(cache), 'afterRequest') && !(Number(bodySize) > 0);
  // From http to https without asking, since the host requires it (RFC 6797, 8.3).
  const isUpgrade =
    /^internal redirect$/i.test(String(statusText)) ||
    fieldNamed(headersOf(headers), 'non-authoritative-reason') !== undefined;
  const isOfSafari = typeof _fetchType === 'string' && _fetchType !== 'Network Load';
  const isBlocked = /BLOCKED_BY/.test(String(_error));
  return !(isMarked || isCached || (status === 307 && isUpgrade) || isOfSafari || isBlocked);
}

/** What is earlier is what a program writes that has no time. */
const EARLIEST_MS = Date.parse('1995-01-01T00:00:00Z');

/** In milliseconds since 1970; NaN for each where the file does not have a usable time. */
export function spanOf({
  startedDateTime,
  time,
  timings,
}: Record<string, unknown>): Pick<RecordedExchange, 'sentMs' | 'answeredMs'> {
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

/** The members of an object; of anything else, none. */
const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

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
