/** Secrets and tokens where they have no business: in a query, a path, a header of another kind, or the body of a read. */
import type { CredentialLeak } from '../state/journal.ts';
import type { State } from '../state/state.ts';

/** Of a request; not by a type of Node's, which users of the package's types may not have. */
interface Asked {
  url?: string | undefined;
  headers: { authorization?: string | undefined };
  rawHeaders: readonly string[];
}

const NOTHING: readonly CredentialLeak[] = [];
/** A shorter secret may stand anywhere by chance. */
const SHORTEST = 4;

/**
 * `body` is that of a request which should have none. A request that is as the contract has it costs a busy mock
 * nothing here: a place is only looked at where there is something unusual.
 */
export function findLeaks(
  { url = '', headers, rawHeaders }: Asked,
  { known, bearer, body }: { known: boolean; bearer: boolean; body: string | undefined },
  state: State,
): readonly CredentialLeak[] {
  const end = url.indexOf('?');
  const { authorization } = headers;
  const unusual = unknownHeaders(rawHeaders);
  const isOdd = end !== -1 || !known || body || unusual || (authorization !== undefined && !bearer);
  if (!isOdd) return NOTHING;
  const places: [CredentialLeak['where'], string | undefined][] = [
    ['query', end === -1 ? undefined : url.slice(end)],
    ['path', known ? undefined : end === -1 ? url : url.slice(0, end)],
    ['body', body],
    ['header', `${unusual} ${bearer ? '' : basicOf(authorization)}`],
  ];
  return places.flatMap(([where, text]) =>
    text ? secretsIn(`${text} ${decoded(text)}`, state).map((what) => ({ what, where })) : [],
  );
}

/** Of headers that requests have anyway, and that hold no secret of anybody's. */
const USUAL = new Set([
  ...[
    'accept',
    'accept-encoding',
    'accept-language',
    'authorization',
    'cache-control',
    'connection',
    'content-length',
  ],
  ...[
    'content-type',
    'expect',
    'host',
    'keep-alive',
    'pragma',
    'sec-fetch-mode',
    'transfer-encoding',
    'user-agent',
  ],
]);

/** Names as clients write them, and whether they are usual: they come again with each request. */
const isUsual = new Map<string, boolean>();

/** The values of the others; what names a program is looked at where it is longer than names are. Name and value in turn. */
function unknownHeaders(rawHeaders: readonly string[]): string {
  let found = '';
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    let usual = isUsual.get(name);
    if (usual === undefined) {
      usual = USUAL.has(name.toLowerCase());
      if (isUsual.size < 1000) isUsual.set(name, usual);
    }
    const value = rawHeaders[at + 1] as string;
    if (!usual || (value.length > 24 && name.toLowerCase() === 'user-agent'))
      found += ` ${value} ${basicOf(value)}`;
  }
  return found;
}

function secretsIn(text: string, { clients, tokens }: State): CredentialLeak['what'][] {
  const words = text.match(/[\w.~+/-]{8,}=*/g) ?? [];
  // A path is one word too, of which a token is a part.
  const hasToken = words.some((word) => [word, ...word.split('/')].some((part) => tokens.find(part).issued));
  // Thousands of clients may share one, such as those of the scenarios.
  const secrets = new Set(clients.list().map(({ secret }) => secret));
  const hasSecret = [...secrets].some(
    (secret) => secret.length >= SHORTEST && formsOf(secret).some((form) => text.includes(form)),
  );
  return [...(hasToken ? ['token' as const] : []), ...(hasSecret ? ['client_secret' as const] : [])];
}

/** As it is, and as it is often written. */
const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  return [
    secret,
    ...(['base64', 'base64url', 'hex'] as const).map((form) => bytes.toString(form).replace(/=+$/, '')),
  ];
};

/** What Basic authentication carries (RFC 7617); a token in another scheme is no secret in a wrong place. */
function basicOf(authorization = ''): string {
  const encoded = /^basic +(\S+)$/i.exec(authorization)?.[1];
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString();
}

/** What cannot be decoded is left as it is, and keeps nothing else from it. */
const decoded = (text: string): string =>
  text.replaceAll('+', ' ').replace(/(%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
