/** What is written down of a request that has been answered. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Engine } from '../engine/prism-engine.ts';
import { tokenView } from '../journal/journal-entry.ts';
import { findLeaks } from '../journal/leaked-credentials.ts';
import type { Exchange } from '../state/journal.ts';
import type { State } from '../state/state.ts';
import { type IssuedToken, nameOf } from '../state/tokens.ts';
import { readBearer } from '../wire/bearer.ts';
import type { ConnectionOutcome } from '../wire/send.ts';
import type { Outcome } from './request-handler.ts';
import { pathOf } from './routes.ts';

/** What is known of a request from its begin on. */
export interface RequestStart {
  /** The body of a request that should have none. */
  body: string | undefined;
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
  request: IncomingMessage,
  outcome: Outcome,
  { at, wallAt, started, body }: RequestStart,
  ended: ConnectionOutcome,
  { state, engine }: { state: State; engine: Engine },
): Exchange {
  const { headers, method = '', url = '' } = request;
  const { client, operation, reply, due, fields } = outcome;
  const issued = tokenOf(outcome);
  const authorization = schemeOf(outcome, headers.authorization);
  const places = { known: operation !== undefined, bearer: authorization === 'bearer', body };
  const misplaced = findLeaks(request, places, state);
  const end = url.indexOf('?');
  return {
    seq: 0,
    at,
    judgedAt: at + (client?.aheadMs ?? 0),
    wallAt,
    started,
    duration: performance.now() - started,
    client: client?.id,
    operation,
    method,
    path: operation && end === -1 ? pathOf(url) : hidden(readable(copied(pathOf(url))), state),
    query: end === -1 ? NOTHING : namesIn(url.slice(end + 1).replace(/#.*/s, ''), state),
    // A token in a query would make another request of each repetition.
    target: operation && (end === -1 || misplaced.length > 0) ? operation : digestOf(url),
    misplaced,
    accept: mediaOf(headers.accept),
    contentType: mediaOf(headers['content-type']),
    authorization,
    fields,
    status: reply.status,
    reason: reasonOf(outcome),
    script: due?.steps,
    ended,
    issued,
    standing: issued && state.tokens.statusOf(issued),
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
  const token = issued && tokenView(issued, tokens.statusOf(issued), timeOf(issued.client));
  return {
    'x-mock-reason': reasonOf(outcome),
    // A script may hold an answer back, and then it is not the next to end.
    ...(!due && { 'x-mock-exchange': String(journal.next()) }),
    ...(due && { 'x-mock-script': due.steps.join(', ') }),
    ...(issued && { 'x-mock-token': encodeURI(nameOf(issued)) }),
    ...(token && { 'x-mock-token-remaining': String(Math.floor(token.remainingSeconds)) }),
  };
}

/** The token that was sent or issued; the newest of a client that asked in vain is neither. */
const tokenOf = ({ operation, reason, issued }: Outcome): IssuedToken | undefined =>
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

const namesIn = (query: string, state: State): string[] =>
  [...new URLSearchParams(cut(query)).keys()].map((name) => hidden(readable(copied(name)), state));

/** With what is known to be secret left out. Only asked where a request is not as the contract has it. */
function hidden(text: string, { clients }: State): string {
  let shown = text;
  for (const secret of new Set(clients.list().map((client) => client.secret)))
    if (secret.length > 3)
      shown = shown.replaceAll(secret, '‹secret›').replaceAll(encodeURIComponent(secret), '‹secret›');
  return shown;
}

const digestOf = (url: string): string => createHash('sha256').update(url).digest('base64url').slice(0, 16);

/** A part of a string keeps all of it alive; a copy does not. */
const copied = (text: string): string => Buffer.from(text).toString();

/** Media types, their q and their charset (RFC 9110 section 12.5.1); in the place of anything else stands `‹…›`. */
function mediaOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const known = media.get(text);
  if (known !== undefined) return known;
  const shown = (cut(text) ?? '')
    .split(',')
    .map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      const kept = parameters.filter((part) => /^(q=[\d.]{1,5}|charset=[\w-]{1,20})$/i.test(part));
      const isType =
        /^(\*|application|audio|font|image|message|model|multipart|text|video)\/[\w*+.-]{1,24}$/i.test(type);
      return [isType ? type : '‹…›', ...kept, ...(kept.length < parameters.length ? ['‹…›'] : [])].join('; ');
    })
    .join(', ');
  if (media.size >= 1000) media.clear();
  media.set(copied(text), shown);
  return shown;
}

const media = new Map<string, string>();

/** Copied where it is shortened, since a part of a string keeps all of it alive. */
const cut = (text: string | undefined): string | undefined =>
  text === undefined || text.length <= LONGEST ? text : Buffer.from(text.slice(0, LONGEST)).toString();
