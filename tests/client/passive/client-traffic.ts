/** The calls of one client in recorded traffic, as the rules read those of a scenario. */

import { createHash } from 'node:crypto';
import { acceptIn } from '../../traffic/accept.ts';
import type { RecordedCall } from '../../traffic/call.ts';
import { isMasked } from '../../traffic/credentials.ts';
import { type Field, fieldNamed } from '../../traffic/exchange.ts';
import { isMadeUp, type TokenHistory, type TokenLife } from '../../traffic/tokens.ts';
import type { ScenarioTraffic } from '../scenario-traffic.ts';
import type { Call, Life } from '../traffic.ts';

export interface ClientTraffic {
  /** Of the client. */
  name: string;
  /** In the order of time. */
  calls: readonly RecordedCall[];
  history: TokenHistory;
  /** The lifetime that was agreed or seen, in seconds; undefined where neither is known. */
  lifetimeSeconds: number | undefined;
  processes: number;
}

/** Of a token whose lifetime is not known: longer than any recording. */
const UNKNOWN_LIFETIME_SECONDS = 10 * 365 * 86_400;

export function scenarioTrafficOf(traffic: ClientTraffic): ScenarioTraffic {
  const { name, calls, history, lifetimeSeconds, processes } = traffic;
  const agreedSeconds = lifetimeSeconds ?? UNKNOWN_LIFETIME_SECONDS;
  const fromMs = calls[0]?.startMs ?? 0;
  const carried = new Set(calls.flatMap((call) => history.lifeOf(call) ?? []));
  const own = [...carried].sort((a, b) => a.number - b.number);
  const numbers = new Map(own.map((life, at) => [life, at + 1]));
  const issues = calls.filter((call) => isIssue(call) && call.token !== undefined);
  const known: Known = {
    fromMs,
    numbers,
    goodSecrets: new Set(issues.map(({ clientSecret }) => clientSecret)),
    firstSecret: issues.find(({ clientSecret }) => isReadable(clientSecret))?.clientSecret,
    redirected: redirectedCalls(calls),
  };
  const last = calls.reduce((latest, { endMs }) => Math.max(latest, endMs), fromMs);
  return {
    name,
    agreedSeconds,
    lifetimesSeconds: [agreedSeconds],
    processes,
    calls: calls.map((call, at) => callOf(call, at + 1, traffic, known)),
    lives: own.map((life) => lifeOf(life, numbers.get(life) ?? 0, agreedSeconds, fromMs)),
    durationMs: last - fromMs,
    isCut: true,
    isRecorded: true,
    lost: 0,
  };
}

function lifeOf(
  { issued, refused, hasExpired }: TokenLife,
  number: number,
  agreedSeconds: number,
  fromMs: number,
): Life {
  // One that was issued before the recording was alive when it began.
  const issuedMs = issued ? issued.endMs - fromMs : -1;
  const expiresMs = issuedMs + agreedSeconds * 1000;
  const wasEarly =
    hasExpired &&
    refused &&
    (issued ? refused.endMs - issued.startMs < agreedSeconds * 1000 : refused.startMs - fromMs < expiresMs);
  return { number, issuedMs, expiresMs, ...(wasEarly && { endedMs: refused.startMs - fromMs }) };
}

/** What all calls of a client are read with. */
interface Known {
  fromMs: number;
  numbers: ReadonlyMap<TokenLife, number>;
  /** Those that obtained a token. */
  goodSecrets: ReadonlySet<string | undefined>;
  /** The first of them. */
  firstSecret: string | undefined;
  redirected: ReadonlySet<RecordedCall>;
}

const isReadable = (secret: string | undefined): boolean => secret !== undefined && !isMasked(secret);

const isIssue = ({ kind, status }: RecordedCall): boolean =>
  kind === 'token' && status !== undefined && status < 300;

function callOf(
  call: RecordedCall,
  id: number,
  { history, lifetimeSeconds }: ClientTraffic,
  known: Known,
): Call {
  const { fromMs, numbers, redirected } = known;
  const { kind, recorded, startMs, endMs, status, form, token, misplaced } = call;
  const { method, path, query, headers, answer, proxyAnswer } = recorded;
  const life = history.lifeOf(call);
  const number = life && (kind === 'data' || isIssue(call)) ? numbers.get(life) : undefined;
  const accept = acceptIn(headers);
  const contentType = fieldNamed(headers, 'content-type');
  const retryAfter = (answer && fieldNamed(answer.headers, 'retry-after')) ?? '';
  const isConditional = headers.some(([name]) => name === 'if-none-match' || name === 'if-modified-since');
  const isExpired = life !== undefined && hadExpired(call, life, lifetimeSeconds);
  return {
    id,
    kind,
    startMs: startMs - fromMs,
    endMs: endMs - fromMs,
    atMs: startMs - fromMs,
    method,
    path,
    query: query.map(([name]) => name),
    target: targetOf(recorded, misplaced),
    status: status ?? 0,
    reason: reasonOf(call, isExpired, known),
    misplaced,
    ...(proxyAnswer !== undefined && { proxyAnswer }),
    ...(status === undefined && { ended: 'gone' as const }),
    ...(number !== undefined && { token: number }),
    ...(kind === 'data' &&
      token !== undefined && { standing: life ? (isExpired ? 'expired' : 'valid') : 'unknown' }),
    ...(number !== undefined && kind === 'token' && { standing: 'valid' as const }),
    ...(redirected.has(call) && { isRedirected: true as const }),
    ...(isConditional && { isConditional: true as const }),
    ...(call.lacksHeaders && { lacksHeaders: true as const }),
    ...(accept !== undefined && { accept: accept.slice(0, 200) }),
    ...(contentType !== undefined && { contentType: contentType.slice(0, 200) }),
    ...authorizationOf(call),
    ...(form && { fields: form.map(([name]) => name) }),
    ...(/^\d{1,9}$/.test(retryAfter) && { retryAfterSeconds: Number(retryAfter) }),
  };
}

