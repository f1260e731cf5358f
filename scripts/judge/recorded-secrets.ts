/** The values in a recording that must not be written. */
import type { CredentialLeak } from '../../tests/support/secrets.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { basicOf, formOf, isMark } from '../../tests/traffic/credentials.ts';
import type { RecordedExchange } from '../../tests/traffic/exchange.ts';
import { UNREAD_HEADERS } from '../../tests/traffic/kept-exchange.ts';
import type { TokenHistory } from '../../tests/traffic/tokens.ts';
import type { Judged } from './read-recording.ts';

function* secretsIn(
  judged: readonly Judged[],
  facts: readonly { token?: string }[],
  history: TokenHistory,
  clientSecrets: ReadonlySet<string>,
  hidden: ReadonlySet<string>,
  misplaced: ReadonlySet<string>,
): Generator<readonly [string, string]> {
  // Those come first that are where they are written from.
  for (const value of misplaced) {
    const [{ number } = {}] = history.livesOf(value);
    yield [value, number !== undefined ? `token ${number}` : 'client secret'];
  }
  for (const secret of clientSecrets) yield [secret, 'client secret'];
  for (const { value, number } of history.lives) yield [value, `token ${number}`];
  for (const { token } of facts) if (token) yield [token, 'unknown token'];
  for (const value of hidden) yield [value, 'hidden'];
  for (const { exchange } of judged) yield* credentialsOfExchange(exchange);
  // A page sets many, and they must not take the place of what opens the data.
  for (const { exchange } of judged) yield* cookiesOfExchange(exchange);
}

/** The values in one exchange that are secret by the name or the place that they have. */
export function* secretsOfExchange(exchange: RecordedExchange): Generator<readonly [string, string]> {
  yield* credentialsOfExchange(exchange);
  yield* cookiesOfExchange(exchange);
}

function* cookiesOfExchange(exchange: RecordedExchange): Generator<readonly [string, string]> {
  for (const [name, value] of headersOf(exchange))
    if (name === 'cookie' || name === 'set-cookie')
      for (const one of valuesOfCookie(value)) yield [one, 'cookie'];
}

const headersOf = ({ headers, answer }: RecordedExchange) => [...headers, ...(answer?.headers ?? [])];

function* credentialsOfExchange(exchange: RecordedExchange): Generator<readonly [string, string]> {
  const { query } = exchange;
  for (const [name, value] of headersOf(exchange)) {
    if (name === 'authorization' || name === 'proxy-authorization') {
      const credentials = /^\S+ +(.+)$/.exec(value)?.[1] ?? value;
      yield [credentials, 'credentials'];
    }
    if (/key|token|secret|session/i.test(name)) yield [value, 'credentials'];
  }
  const { secret } = basicOf(exchange) ?? {};
  if (secret !== undefined) yield [secret, 'credentials'];
  for (const [name, value] of query) if (SECRET_FIELDS.test(name)) yield [value, 'credentials'];
  for (const value of pathParameters(exchange.path)) yield [value, 'credentials'];
  for (const [name, value] of formOf(exchange) ?? [])
    if (SECRET_FIELDS.test(name)) yield [value, 'credentials'];
}

/** Names in a query, a form or a path that hold a secret, such as those of other grants than ours. */
const SECRET_FIELDS = /token|secret|key|passw|assertion|session|^code(_verifier)?$/i;

/** Secret values of parameters in a path, such as `/data/;jsessionid=…` (RFC 3986, 3.3). */
const pathParameters = (path: string): string[] =>
  path
    .split(/[/;]/)
    .map((part) => part.split('='))
    .flatMap(([name = '', ...value]) => (SECRET_FIELDS.test(name) ? value.join('=') : []));

/** At most this many are looked for in what is written; what they are in is never written. */
const MOST_SECRETS = 5000;
/** A shorter value would be found in ordinary words, or anywhere by chance. */
const SHORTEST = 4;

/**
 * Whether it is a name that the journal or the proxy writes in the place of a token or secret. No token has such
 * characters (RFC 6750 section 2.1); a client secret may.
 */
