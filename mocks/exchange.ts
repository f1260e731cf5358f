/** Exchanges: what is recorded of a request and its answer, and the journal of the latest. No secret is in them. */
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call, ConnectionOutcome, CredentialLeak, Secrets } from './api.ts';
import type { Client } from './clients.ts';
import { BEARER } from './condition.ts';
import type { Answer, OperationId } from './contract/answers.ts';
import type { Filter, TokenStatus } from './contract/control-contract.ts';
import type { Reply } from './http.ts';
import type { TriggeredSteps } from './script.ts';
import { type IssuedToken, nameOf, type Tokens } from './tokens.ts';

/** Members that an exchange and a call of it have in common. */
type Shared = Pick<Call, 'method' | 'path' | 'query' | 'target' | 'status' | 'reason' | 'misplaced'> & {
  [Name in 'accept' | 'contentType' | 'authorization' | 'fields']: Call[Name] | undefined;
};

/** One exchange. Times are in milliseconds since the epoch, durations in milliseconds. */
export interface Exchange extends Shared {
  /** Counts from 1, in the order in which exchanges ended. */
  seq: number;
  /** When the mock decided the answer, on the mock's clock. */
  at: number;
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
  isConditional: boolean;
  /** The client id that was meant, if the request had one that no client has. */
  nearest: string | undefined;
  /** Numbers of the steps of the client's script that were applied. */
  script: readonly number[] | undefined;
  ended: ConnectionOutcome;
  /** The token that was sent or issued, and its status. */
  issued: IssuedToken | undefined;
  tokenStatus: TokenStatus | undefined;
  /** Of the answer: its length, its Content-Type and its Retry-After. */
  bytes: number;
  answerType: string | undefined;
  retryAfter: string | undefined;
}

export type Journal = ReturnType<typeof createJournal>;
type Listener = (exchange: Exchange) => void;

