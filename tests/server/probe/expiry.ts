/**
 * How a run comes by an expired token. The first way that it has is taken: moving the clock of our own mock, waiting
 * until a short lifetime has passed, or a token that the operator says has expired.
 */
import type { Clock } from '../../support/clock.ts';
import { endOfWatch, firstMomentOf, lastMomentOf } from '../../support/duration.ts';
import { expiredRow, lateRow } from '../requests.ts';
import type { ExpiryEvidence, LateExpiry, Probe } from '../support/evidence.ts';
import { type Asked, watchToken } from './late-expiry.ts';
import type { AdvanceClock } from './mock-clock.ts';
import { isRefused, isServed, notSent, type Send } from './sender.ts';
import type { Target } from './target.ts';
import { optionOf } from './target-variables.ts';

/** A token of this run: its value, when its answer had come (by the clock), and a call that it opened. */
export interface LiveToken {
  token: string;
  obtainedAtMs: number;
  firstCall: Probe;
}

export interface ObservedExpiry {
  /** The token that has expired, where one was sent. */
  token?: string;
  late: Probe;
  expiredToken: Probe;
  /** The same before that, while it was accepted. */
  watched?: Probe[];
  expiry: ExpiryEvidence;
}

export interface ExpiryContext {
  target: Target;
  clock: Clock;
  send: Send;
  live: LiveToken | undefined;
  advanceClock?: AdvanceClock | undefined;
  read(what: string, token: string): Promise<Probe>;
  progress(text: string): void;
}

/** The way in which a run comes by an expired token. */
export type ExpiryWay =
  | { kind: 'clock' | 'waited'; lifetimeSeconds: number; asksLate: boolean }
  | { kind: 'asserted'; token: string }
  | { kind: 'none'; reason: string };

const WHAT = expiredRow.what;
const LATE = lateRow.what;

/** Decided before anything is sent. */
export function expiryWay(target: Target, canMoveClock: boolean): ExpiryWay {
  const { tokenLifetimeSeconds: lifetime, maxWaitSeconds, expiredToken } = target;
  if (lifetime !== undefined && canMoveClock)
    return { kind: 'clock', lifetimeSeconds: lifetime, asksLate: true };
  if (lifetime !== undefined && lifetime <= maxWaitSeconds)
    return { kind: 'waited', lifetimeSeconds: lifetime, asksLate: firstMomentOf(lifetime) > 0 };
  if (expiredToken !== undefined) return { kind: 'asserted', token: expiredToken };
  if (lifetime === undefined)
    return {
      kind: 'none',
      reason: `No expired token is at hand. Set ${optionOf('MRS_TOKEN_LIFETIME')} to the agreed lifetime, as 60 (seconds) or 15m.`,
    };
  return {
    kind: 'none',
    reason:
      `A lifetime of ${lifetime} s is longer than the ${maxWaitSeconds} s that are waited. Set ${optionOf('MRS_MAX_WAIT')} to ` +
      `${lifetime}, or MRS_EXPIRED_TOKEN to a token that has expired.`,
  };
}

export async function observeExpiry(outer: ExpiryContext): Promise<ObservedExpiry> {
  const watched: Probe[] = [];
  const context: ExpiryContext = {
    ...outer,
    async read(what, token) {
      const probe = await outer.read(what, token);
      if (what === WHAT) watched.push(probe);
      return probe;
    },
  };
  const observed = await comeByExpired(context);
  return { ...observed, watched: watched.filter((probe) => probe !== observed.expiredToken) };
}

async function comeByExpired(context: ExpiryContext): Promise<ObservedExpiry> {
  const { target, live, advanceClock, read } = context;
  const way = expiryWay(target, advanceClock !== undefined);
  if (way.kind === 'none') return none(way.reason);
  if (way.kind === 'asserted')
    return {
      token: way.token,
      late: notWaited,
      expiredToken: await read(WHAT, way.token),
      expiry: { kind: 'asserted' },
    };
  if (!live || !isServed(live.firstCall))
    return none('No token was accepted that could expire (see MRS-4.1a, MRS-2a and MRS-4.2a).');
  return advanceClock
    ? moveToExpiry(way.lifetimeSeconds, live, advanceClock, context)
    : waitForExpiry(way.lifetimeSeconds, live, context);
}

function none(reason: string): ObservedExpiry {
  return { late: notWaited, expiredToken: notSent(WHAT, reason), expiry: { kind: 'none' } };
}

