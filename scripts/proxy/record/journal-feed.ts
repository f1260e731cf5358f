/** What passed, in the journal of a mock: its page, its lines and its HAR log show it. No secret is in it. */
import { createHash } from 'node:crypto';
import type { Client } from '../../../mocks/clients.ts';
import type { Exchange } from '../../../mocks/exchange.ts';
import { copied, cut, mediaOf, readablePath } from '../../../mocks/leaks.ts';
import type { State } from '../../../mocks/state.ts';
import type { IssuedToken } from '../../../mocks/tokens.ts';
import { plainName } from '../../../tests/support/plain-name.ts';
import { authorizationOf, bearerOf, credentialsIn, formOf } from '../../../tests/traffic/credentials.ts';
import { fieldNamed, type RecordedAnswer } from '../../../tests/traffic/exchange.ts';
import { type AgreedLifetimes, NONE_AGREED } from '../../../tests/traffic/tokens.ts';
import type { Judged } from '../../judge/read-recording.ts';
import type { Passed } from '../forward/passed.ts';

export interface JournalFeed {
  /** Adds it to the journal, and returns it as it is there. `redact` removes the secrets that are known. */
  add(passed: Passed, judged: Judged): Exchange;
  /** The token of the state that represents one that passed. */
  tokenOf(value: string): IssuedToken | undefined;
  /** Shows a token as expired from now on. */
  expire(token: string): void;
}

const MOST_CLIENTS = 1000;
const MOST_TOKENS = 20_000;
const LONGEST_ID = 100;
const NOTHING: readonly never[] = [];
/** Seconds, or a date (RFC 9110 section 10.2.3). */
const RETRY_AFTER = /^(\d{1,9}|[A-Z][a-z]{2,8},? [\w :-]{10,24} GMT)$/;
const OPERATIONS = { token: 'obtainToken', data: 'readData', health: undefined, other: undefined } as const;

/** The tokens of `state` are others, with the names of those that passed. */
export function createJournalFeed(
  state: State,
  redact: (text: string) => string,
  { byClient }: AgreedLifetimes = NONE_AGREED,
): JournalFeed {
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
    return known && (state.tokens.find(known.value).issued ?? known);
  }

  function noted(value: string, clientId: string | undefined): IssuedToken | undefined {
    const key = digestOf(value);
    const known = current(key);
    if (known) return known;
    const client = clientId === undefined ? undefined : clientNamed(clientId);
    if (!client || tokens.size >= MOST_TOKENS) return undefined;
    const { issued } = state.tokens.find(
      state.tokens.issue({ client, lifetimeSeconds: state.nextLifetime(client) }),
    );
    if (issued) tokens.set(key, issued);
    return issued;
  }

  return {
    add(passed, { kind, exchange, recorded }) {
      const { method, headers, query, path, answer } = exchange;
      const id = kind === 'token' ? credentialsIn(exchange).clientId : undefined;
      const sent = bearerOf(exchange);
      const value = kind === 'token' ? recorded.token : kind === 'data' ? sent : undefined;
      const issued = value === undefined ? undefined : noted(value, kind === 'token' ? id : undefined);
      const client = (id === undefined ? undefined : clientNamed(id))?.id ?? issued?.client.id;
      const authorization = authorizationOf(exchange);
      const fields = formOf(exchange)?.map(([name]) => shown(plainName(name)));
      const added: Exchange = {
        seq: 0,
        at: passed.startMs,
        judgedAt: passed.startMs,
        wallAt: passed.startMs,
        started: passed.startMs - performance.timeOrigin,
        duration: passed.endMs - passed.startMs,
        client,
        operation: OPERATIONS[kind],
        method: shown(method),
        path: shown(path),
        query: query.length === 0 ? NOTHING : query.map(([name]) => shown(plainName(name))),
        target: query.length === 0 ? (OPERATIONS[kind] ?? digestOf(passed.target)) : digestOf(passed.target),
        leaks: NOTHING,
        isConditional: headers.some(([name]) => name === 'if-none-match' || name === 'if-modified-since'),
        accept: mediaOf(fieldNamed(headers, 'accept')),
        contentType: mediaOf(fieldNamed(headers, 'content-type')),
        authorization: authorization && (authorization === 'bearer' && sent ? 'bearer' : 'malformed'),
        fields,
        status: answer?.status ?? 0,
        reason: reasonOf(kind, passed, answer?.status),
        script: undefined,
        ended: passed.ended,
        issued,
        tokenStatus: issued && state.tokens.statusOf(issued),
        clientTime: Date.now(),
        headers: shownHeaders(answer),
        bytes: passed.answer?.body.bytes ?? 0,
        body: undefined,
      };
      state.journal.add(added);
      return added;
    },
    tokenOf: (value) => current(digestOf(value)),
    expire(token) {
      const known = tokens.get(digestOf(token));
      if (known) state.tokens.end(known, 'expired');
    },
  };

  function shownHeaders(answer: RecordedAnswer | undefined): Record<string, string> {
    const type = answer && mediaOf(fieldNamed(answer.headers, 'content-type'));
    const retryAfter = answer && fieldNamed(answer.headers, 'retry-after');
    return {
      ...(type !== undefined && { 'content-type': type }),
      ...(retryAfter !== undefined && { 'retry-after': RETRY_AFTER.test(retryAfter) ? retryAfter : '‹…›' }),
    };
  }

  function shown(text: string): string {
    return readablePath(redact(copied(cut(text) ?? '')));
  }
}

function reasonOf(kind: Judged['kind'], { proxyAnswer, failure, ended }: Passed, status?: number): string {
  if (proxyAnswer !== undefined) return proxyAnswer;
  if (status === undefined) return failure ?? (ended === 'gone' ? 'the client disconnected' : 'no answer');
  if (status >= 400) return status === 403 || status === 401 ? 'refused' : 'failed';
  if (status >= 300) return status === 304 ? 'not-modified' : 'redirected';
  return kind === 'token' ? 'issued' : kind === 'data' ? 'served' : 'passed';
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 22);
