/**
 * What recorded traffic shows of the lives of tokens: when each was issued, accepted and refused. Nobody says when a
 * token expires: it has, if it was accepted, then refused with 403 for good, and a newer one was accepted after that.
 */

import { groupBy } from '../support/group-by.ts';
import type { CallKind } from './call-kind.ts';

/** A call as far as tokens are concerned. Times are milliseconds on one axis. */
export interface TokenCall {
  kind: CallKind;
  startMs: number;
  endMs: number;
  /** Absent where no answer came. */
  status?: number;
  /** The id of the client in a token request. */
  clientId?: string;
  /** The token that was sent, or that a token request brought. */
  token?: string;
  /** A digest of the query; empty or absent without one. */
  query?: string;
}

/** A token that was issued or accepted in the recording. */
export interface TokenLife {
  value: string;
  /** Counts from 1, in the order in which tokens came up. */
  number: number;
  /**
   * Of the request that it was issued for; absent where it was issued before the recording, unless the recording has one
   * client only.
   */
  clientId?: string;
  /** When it was asked for, and when it had come; absent where it was issued before the recording. */
  issued?: { startMs: number; endMs: number };
  /** When the last request that it opened was sent, and when that was answered. */
  accepted?: { startMs: number; endMs: number };
  /**
   * The first request that was refused after the last that was accepted; one with a query only where a request with that
   * query was accepted, since another one may be refused for what it asks for.
   */
  refused?: { startMs: number; endMs: number; status: number };
  /** Whether the refusal is that of an expired token. */
  hasExpired: boolean;
  /** When a newer token was issued to the same client, before this one was refused. */
  isSuperseded: boolean;
}

/** The lifetime of tokens: at least the highest age at which one was accepted, at most the lowest at which one was refused. */
export interface SeenLifetime {
  atLeastSeconds: number;
  atMostSeconds: number;
}

export interface TokenHistory {
  lives: readonly TokenLife[];
  lifeOf(token: string | undefined): TokenLife | undefined;
  /** By the ids of clients; without those of which no token was seen to expire, or whose tokens contradict each other. */
  seenLifetimes: ReadonlyMap<string | undefined, SeenLifetime>;
}

const isAccepted = ({ status = 0 }: TokenCall): boolean => (status >= 200 && status <= 299) || status === 304;
const isRefused = ({ status }: TokenCall): boolean => status === 401 || status === 403;

