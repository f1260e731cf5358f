/** Leads a client that came by itself through the scenarios: one mock, and one scenario after the other. */

import type { Examination } from '../../../tests/client/examination.ts';
import { certificateOf, type Played } from '../../../tests/client/judge.ts';
import { isStuck, type Scenario } from '../../../tests/client/scenarios.ts';
import { dataCalls, isServed } from '../../../tests/client/scene.ts';
import type { Mock, Traffic } from '../../index.ts';
import { type ListenTerms, termsOf } from './token-terms.ts';

export interface Listening {
  mock: Mock;
  /** Id of the client; the mock knows it. */
  client: string;
  /** What the client was told of its tokens' life. */
  agreedSeconds: number;
  scenarios: readonly Scenario[];
  /** So many share the client id. */
  processes?: number;
  /** For each scenario; without it, as long as it takes. */
  deadlineSeconds?: number;
  /** Ends the examination early: what was seen is judged. */
  signal?: AbortSignal;
  /** Told of the scenario under way, again and again. */
  tell?(seen: Seen): void;
  /** Told of each scenario as it ends, and of what all of them come to by then. */
  over?(played: Played, examination: Examination): void;
}

/** What is going on. */
export interface Seen {
  scenario: Scenario;
  terms: ListenTerms;
  /** Before it begins, the client has to be reading with a token of the right life. */
  isBegun: boolean;
  traffic: Traffic;
}

/** How often it is asked whether all has been seen. */
const LOOK_MS = 50;

export async function listen(listening: Listening): Promise<Played[]> {
  const { mock, agreedSeconds, scenarios, processes = 1, deadlineSeconds, signal, tell, over } = listening;
  const client = mock.client(listening.client);
  const played: Played[] = [];
  let running: { scenario: Scenario; since: number } | undefined;

  const last = () => mock.journal({ limit: 1 }).at(-1)?.seq ?? 0;
  const trafficSince = (since: number) => mock.traffic(client.id, since);
  const live = () => client.tokens().filter(({ standing }) => standing === 'valid');

  /** Calls `isOver` until it is so; false where there was no time for that. */
  async function until(deadline: number, isOver: () => boolean): Promise<boolean> {
    while (!isOver()) {
      if (signal?.aborted || performance.now() > deadline) return false;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
    return true;
  }

  /**
   * A scenario begins when the client reads with a token whose life is the scenario's. What it does until then is the echo
   * of the scenario before, and is not judged.
   */
  async function settle(scenario: Scenario, terms: ListenTerms, deadline: number): Promise<boolean> {
    const before = running && termsOf(running.scenario, agreedSeconds);
    client.script([]);
    client.change({ tokenLifetime: terms.lifetimeSeconds });
    if (!running || !before || last() === 0) return true; // nobody has called yet
    const hasOthers = before.lifetimeSeconds !== terms.lifetimeSeconds;
    if (hasOthers) client.expire();
    const since = hasOthers ? last() : running.since;
    return until(deadline, () => {
      const traffic = trafficSince(since);
      const reads = dataCalls(traffic).slice(processes === 1 ? -1 : -2 * processes);
      const token = `${client.id}#${reads.at(-1)?.token}`;
      if (reads.length > 0 && reads.every(isServed) && live().some(({ name }) => name === token)) return true;
      tell?.({ scenario, terms, isBegun: false, traffic });
      return isStuck(traffic, agreedSeconds); // it will not come back, and the next scenario shows so
    });
  }

  function begin(scenario: Scenario): { scenario: Scenario; since: number } {
    const held = live();
    for (const token of held.slice(0, -processes)) token.expire(); // left behind by the scenario before
    client.script(scenario.script?.(processes + 1 - Math.min(processes, held.length)) ?? []);
    return { scenario, since: last() };
  }

  async function play(scenario: Scenario, terms: ListenTerms): Promise<Played> {
    const deadline = deadlineSeconds ? performance.now() + deadlineSeconds * 1000 : Number.POSITIVE_INFINITY;
    if (!(await settle(scenario, terms, deadline))) return skipped(scenario);
    const begun = begin(scenario);
    running = begun;
    const isSeen = await until(deadline, () => {
      if (played.length === 0) begun.since = afterSetup(mock, begun.since);
      const traffic = trafficSince(begun.since);
      tell?.({ scenario, terms, isBegun: true, traffic });
      return scenario.isOver(traffic, agreedSeconds, processes) || isStuck(traffic, agreedSeconds);
    });
    const traffic = trafficSince(begun.since);
    return playedSo(scenario, traffic, isSeen ? 'seen' : traffic.calls.length > 0 ? 'deadline' : 'silent');
  }

  function playedSo(scenario: Scenario, traffic: Traffic, state: Played['state']): Played {
    const { name, summary } = scenario;
    const { lifetimeSeconds, longLived } = termsOf(scenario, agreedSeconds);
    const scene = {
      ...traffic,
      name,
      agreedSeconds,
      lifetimesSeconds: [lifetimeSeconds],
      longLived,
      processes,
    };
    return { scene, summary, state };
  }

  const skipped = (scenario: Scenario) => playedSo(scenario, NOTHING, 'skipped');

  const examination: Examination = {
    client: client.id,
    progress() {
      const { name, summary, waitsFor } = scenarios[
        Math.min(played.length, scenarios.length - 1)
      ] as Scenario;
      const done = played.map(({ scene, state }) => ({ name: scene.name, state }));
      const left = scenarios.slice(played.length + 1).map((one) => one.name);
      return { client: client.id, scenario: name, summary, waitsFor, done, left };
    },
    certificate() {
      const next = scenarios[played.length];
      const isUnderWay = running && running.scenario === next;
      const traffic = isUnderWay ? trafficSince(running?.since ?? 0) : NOTHING;
      const rest = scenarios.slice(played.length + 1).map(skipped);
      return certificateOf([...played, ...(next ? [playedSo(next, traffic, 'deadline')] : []), ...rest]);
    },
  };

  mock.showExamination(examination);
  for (const scenario of scenarios) {
    const isSkipped = signal?.aborted && played.length > 0;
    const one = isSkipped ? skipped(scenario) : await play(scenario, termsOf(scenario, agreedSeconds));
    played.push(one);
    over?.(one, examination);
  }
  mock.showExamination();
  return played;
}

const NOTHING: Traffic = { calls: [], lives: [], durationMs: 0, lost: 0 };

/** Attempts with wrong credentials, before the first token, are of who is still setting the client up. */
function afterSetup(mock: Mock, since: number): number {
  const entries = mock.journal({ since });
  const first = entries.findIndex(({ reason }) => reason === 'issued');
  const wrong = entries.slice(0, Math.max(0, first)).findLast(({ reason }) => reason === 'wrong-credentials');
  return wrong?.seq ?? since;
}
