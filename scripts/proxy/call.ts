/** A call as its line shows it, and where it has secrets that must not be there: by what is known when it passes. */
import { STATUS_CODES } from 'node:http';
import { copied, cut, readablePath } from '../../mocks/exchange.ts';
import type { Recorded } from '../../tests/server/recorded.ts';
import {
  bearerOf,
  createKnownSecrets,
  createLeakFinder,
  credentialsIn,
  misplacedIn,
  secretsOfExchange,
} from '../../tests/traffic/credentials.ts';
import { isMadeUp } from '../../tests/traffic/tokens.ts';
import type { Entry } from '../mock/index.ts';

/** As in the journal of a mock, without what only the mock knows. */
export type Call = Omit<Entry, 'token' | 'query' | 'request' | 'response' | 'wallAt' | 'operation'> & {
  token?: { name: string };
};

const MOST_TOKENS = 20_000;
const LONGEST_ID = 100;

/** Returns what shows calls. It names the tokens of each client in their order, and knows the secrets of the calls so far. */
export function createCallReader() {
  const { secrets, register } = createKnownSecrets();
  const found = createLeakFinder(secrets);
  const tokens = new Map<string, { name: string; client: string }>();
  /** The number of tokens of each client. */
  const counts = new Map<string, number>();
  const shown = (text: string): string => readablePath(secrets.redact(copied(cut(text) ?? '')));

  return (exchange: Recorded, ended: Call['ended']): [Call, Recorded] => {
    const { entry, kind, path, method, answer, failure = 'no answer', proxyAnswer, sentMs } = exchange;
    const { clientId, clientSecret = '' } = kind === 'token' ? credentialsIn(exchange) : {};
    const token = kind === 'token' ? exchange.token : bearerOf(exchange);
    const isToken = token !== undefined && !isMadeUp(token);
    register(clientSecret, 'client secret');
    if (isToken) register(token, `token ${entry}`);
    for (const secret of secretsOfExchange(exchange)) register(...secret);
    const id = clientId && secrets.redact(copied(clientId.slice(0, LONGEST_ID)));
    if (isToken && id && !tokens.has(token) && tokens.size < MOST_TOKENS) {
      const count = (counts.get(id) ?? 0) + 1;
      counts.set(id, count);
      tokens.set(copied(token), { name: `${id}#${count}`, client: id });
    }
    const named = isToken ? tokens.get(token) : undefined;
    const client = id ?? named?.client;
    const status = answer?.status ?? 0;
    const call = {
      seq: entry,
      at: new Date(sentMs).toISOString(),
      durationMs: Math.round((exchange.answeredMs - sentMs) * 1000) / 1000,
      ...(client && { client }),
      ...{ method, path: shown(path), status },
      reason: proxyAnswer ?? (answer ? (STATUS_CODES[status] ?? '') : failure),
      ...(ended && { ended }),
      ...(named && { token: { name: named.name } }),
    };
    return [call, { ...exchange, misplaced: misplacedIn(exchange, found) }];
  };
}
