/** Secrets and tokens in parts of a request where they must not be. */

import { createSecrets } from '../../tests/support/secrets.ts';
import { basicOf, formOf } from '../../tests/traffic/credentials.ts';
import type { CredentialLeak } from '../../tests/traffic/exchange.ts';
import { UNREAD_HEADERS } from '../../tests/traffic/kept-exchange.ts';
import type { Judged } from './read-recording.ts';
import { isOwnMark } from './recorded-secrets.ts';

/** More tokens than these are not looked for, and a shorter one may occur anywhere by chance. */
const MOST_TOKENS = 1000;
const SHORTEST = 4;
const REMEMBERED = 5000;
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
    if (remembered.size === REMEMBERED) remembered.clear();
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
