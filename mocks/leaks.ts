/** Finds secrets and tokens where they must not be: in a query, a path, an unrelated header or the body of a read. */
import type { CredentialLeak } from './api.ts';
import type { State } from './state.ts';

/** Not Node's type, which users of this package's types may not have. */
interface RequestHead {
  url?: string | undefined;
  headers: { authorization?: string | undefined };
  rawHeaders: readonly string[];
}

export interface LeakContext {
  /** Whether the request matched an operation. */
  known: boolean;
  /** Whether `Authorization` holds a bearer token. */
  bearer: boolean;
  /** The body of a request that should have none. */
  body: string | undefined;
}

const NOTHING: readonly CredentialLeak[] = [];
/** A shorter secret may occur anywhere by chance. */
const SHORTEST = 4;

/** A request that is as the contract has it costs nothing here: only unusual parts are searched. */
export function findLeaks(
  { url = '', headers, rawHeaders }: RequestHead,
  { known, bearer, body }: LeakContext,
  state: State,
): readonly CredentialLeak[] {
  const end = url.indexOf('?');
  const { authorization } = headers;
  const unknown = unknownHeaders(rawHeaders);
  const isUnusual = end !== -1 || !known || body || unknown || (authorization !== undefined && !bearer);
  if (!isUnusual) return NOTHING;
  const places: [CredentialLeak['where'], string | undefined][] = [
    ['query', end === -1 ? undefined : url.slice(end)],
    ['path', known ? undefined : end === -1 ? url : url.slice(0, end)],
    ['body', body],
    ['header', `${unknown} ${bearer ? '' : basicCredentials(authorization)}`],
  ];
  return places.flatMap(([where, text]) =>
    text
      ? secretsIn(`${text} ${decoded(text)} ${fromBase64(text)}`, state).map((what) => ({ what, where }))
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

/** By the name as the client writes it, which is the same in each of its requests. */
const isKnownHeader = new Map<string, boolean>();
const MOST_NAMES = 1000;
/** A longer user agent is searched like an unknown header. */
const LONGEST_AGENT = 24;

/** The values of all other headers. `rawHeaders` lists names and values in turn. */
function unknownHeaders(rawHeaders: readonly string[]): string {
  let found = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    let isKnown = isKnownHeader.get(name);
    if (isKnown === undefined) {
      isKnown = KNOWN_HEADERS.has(name.toLowerCase());
      if (isKnownHeader.size < MOST_NAMES) isKnownHeader.set(name, isKnown);
    }
    const value = rawHeaders[at + 1] as string;
    if (!isKnown || (value.length > LONGEST_AGENT && name.toLowerCase() === 'user-agent'))
      found += ` ${value} ${basicCredentials(value)}`;
  }
  return found;
}

function secretsIn(text: string, { clients, tokens }: State): CredentialLeak['what'][] {
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