/** What a recorder has replaced counts in favour of the client. */
function authorizationOf({ kind, authorization, token }: RecordedCall): Pick<Call, 'authorization'> {
  if (authorization === undefined || (authorization === 'masked' && kind === 'token')) return {};
  const isBearer = authorization === 'masked' || (authorization === 'bearer' && token !== '');
  return { authorization: isBearer ? 'bearer' : 'malformed' };
}

/** Whether the token had expired when the call was answered. */
function hadExpired(
  { startMs }: RecordedCall,
  { issued, refused, hasExpired }: TokenLife,
  lifetimeSeconds?: number,
): boolean {
  if (hasExpired && refused && startMs >= refused.startMs) return true;
  return (
    issued !== undefined &&
    lifetimeSeconds !== undefined &&
    (startMs - issued.endMs) / 1000 >= lifetimeSeconds
  );
}

function reasonOf(call: RecordedCall, isExpired: boolean, { goodSecrets, firstSecret }: Known): string {
  const { kind, status = 0, form, token, clientSecret } = call;
  if (status === 0) return 'no-answer';
  if (kind === 'token') {
    if (form && !isSound(form)) return 'invalid-request';
    const grant = form && fieldNamed(form, 'grant_type');
    if (grant !== undefined && grant !== 'client_credentials' && !isMasked(grant))
      return 'unsupported-grant-type';
    if (status < 300)
      return isReadable(clientSecret) && clientSecret !== firstSecret ? 'other-credentials' : 'issued';
    return status < 500 && goodSecrets.size > 0 && !goodSecrets.has(clientSecret)
      ? 'wrong-credentials'
      : 'refused';
  }
  if (kind === 'data' && token !== undefined && isMadeUp(token)) return 'unknown-token';
  if (status < 400) return 'served';
  return isExpired ? 'expired' : 'refused';
}

/** Each field at most once, and none empty. */
const isSound = (form: readonly Field[]): boolean =>
  ['grant_type', 'client_id', 'client_secret'].every((name) => {
    const values = form.filter(([field]) => field === name);
    return values.length <= 1 && values.every(([, value]) => value !== '');
  });

/** The query as a digest: it may hold a secret. With one, each repetition would be another target. */
function targetOf({ method, path, query }: RecordedCall['recorded'], misplaced: Call['misplaced']): string {
  if (query.length === 0 || misplaced.some(({ where }) => where === 'query')) return `${method} ${path}`;
  const digest = createHash('sha256').update(JSON.stringify(query)).digest('hex').slice(0, 12);
  return `${method} ${path}?${digest}`;
}

const REDIRECTS = [301, 302, 303, 307, 308];

/** Calls of no operation to which an earlier answer redirected one of an operation, or another such call. In the order of time. */
function redirectedCalls(calls: readonly RecordedCall[]): ReadonlySet<RecordedCall> {
  const targets = new Set<string>();
  const found = new Set<RecordedCall>();
  for (const call of calls) {
    const { kind, status = 0, recorded } = call;
    const isSentThere = kind === 'other' && [...targets].some((path) => path.endsWith(recorded.path));
    if (isSentThere) found.add(call);
    if ((kind === 'other' && !isSentThere) || !REDIRECTS.includes(status)) continue;
    const path = redirectOf(recorded);
    if (path !== undefined && targets.size < MOST_TARGETS) targets.add(path);
  }
  return found;
}

const MOST_TARGETS = 20;

/**
 * The path of a Location, which may be relative (RFC 9110, 10.2.2), at the host of the call. The scheme may differ: a service
 * behind a gateway may name http, from where the gateway redirects to https.
 */
export function redirectOf({ origin, path, answer }: RecordedCall['recorded']): string | undefined {
  const location = answer && fieldNamed(answer.headers, 'location');
  const from = origin + path;
  if (location === undefined || !URL.canParse(location, from)) return undefined;
  const { host, pathname } = new URL(location, from);
  return host === new URL(from).host ? pathname : undefined;
}
