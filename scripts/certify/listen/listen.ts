/** Leads a client that the user started through the scenarios: one mock, and one scenario after the other. */

import type { Examination } from '../../../tests/client/examination.ts';
import { certificateOf, OF_CLIENTS, type ScenarioRun } from '../../../tests/client/judge.ts';
import { dataCalls, isServed } from '../../../tests/client/scenario-traffic.ts';
import { isStuck, PATIENCE_MS } from '../../../tests/client/scenarios.ts';
import type { Mock, Traffic } from '../../index.ts';
import { poll } from '../poll.ts';
import type { Scenario } from '../scenario-catalogue.ts';
import { NO_TRAFFIC, scenarioRun, unfinished } from '../scenario-run.ts';
import { type ListenTerms, termsOf } from './token-terms.ts';

export interface ListenOptions {
  mock: Mock;
  /** Id of the client; the mock knows it. */
  client: string;
  /** The token lifetime that the client was given. */
  agreedSeconds: number;
  scenarios: readonly Scenario[];
  /** Names of those that are not played. */
  leftOut?: readonly string[];
  /** Number of processes that share the client id. */
  processes?: number;
  /** For each scenario; without it, as long as it takes. */
  deadlineSeconds?: number;
  /** Ends the examination early: what was seen is judged. */
  signal?: AbortSignal;
  /** Called again and again with the scenario under way. */
  onStatus?(status: ListenStatus): void;
  /** Called after each scenario, with what all of them come to by then. */
  onScenarioEnd?(run: ScenarioRun, examination: Examination): void;
}

export interface ListenStatus {
  scenario: Scenario;
  terms: ListenTerms;
  /** Before it begins, the client has to be reading with a token of the right life. */
  isBegun: boolean;
  traffic: Traffic;
}

export async function listen(options: ListenOptions): Promise<ScenarioRun[]> {
  const { mock, agreedSeconds, scenarios, leftOut, processes = 1, deadlineSeconds, signal } = options;
  const { onStatus, onScenarioEnd } = options;
  const client = mock.client(options.client);
  const runs: ScenarioRun[] = [];
  let running: { scenario: Scenario; since: number } | undefined;

  const last = () => mock.journal({ limit: 1 }).at(-1)?.seq ?? 0;
  const trafficSince = (since: number) => mock.traffic(client.id, since);
  const validTokens = () => client.tokens().filter(({ standing }) => standing === 'valid');

  /** Polls until `isOver`; false if there was no time for that. */
  async function until(deadline: number, isOver: () => boolean): Promise<boolean> {
    const limits = { deadline, ...(signal && { signal }) };
    return (await poll(() => isOver() || undefined, limits)) ?? false;
  }

  /**
   * A scenario begins when the client reads with a token whose life is the scenario's. What it does until then still
   * follows from the scenario before, and is not judged.
   */
  async function settle(scenario: Scenario, terms: ListenTerms, deadline: number): Promise<boolean> {
    const before = running && termsOf(running.scenario, agreedSeconds);
    client.script([]);
    client.change({ tokenLifetime: terms.lifetimeSeconds });
    if (!running || !before || last() === 0) return true; // the client has not called yet
    const hasOthers = before.lifetimeSeconds !== terms.lifetimeSeconds;
    if (hasOthers) client.expire();
    const since = hasOthers ? last() : running.since;
    return until(deadline, () => {
      const traffic = trafficSince(since);
      const reads = dataCalls(traffic).slice(processes === 1 ? -1 : -2 * processes);
      const token = `${client.id}#${reads.at(-1)?.token}`;
      const isBack = reads.length > 0 && reads.every(isServed);
      if (isBack && validTokens().some(({ name }) => name === token)) return true;
      onStatus?.({ scenario, terms, isBegun: false, traffic });
      return isStuck(traffic, agreedSeconds); // it will not read again, and the next scenario shows so
    });
  }

  function begin(scenario: Scenario): { scenario: Scenario; since: number } {
    const held = validTokens();
    for (const token of held.slice(0, -processes)) token.expire(); // left over from the scenario before
    client.script(scenario.script(processes + 1 - Math.min(processes, held.length)));
    return { scenario, since: last() };
  }

  async function play(scenario: Scenario, terms: ListenTerms): Promise<ScenarioRun> {
    const deadline = deadlineSeconds ? performance.now() + deadlineSeconds * 1000 : Number.POSITIVE_INFINITY;
    if (!(await settle(scenario, terms, deadline))) return skipped(scenario);
    const begun = begin(scenario);
    running = begun;
    const isSeen = await until(deadline, () => {
      if (runs.length === 0) begun.since = afterSetup(mock, begun.since);
      const traffic = trafficSince(begun.since);
      onStatus?.({ scenario, terms, isBegun: true, traffic });
      return (
        scenario.isOver(traffic, agreedSeconds, processes) || isStuck(traffic, agreedSeconds, PATIENCE_MS)
      );
    });
    const traffic = trafficSince(begun.since);
    return runOf(scenario, traffic, isSeen ? 'seen' : unfinished(traffic));
  }

  function runOf(scenario: Scenario, traffic: Traffic, state: ScenarioRun['state']): ScenarioRun {
    const { lifetimeSeconds, longLived } = termsOf(scenario, agreedSeconds);
    const terms = { agreedSeconds, lifetimesSeconds: [lifetimeSeconds], longLived, processes };
    return scenarioRun(scenario, terms, traffic, state);
  }

  const skipped = (scenario: Scenario) => runOf(scenario, NO_TRAFFIC, 'skipped');

  const examination: Examination = {
    client: client.id,
    progress() {
      const next = scenarios[Math.min(runs.length, scenarios.length - 1)] as Scenario;
      return {
        client: client.id,
        scenario: next.name,
        summary: next.summary,
        waitsFor: next.waitsFor,
        done: runs.map(({ traffic, state }) => ({ name: traffic.name, state })),
        left: scenarios.slice(runs.length + 1).map(({ name }) => name),
      };
    },
    certificate() {
      const next = scenarios[runs.length];
      const isUnderWay = running && running.scenario === next;
      const traffic = isUnderWay ? trafficSince(running?.since ?? 0) : NO_TRAFFIC;
      const rest = scenarios.slice(runs.length + 1).map(skipped);
      const played = [...runs, ...(next ? [runOf(next, traffic, 'deadline')] : []), ...rest];
      return certificateOf(played, OF_CLIENTS, leftOut);
    },
  };

  mock.showExamination(examination);
  for (const scenario of scenarios) {
    const isSkipped = signal?.aborted && runs.length > 0;
    const run = isSkipped ? skipped(scenario) : await play(scenario, termsOf(scenario, agreedSeconds));
    runs.push(run);
    onScenarioEnd?.(run, examination);
  }
  mock.showExamination();
  return runs;
}

/** Attempts with wrong credentials before the first token come from a user who is still setting the client up. */
function afterSetup(mock: Mock, since: number): number {
  const entries = mock.journal({ since });
  const first = entries.findIndex(({ reason }) => reason === 'issued');
  const wrong = entries.slice(0, Math.max(0, first)).findLast(({ reason }) => reason === 'wrong-credentials');
  return wrong?.seq ?? since;
}
