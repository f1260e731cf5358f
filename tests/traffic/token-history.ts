/**
 * What recorded traffic shows of the lives of tokens: when each was issued, accepted and refused. Nobody says when a
 * token expires: it has, if it was accepted, then refused with 403 for good, and a newer one was accepted after that.
 */

import { groupBy, partitionPoint } from '../support/collections.ts';
import type { CallKind } from './call-kind.ts';
import { type NewerLives, newerLivesOf } from './newer-lives.ts';
import { lastIssueOf, type TokenLife } from './token-life.ts';

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

/** The lifetime of tokens: at least the highest age at which one was accepted, at most the lowest at which one was refused. */
export interface SeenLifetime {
  atLeastSeconds: number;
  atMostSeconds: number;
}

export interface TokenHistory {
  lives: readonly TokenLife[];
  /** The life of the token of a call, at its time. */
  lifeOf(call: TokenCall): TokenLife | undefined;
  /** The lives of tokens with this value, in order. */
  livesOf(value: string): readonly TokenLife[];
  /** The first token that was issued later to the same client, and accepted. */
  newerAccepted(life: TokenLife): TokenLife | undefined;
  /** Whether a token that was issued later to the same client had come by this time. */
  hadNewer(life: TokenLife, byMs: number): boolean;
  /** By the ids of clients; without those of which no token was seen to expire, or whose tokens contradict each other. */
  seenLifetimes: ReadonlyMap<string | undefined, SeenLifetime>;
  /** The highest age at which a token of a client was accepted, in seconds, by the ids of clients. */
  acceptedSeconds: ReadonlyMap<string | undefined, number>;
}

const isAccepted = ({ status = 0 }: TokenCall): boolean => (status >= 200 && status <= 299) || status === 304;
const isRefused = ({ status }: TokenCall): boolean => status === 401 || status === 403;

