/** Exchanges: what is recorded of a request and its answer, and the journal of the latest. No secret is in them. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ConnectionOutcome, CredentialLeak } from './api.ts';
import type { Client, Clients } from './clients.ts';
import { BEARER } from './condition.ts';
import type { Answer, OperationId } from './contract/answers.ts';
import type { Filter, TokenStatus } from './contract/control-contract.ts';
import type { Reply } from './http.ts';
import type { TriggeredSteps } from './script.ts';
import { type IssuedToken, nameOf, type Tokens } from './tokens.ts';

/** One exchange. Times are in milliseconds since the epoch, durations in milliseconds. */
export interface Exchange {
  /** Counts from 1, in the order in which exchanges ended. */
  seq: number;
  /** When the mock decided the answer, on the mock's clock. */
  at: number;
  /** The same, on the client's own clock, which decides about its tokens. */
  judgedAt: number;
  /** The same, on the machine's clock. */
  wallAt: number;
  /** When the request arrived, on a monotonic clock. */
  started: number;
  /** Real time from then to the end of the answer. */
  duration: number;
  /** Id of the client with the credentials or the token of the request. */
  client: string | undefined;
  /** Undefined if the request matched no operation of the contract. */
  operation: OperationId | undefined;
  method: string;
  /** Without the query. Segments that are too long, such as a token, are left out. */
  path: string;
  /** Names in the query, without their values. */
  query: readonly string[];
  /** Equal for two requests with the same method and target; does not reveal the target. */
  target: string;
  /** Secrets and tokens in parts of the request where they must not be. */
  leaks: readonly CredentialLeak[];
  /** Whether it had If-None-Match or If-Modified-Since. */
  isConditional: boolean;
  accept: string | undefined;
  contentType: string | undefined;
  authorization: 'bearer' | 'malformed' | undefined;
  /** Names of the form fields. */
  fields: readonly string[] | undefined;
  status: number;
  /**
   * Why it was answered this way: the name of the contract's example, `expired-on-order`, `revoked`, `script`, `preflight`,
   * `no-path` or `no-method`.
   */
  reason: string;
  /** Numbers of the steps of the client's script that were applied. */
  script: readonly number[] | undefined;
  ended: ConnectionOutcome;
  /** The token that was sent or issued, and its status. */
  issued: IssuedToken | undefined;
  tokenStatus: TokenStatus | undefined;
  headers: Readonly<Record<string, string>>;
  bytes: number;
  /** Only if it cannot contain a secret. */
  body: Uint8Array | undefined;
}

export interface Journal {
  /** Numbers and adds the exchange. */
  add(exchange: Exchange): void;
  /** Oldest first. */
  list(filter?: Filter): Exchange[];
  /** The number of exchanges after `since` that are no longer in the journal. */
  lost(since?: number): number;
  clear(): void;
  /** Calls `listener` with each exchange from now on, until the returned function is called. */
  listen(listener: Listener): () => void;
}

type Listener = (exchange: Exchange) => void;

