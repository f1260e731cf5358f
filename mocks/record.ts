/** What is written down of a request that has been answered. */
import type { IncomingMessage } from 'node:http';
import type { Answer, OperationId } from './answers.ts';
import { readBearer } from './bearer.ts';
import type { Client } from './clients.ts';
import type { Engine } from './engine.ts';
import type { Exchange, TokenSeen } from './journal.ts';
import type { Reply } from './reply.ts';
import { pathOf } from './routes.ts';
import type { Due } from './script.ts';
import type { Ending } from './send.ts';
import type { State } from './state.ts';
import type { Issued } from './tokens.ts';

/** What a request has come to. */
export interface Outcome {
  reply: Reply;
  /** Why: the name of the contract's example, or what else was answered. */
  reason: string;
  operation?: OperationId;
  /** What the contract owes; a script may have answered otherwise. */
  owed?: Answer;
  client?: Client | undefined;
  /** The token that was sent or issued, or else the newest of the client. */
  issued?: Issued | undefined;
  due?: Due | undefined;
  fields?: readonly string[] | undefined;
}

interface Passage {
  at: number;
  wallAt: number;
  /** Of a clock that is never set. */
  started: number;
  ending: Ending;
}

/** A longer text of a request is cut. */
const LONGEST = 200;
/** Of a body that the journal keeps. */
const MOST_BYTES = 4096;

export function entryOf(
  { headers, method = '', url = '' }: IncomingMessage,
  outcome: Outcome,
  { at, wallAt, started, ending }: Passage,
  { state, engine }: { state: State; engine: Engine },
): Omit<Exchange, 'seq'> {
  const { client, operation, reply, owed, due, fields } = outcome;
  const issued = tokenOf(outcome);
  const end = url.indexOf('?');
  const { accept, authorization, 'content-type': contentType } = headers;
  return {
    at,
    wallAt,
    duration: performance.now() - started,
    method,
    path: readable(pathOf(url)),
    query: end === -1 ? [] : namesIn(url.slice(end + 1).replace(/#.*/s, '')),
    status: reply.status,
    reason: reasonOf(outcome),
    request: {
      ...(accept !== undefined && { accept: cut(accept) }),
      ...(contentType !== undefined && { contentType: cut(contentType) }),
      ...(authorization !== undefined && { authorization: schemeOf(authorization) }),
      ...(fields && { fields }),
    },
    response: {
      headers: reply.headers,
      bytes: reply.bytes.length,
      ...(owed && isPublic(outcome, engine) && { body: reply.bytes }),
    },
    ...(client && { client: client.id }),
    ...(operation && { operation }),
    ...(due && { script: due.steps }),
    ...(ending && { ended: ending }),
    ...(issued && { token: seen(issued, state) }),
  };
}

/** Headers that say why the answer is what it is. */
export function explanation(outcome: Outcome, state: State): Record<string, string> {
  const { due } = outcome;
  const issued = tokenOf(outcome);
  return {
    'x-mock-reason': reasonOf(outcome),
    'x-mock-exchange': String(state.journal.next()),
    ...(due && { 'x-mock-script': due.steps.join(', ') }),
    ...(issued && {
      'x-mock-token': encodeURI(nameOf(issued)),
      'x-mock-token-remaining': String(Math.floor(seen(issued, state).remaining / 1000)),
    }),
  };
}

/** `acme#3` is the third token of the client acme. */
export const nameOf = ({ client, number }: Issued): string => `${client.id}#${number}`;

/** The token that was sent or issued; the newest of a client that asked in vain is neither. */
const tokenOf = ({ operation, reason, issued }: Outcome): Issued | undefined =>
  operation === 'obtainToken' && reason !== 'issued' ? undefined : issued;

function reasonOf({ reason, issued }: Outcome): string {
  if (reason === 'expired' && issued?.ended) return 'expired-on-order';
  if (reason === 'unknown-token' && issued) return 'revoked';
  return reason;
}

function seen(issued: Issued, { tokens, timeOf }: State): TokenSeen {
  const { client, issuedAt, expiresAt } = issued;
  const now = timeOf(client);
  return {
    name: nameOf(issued),
    standing: tokens.standingOf(issued),
    age: now - issuedAt,
    remaining: expiresAt - now - client.skewMs,
  };
}

/** Bodies out of the contract or a script; any other may hold a token. */
const isPublic = ({ reply, owed, reason }: Outcome, engine: Engine): boolean =>
  reply.bytes.length <= MOST_BYTES &&
  (reason === 'script' || (owed !== undefined && reply.bytes === engine.negotiated(owed).bytes));

const schemeOf = (authorization: string): 'bearer' | 'malformed' =>
  readBearer(authorization).kind === 'token' ? 'bearer' : 'malformed';

/** Secrets have been seen in paths: a long segment is no word, and is left out. */
const readable = (path: string): string =>
  path.length < 24 ? path : cut(path.replace(/[^/]{24,}/g, ({ length }) => `‹${length} characters›`));

const namesIn = (query: string): string[] =>
  [...new URLSearchParams(cut(query)).keys()].map((name) => readable(name));

/** Copied where it is shortened, since a part of a string keeps all of it alive. */
const cut = (text: string): string =>
  text.length <= LONGEST ? text : Buffer.from(text.slice(0, LONGEST)).toString();