export const isOwnMark = (value: string, isSecret = false): boolean =>
  (isSecret ? /^‹secret-\d+›$/ : /^‹[^‹›]{1,300}›$/).test(value);

/** Values with their aliases, the most telling first. A mark in the place of a value is not a secret. */
export function secretsOf(...parts: Parameters<typeof secretsIn>): (readonly [string, string])[] {
  const found = new Map<string, string>();
  for (const [value, alias] of secretsIn(...parts))
    if (
      value.length >= SHORTEST &&
      !isMark(value) &&
      !isOwnMark(value, alias === 'client secret') &&
      !found.has(value) &&
      found.size < MOST_SECRETS
    )
      found.set(value, alias);
  return [...found];
}

const valuesOfCookie = (value: string): string[] =>
  value.split(';').flatMap((part) => {
    const one = part.slice(part.indexOf('=') + 1).trim();
    return one.length >= 8 ? [one] : [];
  });

// Secrets and tokens in parts of a request where they must not be.

/** More tokens than these are not looked for. */
const MOST_TOKENS = 1000;
const REMEMBERED_TEXTS = 5000;
/** Headers in which no secret is looked for. */
const ORDINARY: ReadonlySet<string> = new Set([...UNREAD_HEADERS, 'accept', 'authorization', 'content-type']);
/** Names in a query that say what the value is. */
const BY_NAME: Readonly<Record<string, CredentialLeak['what']>> = {
  access_token: 'token',
  client_secret: 'client_secret',
};

/** `found`: the values that `misplacedIn` has met so far. */
export function createPlacement(tokens: Iterable<string>, clientSecrets: Iterable<string>) {
  const secrets = createSecrets();
  /** By alias. */
  const registered = new Map<string, { value: string; what: CredentialLeak['what'] }>();
  const register = (value: string, what: CredentialLeak['what']) => {
    if (value.length < SHORTEST || isOwnMark(value, what === 'client_secret')) return;
    const alias = String(registered.size);
    registered.set(alias, { value, what });
    secrets.register(value, alias);
  };
  for (const secret of clientSecrets) register(secret, 'client_secret');
  for (const token of [...tokens].slice(0, MOST_TOKENS)) register(token, 'token');
  const remembered = new Map<string, CredentialLeak['what'][]>();
  const values = new Set<string>();

  function found(text: string): CredentialLeak['what'][] {
    const before = remembered.get(text);
    if (before) return before;
    const known = secrets.leaks(text).flatMap((alias) => registered.get(alias) ?? []);
    for (const { value } of known) values.add(value);
    const leaks = known.map(({ what }) => what);
    if (remembered.size === REMEMBERED_TEXTS) remembered.clear();
    remembered.set(text, leaks);
    return leaks;
  }

  const misplacedIn = ({ kind, exchange }: Judged): CredentialLeak[] => {
    const { path, query, headers, body } = exchange;
    const basic = basicOf(exchange);
    const ofHeaders = headers.filter(([name]) => !ORDINARY.has(name)).map(([, value]) => value);
    if (basic) ofHeaders.push(`${basic.id}:${basic.secret}`);
    const places: [CredentialLeak['where'], string][] = [
      ['query', query.map(([name, value]) => `${name} ${value}`).join(' ')],
      ['path', kind === 'other' ? path : ''],
      ['header', ofHeaders.join(' ')],
      ['body', kind === 'token' || (kind === 'other' && formOf(exchange)) ? '' : (body ?? '')],
    ];
    const named = query.flatMap(([name, value]) =>
      value !== '' && Object.hasOwn(BY_NAME, name) ? [BY_NAME[name]] : [],
    );
    return places.flatMap(([where, text]) => {
      const what = new Set([...(text === '' ? [] : found(text)), ...(where === 'query' ? named : [])]);
      return [...what].flatMap((one) => (one ? [{ what: one, where }] : []));
    });
  };

  return { misplacedIn, found: values as ReadonlySet<string> };
}
