/** By which of the two strategies of clause 5 a client renews its token. */
import type { Strategy } from './certificate.ts';
import { type Pace, turnMs } from './pace.ts';
import { endOf, idleBetween, isEarlyEnd, isIssue, isRefused, median, type Scene } from './scene.ts';
import type { Call, Life } from './traffic.ts';

/** A token that took another's place. */
export interface Renewal {
  scene: Scene;
  request: Call;
  /** The newest token that the client had. */
  before: Life;
  /** What made the client ask: a refusal, or its own clock. */
  by: 'refusal' | 'clock';
  /** How long the token before had still to live. */
  marginMs: number;
}

export interface Renewals {
  strategy: Strategy;
  renewals: readonly Renewal[];
  marginSeconds?: number;
}

/** A renewal at a lower age is waste rather than foresight. */
const FORESIGHT = 0.25;

export function renewalsOf(scenes: readonly Scene[], pace: Pace | undefined): Renewals {
  const renewals = scenes.flatMap((scene) => renewalsIn(scene, pace));
  const isPlanned = ({ scene, request, before }: Renewal) =>
    request.atMs - before.issuedMs >= FORESIGHT * scene.agreedSeconds * 1000;
  const byClock = renewals.filter(({ by }) => by === 'clock');
  // Who asks for each call anew, however long tokens live, follows no strategy.
  const isWasteful = byClock.some((one) => isLongLived(one.scene) && !isPlanned(one));
  const planned = byClock.filter((one) => isPlanned(one) || !isWasteful);
  const isReactive = renewals.some(({ by }) => by === 'refusal');
  const foreseen = planned.filter(
    ({ scene, before }) => !isLongLived(scene) && !isEarlyEnd(scene, before.number),
  );
  const isProactive = foreseen.some(({ marginMs }) => marginMs > 0);
  const marginMs = median(foreseen.map((one) => one.marginMs));
  return {
    strategy: isReactive ? (isProactive ? 'both' : 'reactive') : isProactive ? 'proactive' : 'none',
    renewals,
    ...(marginMs !== undefined && isProactive && { marginSeconds: Math.round(marginMs / 10) / 100 }),
  };
}

/** In which a client has no reason to renew within the time that a scenario takes. */
export const isLongLived = ({ agreedSeconds }: Scene): boolean => agreedSeconds >= 60;

function renewalsIn(scene: Scene, pace: Pace | undefined): Renewal[] {
  const { calls, lives } = scene;
  const requests = calls.filter(isIssue);
  return requests.slice(scene.processes).flatMap((request) => {
    const earlier = requests.filter(({ endMs }) => endMs <= request.startMs);
    const newest = earlier.at(-1);
    const before = lives.find(({ number }) => number === newest?.token);
    if (!newest || !before) return [];
    // Several may have failed before the one that brought a token: what made the client ask, made it ask first.
    const first = calls.find(({ kind, startMs }) => kind === 'token' && startMs >= newest.endMs) ?? request;
    const refused = calls.filter(
      (one) => isRefused(one) && one.token === newest.token && one.endMs <= first.startMs + 1,
    );
    const by = isAnswer(refused, first, before, scene, pace) ? 'refusal' : 'clock';
    return { scene, request: first, before, by, marginMs: endOf(before) - first.atMs };
  });
}

/**
 * Whether a token request answers a refusal. One that comes without a pause does. One that comes later does, unless
 * the refused token was tried again in between, or the client's own clock would have let it ask by then.
 */
function isAnswer(
  refused: readonly Call[],
  request: Call,
  { issuedMs }: Life,
  scene: Scene,
  pace: Pace | undefined,
): boolean {
  const last = refused.at(-1);
  if (!last) return false;
  if (idleBetween(last, request, scene) < turnMs(pace)) return true;
  return refused.length === 1 && request.atMs - issuedMs < scene.agreedSeconds * 600;
}