export function createJournal(capacity: number) {
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
    /** Numbers and adds the exchange. */
    add(exchange: Exchange): void {
      kept[(seq - cleared) % capacity] = exchange;
      exchange.seq = ++seq;
      for (const listener of [...listeners]) listener(exchange);
    },
    /** Oldest first. */
    list(filter: Filter = {}): Exchange[] {
      const found = oldestFirst().filter((exchange) => fits(exchange, filter));
      return filter.limit === undefined ? found : found.slice(-filter.limit || found.length);
    },
    /** The number of exchanges after `since` that are no longer in the journal. */
    lost(since = 0): number {
      const oldest = oldestFirst().at(0)?.seq ?? seq + 1;
      return Math.max(0, oldest - 1 - Math.max(since, cleared));
    },
    clear(): void {
      kept = [];
      cleared = seq;
    },
    /** Calls `listener` with each exchange from now on, until the returned function is called. */
    listen(listener: Listener) {
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
    'path' | 'operation' | 'at' | 'wallAt' | 'started' | 'fields' | 'nearest' | 'tokenStatus' | 'reason'
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
  reply: Reply;
}

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
  const { request, path, at, client, operation, reply, triggered, reason } = handling;
  const { headers, method = '', url = '' } = request;
  // The newest token of a client that was refused a new one is neither sent nor issued.
  const issued = operation === 'obtainToken' && reason !== 'issued' ? undefined : handling.issued;
  const { authorization } = headers;
  const isBearer =
    handling.bearer !== undefined || (authorization !== undefined && BEARER.test(authorization));
  const [target = '', query] = url.split(/\?(.*)/s);
  const header = unusualHeaders(request, isBearer);
  const where = { query, path: operation ? undefined : target, body: handling.stray, header };
  const isPlain = operation && query === undefined && !handling.stray && header === '';
  const misplaced = isPlain ? NOTHING : leaksIn(where, { secrets: known.secrets, tokens: used });
  const search = misplaced.length > 0 ? known.secrets : undefined;
  const isDecided = handling.tokenStatus !== undefined && !triggered && used === known.tokens;
  return {
    seq: 0,
    at,
    wallAt: handling.wallAt,
    started: handling.started,
    duration: performance.now() - handling.started,
    client: client?.id,
    operation,
    method,
    path: operation ? path : readablePath(known.secrets.redact(copied(path))),
    query: query === undefined ? NOTHING : namesIn(query.replace(/#.*/s, ''), known),
    // A token in a query would make each repetition a different target.
    target: operation && (query === undefined || search) ? operation : digestOf(url),
    misplaced,
    isConditional: headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined,
    accept: mediaOf(headers.accept, search),
    contentType: mediaOf(headers['content-type'], search),
    authorization: authorization === undefined ? undefined : isBearer ? 'bearer' : 'malformed',
    fields: handling.fields,
    nearest: handling.nearest,
    status: reply.status,
    reason,
    script: triggered?.steps,
    ended,
    issued,
    tokenStatus: isDecided ? handling.tokenStatus : issued && known.tokens.statusOf(issued),
    bytes: reply.bytes.length,
    answerType: reply.headers['content-type'],
    retryAfter: reply.headers['retry-after'],
  };
}

const namesIn = (query: string, { secrets }: Known): string[] =>
  [...new URLSearchParams(cut(secrets.redact(copied(query)))).keys()].map(readablePath);

const digestOf = (url: string): string => createHash('sha256').update(url).digest('base64url').slice(0, 16);

/** Longer texts are cut, in characters. */
const LONGEST = 200;

/** Long segments are left out: clients have put secrets into paths. */
export const readablePath = (path: string): string =>
  path.length < 24 ? path : (cut(path.replace(/[^/]{24,}/g, ({ length }) => `‹${length} characters›`)) ?? '');

/** Media types with q and charset (RFC 9110 section 12.5.1); `‹…›` replaces anything else. `search`: for one that may be a secret. */
export function mediaOf(text: string | undefined, search?: Secrets): string | undefined {
  if (text === undefined) return undefined;
  const shown = (cut(text) ?? '').split(',').map(shownRange).join(', ');
  return search ? search.redact(shown) : shown;
}

function shownRange(range: string): string {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const kept = parameters.filter((part) => /^(q=[\d.]{1,5}|charset=[\w-]{1,20})$/i.test(part));
  const isType =
    /^(\*|application|audio|font|image|message|model|multipart|text|video)\/[\w*+.-]{1,24}$/i.test(type);
  const rest = kept.length < parameters.length ? ['‹…›'] : [];
  return [isType ? type : '‹…›', ...kept, ...rest].join('; ');
}

/** A substring keeps the whole string in memory; a copy does not. */
export const copied = (text: string): string => Buffer.from(text).toString();

/** At most 200 characters, copied if shortened. */
export const cut = (text: string | undefined): string | undefined =>
  text === undefined || text.length <= LONGEST ? text : Buffer.from(text.slice(0, LONGEST)).toString();

// Secrets and tokens in parts of a request where they must not be. Requests that are as the contract has them are not searched.

/** Whose secrets and tokens are searched for. */
interface Known {
  secrets: Secrets;
  tokens: Tokens;
}

/** Headers that HTTP itself needs, and the one that holds the token. */
const KNOWN_HEADERS = new Set([
  ...['accept-encoding', 'authorization', 'connection', 'content-length', 'expect', 'host', 'keep-alive'],
  'transfer-encoding',
]);
/** Values that most requests have, such as `curl/8.5.0`. */
const USUAL =
  /^(\*|\*\/\*|application\/(json|x-www-form-urlencoded)(; ?charset=utf-8)?|no-cache|max-age=0|cors|node|[a-z-]{1,20}\/[\d.]{1,12})$/i;

/** What the headers of a request hold that has to be searched; empty for most requests. */
function unusualHeaders({ headers }: IncomingMessage, isBearer: boolean): string {
  let unusual = '';
  for (const name in headers) {
    const value = String(headers[name]);
    if (!KNOWN_HEADERS.has(name) && !USUAL.test(value))
      unusual += ` ${name} ${value} ${basicCredentials(value)}`;
  }
  const { authorization } = headers;
  return authorization === undefined || isBearer ? unusual : unusual + basicCredentials(authorization);
}

/** Searches the query, the path, the headers and the body of a read. */
function leaksIn(
  where: Readonly<Record<CredentialLeak['where'], string | undefined>>,
  known: Known,
): readonly CredentialLeak[] {
  return Object.entries(where).flatMap(([place, text]) =>
    text ? secretsIn(text, known).map((what) => ({ what, where: place as CredentialLeak['where'] })) : [],
  );
}

function secretsIn(text: string, { secrets, tokens }: Known): CredentialLeak['what'][] {
  const words = `${text} ${decoded(text)}`.match(/[\w.~+/-]{8,}=*/g) ?? [];
  // A path is one word, too, and a token is a part of it.
  const hasToken = words.some((word) => [word, ...word.split('/')].some((part) => tokens.find(part).issued));
  return [
    ...(hasToken ? ['token' as const] : []),
    ...(secrets.leaks(text).length > 0 ? ['client_secret' as const] : []),
  ];
}

/** The credentials of Basic authentication (RFC 7617), decoded; a token in another scheme is not a leak. */
function basicCredentials(authorization: string): string {
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1];
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
}

/** Percent-decoded; a sequence that cannot be decoded is left as it is. */
const decoded = (text: string): string =>
  text.replaceAll('+', ' ').replace(/(%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
