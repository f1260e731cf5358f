/** The credentials that a recorded request carries, wherever they are, and what must not be written of a recording. */
import { type CredentialLeak, createSecrets, type Secrets } from '../support/secrets.ts';
import {
  createPool,
  type Field,
  FORM_TYPE,
  type RecordedCall,
  type RecordedExchange,
  requestHeader,
  UNREAD_HEADERS,
} from './exchange.ts';
import type { TokenHistory } from './tokens.ts';

type Request = Pick<RecordedExchange, 'headers' | 'body' | 'params' | 'query' | 'noted'>;

/** The fields of a form; undefined where the body is not one, or the file does not have it. */
export function formOf(request: Request): readonly Field[] | undefined {
  const { body, params } = request;
  const type = requestHeader(request, 'content-type')?.split(';')[0]?.trim().toLowerCase();
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

/** Whether a recorder may have replaced or shortened the value. What is not one of the usual marks stays secret. */
export const isMasked = (value: string): boolean =>
  value.length <= LONGEST_MASK &&
  (isMark(value) || IN_BRACKETS.test(value) || SENTENCE.test(value) || /\S(\.\.\.|…)$/.test(value));

/** From the form, a JSON body, the query or HTTP Basic (RFC 7617), in this order. */
export function credentialsIn(request: Request): Pick<RecordedCall, 'clientId' | 'clientSecret'> {
  const { id = '', secret = '' } = basicOf(request) ?? {};
  const fields: Field[] = [...(formOf(request) ?? []), ...jsonFields(request.body), ...request.query];
  fields.push(['client_id', id], ['client_secret', secret], ...(request.noted ?? []));
  const find = (wanted: string) => fields.find(([name, value]) => name === wanted && value !== '')?.[1];
  return { clientId: find('client_id'), clientSecret: find('client_secret') };
}

/** The token of `Authorization: Bearer <token>`; empty where the header has none. Undefined without such a header. */
export function bearerOf(request: Pick<RecordedExchange, 'headers'>): string | undefined {
  // Many spaces become one, since a search would go through them again and again. A value without them is not copied: there
  // may be many long tokens.
  const value = requestHeader(request, 'authorization')?.replace(/ {2,}/g, ' ');
  const found = /^bearer(?: (\S*))? ?$/i.exec(value ?? '');
  return found ? (found[1] ?? '') : undefined;
}

/**
 * What kind of Authorization header it has; undefined without one. `masked`: the value was replaced or emptied, as a whole
 * or after its scheme. The journal of the mock keeps the names of tokens, so what it writes as ‹not kept› was malformed.
 */
export function authorizationOf(request: Pick<RecordedExchange, 'headers'>): RecordedCall['authorization'] {
  const value = requestHeader(request, 'authorization');
  if (value === undefined) return undefined;
  const isReplaced =
    value !== '‹not kept›' && [value, afterScheme(value)].some((one) => isMasked(one.trim()));
  if (value === '' || isReplaced) return 'masked';
  return bearerOf(request) ? 'bearer' : 'other';
}

/** What follows the scheme in an Authorization header; all of it where nothing does. */
const afterScheme = (value: string): string => /^\S+\s+(\S.*)$/s.exec(value)?.[1] ?? value;

/** The id and the secret of HTTP Basic (RFC 7617); where no colon divides them, all of it is the secret. */
function basicOf(request: Pick<RecordedExchange, 'headers'>): { id: string; secret: string } | undefined {
  const encoded = /^basic +(\S+) *$/i.exec(requestHeader(request, 'authorization') ?? '')?.[1];
  if (encoded === undefined || isMasked(encoded)) return undefined;
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  return { id: decoded.slice(0, Math.max(0, colon)), secret: decoded.slice(colon + 1) };
}

function jsonFields(body = ''): Field[] {
  if (!/^\s*\{/.test(body)) return [];
  try {
    return Object.entries(JSON.parse(body)).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    );
  } catch {
    return [];
  }
}

// The values in a recording that must not be written.

type Secret = readonly [value: string, alias: string];
type Exchange = Request & Pick<RecordedExchange, 'path' | 'answer'>;

/** The values in one exchange that are secret by the name or the place that they have. */
export function* secretsOfExchange(exchange: Exchange): Generator<Secret> {
  yield* credentialsOfExchange(exchange);
  yield* cookiesOfExchange(exchange);
}

function* cookiesOfExchange({ headers, answer }: Exchange): Generator<Secret> {
  for (const [name, value] of [...headers, ...(answer?.headers ?? [])]) {
    if (name !== 'cookie' && name !== 'set-cookie') continue;
    const values = value.split(';').map((part) => part.slice(part.indexOf('=') + 1).trim());
    for (const one of values) if (one.length >= 8) yield [one, 'cookie'];
  }
}

function* credentialsOfExchange(exchange: Exchange): Generator<Secret> {
  const { headers, answer, query, path } = exchange;
  for (const [name, value] of [...headers, ...(answer?.headers ?? [])]) {
    if (/^(proxy-)?authorization$/.test(name) && !isMark(value)) yield [afterScheme(value), 'credentials'];
    if (/key|token|secret|session/i.test(name)) yield [value, 'credentials'];
  }
  const basic = basicOf(exchange);
  if (basic) yield [basic.secret, 'credentials'];
  // Parameters in a path may hold one, such as `/data/;jsessionid=…` (RFC 3986, 3.3).
  const parameters = path
    .split(/[/;]/)
    .map((part): Field => [part.split('=', 1)[0] ?? '', part.replace(/^[^=]*=?/, '')]);
  for (const [name, value] of [...query, ...parameters, ...(formOf(exchange) ?? [])])
    if (SECRET_FIELDS.test(name)) yield [value, 'credentials'];
}

/** Names in a query, a form or a path that hold a secret, such as those of other grants than ours. */
const SECRET_FIELDS = /token|secret|key|passw|assertion|sess|^sid$|^code(_verifier)?$/i;

/** More values are not looked for, but for client secrets, since each slows each search; what they are in is never written. */
const MOST_SECRETS = 5000;
/** A shorter value would be found in ordinary words, or anywhere by chance. */
const SHORTEST_SECRET = 4;
const CLIENT_SECRET = 'client secret';

/** Whether the journal or the proxy wrote it in the place of a value. No token has such characters (RFC 6750, 2.1). */
const isOwnMark = (value: string, isSecret: boolean): boolean =>
  (isSecret ? /^‹secret-\d+›$/ : /^‹[^‹›]{1,300}›$/).test(value);

type Call = RecordedExchange & Pick<RecordedCall, 'clientSecret'>;

/** The secrets of traffic, as they come up. A mark in the place of a value is none. */
export function createKnownSecrets() {
  const secrets = createSecrets();
  const values = new Set<string>();
  return {
    ...{ secrets, values: values as ReadonlySet<string> },
    register(value: string, alias: string): void {
      const isSecret = alias === CLIENT_SECRET;
      if (value.length < SHORTEST_SECRET || values.has(value) || isMark(value)) return;
      if (isOwnMark(value, isSecret) || (values.size >= MOST_SECRETS && !isSecret)) return;
      values.add(value);
      secrets.register(value, alias, { whole: alias === 'hidden' });
    },
  };
}

/**
 * The secrets of a recording, each with its alias. Sets where tokens and client secrets are `misplaced` in the calls.
 * `hidden`: values in token answers that may be credentials.
 */
export function findSecrets(calls: readonly Call[], history: TokenHistory, hidden: Iterable<string>) {
  const { secrets, values, register } = createKnownSecrets();
  for (const { clientSecret = '' } of calls)
    if (!isMasked(clientSecret)) register(clientSecret, CLIENT_SECRET);
  for (const { value, number } of history.lives) register(value, `token ${number}`);
  const found = createLeakFinder(secrets);
  for (const call of calls) {
    const leaks = [...misplacedIn(call, found), ...call.misplaced];
    call.misplaced = [...new Map(leaks.map((leak) => [JSON.stringify(leak), leak])).values()];
  }
  for (const { token = '' } of calls) register(token, 'unknown token');
  for (const value of hidden) register(value, 'hidden');
  // A page sets many cookies, and they must not take the place of what opens the data.
  for (const secretsIn of [credentialsOfExchange, cookiesOfExchange])
    for (const call of calls) for (const secret of secretsIn(call)) register(...secret);
  return { secrets, values };
}

/** What a value is, by how its alias begins. */
const BY_ALIAS: readonly [string, CredentialLeak['what']][] = [
  [CLIENT_SECRET, 'client_secret'],
  ['token ', 'token'],
];
/** Headers in which no secret is looked for. */
const ORDINARY: ReadonlySet<string> = new Set([...UNREAD_HEADERS, 'authorization']);
/** Names in a query that say what the value is. */
const BY_NAME: ReadonlyMap<string, CredentialLeak['what']> = new Map([
  ['access_token', 'token'],
  ['client_secret', 'client_secret'],
]);

/** Finds which kinds of secrets a text holds, by those that are registered when the text comes up first. */
export const createLeakFinder = (secrets: Secrets) =>
  createPool((text: string) =>
    text === ''
      ? []
      : secrets.leaks(text).flatMap((name) => BY_ALIAS.find(([head]) => name.startsWith(head))?.[1] ?? []),
  );

/** Secrets and tokens in parts of a request where they must not be. */
export function misplacedIn(
  call: RecordedExchange,
  found: ReturnType<typeof createLeakFinder>,
): CredentialLeak[] {
  const { kind, path, query, headers, body = '' } = call;
  const basic = basicOf(call);
  const ofHeaders = headers.filter(([name]) => !ORDINARY.has(name)).flat();
  if (basic) ofHeaders.push(`${basic.id}:${basic.secret}`);
  const isForm = kind === 'token' || (kind === 'other' && formOf(call) !== undefined);
  const places = {
    query: [
      ...found(query.map(([name, value]) => `${name} ${value}`).join(' ')),
      ...query.flatMap(([name, value]) => (value === '' ? [] : (BY_NAME.get(name) ?? []))),
    ],
    path: found(kind === 'other' ? path : ''),
    header: found(ofHeaders.join(' ')),
    body: found(isForm ? '' : body),
  };
  return Object.entries(places).flatMap(([where, whats]) =>
    whats.map((what) => ({ what, where: where as keyof typeof places })),
  );
}
