/** A call as its line shows it: tokens have names, and no secret that is known by now is in it. */
import { copied, cut, readablePath } from '../../mocks/exchange.ts';
import type { Recorded } from '../../tests/server/recorded.ts';
import {
  bearerOf,
  createKnownSecrets,
  credentialsIn,
  secretsOfExchange,
} from '../../tests/traffic/credentials.ts';
import { isUnset } from '../../tests/traffic/tokens.ts';
import type { Entry } from '../mock/index.ts';

/** As in the journal of a mock, without what only the mock knows. */
export type Call = Omit<Entry, 'token' | 'query' | 'request' | 'response' | 'wallAt'> & {
  token?: { name: string };
};

const MOST_TOKENS = 20_000;
const LONGEST_ID = 100;
const OPERATIONS = { token: 'obtainToken', data: 'readData', health: undefined, other: undefined } as const;

/** Returns what shows calls. It names the tokens of each client in their order, and knows the secrets of the calls so far. */
export function createCallReader() {
  const { secrets, register } = createKnownSecrets();
  const tokens = new Map<string, { name: string; client: string }>();
  /** The number of tokens of each client. */
  const counts = new Map<string, number>();
  const shown = (text: string): string => readablePath(secrets.redact(copied(cut(text) ?? '')));

  function tokenNamed(value: string, client: string | undefined) {
    if (!tokens.has(value) && client !== undefined && tokens.size < MOST_TOKENS) {
      const count = (counts.get(client) ?? 0) + 1;
      counts.set(client, count);
      tokens.set(copied(value), { name: `${client}#${count}`, client });
    }
    return tokens.get(value);
  }

  /** `status`: what the client got, 0 for no whole answer. */
  return (exchange: Recorded, ended: Call['ended'], status = 0): Call => {
    const { entry, kind, token, method, path, answer, sentMs, answeredMs } = exchange;
    const { proxyAnswer, failure = 'no answer' } = exchange;
    const { clientId, clientSecret = '' } = credentialsIn(exchange);
    const values = [[clientSecret, 'client-secret'], [token, 'token'], ...secretsOfExchange(exchange)];
    for (const [value = '', alias = ''] of values) if (!isUnset(value)) register(value, alias);
    const isToken = kind === 'token';
    const asked =
      isToken && clientId !== undefined ? secrets.redact(copied(clientId.slice(0, LONGEST_ID))) : undefined;
    const value = isToken ? token : kind === 'data' ? bearerOf(exchange) : undefined;
    const named = value === undefined ? undefined : tokenNamed(value, asked);
    const client = asked ?? named?.client;
    const operation = OPERATIONS[kind];
    return {
      seq: entry,
      at: new Date(sentMs).toISOString(),
      durationMs: Math.round((answeredMs - sentMs) * 1000) / 1000,
      ...(client !== undefined && { client }),
      ...(operation && { operation }),
      method: shown(method),
      path: shown(path),
      status,
      reason: proxyAnswer ?? (answer ? reasonOf(kind, answer.status) : failure),
      ...(ended && { ended }),
      ...(named && { token: { name: named.name } }),
    };
  };
}

function reasonOf(kind: Recorded['kind'], status: number): string {
  if (status >= 400) return status === 403 || status === 401 ? 'refused' : 'failed';
  if (status >= 300) return status === 304 ? 'not-modified' : 'redirected';
  return kind === 'token' ? 'issued' : kind === 'data' ? 'served' : 'passed';
}
