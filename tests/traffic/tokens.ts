/** The life of a token, as far as recorded traffic shows it. Times are milliseconds on one axis. */

import { firstMomentOf, lastMomentOf } from '../support/clock.ts';
import { groupBy, partitionPoint } from '../support/collections.ts';
import { OPTION_ADVICE } from '../support/options.ts';
import { isRefusal, isServed, type RecordedCall, type Timed } from './exchange.ts';

/** A token that was issued or accepted. One that is issued again after it was refused begins a new life. */
export interface TokenLife {
  value: string;
  /** Counts from 1, in the order in which tokens came up. */
  number: number;
  /** Absent where several clients were given it, or none in the recording and there are several. */
  clientId?: string;
  /** Whether several clients were given it: nothing shows which of them sent it. */
  isShared: boolean;
  /** When it was asked for, and when it had come; absent where it was issued before the recording. */
  issued?: Timed;
  /** When it was handed out again, in order. */
  reissued: Timed[];
  /** Whether an earlier token had this value, and was refused before this one was issued. */
  isRepeated: boolean;
  /** When the last request that it opened was sent, and when that was answered. */
  accepted?: Timed;
  /** After the last that was accepted. A query counts only if it was accepted once: it may need another right. */
  refused?: Timed & { status: number };
  /** Whether the refusal is that of an expired token: it had been accepted, and a newer one was accepted after it. */
  hasExpired: boolean;
  /** When a newer token was issued to the same client, before this one was refused. */
  isSuperseded: boolean;
}

/** When a token was handed out last before this time; undefined where it was issued before the recording. */
export function lastIssueOf({ issued, reissued }: TokenLife, byMs: number): Timed | undefined {
  const before = partitionPoint(reissued.length, (at) => (reissued[at]?.startMs ?? 0) > byMs);
  return issued && (reissued[before - 1] ?? issued);
}

/** A call as far as tokens are concerned. */
export type TokenCall = Pick<RecordedCall, 'kind' | 'startMs' | 'endMs' | 'status' | 'clientId' | 'token'> & {
  queryDigest?: string;
};

/** The lifetime of tokens: at least the highest age at which one was accepted, at most the lowest at which one was refused. */
export interface SeenLifetime {
  atLeastSeconds: number;
  atMostSeconds: number;
}

export type TokenHistory = ReturnType<typeof tokenHistoryOf>;

const isAccepted = (call: TokenCall): boolean => isServed(call) || call.status === 304;

