/** What passed, in the journal of a mock: its page, its lines and the HAR file show it. No secret is in it. */
import { hash } from 'node:crypto';
import type { Client } from '../../mocks/clients.ts';
import type { Exchange as Shown } from '../../mocks/exchange.ts';
import { copied, cut, mediaOf, readablePath } from '../../mocks/exchange.ts';
import type { State } from '../../mocks/state.ts';
import type { IssuedToken } from '../../mocks/tokens.ts';
import { plainName } from '../../tests/support/plain-name.ts';
import { authorizationOf, bearerOf, credentialsIn, formOf } from '../../tests/traffic/credentials.ts';
import { type Field, fieldNamed, type RecordedAnswer } from '../../tests/traffic/exchange.ts';
import { type AgreedLifetimes, NONE_AGREED } from '../../tests/traffic/tokens.ts';
import type { Judged } from '../judge/read-recording.ts';
import type { Exchange } from './exchange.ts';

const MOST_CLIENTS = 1000;
const MOST_TOKENS = 20_000;
const LONGEST_ID = 100;
const NOTHING: readonly never[] = [];
const OPERATIONS = { token: 'obtainToken', data: 'readData', health: undefined, other: undefined } as const;

/** The tokens of `state` are others, with the names of those that passed. `redact` removes the secrets that are known. */
export function createJournalFeed(
  state: State,
  redact: (text: string) => string,
  { byClient }: AgreedLifetimes = NONE_AGREED,
) {
  /** By digest. */
  const tokens = new Map<string, IssuedToken>();

  function clientNamed(id: string): Client | undefined {
    const name = redact(copied(id.slice(0, LONGEST_ID)));
    const known = state.clients.get(name);
    if (known || state.clients.list().length >= MOST_CLIENTS || /^\.{0,2}$/.test(name)) return known;
    const tokenLifetime = byClient.get(id);
    // Its own secret is nowhere in this state.
    return state.addClient({ id: name, secret: '-', ...(tokenLifetime !== undefined && { tokenLifetime }) });
  }

  /** As it is now: it may have ended. */
  function current(key: string): IssuedToken | undefined {
    const known = tokens.get(key);
    return known && state.tokens.current(known);
  }

  function noted(value: string, client: Client | undefined): IssuedToken | undefined {
    const key = digestOf(value);
    const known = current(key);
    if (known || !client || tokens.size >= MOST_TOKENS) return known;
    const { issued } = state.tokens.find(
      state.tokens.issue({ client, lifetimeSeconds: state.nextLifetime(client) }),
    );
    if (issued) tokens.set(key, issued);
    return issued;
  }

  const shown = (text: string): string => readablePath(redact(copied(cut(text) ?? '')));
  const typeIn = (fields: readonly Field[] = [], name = 'content-type') => {
    const type = mediaOf(fieldNamed(fields, name));
    return type === undefined ? undefined : redact(type);
  };

  return {
    /** Adds it to the journal, and returns it as it is there. */
    add(exchange: Exchange, { kind, exchange: recorded, recorded: { token } }: Judged): Shown {
      const { headers, query, answer } = recorded;
      const id = kind === 'token' ? credentialsIn(recorded).clientId : undefined;
      const sent = bearerOf(recorded);
      const owner = id === undefined ? undefined : clientNamed(id);
      const value = kind === 'token' ? token : kind === 'data' ? sent : undefined;
      const issued = value === undefined ? undefined : noted(value, owner);
      const authorization = authorizationOf(recorded);
      const type = typeIn(answer?.headers);
      const retryAfter = retryAfterOf(answer);
      const { startMs: at, endMs, target } = exchange;
      const added: Shown = {
        seq: 0,
        ...{ at, judgedAt: at, wallAt: at, started: at - performance.timeOrigin, duration: endMs - at },
        client: owner?.id ?? issued?.client.id,
        operation: OPERATIONS[kind],
        method: shown(recorded.method),
        path: shown(recorded.path),
        query: query.length === 0 ? NOTHING : query.map(([name]) => shown(plainName(name))),
        target: (query.length === 0 ? OPERATIONS[kind] : undefined) ?? digestOf(target),
        leaks: NOTHING,
        isConditional: headers.some(([name]) => name === 'if-none-match' || name === 'if-modified-since'),
        accept: typeIn(headers, 'accept'),
        contentType: typeIn(headers),
        authorization: authorization && (authorization === 'bearer' && sent ? 'bearer' : 'malformed'),
        fields: formOf(recorded)?.map(([name]) => shown(plainName(name))),
        status: answer?.status ?? 0,
        reason: reasonOf(kind, exchange, answer?.status),
        script: undefined,
        ended: exchange.ended,
        issued,
        tokenStatus: issued && state.tokens.statusOf(issued),
        headers: {
          ...(type !== undefined && { 'content-type': type }),
          ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
        },
        bytes: exchange.answer?.body.bytes ?? 0,
        body: undefined,
      };
      state.journal.add(added);
      return added;
    },
    /** The token of the state that represents one that passed. */
    tokenOf: (value: string): IssuedToken | undefined => current(digestOf(value)),
    /** Shows a token as expired from now on. */
    expire(token: string): void {
      const known = tokens.get(digestOf(token));
      if (known) state.tokens.end(known, 'expired');
    },
  };
}

function reasonOf(kind: Judged['kind'], { proxyAnswer, failure, ended }: Exchange, status?: number): string {
  if (proxyAnswer !== undefined) return proxyAnswer;
  if (status === undefined) return failure ?? (ended === 'gone' ? 'the client disconnected' : 'no answer');
  if (status >= 400) return status === 403 || status === 401 ? 'refused' : 'failed';
  if (status >= 300) return status === 304 ? 'not-modified' : 'redirected';
  return kind === 'token' ? 'issued' : kind === 'data' ? 'served' : 'passed';
}

/** The header, where it is seconds or a date (RFC 9110 section 10.2.3); anything else may be a secret. */
function retryAfterOf(answer: RecordedAnswer | undefined): string | undefined {
  const value = answer && fieldNamed(answer.headers, 'retry-after');
  const isTime = /^(\d{1,9}|[A-Z][a-z]{2,8},? [\w :-]{10,24} GMT)$/.test(value ?? '');
  return value === undefined || isTime ? value : '‹…›';
}

const digestOf = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22);
