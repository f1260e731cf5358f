/**
 * How a run comes by an expired token. The first way that it has is taken: moving the clock of our own mock, waiting
 * until a short lifetime has passed, or a token that the operator says has expired.
 */
import { type Clock, endOfWatch, firstMomentOf, lastMomentOf } from '../../support/clock.ts';
import { requests } from '../requests.ts';
import { type ExpiryEvidence, isRefused, isServed, notSent, type Probe } from '../support/evidence.ts';
import type { Http } from './http.ts';
import { optionOf, type Target } from './target.ts';

type ExpiryWay =
  | { kind: 'clock' | 'waited'; lifetimeSeconds: number }
  | { kind: 'asserted'; token: string }
  | { kind: 'none'; reason: string };

/** Decided before anything is sent. */
export function expiryWay(target: Target, canMoveClock: boolean): ExpiryWay {
  const { tokenLifetimeSeconds: lifetime, maxWaitSeconds, expiredToken } = target;
  if (lifetime !== undefined && canMoveClock) return { kind: 'clock', lifetimeSeconds: lifetime };
  if (lifetime !== undefined && lifetime <= maxWaitSeconds)
    return { kind: 'waited', lifetimeSeconds: lifetime };
  if (expiredToken !== undefined) return { kind: 'asserted', token: expiredToken };
  const reason =
    lifetime === undefined
      ? `No expired token is at hand. Set ${optionOf('MRS_TOKEN_LIFETIME')} to the agreed lifetime, as 60 (seconds) or 15m.`
      : `A lifetime of ${lifetime} s is longer than the ${maxWaitSeconds} s that are waited. Set ${optionOf('MRS_MAX_WAIT')} to ` +
        `${lifetime}, or MRS_EXPIRED_TOKEN to a token that has expired.`;
  return { kind: 'none', reason };
}

interface ExpiryContext {
  target: Target;
  clock: Clock;
  /** A token of this run: its value, when its answer had come (by the clock), and a call that it opened. */
  live: { token: string; obtainedAtMs: number; firstCall: Probe | undefined } | undefined;
  advanceClock?: AdvanceClock | undefined;
  read(what: string, token: string): Promise<Probe>;
  /** Gives the run more time, since it is the run that waits. */
  extend(seconds: number): void;
  progress(text: string): void;
}

interface ObservedExpiry {
  /** The token that has expired, where one was sent. */
  token?: string;
  late: Probe;
  expiredToken: Probe;
  /** The same before that, while it was accepted. */
  watched: Probe[];
  expiry: ExpiryEvidence;
}

const [LATE, WHAT] = (['data.late', 'data.expiredToken'] as const).map(
  (one) => requests.find(({ key }) => key === one)?.what ?? '',
) as [string, string];
const NOT_WAITED = notSent(LATE, 'No lifetime was waited for.');

export async function observeExpiry(context: ExpiryContext): Promise<ObservedExpiry> {
  const { target, live, advanceClock, read } = context;
  const way = expiryWay(target, advanceClock !== undefined);
  const none = (reason: string): ObservedExpiry => ({
    ...{ late: NOT_WAITED, expiredToken: notSent(WHAT, reason), watched: [], expiry: { kind: 'none' } },
  });
  if (way.kind === 'none') return none(way.reason);
  if (way.kind === 'asserted') {
    const expiredToken = await read(WHAT, way.token);
    return { token: way.token, late: NOT_WAITED, expiredToken, watched: [], expiry: { kind: 'asserted' } };
  }
  if (!live || !isServed(live.firstCall))
    return none('No token was accepted that could expire (see MRS-4.1a, MRS-2a and MRS-4.2a).');
  try {
    return await outlive(way.lifetimeSeconds, live, context);
  } catch (error) {
    if (error instanceof ClockFault) return none(error.message);
    throw error;
  }
}

/** An answer, and the ages of the token when the request was sent and when the answer had come. */
interface Asked {
  probe: Probe;
  sentAtSeconds: number;
  ageSeconds: number;
}

/** How often a token that outlives its lifetime is sent. */
const WATCHES = 6;

/**
 * Asks once before the first moment at which the token may expire; then again, at growing distances, until it is refused
 * or its last moment has passed; and then, of a token that is still accepted, whether it expires at all.
 */