/** Whether it is what faulty clients send in the place of a token: nothing, or the text of an unset variable. */
export const isMadeUp = (token: string): boolean =>
  /^(|undefined|null|none|nil|nan|true|false|\[object.*|<.*>|\{.*\}|\$.*)$/i.test(token);

/** `calls` in the order of time. `agreed`: the lifetime agreed with a client in seconds, where it is known. */
export function tokenHistoryOf(
  calls: readonly TokenCall[],
  agreed: (clientId: string | undefined) => number | undefined = () => undefined,
): TokenHistory {
  const byValue = new Map<string, TokenLife>();
  const queries = new Set(
    calls.flatMap((call) => (call.kind === 'data' && isAccepted(call) ? (call.query ?? '') : [])),
  );
  const isUsual = ({ query = '' }: TokenCall) => query === '' || queries.has(query);
  for (const call of calls) {
    const { kind, token, clientId, startMs, endMs, status = 0 } = call;
    if (token === undefined || isMadeUp(token)) continue;
    const isIssue = kind === 'token' && isAccepted(call);
    let life = byValue.get(token);
    if (!life && (isIssue || (kind === 'data' && isAccepted(call)))) {
      life = { value: token, number: byValue.size + 1, hasExpired: false, isSuperseded: false };
      byValue.set(token, life);
    }
    if (!life) continue;
    if (isIssue) {
      // A service may hand out one token again until it expires.
      if (!life.issued && !life.accepted && !life.refused) life.issued = { startMs, endMs };
      if (clientId !== undefined) life.clientId ??= clientId;
    } else if (kind === 'data' && isAccepted(call)) {
      life.accepted = { startMs, endMs };
      delete life.refused;
    } else if (kind === 'data' && isRefused(call) && isUsual(call))
      life.refused ??= { startMs, endMs, status };
  }
  const lives = [...byValue.values()];
  const [only, ...more] = new Set(calls.flatMap(({ clientId }) => clientId ?? []));
  if (only !== undefined && more.length === 0) for (const life of lives) life.clientId = only;
  for (const life of lives) judgeEnd(life, lives, agreed(life.clientId));
  return {
    lives,
    lifeOf: (token) => (token === undefined ? undefined : byValue.get(token)),
    seenLifetimes: seenLifetimesOf(lives),
  };
}

function judgeEnd(life: TokenLife, lives: readonly TokenLife[], lifetimeSeconds?: number): void {
  const { refused, issued, accepted } = life;
  if (!refused) return;
  life.isSuperseded =
    newerLife(life, lives, (other) => (other.issued?.endMs ?? 0) <= refused.startMs) !== undefined;
  const isReplaced =
    newerLife(life, lives, ({ accepted }) => (accepted?.startMs ?? 0) >= refused.startMs) !== undefined;
  const ageSeconds = issued && (refused.startMs - issued.endMs) / 1000;
  const isOld = lifetimeSeconds !== undefined && ageSeconds !== undefined && ageSeconds >= lifetimeSeconds;
  life.hasExpired = refused.status === 403 && ((accepted !== undefined && isReplaced) || isOld);
}

/** The first token that was issued later to the same client, and is wanted. */
export function newerLife(
  { issued, clientId, number }: TokenLife,
  lives: readonly TokenLife[],
  isWanted: (life: TokenLife) => boolean,
): TokenLife | undefined {
  // Tokens are numbered in the order of time, except those of before the recording.
  for (let at = issued ? number : 0; at < lives.length; at++) {
    const other = lives[at] as TokenLife;
    if (!other.issued || (issued && other.issued.startMs <= issued.startMs)) continue;
    if ((clientId === undefined || other.clientId === clientId) && isWanted(other)) return other;
  }
  return undefined;
}

/** Whether tokens were seen to live clearly longer or shorter than `lifetimeSeconds`, by the tolerance of a run. */
export const contradicts = (
  { atLeastSeconds, atMostSeconds }: SeenLifetime,
  lifetimeSeconds: number,
): boolean =>
  atLeastSeconds > lifetimeSeconds * (1 + SHARE) + SECONDS ||
  atMostSeconds < lifetimeSeconds * (1 - SHARE) - SECONDS;

/** How much of a lifetime, and how many seconds, two tokens may differ by. */
const [SHARE, SECONDS] = [0.1, 1];

function seenLifetimesOf(lives: readonly TokenLife[]): Map<string | undefined, SeenLifetime> {
  const seen = new Map<string | undefined, SeenLifetime>();
  for (const [id, own] of groupBy(lives, ({ clientId }) => clientId)) {
    const lifetime = seenLifetimeOf(own);
    if (lifetime) seen.set(id, lifetime);
  }
  return seen;
}

function seenLifetimeOf(lives: readonly TokenLife[]): SeenLifetime | undefined {
  const expired = lives.filter((life) => life.hasExpired && life.issued && !life.isSuperseded);
  const upper = expired.map(({ refused, issued }) => ((refused?.startMs ?? 0) - (issued?.endMs ?? 0)) / 1000);
  if (upper.length === 0) return undefined;
  const lower = lives.flatMap(({ accepted, issued }) =>
    accepted && issued ? Math.max(0, (accepted.startMs - issued.endMs) / 1000) : [],
  );
  const atLeastSeconds = lower.reduce((most, age) => Math.max(most, age), 0);
  const atMostSeconds = upper.reduce((least, age) => Math.min(least, age), Number.POSITIVE_INFINITY);
  return atLeastSeconds > atMostSeconds * (1 + SHARE) + SECONDS
    ? undefined
    : { atLeastSeconds, atMostSeconds };
}
