/** Secrets and tokens in parts of a request where they must not be. Requests that are as the contract has them are not searched. */
import type { IncomingMessage } from 'node:http';
import type { CredentialLeak } from './api.ts';
import type { Clients } from './clients.ts';
import type { Tokens } from './tokens.ts';

/** Whose secrets and tokens are searched for. */
export interface Known {
  clients: Pick<Clients, 'list'>;
  tokens: Tokens;
}

/** Headers that most requests have, and that hold no secret. */
const KNOWN_HEADERS = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'authorization', 'cache-control', 'connection'],
  ...['content-length', 'content-type', 'expect', 'host', 'keep-alive', 'pragma', 'sec-fetch-mode'],
  ...['transfer-encoding', 'user-agent'],
]);

/** A longer user agent is searched like an unknown header. */
const LONGEST_AGENT = 24;

/** A shorter secret may occur anywhere by chance. */
const SHORTEST = 4;

/** What the headers of a request hold that has to be searched; empty for most requests. */
export function unusualHeaders({ headers }: IncomingMessage, isBearer: boolean): string {
  let unusual = '';
  for (const name in headers) {
    const value = String(headers[name]);
    if (!KNOWN_HEADERS.has(name) || (name === 'user-agent' && value.length > LONGEST_AGENT))
      unusual += ` ${value} ${basicCredentials(value)}`;
  }
  const { authorization } = headers;
  return authorization === undefined || isBearer ? unusual : unusual + basicCredentials(authorization);
}

/** Searches the query, the path, the headers and the body of a read, as they are, percent-decoded and from base64. */
export function leaksIn(
  where: Readonly<Record<CredentialLeak['where'], string | undefined>>,
  known: Known,
): readonly CredentialLeak[] {
  return Object.entries(where).flatMap(([place, text]) =>
    text
      ? secretsIn(`${text} ${decoded(text)} ${fromBase64(text)}`, known).map((what) => ({
          what,
          where: place as CredentialLeak['where'],
        }))
      : [],
  );
}

function secretsIn(text: string, { clients, tokens }: Known): CredentialLeak['what'][] {
  const words = text.match(/[\w.~+/-]{8,}=*/g) ?? [];
  // A path is one word, too, and a token is a part of it.
  const hasToken = words.some((word) => [word, ...word.split('/')].some((part) => tokens.find(part).issued));
  const hasSecret = secretsOf(clients).some((secret) => formsOf(secret).some((form) => text.includes(form)));
  return [...(hasToken ? ['token' as const] : []), ...(hasSecret ? ['client_secret' as const] : [])];
}

/** Thousands of clients may share a secret, as those of the scenarios do. */
const secretsOf = (clients: Known['clients']): string[] =>
  [...new Set(clients.list().map(({ secret }) => secret))].filter((secret) => secret.length >= SHORTEST);

/** The secret as it is, and in the usual encodings. */
const formsOf = (secret: string): string[] => {
  const bytes = Buffer.from(secret);
  const encoded = (['base64', 'base64url', 'hex'] as const).map((form) => bytes.toString(form));
  return [secret, ...encoded.map((text) => text.replace(/=+$/, ''))];
};

/** The credentials of Basic authentication (RFC 7617), decoded; a token in another scheme is not a leak. */
function basicCredentials(authorization: string): string {
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

/** Leaves out the secrets of all clients. */
export const withoutSecrets = (text: string, { clients }: Known): string =>
  secretsOf(clients).reduce(
    (shown, secret) =>
      shown.replaceAll(secret, '‹secret›').replaceAll(encodeURIComponent(secret), '‹secret›'),
    text,
  );
