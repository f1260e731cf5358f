/** What the journal records of a request that has been answered. */
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Engine } from '../engine/prism-engine.ts';
import { tokenView } from '../journal/journal-entry.ts';
import { findLeaks } from '../journal/leaked-credentials.ts';
import { copied, cut, mediaOf, readablePath } from '../journal/safe-text.ts';
import type { Exchange } from '../state/journal.ts';
import type { State } from '../state/state.ts';
import { type IssuedToken, nameOf } from '../state/tokens.ts';
import { readBearer } from '../wire/bearer.ts';
import type { ConnectionOutcome } from '../wire/connection-outcome.ts';
import type { Outcome } from './build-reply.ts';
import { pathOf } from './routes.ts';

/** What is known of a request when it arrives. */
export interface RequestStart {
  /** The body of a request that should have none. */
  body: string | undefined;
  /** On the mock's clock. */
  at: number;
  /** On the machine's clock. */
  wallAt: number;
  /** On a monotonic clock. */
  started: number;
}

/** The largest body that the journal keeps, in bytes. */
const MOST_BYTES = 4096;
const NOTHING: readonly string[] = [];

/** The exchange, not yet numbered. One object without parts: a busy mock records tens of thousands a second. */
export function exchangeOf(
  request: IncomingMessage,
  outcome: Outcome,
  { at, wallAt, started, body }: RequestStart,
  ended: ConnectionOutcome,
  { state, engine }: { state: State; engine: Engine },
): Exchange {
  const { headers, method = '', url = '' } = request;
  const { client, operation, reply, triggered, fields } = outcome;
  const issued = tokenOf(outcome);
  const authorization = schemeOf(outcome, headers.authorization);
  const context = { known: operation !== undefined, bearer: authorization === 'bearer', body };
  const leaks = findLeaks(request, context, state);
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
    path: operation && end === -1 ? pathOf(url) : withoutSecrets(readablePath(copied(pathOf(url))), state),
    query: end === -1 ? NOTHING : namesIn(url.slice(end + 1).replace(/#.*/s, ''), state),
    // A token in a query would make each repetition a different target.
    target: operation && (end === -1 || leaks.length > 0) ? operation : digestOf(url),
    leaks,
    isConditional: 'if-none-match' in headers || 'if-modified-since' in headers,
    accept: mediaOf(headers.accept),
    contentType: mediaOf(headers['content-type']),
    authorization,
    fields,
    status: reply.status,
    reason: reasonOf(outcome),
    script: triggered?.steps,
    ended,
    issued,
    tokenStatus: issued && state.tokens.statusOf(issued),
    clientTime: state.timeOf(client),
    headers: reply.headers,
    bytes: reply.bytes.length,
    body: isPublic(outcome, engine) ? reply.bytes : undefined,
  };
}

/** Headers that say why the mock answered as it did. */
export function explanation(
  outcome: Outcome,
  { tokens, timeOf, journal, isReplica }: State,
): Record<string, string> {
  const { triggered } = outcome;
  const issued = tokenOf(outcome);
  const token = issued && tokenView(issued, tokens.statusOf(issued), timeOf(issued.client));
  return {
    'x-mock-reason': reasonOf(outcome),
    // A script may delay an answer, and then this exchange is not the next one to end. Replicas have no common journal.
    ...(!triggered && !isReplica && { 'x-mock-exchange': String(journal.next()) }),
    ...(triggered && { 'x-mock-script': triggered.steps.join(', ') }),
    ...(issued && { 'x-mock-token': encodeURI(nameOf(issued)) }),
    ...(token && { 'x-mock-token-remaining': String(Math.floor(token.remainingSeconds)) }),
  };
}

/** The token that was sent or issued; the newest token of a client that was refused a new one is neither. */
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

/** Whether the body comes from the contract or a script; any other may hold a token. */
const isPublic = ({ reply, expected, reason }: Outcome, engine: Engine): boolean =>
  expected !== undefined &&
  reply.headers['content-encoding'] === undefined &&
  reply.bytes.length <= MOST_BYTES &&
  (reason === 'script' || reply.bytes === engine.negotiated(expected).bytes);

const namesIn = (query: string, state: State): string[] =>
  [...new URLSearchParams(cut(query)).keys()].map((name) =>
    withoutSecrets(readablePath(copied(name)), state),
  );

/** Leaves out the secrets of all clients. Only called for requests that are not as the contract has them. */
function withoutSecrets(text: string, { clients }: State): string {
  let shown = text;
  for (const secret of new Set(clients.list().map((client) => client.secret)))
    if (secret.length > 3)
      shown = shown.replaceAll(secret, '‹secret›').replaceAll(encodeURIComponent(secret), '‹secret›');
  return shown;
}

const digestOf = (url: string): string => createHash('sha256').update(url).digest('base64url').slice(0, 16);
