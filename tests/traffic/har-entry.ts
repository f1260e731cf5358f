/** An entry of a HAR file as an exchange. Recorders differ in what they leave out; none of them is trusted. */
import { UsageError } from '../support/usage-error.ts';
import {
  type CredentialLeak,
  type Field,
  FORM_TYPE,
  type RecordedAnswer,
  type RecordedExchange,
} from './exchange.ts';
import { answerBodyOf, requestBodyOf } from './har-body.ts';
import { membersOf, numberOf } from './har-members.ts';
import { isOfNetwork } from './har-source.ts';
import { spanOf } from './har-time.ts';

/** More headers or fields than these are not read. */
const MOST_FIELDS = 300;
/** More of one text is not read: it is neither a header nor a form that a client of this service sends. */
const MOST_CHARACTERS = 64 * 1024;

/**
 * `undefined`: the entry is not an exchange with a service, since it did not go over the network or its address is not of
 * HTTP. Throws UsageError for an entry that is not what HAR 1.2 describes; `name` is that of the file.
 */
export function exchangeOf(entry: unknown, number: number, name: string): RecordedExchange | undefined {
  const refuse = (what: string): never => {
    throw new UsageError(`${name}: entry ${number} ${what}. Export the traffic as HAR 1.2 again.`);
  };
  const { request, response, _seq, _proxyAnswer, _misplaced, ...rest } = membersOf(entry);
  const { method, url: address, headers, ...body } = membersOf(request);
  if (typeof method !== 'string' || typeof address !== 'string')
    return refuse('has no request with a method and a url');
  if (address === '') return undefined;
  if (!URL.canParse(address)) return refuse('has a url that is not an address');
  const url = new URL(address);
  if (!/^https?:$/.test(url.protocol) || !isOfNetwork(entry)) return undefined;
  const sent = headersOf(headers);
  const { body: text, params, mimeType = '' } = requestBodyOf(body);
  // A recorder that leaves the header out may have noted the type with the form.
  const isForm =
    mimeType.toLowerCase().startsWith(FORM_TYPE) && !sent.some(([one]) => one === 'content-type');
  const answer = answerOf(response);
  return {
    entry: number,
    ...(typeof _seq === 'number' && { seq: _seq }),
    ...spanOf(rest),
    method: cut(/^[a-z]+$/.test(method) ? method.toUpperCase() : method, 40),
    origin: url.origin,
    path: cut(url.pathname, MOST_CHARACTERS),
    query: [...url.searchParams].slice(0, MOST_FIELDS),
    headers: isForm ? [...sent, ['content-type', FORM_TYPE]] : sent,
    ...(lacksHeaders(sent) && { lacksHeaders: true }),
    ...(text !== undefined && { body: cut(text, MOST_CHARACTERS) }),
    ...(params && { params: params.slice(0, MOST_FIELDS).map(cutField) }),
    ...(Array.isArray(_misplaced) && { misplaced: _misplaced.slice(0, MOST_MISPLACED).flatMap(misplacedOf) }),
    // As mrs proxy marks what it answered in place of the service.
    ...(typeof _proxyAnswer === 'string' && { proxyAnswer: _proxyAnswer.slice(0, 200) }),
    ...(answer ? { answer } : { failure: 'gave no answer that was recorded' }),
  };
}

const MOST_MISPLACED = 20;

function misplacedOf(one: unknown): CredentialLeak[] {
  const { what, where } = membersOf(one);
  const isPlace = where === 'query' || where === 'path' || where === 'header' || where === 'body';
  return isPlace && (what === 'client_secret' || what === 'token') ? [{ what, where }] : [];
}

/** Headers that a browser shows of a request before it is sent, with no others: they are provisional. */
const PROVISIONAL =
  /^(sec-.*|user-agent|referer|origin|upgrade-insecure-requests|dnt|save-data|x-client-data)$/;

const lacksHeaders = (headers: readonly Field[]): boolean =>
  headers.every(([name]) => PROVISIONAL.test(name)) ||
  headers.some((header) => /provisional headers/i.test(header.join(' ')));

/** Undefined where none arrived: browsers write the status 0 then. */
function answerOf(response: unknown): RecordedAnswer | undefined {
  const { status: given, headers: list, content } = membersOf(response);
  const status = numberOf(given);
  if (!Number.isInteger(status) || status < 100 || status > 999) return undefined;
  const own = headersOf(list);
  const { mimeType, _replaced } = membersOf(content);
  // A recorder that leaves the headers out may have noted the type. None guesses JSON where the service did not state it.
  const isNoted = /json/i.test(String(mimeType)) && !own.some(([name]) => name === 'content-type');
  const headers: Field[] = isNoted ? [...own, ['content-type', cut(String(mimeType), 200)]] : own;
  return {
    status,
    headers,
    ...(_replaced === true && { isReplaced: true }),
    readBody: () => answerBodyOf(content, { status, headers }),
  };
}

/** Without the pseudo-headers of HTTP/2. Some converters write an object in place of a list. */
const headersOf = (headers: unknown): Field[] =>
  (Array.isArray(headers)
    ? headers.map((header) => [membersOf(header).name, membersOf(header).value])
    : Object.entries(membersOf(headers))
  )
    .slice(0, MOST_FIELDS)
    .flatMap(([name, value]): Field[] => {
      if (typeof name !== 'string' || name.startsWith(':')) return [];
      return [cutField([name.toLowerCase(), typeof value === 'string' ? value : ''])];
    });

const cutField = ([name, value]: Field): Field => [cut(name, 200), cut(value, MOST_CHARACTERS)];

/** The first characters, as a text of their own: a slice would keep the whole text in memory. */
const cut = (text: string, characters: number): string =>
  text.length <= characters ? text : Buffer.from(text.slice(0, characters), 'utf16le').toString('utf16le');