const notWaited = notSent(LATE, 'No lifetime was waited for.');

async function moveToExpiry(
  lifetimeSeconds: number,
  { token }: LiveToken,
  advanceClock: AdvanceClock,
  { read }: ExpiryContext,
): Promise<ObservedExpiry> {
  const first = Math.max(0, firstMomentOf(lifetimeSeconds));
  const fault = await advanceClock(first);
  if (fault) return none(fault);
  const late = await read(LATE, token);
  const laterFault = await advanceClock(lifetimeSeconds - first);
  if (laterFault) return none(laterFault);
  let age = lifetimeSeconds;
  const ask = async (): Promise<Asked> => ({
    probe: await read(WHAT, token),
    sentAtSeconds: age,
    ageSeconds: age,
  });
  const watched = await watchToken(await ask(), lifetimeSeconds, async (seconds) => {
    const watchFault = await advanceClock(seconds - age);
    if (watchFault) return { probe: notSent(WHAT, watchFault), sentAtSeconds: age, ageSeconds: age };
    age = seconds;
    return ask();
  });
  const restFault = await advanceClock(Math.max(0, endOfTolerance(watched, lifetimeSeconds) - age));
  if (restFault) return none(restFault);
  const expiry = { kind: 'clock' as const, lifetimeSeconds, ...lateIn(watched) };
  return { token, late, expiredToken: watched.probe, expiry };
}

/** Ages in whole milliseconds. */
const lateIn = ({ late }: { late?: LateExpiry }) =>
  late && {
    late: {
      acceptedSeconds: rounded(late.acceptedSeconds),
      refusedSeconds: rounded(late.refusedSeconds),
    },
  };

/**
 * The age from which a token that was refused must be refused by all replicas of a deployment, whatever their clocks: when
 * it is sent again afterwards, an answer with the data is a violation, and no difference between two of them. 0 for a
 * token that was not refused.
 */
const endOfTolerance = ({ probe, late }: { probe: Probe; late?: LateExpiry }, lifetimeSeconds: number) =>
  isRefused(probe) ? lastMomentOf(late?.refusedSeconds ?? lifetimeSeconds) : 0;

const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/**
 * Asks once before its first moment; then again, at growing distances, until it is refused or its last has passed; and
 * then, of a token that is still accepted, whether it expires at all.
 */
async function waitForExpiry(
  lifetimeSeconds: number,
  { token, obtainedAtMs }: LiveToken,
  { clock, send, read, progress }: ExpiryContext,
): Promise<ObservedExpiry> {
  const age = () => (clock.now() - obtainedAtMs) / 1000;
  const last = lastMomentOf(lifetimeSeconds);
  send.extend(last);
  const late = age() < firstMomentOf(lifetimeSeconds) ? await askLate() : notWaited;

  let asked: Asked;
  let pauseSeconds = 0.05;
  await waitUntil(lifetimeSeconds);
  do {
    await waitUntil(Math.min(age() + pauseSeconds, last));
    asked = await ask();
    pauseSeconds *= 2;
  } while (!isRefused(asked.probe) && !('notSent' in asked.probe) && asked.sentAtSeconds < last);
  if (isServed(asked.probe)) send.extend(endOfWatch(lifetimeSeconds) - last);
  const watched = await watchToken(asked, lifetimeSeconds, async (seconds) => {
    await waitUntil(seconds);
    return ask();
  });
  const ageSeconds = rounded(watched.ageSeconds);
  const end = endOfTolerance(watched, lifetimeSeconds);
  send.extend(Math.max(0, end - age()));
  await waitUntil(end);
  const expiry = { kind: 'waited' as const, lifetimeSeconds, ageSeconds, ...lateIn(watched) };
  return { token, late, expiredToken: watched.probe, expiry };

  async function ask(): Promise<Asked> {
    const sentAtSeconds = age();
    return { probe: await read(WHAT, token), sentAtSeconds, ageSeconds: age() };
  }

  async function askLate(): Promise<Probe> {
    await waitUntil(firstMomentOf(lifetimeSeconds));
    return read(LATE, token);
  }

  async function waitUntil(seconds: number) {
    for (let left = seconds - age(); left > 0; left = seconds - age()) {
      progress(`waiting for the token to expire: ${Math.ceil(left)} s`);
      await clock.sleep(Math.min(left, 1) * 1000);
    }
  }
}