async function outlive(
  lifetimeSeconds: number,
  { token, obtainedAtMs }: NonNullable<ExpiryContext['live']>,
  { clock, advanceClock, read, extend, progress }: ExpiryContext,
): Promise<ObservedExpiry> {
  let movedSeconds = 0;
  const age = () => (advanceClock ? movedSeconds : (clock.now() - obtainedAtMs) / 1000);
  const asked: Asked[] = [];

  const first = firstMomentOf(lifetimeSeconds);
  let late: Probe = NOT_WAITED;
  if (advanceClock || age() < first) {
    await grow(first);
    late = await read(LATE, token);
  }
  await grow(lifetimeSeconds);
  // The clock of the mock is exact.
  const last = advanceClock ? lifetimeSeconds : lastMomentOf(lifetimeSeconds);
  let pauseSeconds = 0.05;
  let answer: Asked;
  do {
    answer = await ask(Math.min(age() + pauseSeconds, last));
    pauseSeconds *= 2;
  } while (!isRefused(answer.probe) && !('notSent' in answer.probe) && answer.sentAtSeconds < last);

  // What is accepted after its end is watched until it is refused: then the stated lifetime and the deployment differ, and
  // a run cannot know which of them is wrong. Another answer ends the watch, and does not undo that it was accepted.
  const end = endOfWatch(lifetimeSeconds);
  const start = answer.ageSeconds;
  let lateExpiry = {};
  for (let nth = 1; isServed(answer.probe) && answer.sentAtSeconds < end; nth++) {
    const next = await ask(nth < WATCHES ? start * (end / start) ** (nth / WATCHES) : end);
    if (!isServed(next.probe) && !isRefused(next.probe)) break;
    const ages = {
      acceptedSeconds: rounded(answer.sentAtSeconds),
      refusedSeconds: rounded(next.ageSeconds),
    };
    answer = next;
    if (isRefused(next.probe)) lateExpiry = { late: ages };
  }

  // When it is sent again, all replicas of a deployment must refuse it, whatever their clocks: an answer with the data is
  // a violation then, and no difference between two of them.
  const { probe: expiredToken, ageSeconds } = answer;
  if (isRefused(expiredToken))
    await grow(lastMomentOf('late' in lateExpiry ? rounded(ageSeconds) : lifetimeSeconds));
  return {
    token,
    late,
    expiredToken,
    watched: asked.map(({ probe }) => probe).filter((probe) => probe !== expiredToken),
    expiry: advanceClock
      ? { kind: 'clock', lifetimeSeconds, ...lateExpiry }
      : { kind: 'waited', lifetimeSeconds, ageSeconds: rounded(ageSeconds), ...lateExpiry },
  };

  /** When the token has this age, and not before. */
  async function ask(atSeconds: number): Promise<Asked> {
    await grow(atSeconds);
    const sentAtSeconds = age();
    const probe = await read(WHAT, token);
    const one = { probe, sentAtSeconds, ageSeconds: age() };
    asked.push(one);
    return one;
  }

  /** Until the token has this age. */
  async function grow(seconds: number): Promise<void> {
    if (seconds <= age()) return;
    if (advanceClock) {
      await advanceClock(seconds - movedSeconds);
      movedSeconds = seconds;
      return;
    }
    extend(seconds - age());
    for (let left = seconds - age(); left > 0; left = seconds - age()) {
      progress(`waiting ${Math.ceil(left)} s, until the token is ${Math.round(seconds)} s old`);
      await clock.sleep(Math.min(left, 1) * 1000);
    }
  }
}

/** To whole milliseconds. */
const rounded = (seconds: number): number => Math.round(seconds * 1000) / 1000;

/** Moves the clock of this package's own mock on, over its control (mocks/control.openapi.yaml). Throws ClockFault. */
export type AdvanceClock = (seconds: number) => Promise<void>;

/** Why the clock of the mock was not moved, as a sentence. */
export class ClockFault extends Error {}

/** `headers` are sent in addition. */
export function createAdvanceClock(
  baseUrl: string,
  key: string,
  http: Http,
  headers: Record<string, string> = {},
): AdvanceClock {
  const url = new URL('/__mock/clock', baseUrl).href;
  return async (seconds) => {
    const answer = await http.exchange({
      ...{ method: 'PUT', url, body: JSON.stringify({ action: 'advance', by: seconds }) },
      headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    });
    if ('status' in answer && answer.status === 200) return;
    const seen = 'failure' in answer ? answer.failure : `answered ${answer.status}`;
    throw new ClockFault(
      `The clock of the mock was not moved: ${url} ${seen}. Give MRS_MOCK_CONTROL_KEY only for a mock that was started with this key.`,
    );
  };
}
