/** Where everything is on the drawing of a scenario: lanes of tokens from above, time from the left. */

import type { ScenarioResult } from '../certificate.ts';
import type { Call, Life } from '../traffic.ts';

/** What a call came to; each has a shape of its own. */
export type Kind = 'issued' | 'no-token' | 'served' | 'refused' | 'failed' | 'other';

export interface Lane {
  label: string;
  /** How long the token lived, in words of the drawing. */
  life?: Life;
  /** When the next token was issued. */
  replacedMs?: number;
  calls: readonly Call[];
}

/** Calls that are too close together to be distinguished. */
export interface Run {
  kind: Kind;
  calls: readonly Call[];
  fromMs: number;
  toMs: number;
}

export interface Axis {
  endMs: number;
  ticksMs: readonly number[];
}

/** More lanes would not help a reader. */
const MOST_LANES = 9;
/** Of many tokens, this many of the first and of the last have a lane of their own. */
const FIRST_LANES = 5;
const LAST_LANES = 2;

/** What a call came to. */
export function kindOf({ kind, status, ended }: Call): Kind {
  const isWhole = ended === undefined && status >= 200 && status < 300;
  if (kind === 'token') return isWhole ? 'issued' : 'no-token';
  if (kind !== 'data') return 'other';
  if (isWhole || (ended === undefined && status === 304)) return 'served';
  return ended === undefined && (status === 401 || status === 403) ? 'refused' : 'failed';
}

/** One lane for token requests, one for each token, and one for calls that carried none that is known. */
export function lanesOf({ calls, lives, records }: ScenarioResult): Lane[] {
  const known = new Set(lives.map(({ number }) => number));
  const carries = ({ kind, token }: Call) => kind !== 'token' && token !== undefined && known.has(token);
  const requests = calls.filter(({ kind }) => kind === 'token');
  const others = calls.filter((call) => call.kind !== 'token' && !carries(call));
  const tokens = lives.map((life, at): Lane => {
    const replacedMs = lives[at + 1]?.issuedMs;
    return {
      ...{ label: `token ${life.number}`, life },
      ...(replacedMs === undefined ? {} : { replacedMs }),
      calls: calls.filter((call) => carries(call) && call.token === life.number),
    };
  });
  return [
    ...(requests.length > 0 ? [{ label: 'token requests', calls: requests }] : []),
    ...withoutMiddle(tokens),
    ...(others.length > 0 ? [{ label: records ? 'requests' : 'no known token', calls: others }] : []),
  ];
}

/** Of many tokens those in the middle share a lane. */
function withoutMiddle(lanes: Lane[]): Lane[] {
  if (lanes.length <= MOST_LANES) return lanes;
  const middle = lanes.slice(FIRST_LANES, -LAST_LANES);
  return [
    ...lanes.slice(0, FIRST_LANES),
    { label: `${middle.length} more tokens`, calls: middle.flatMap((lane) => lane.calls).sort(byTime) },
    ...lanes.slice(-LAST_LANES),
  ];
}

const byTime = (a: Call, b: Call) => a.atMs - b.atMs;

/** The calls of a lane by what they came to, those that are nearer than `nearMs` together. */
export function runsOf(lane: Lane, nearMs: number): Run[] {
  const runs: Run[] = [];
  const open = new Map<Kind, Call[]>();
  for (const call of lane.calls.toSorted(byTime)) {
    const kind = kindOf(call);
    const last = open.get(kind);
    if (last && call.atMs - (last.at(-1)?.atMs ?? 0) < nearMs) last.push(call);
    else {
      const calls = [call];
      open.set(kind, calls);
      runs.push({ kind, calls, fromMs: call.atMs, toMs: call.atMs });
    }
  }
  return runs.map((run) => ({ ...run, toMs: run.calls.at(-1)?.atMs ?? run.toMs }));
}

/** Reaches over all calls; the end of a token is on it where it is not far behind the last of them. */
export function axisOf({ calls, lives }: ScenarioResult): Axis {
  const last = calls.reduce((latest, { atMs }) => Math.max(latest, atMs), 0);
  const reach = last * 1.25 + 200;
  const ends = lives.map(({ expiresMs, endedMs }) => endedMs ?? expiresMs).filter((end) => end <= reach);
  const endMs = Math.max(500, Math.max(last, ...ends) * 1.03);
  const step = STEPS_MS.find((one) => endMs / one <= 10) ?? endMs;
  return { endMs, ticksMs: Array.from({ length: Math.floor(endMs / step) + 1 }, (_, nth) => nth * step) };
}

const STEPS_MS = [100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000, 120_000, 300_000, 600_000];
