/** One scenario as a client went through it, in the form that the judge takes. */
import type { ScenarioRun } from '../../tests/client/judge.ts';
import type { ScenarioTraffic } from '../../tests/client/scenario-traffic.ts';
import type { Traffic } from '../index.ts';
import type { Scenario } from './scenario-catalogue.ts';

export const NO_TRAFFIC: Traffic = { calls: [], lives: [], durationMs: 0, lost: 0 };

type Terms = Pick<
  ScenarioTraffic,
  | 'agreedSeconds'
  | 'lifetimesSeconds'
  | 'longLived'
  | 'processes'
  | 'ended'
  | 'stalls'
  | 'served'
  | 'statements'
>;

export function scenarioRun(
  { name, summary }: Scenario,
  terms: Terms,
  traffic: Traffic,
  state: ScenarioRun['state'],
): ScenarioRun {
  return { traffic: { ...traffic, ...terms, name }, summary, state };
}

/** Of a scenario whose time was over: whether the client called at all. */
export const unfinished = ({ calls }: Traffic): ScenarioRun['state'] =>
  calls.length > 0 ? 'deadline' : 'silent';