/** With a capacity of 0, it keeps nothing. */
export function createJournal(capacity: number): Journal {
  /** A ring: the oldest is at `seq % capacity` once it is full. */
  let kept: Exchange[] = [];
  const listeners = new Set<Listener>();
  let seq = 0;
  let cleared = 0;

  const oldestFirst = (): Exchange[] => {
    const next = kept.length < capacity ? 0 : (seq - cleared) % capacity;
    return [...kept.slice(next), ...kept.slice(0, next)];
  };

  return {
    add(exchange) {
      if (capacity > 0) kept[(seq - cleared) % capacity] = exchange;
      exchange.seq = ++seq;
      for (const listener of [...listeners]) listener(exchange);
    },
    list(filter = {}) {
      const found = oldestFirst().filter((exchange) => fits(exchange, filter));
      return filter.limit === undefined ? found : found.slice(-filter.limit || found.length);
    },
    lost(since = 0) {
      const oldest = oldestFirst().at(0)?.seq ?? seq + 1;
      return Math.max(0, oldest - 1 - Math.max(since, cleared));
    },
    clear() {
      kept = [];
      cleared = seq;
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function fits(exchange: Exchange, { client, operation, status, reason, token, since = 0 }: Filter): boolean {
  return (
    exchange.seq > since &&
    (client === undefined || exchange.client === client) &&
    (operation === undefined || exchange.operation === operation) &&
    (status === undefined || exchange.status === status) &&
    (reason === undefined || exchange.reason === reason) &&
    (token === undefined || (exchange.issued && nameOf(exchange.issued)) === token)
  );
}

/** A request on its way through the mock: what is known of it, and how it is answered. */
export interface Handling
  extends Pick<
    Exchange,
    'path' | 'operation' | 'at' | 'wallAt' | 'started' | 'fields' | 'tokenStatus' | 'reason'
  > {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Of the state when it arrived. */
  readonly generation: number;
  /** The body of a request that should have none. */
  readonly stray: string | undefined;
  /** The bearer token as it was sent. */
  bearer: string | undefined;
  client: Client | undefined;
  /** The token that was sent or issued; while a client asks for one, its newest. */
  issued: IssuedToken | undefined;
  /** The steps of the client's script that the request triggered. */
  triggered: TriggeredSteps | undefined;
  /** The answer that the contract requires; a script may have replaced it. */
  expected: Answer | undefined;
  /** The bytes that the contract documents for it. */
  documented: Buffer | undefined;
  reply: Reply;
}

/** Whose secrets and tokens are searched for. */
interface Known {
  clients: Pick<Clients, 'list'>;
  tokens: Tokens;
}

/** The largest body that the journal keeps, in bytes. */
const MOST_BYTES = 4096;
const NOTHING: readonly never[] = [];

/**
 * What is recorded, not yet numbered. One object without parts: a busy mock records tens of thousands a second. `used` are
 * the tokens that decided the answer: those of `known`, or a deployment's wrapper around them.
 */
export function exchangeOf(
  handling: Handling,
  ended: ConnectionOutcome,
  known: Known,
  used: Tokens,
): Exchange {
  const { request, path, at, client, operation, reply, triggered, expected, reason, documented } = handling;
  const { headers, rawHeaders, method = '', url = '' } = request;
  // The newest token of a client that was refused a new one is neither sent nor issued.
  const issued = operation === 'obtainToken' && reason !== 'issued' ? undefined : handling.issued;
  const { authorization } = headers;
  const isBearer =
    handling.bearer !== undefined || (authorization !== undefined && BEARER.test(authorization));
  let unknown = '';
  for (let nth = 0; nth < rawHeaders.length; nth += 2) {
    const name = (rawHeaders[nth] as string).toLowerCase();
    const value = rawHeaders[nth + 1] as string;
    if (!KNOWN_HEADERS.has(name) || (name === 'user-agent' && value.length > LONGEST_AGENT))
      unknown += ` ${value} ${basicCredentials(value)}`;
  }
  if (authorization !== undefined && !isBearer) unknown += ` ${basicCredentials(authorization)}`;
  const query = url.indexOf('?');
  // A request that is as the contract has it costs nothing more: only unusual parts are searched.
  const leaks =
    query === -1 && operation && !handling.stray && unknown === ''
      ? NOTHING
      : leaksIn(handling, unknown, known);
  const isPlain = operation !== undefined && query === -1;
  // Any other body may hold a token.
  const isPublic =
    expected !== undefined &&
    reply.bytes.length <= MOST_BYTES &&
    (reply.bytes === documented || reason === 'script') &&
    reply.headers['content-encoding'] === undefined;
  const isDecided = handling.tokenStatus !== undefined && !triggered && used === known.tokens;
  return {
    seq: 0,
    at,
    judgedAt: at + (client ? client.aheadMs : 0),
    wallAt: handling.wallAt,
    started: handling.started,
    duration: performance.now() - handling.started,
    client: client?.id,
    operation,
    method,
    path: isPlain ? path : withoutSecrets(readablePath(copied(path)), known),
    query: query === -1 ? NOTHING : namesIn(url.slice(query + 1).replace(/#.*/s, ''), known),
    // A token in a query would make each repetition a different target.
    target: isPlain || (operation && leaks.length > 0) ? operation : digestOf(url),
    leaks,
    isConditional: headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined,
    accept: mediaOf(headers.accept),
    contentType: mediaOf(headers['content-type']),
    authorization: authorization === undefined ? undefined : isBearer ? 'bearer' : 'malformed',
    fields: handling.fields,
    status: reply.status,
    reason,
    script: triggered?.steps,
    ended,
    issued,
    tokenStatus: isDecided ? handling.tokenStatus : issued && known.tokens.statusOf(issued),
    headers: reply.headers,
    bytes: reply.bytes.length,
    body: isPublic ? reply.bytes : undefined,
  };
}

const namesIn = (query: string, known: Known): string[] =>
  [...new URLSearchParams(cut(query)).keys()].map((name) =>
    withoutSecrets(readablePath(copied(name)), known),
  );

/** Leaves out the secrets of all clients. Only called for requests that are not as the contract has them. */
function withoutSecrets(text: string, { clients }: Known): string {
  let shown = text;
  for (const secret of new Set(clients.list().map((client) => client.secret)))
    if (secret.length >= SHORTEST)
      shown = shown.replaceAll(secret, '‹secret›').replaceAll(encodeURIComponent(secret), '‹secret›');
  return shown;
}

const digestOf = (url: string): string => createHash('sha256').update(url).digest('base64url').slice(0, 16);

/** A shorter secret may occur anywhere by chance. */
const SHORTEST = 4;

/** Secrets and tokens where they must not be: in a query, a path, a header that most requests lack or the body of a read. */
function leaksIn(
  { request: { url = '' }, operation, stray }: Handling,
  unknown: string,
  known: Known,
): readonly CredentialLeak[] {
  const end = url.indexOf('?');
  const places: [CredentialLeak['where'], string | undefined][] = [
    ['query', end === -1 ? undefined : url.slice(end)],
    ['path', operation ? undefined : end === -1 ? url : url.slice(0, end)],
    ['body', stray],
    ['header', unknown],
  ];
  return places.flatMap(([where, text]) =>
    text
      ? secretsIn(`${text} ${decoded(text)} ${fromBase64(text)}`, known).map((what) => ({ what, where }))
      : [],
  );
}

/** Headers that most requests have, and that hold no secret. */
const KNOWN_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'accept-language',
  'authorization',
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'pragma',
  'sec-fetch-mode',
  'transfer-encoding',
  'user-agent',
]);

/** A longer user agent is searched like an unknown header. */
const LONGEST_AGENT = 24;

function secretsIn(text: string, { clients, tokens }: Known): CredentialLeak['what'][] {
  const words = text.match(/[\w.~+/-]{8,}=*/g) ?? [];
  // A path is one word, too, and a token is a part of it.
  const hasToken = words.some((word) => [word, ...word.split('/')].some((part) => tokens.find(part).issued));
  // Thousands of clients may share a secret, as those of the scenarios do.
  const secrets = new Set(clients.list().map(({ secret }) => secret));
  const hasSecret = [...secrets].some(
    (secret) => secret.length >= SHORTEST && formsOf(secret).some((form) => text.includes(form)),
  );
  return [...(hasToken ? ['token' as const] : []), ...(hasSecret ? ['client_secret' as const] : [])];
}

/** The secret as it is, and in the usual encodings. */
const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  const encoded = (['base64', 'base64url', 'hex'] as const).map((form) => bytes.toString(form));
  return [secret, ...encoded.map((text) => text.replace(/=+$/, ''))];
};

/** The credentials of Basic authentication (RFC 7617), decoded; a token in another scheme is not a leak. */
function basicCredentials(authorization = ''): string {
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1];
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
}

/** What its words are in base64, as `id:secret` often is in a header of its own. */
const fromBase64 = (text: string): string =>
  (text.match(/[\w+/-]{8,}/g) ?? []).map((word) => Buffer.from(word, 'base64').toString()).join(' ');

/** Percent-decoded; a sequence that cannot be decoded is left as it is. */
const decoded = (text: string): string =>
  text.replaceAll('+', ' ').replace(/(%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });

/** Longer texts are cut, in characters. */
const LONGEST = 200;
const MOST_MEDIA_TYPES = 1000;

/** Long segments are left out: clients have put secrets into paths. */
export const readablePath = (path: string): string =>
  path.length < 24 ? path : (cut(path.replace(/[^/]{24,}/g, ({ length }) => `‹${length} characters›`)) ?? '');

/** Media types with q and charset (RFC 9110 section 12.5.1); `‹…›` replaces anything else. */
export function mediaOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const known = media.get(text);
  if (known !== undefined) return known;
  const shown = (cut(text) ?? '').split(',').map(shownRange).join(', ');
  if (media.size >= MOST_MEDIA_TYPES) media.clear();
  media.set(copied(text), shown);
  return shown;
}

function shownRange(range: string): string {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const kept = parameters.filter((part) => /^(q=[\d.]{1,5}|charset=[\w-]{1,20})$/i.test(part));
  const isType =
    /^(\*|application|audio|font|image|message|model|multipart|text|video)\/[\w*+.-]{1,24}$/i.test(type);
  const rest = kept.length < parameters.length ? ['‹…›'] : [];
  return [isType ? type : '‹…›', ...kept, ...rest].join('; ');
}

const media = new Map<string, string>();

/** A substring keeps the whole string in memory; a copy does not. */
export const copied = (text: string): string => Buffer.from(text).toString();

/** At most 200 characters, copied if shortened. */
export const cut = (text: string | undefined): string | undefined =>
  text === undefined || text.length <= LONGEST ? text : Buffer.from(text.slice(0, LONGEST)).toString();
