/** What is written down of a request that has been answered. */
import type { IncomingMessage } from 'node:http';
import { readBearer } from './bearer.ts';
import type { Engine } from './engine.ts';
import { tokenSeen } from './entry.ts';
import type { Ending, Exchange } from './journal.ts';
import type { Outcome } from './judge.ts';
import { pathOf } from './routes.ts';
import type { State } from './state.ts';
import { type Issued, nameOf } from './tokens.ts';

interface Begun {
  at: number;
  wallAt: number;
  /** Of a clock that is never set. */
  started: number;
}

/** A longer text of a request is cut. */
const LONGEST = 200;
/** Of a body that the journal keeps. */
const MOST_BYTES = 4096;
const NOTHING: readonly string[] = [];

/** It has no number yet. One object without parts: a busy mock writes down tens of thousands a second. */
export function exchangeOf(
  { headers, method = '', url = '' }: IncomingMessage,
  outcome: Outcome,
  { at, wallAt, started }: Begun,
  ended: Ending,
  { state, engine }: { state: State; engine: Engine },
): Exchange {
  const { client, operation, reply, due, fields } = outcome;
  const issued = tokenOf(outcome);
  const end = url.indexOf('?');
  return {
    seq: 0,
    at,
    wallAt,
    duration: performance.now() - started,
    client: client?.id,
    operation,
    method,
    path: readable(pathOf(url)),
    query: end === -1 ? NOTHING : namesIn(url.slice(end + 1).replace(/#.*/s, '')),
    accept: cut(headers.accept),
    contentType: cut(headers['content-type']),
    authorization: schemeOf(outcome, headers.authorization),
    fields,
    status: reply.status,
    reason: reasonOf(outcome),
    script: due?.steps,
    ended,
    issued,
    standing: issued && state.tokens.standingOf(issued),
    clientTime: state.timeOf(client),
    headers: reply.headers,
    bytes: reply.bytes.length,
    body: isPublic(outcome, engine) ? reply.bytes : undefined,
  };
}

/** Headers that say why the answer is what it is. */
export function explanation(outcome: Outcome, { tokens, timeOf, journal }: State): Record<string, string> {
  const { due } = outcome;
  const issued = tokenOf(outcome);
  const token = issued && tokenSeen(issued, tokens.standingOf(issued), timeOf(issued.client));
  return {
    'x-mock-reason': reasonOf(outcome),
    'x-mock-exchange': String(journal.next()),
    ...(due && { 'x-mock-script': due.steps.join(', ') }),
    ...(issued && { 'x-mock-token': encodeURI(nameOf(issued)) }),
    ...(token && { 'x-mock-token-remaining': String(Math.floor(token.remainingSeconds)) }),
  };
}

/** The token that was sent or issued; the newest of a client that asked in vain is neither. */
const tokenOf = ({ operation, reason, issued }: Outcome): Issued | undefined =>
  operation === 'obtainToken' && reason !== 'issued' ? undefined : issued;

function reasonOf({ reason, issued }: Outcome): string {
  if (reason === 'expired' && issued?.ended) return 'expired-on-order';
  if (reason === 'unknown-token' && issued) return 'revoked';
  return reason;
}

function schemeOf({ issued, operation }: Outcome, authorization?: string): Exchange['authorization'] {
  if (authorization === undefined) return undefined;
  if (issued && operation === 'readData') return 'bearer'; // a token was found in it
  return readBearer(authorization).kind === 'token' ? 'bearer' : 'malformed';
}

/** Bodies out of the contract or a script; any other may hold a token. */
const isPublic = ({ reply, owed, reason }: Outcome, engine: Engine): boolean =>
  owed !== undefined &&
  reply.bytes.length <= MOST_BYTES &&
  (reason === 'script' || reply.bytes === engine.negotiated(owed).bytes);

/** Secrets have been seen in paths: a long segment is no word, and is left out. */
const readable = (path: string): string =>
  path.length < 24 ? path : (cut(path.replace(/[^/]{24,}/g, ({ length }) => `‹${length} characters›`)) ?? '');

const namesIn = (query: string): string[] =>
  [...new URLSearchParams(cut(query)).keys()].map((name) => readable(name));

/** Copied where it is shortened, since a part of a string keeps all of it alive. */
const cut = (text: string | undefined): string | undefined =>
  text === undefined || text.length <= LONGEST ? text : Buffer.from(text.slice(0, LONGEST)).toString();
