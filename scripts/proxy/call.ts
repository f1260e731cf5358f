/** A call as its line and the HAR file show it: tokens have names, and no secret that is known by now is in it. */
import { hash } from 'node:crypto';
import { copied, cut, mediaOf, readablePath } from '../../mocks/exchange.ts';
import { plainName } from '../../tests/support/secrets.ts';
import { authorizationOf, bearerOf, credentialsIn, formOf } from '../../tests/traffic/credentials.ts';
import { type Field, fieldNamed } from '../../tests/traffic/exchange.ts';
import type { Entry } from '../index.ts';
import type { Judged } from '../judge/read-recording.ts';
import type { Exchange } from './exchange.ts';

/** As in the journal of a mock, but for the standing of the token, which only the service knows. */
export type Call = Omit<Entry, 'token'> & { token?: { name: string } };

const MOST_TOKENS = 20_000;
const LONGEST_ID = 100;
const OPERATIONS = { token: 'obtainToken', data: 'readData', health: undefined, other: undefined } as const;

/** Returns what shows calls. It names the tokens of each client in their order; `redact` removes secrets. */
export function createCallReader(redact: (text: string) => string) {
  /** By the digest of the token. */
  const tokens = new Map<string, { name: string; client: string }>();
  /** The number of tokens of each client. */
  const counts = new Map<string, number>();

  function tokenNamed(
    value: string,
    client: string | undefined,
  ): { name: string; client: string } | undefined {
    const digest = hash('sha256', value, 'base64url');
    const known = tokens.get(digest);
    if (known || client === undefined || tokens.size >= MOST_TOKENS) return known;
    const count = (counts.get(client) ?? 0) + 1;
    const named = { name: `${client}#${count}`, client };
    counts.set(client, count);
    tokens.set(digest, named);
    return named;
  }

  const shown = (text: string): string => readablePath(redact(copied(cut(text) ?? '')));
  const typeIn = (fields: readonly Field[] = [], name = 'content-type') => {
    const type = mediaOf(fieldNamed(fields, name));
    return type === undefined ? undefined : redact(type);
  };

  return (exchange: Exchange, { kind, exchange: recorded, recorded: { token } }: Judged): Call => {
    const { entry, method, path, headers, query, answer, startMs, endMs } = recorded;
    const id = kind === 'token' ? credentialsIn(recorded).clientId : undefined;
    const asked = id === undefined ? undefined : redact(copied(id.slice(0, LONGEST_ID)));
    const sent = bearerOf(recorded);
    const value = kind === 'token' ? token : kind === 'data' ? sent : undefined;
    const named = value === undefined ? undefined : tokenNamed(value, asked);
    const client = asked ?? named?.client;
    const operation = OPERATIONS[kind];
    const authorization = authorizationOf(recorded);
    const [accept, contentType, answerType] = [
      typeIn(headers, 'accept'),
      typeIn(headers),
      typeIn(answer?.headers),
    ];
    const fields = formOf(recorded)?.map(([name]) => shown(plainName(name)));
    const at = new Date(startMs).toISOString();
    return {
      ...{ seq: entry, at, wallAt: at, durationMs: Math.round((endMs - startMs) * 1000) / 1000 },
      ...(client !== undefined && { client }),
      ...(operation && { operation }),
      method: shown(method),
      path: shown(path),
      query: query.map(([name]) => shown(plainName(name))),
      status: answer?.status ?? 0,
      reason: reasonOf(kind, exchange, answer?.status),
      ...(exchange.ended && { ended: exchange.ended }),
      ...(named && { token: { name: named.name } }),
      request: {
        ...(accept !== undefined && { accept }),
        ...(contentType !== undefined && { contentType }),
        ...(authorization && {
          authorization: authorization === 'bearer' && sent ? 'bearer' : 'malformed',
        }),
        ...(fields && { fields }),
      },
      response: {
        bytes: exchange.answer?.body.bytes ?? 0,
        ...(answerType !== undefined && { contentType: answerType }),
      },
    };
  };
}

function reasonOf(kind: Judged['kind'], { proxyAnswer, failure, ended }: Exchange, status?: number): string {
  if (proxyAnswer !== undefined) return proxyAnswer;
  if (status === undefined) return failure ?? (ended === 'gone' ? 'the client disconnected' : 'no answer');
  if (status >= 400) return status === 403 || status === 401 ? 'refused' : 'failed';
  if (status >= 300) return status === 304 ? 'not-modified' : 'redirected';
  return kind === 'token' ? 'issued' : kind === 'data' ? 'served' : 'passed';
}
