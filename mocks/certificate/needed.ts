/** How many tokens a client asked for, and how many would have done. */
import type { TokenCount } from './certificate.ts';
import { heldAtStart, isServed, type Scene, tokenCalls } from './scene.ts';

/**
 * The lower bound is exact: who asks for a token as late as can be, at the first served call that has none alive, never asks
 * for more than anybody else would have to. A token lives for its lifetime, or until one was ended before its time; what
 * the client had from the start need not be asked for.
 */
export function tokenCount(scene: Scene): TokenCount {
  const { lifetimesSeconds, lives } = scene;
  // To the millisecond: one that was ended right after a call was alive during it.
  const ends = lives.flatMap(({ endedMs }) => (endedMs === undefined ? [] : endedMs + 1));
  let needed = 0;
  const held = heldAtStart(scene).map(({ expiresMs, endedMs }) =>
    endedMs === undefined ? expiresMs : endedMs + 1,
  );
  let aliveUntil = Math.max(Number.NEGATIVE_INFINITY, ...held);
  const times = scene.calls
    .filter((call) => isServed(call) && call.token !== undefined)
    .map(({ atMs }) => atMs);
  for (const at of times.sort((a, b) => a - b)) {
    if (at < aliveUntil) continue;
    const lifetime = lifetimesSeconds[Math.min(needed, lifetimesSeconds.length - 1)] ?? 0;
    needed++;
    aliveUntil = Math.min(at + lifetime * 1000, ...ends.filter((end) => end > at));
  }
  const asked = tokenCalls(scene).filter(({ status, token }) => status < 300 && token !== undefined).length;
  return { asked, needed };
}