/** Whether it is the text of an unset variable. */
export const isUnset = (token: string): boolean =>
  /^(undefined|null|none|nil|nan|true|false|\[object.*)$/i.test(token);

/** Whether it is what faulty clients send in the place of a token: nothing, an unset variable, or its name in an example. */
export const isMadeUp = (token: string): boolean => isUnset(token) || /^(|<.*>|\{.*\}|\$.*)$/.test(token);

/** `calls` in the order of time. `agreed`: the lifetime agreed with a client in seconds, where it is known. */
export function tokenHistoryOf(
  calls: readonly TokenCall[],
  agreed: (clientId: string | undefined) => number | undefined = () => undefined,
) {
  const lives: TokenLife[] = [];
  const byValue = new Map<string, TokenLife[]>();
  const queries = new Set(
    calls.flatMap((call) => (call.kind === 'data' && isAccepted(call) ? (call.queryDigest ?? '') : [])),
  );
  /** The lives of tokens with this value, in order. */
  const livesOf = (value: string): readonly TokenLife[] => byValue.get(value) ?? [];
  /** The life of the token of a call, at its time. */
  const lifeOf = (call: TokenCall): TokenLife | undefined => {
    const own = livesOf(call.token ?? '');
    const begun = partitionPoint(own.length, (at) => at > 0 && !hasBegun(own[at] as TokenLife, call));
    return own[begun - 1];
  };

  function begin(value: string): TokenLife {
    const own = byValue.get(value) ?? [];
    const flags = { isShared: false, isRepeated: own.length > 0, hasExpired: false, isSuperseded: false };
    const life: TokenLife = { value, number: lives.length + 1, reissued: [], ...flags };
    lives.push(life);
    byValue.set(value, own);
    own.push(life);
    return life;
  }

  function noteIssue({ token = '', clientId, startMs, endMs }: TokenCall): void {
    const known = livesOf(token).at(-1);
    const life = !known || known.refused ? begin(token) : known;
    // A service may hand out one token again until it expires, and to several clients.
    if (life === known) life.reissued.push({ startMs, endMs });
    else life.issued = { startMs, endMs };
    if (clientId === undefined || life.isShared) return;
    life.isShared = life.clientId !== undefined && life.clientId !== clientId;
    if (life.isShared) delete life.clientId;
    else life.clientId = clientId;
  }

  function noteRead(call: TokenCall): void {
    const { token = '', startMs, endMs, status = 0, queryDigest: query = '' } = call;
    const life = lifeOf(call) ?? (isAccepted(call) ? begin(token) : undefined);
    if (life && isAccepted(call)) {
      life.accepted = { startMs, endMs };
      delete life.refused;
    } else if (life && isRefusal(call) && (query === '' || queries.has(query)))
      life.refused ??= { startMs, endMs, status };
  }

  for (const call of calls) {
    if (call.token === undefined || isMadeUp(call.token)) continue;
    if (call.kind === 'token' && isAccepted(call)) noteIssue(call);
    if (call.kind === 'data') noteRead(call);
  }
  const [only, ...more] = new Set(calls.flatMap(({ clientId }) => clientId ?? []));
  if (only !== undefined && more.length === 0) for (const life of lives) life.clientId = only;
  const newerThan = newerLivesOf(lives);
  for (const life of lives) judgeEnd(life, newerThan(life), agreed(life.clientId));
  return { lives: lives as readonly TokenLife[], lifeOf, livesOf, newerThan, ...lifetimesOf(lives) };
}

/** Whether a token that was issued anew may be the one of a call: the call was accepted, or sent after the issue. */
const hasBegun = ({ issued }: TokenLife, call: TokenCall): boolean =>
  issued !== undefined &&
  call.startMs >= (call.kind === 'token' || isAccepted(call) ? issued.startMs : issued.endMs);

function judgeEnd(life: TokenLife, newer: Newer, lifetimeSeconds?: number): void {
  const { refused, accepted, isShared } = life;
  if (!refused) return;
  life.isSuperseded = newer.cameMs <= refused.startMs;
  const isReplaced = !isShared && newer.acceptedMs >= refused.startMs;
  const issued = lastIssueOf(life, refused.startMs);
  const ageSeconds = issued && (refused.startMs - issued.endMs) / 1000;
  const isOld = lifetimeSeconds !== undefined && ageSeconds !== undefined && ageSeconds >= lifetimeSeconds;
  life.hasExpired = refused.status === 403 && ((accepted !== undefined && isReplaced) || isOld);
}

function lifetimesOf(lives: readonly TokenLife[]) {
  /** By the ids of clients; without those of which no token was seen to expire, or whose tokens contradict each other. */
  const seenLifetimes = new Map<string | undefined, SeenLifetime>();
  /** The highest age at which a token of a client was accepted, in seconds, by the ids of clients. */
  const acceptedSeconds = new Map<string | undefined, number>();
  const ofOneClient = lives.filter(({ isShared }) => !isShared);
  for (const [id, own] of groupBy(ofOneClient, ({ clientId }) => clientId)) {
    let [atLeastSeconds, atMostSeconds] = [0, Number.POSITIVE_INFINITY];
    for (const life of own) {
      const { accepted, hasExpired, isSuperseded, issued, refused } = life;
      // Whether a token that is handed out again lives longer for it is open.
      const last = accepted && lastIssueOf(life, accepted.startMs);
      if (last) atLeastSeconds = Math.max(atLeastSeconds, (accepted.startMs - last.endMs) / 1000);
      if (hasExpired && !isSuperseded && issued && refused)
        atMostSeconds = Math.min(atMostSeconds, (refused.startMs - issued.endMs) / 1000);
    }
    acceptedSeconds.set(id, atLeastSeconds);
    if (Number.isFinite(atMostSeconds) && atLeastSeconds <= lastMomentOf(atMostSeconds))
      seenLifetimes.set(id, { atLeastSeconds, atMostSeconds });
  }
  return { seenLifetimes, acceptedSeconds };
}

/** What is known of the tokens that were issued after another one to the same client; of an unknown client, to all. */
interface Newer {
  /** When the first of them had come, and when the last request that one of them opened was sent. */
  cameMs: number;
  acceptedMs: number;
  /** The first of them that was accepted. */
  accepted?: TokenLife | undefined;
}

const NONE_NEWER: Newer = { cameMs: Number.POSITIVE_INFINITY, acceptedMs: Number.NEGATIVE_INFINITY };

/** `lives` in the order in which they came up, with all that is known of when they were issued and accepted. */
function newerLivesOf(lives: readonly TokenLife[]): (life: TokenLife) => Newer {
  const issued = lives.filter((life) => life.issued !== undefined);
  const ofAll = successionOf(issued);
  const ofClients = groupBy(issued, ({ clientId }) => clientId);
  const successions = new Map([...ofClients].map(([id, own]) => [id, successionOf(own)]));
  return (life) => {
    const own = life.clientId === undefined ? ofAll : successions.get(life.clientId);
    return own?.get(life.issued ? life : undefined) ?? NONE_NEWER;
  };
}

/** What came after each of these lives; of none, all of them. In one go: there may be a hundred thousand. */
function successionOf(lives: readonly TokenLife[]): ReadonlyMap<TokenLife | undefined, Newer> {
  let newer = NONE_NEWER;
  const found = new Map<TokenLife | undefined, Newer>();
  for (const life of lives.toReversed()) {
    found.set(life, newer);
    const { issued, accepted } = life;
    newer = {
      cameMs: Math.min(newer.cameMs, issued?.endMs ?? 0),
      acceptedMs: Math.max(newer.acceptedMs, accepted?.startMs ?? Number.NEGATIVE_INFINITY),
      accepted: accepted ? life : newer.accepted,
    };
  }
  return found.set(undefined, newer);
}

export type ClientLifetimes = ReturnType<typeof clientLifetimes>;

/**
 * The lifetime that the tokens of each client are judged by: the agreed one in seconds, unless its tokens show another, since clause
 * 5.1 lets the operator agree on one with each. `seen`: by the ids of clients.
 */
export function clientLifetimes(
  agreedSeconds: number | undefined,
  seen: ReadonlyMap<string | undefined, SeenLifetime>,
) {
  const doubts = new Map<string | undefined, string>();
  for (const [id, { atLeastSeconds, atMostSeconds }] of seen) {
    if (agreedSeconds === undefined) continue;
    if (atLeastSeconds <= lastMomentOf(agreedSeconds) && atMostSeconds >= firstMomentOf(agreedSeconds))
      continue;
    const ages = `until the age of ${atLeastSeconds.toFixed(1)} s and refused as expired from ${atMostSeconds.toFixed(1)} s on`;
    doubts.set(
      id,
      `The agreed token lifetime is ${agreedSeconds} s, but tokens were accepted ${ages}. ${OPTION_ADVICE.otherLifetime}`,
    );
  }
  return {
    /** The lifetime agreed with a client; undefined where it is not known, or contradicts the traffic. */
    agreed: (id: string | undefined) => (doubts.has(id) ? undefined : agreedSeconds),
    /** That another lifetime was seen, as a sentence. The traffic does not show which is wrong. */
    doubt: (id: string | undefined) => doubts.get(id),
    hasDoubts: doubts.size > 0,
  };
}
