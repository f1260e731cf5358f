/** Secrets and tokens in parts of a request where they must not be. Requests that are as the contract has them are not searched. */
import type { IncomingMessage } from 'node:http';
import type { CredentialLeak, Secrets } from './api.ts';
import type { Tokens } from './tokens.ts';

/** Whose secrets and tokens are searched for. */
export interface Known {
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
export function unusualHeaders({ headers }: IncomingMessage, isBearer: boolean): string {
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
export function leaksIn(
  where: Readonly<Record<CredentialLeak['where'], string | undefined>>,
  known: Known,
): readonly CredentialLeak[] {
  return Object.entries(where).flatMap(([place, text]) =>
    text ? secretsIn(text, known).map((what) => ({ what, where: place as CredentialLeak['where'] })) : [],
  );
}

function secretsIn(text: string, { secrets, tokens }: Known): CredentialLeak['what'][] {
  const words = `${text} ${decoded(text)} ${unencoded(text)}`.match(/[\w.~+/-]{8,}=*/g) ?? [];
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

/** What its words are in base64, as `id:secret` often is in a header of its own, and in hexadecimal. */
const unencoded = (text: string): string =>
  (text.match(/[\w+/-]{8,}/g) ?? [])
    .flatMap((word) => (['base64', 'hex'] as const).map((encoding) => Buffer.from(word, encoding).toString()))
    .join(' ');

/** Percent-decoded; a sequence that cannot be decoded is left as it is. */
const decoded = (text: string): string =>
  text.replaceAll('+', ' ').replace(/(%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  });