/** Whether it is the text of an unset variable. */
export const isUnset = (token: string): boolean =>
  /^(undefined|null|none|nil|nan|true|false|\[object.*)$/i.test(token);

/** Whether it is what faulty clients send in the place of a token: nothing, an unset variable, or its name in an example. */
export const isMadeUp = (token: string): boolean => isUnset(token) || /^(|<.*>|\{.*\}|\$.*)$/.test(token);

/** `calls` in the order of time. `agreed`: the lifetime agreed with a client in seconds, where it is known. */
export function tokenHistoryOf(
  calls: readonly TokenCall[],
  agreed: (clientId: string | undefined) => number | undefined = () => undefined,
): TokenHistory {
  const lives: TokenLife[] = [];
  const byValue = new Map<string, TokenLife[]>();
  const queries = new Set(
    calls.flatMap((call) => (call.kind === 'data' && isAccepted(call) ? (call.query ?? '') : [])),
  );
  const isUsual = ({ query = '' }: TokenCall) => query === '' || queries.has(query);
  const livesOf = (value: string) => byValue.get(value) ?? [];
  const lifeOf = (call: TokenCall) => {
    const own = livesOf(call.token ?? '');
    const begun = partitionPoint(own.length, (at) => at > 0 && !hasBegun(own[at] as TokenLife, call));
    return own[begun - 1];
  };

  function begin(value: string, isRepeated: boolean): TokenLife {
    const life = {
      value,
      number: lives.length + 1,
      isShared: false,
      reissued: [],
      isRepeated,
      hasExpired: false,
      isSuperseded: false,
    };
    lives.push(life);
    const own = byValue.get(value);
    if (own) own.push(life);
    else byValue.set(value, [life]);
    return life;
  }

  function noteIssue({ token = '', clientId, startMs, endMs }: TokenCall): void {
    const known = livesOf(token).at(-1);
    if (!known || known.refused) {
      const life = begin(token, known !== undefined);
      life.issued = { startMs, endMs };
      if (clientId !== undefined) life.clientId = clientId;
      return;
    }
    // A service may hand out one token again until it expires, and to several clients.
    known.reissued.push({ startMs, endMs });
    if (clientId === undefined || known.isShared) return;
    if (known.clientId === undefined) known.clientId = clientId;
    if (known.clientId === clientId) return;
    known.isShared = true;
    delete known.clientId;
  }

  function noteRead(call: TokenCall): void {
    const { token = '', startMs, endMs, status = 0 } = call;
    const life = lifeOf(call) ?? (isAccepted(call) ? begin(token, false) : undefined);
    if (!life) return;
    if (isAccepted(call)) {
      life.accepted = { startMs, endMs };
      delete life.refused;
    } else if (isRefused(call) && isUsual(call)) life.refused ??= { startMs, endMs, status };
  }

  for (const call of calls) {
    if (call.token === undefined || isMadeUp(call.token)) continue;
    if (call.kind === 'token' && isAccepted(call)) noteIssue(call);
    if (call.kind === 'data') noteRead(call);
  }
  const [only, ...more] = new Set(calls.flatMap(({ clientId }) => clientId ?? []));
  if (only !== undefined && more.length === 0) for (const life of lives) life.clientId = only;
  const newer = newerLivesOf(lives);
  for (const life of lives) judgeEnd(life, newer, agreed(life.clientId));
  return {
    lives,
    lifeOf,
    livesOf,
    newerAccepted: newer.firstAccepted,
    hadNewer: newer.hadCome,
    ...lifetimesOf(lives.filter(({ isShared }) => !isShared)),
  };
}

/** Whether a token that was issued anew may be the one of a call: the call was accepted, or sent after the issue. */
const hasBegun = ({ issued }: TokenLife, call: TokenCall): boolean =>
  issued !== undefined &&
  call.startMs >= (call.kind === 'token' || isAccepted(call) ? issued.startMs : issued.endMs);

function judgeEnd(life: TokenLife, newer: NewerLives, lifetimeSeconds?: number): void {
  const { refused, accepted, isShared } = life;
  if (!refused) return;
  life.isSuperseded = newer.hadCome(life, refused.startMs);
  const isReplaced = !isShared && newer.wasAccepted(life, refused.startMs);
  const issued = lastIssueOf(life, refused.startMs);
  const ageSeconds = issued && (refused.startMs - issued.endMs) / 1000;
  const isOld = lifetimeSeconds !== undefined && ageSeconds !== undefined && ageSeconds >= lifetimeSeconds;
  life.hasExpired = refused.status === 403 && ((accepted !== undefined && isReplaced) || isOld);
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

function lifetimesOf(lives: readonly TokenLife[]): Pick<TokenHistory, 'seenLifetimes' | 'acceptedSeconds'> {
  const seenLifetimes = new Map<string | undefined, SeenLifetime>();
  const acceptedSeconds = new Map<string | undefined, number>();
  for (const [id, own] of groupBy(lives, ({ clientId }) => clientId)) {
    const atLeastSeconds = own.reduce((most, life) => Math.max(most, acceptedAge(life)), 0);
    acceptedSeconds.set(id, atLeastSeconds);
    const atMostSeconds = own.reduce(
      (least, life) => Math.min(least, expiredAge(life)),
      Number.POSITIVE_INFINITY,
    );
    const isContradiction = atLeastSeconds > atMostSeconds * (1 + SHARE) + SECONDS;
    if (Number.isFinite(atMostSeconds) && !isContradiction)
      seenLifetimes.set(id, { atLeastSeconds, atMostSeconds });
  }
  return { seenLifetimes, acceptedSeconds };
}

/** In seconds. Whether a token that is handed out again lives longer for it is open. */
function acceptedAge(life: TokenLife): number {
  const { accepted } = life;
  const issued = accepted && lastIssueOf(life, accepted.startMs);
  return issued ? (accepted.startMs - issued.endMs) / 1000 : 0;
}

/** The age in seconds at which it was refused as expired; infinite where it was not. */
const expiredAge = ({ hasExpired, isSuperseded, issued, refused }: TokenLife): number =>
  hasExpired && !isSuperseded && issued && refused
    ? (refused.startMs - issued.endMs) / 1000
    : Number.POSITIVE_INFINITY;
