/** A rule: a statement about clients, and a pure function that judges whether a client keeps it. */

import type { Severity } from '../support/verdict.ts';
import type { Finding } from './certificate.ts';
import type { Pace } from './pace.ts';
import { idsOf, type ScenarioTraffic } from './scenario-traffic.ts';
import type { Renewals } from './strategy.ts';
import type { Call } from './traffic.ts';

export interface Rule {
  id: string;
  /** What it follows from; absent for good practice, whose violation is a warning. */
  clause?: string;
  /** Of a rule with a clause: what a violation means. */
  severity?: Severity;
  statement: string;
  advice: string;
  /** The examination is incomplete if this rule could not be tried. */
  required?: true;
  /** What recorded traffic must show for it to be judged there; absent: it takes an examination. */
  passive?: Shown;
  /** It rests on single requests, and is judged in a recording without times. */
  timeless?: true;
  /** Why it could not be tried, as a sentence. */
  untried: string;
  judge(evidence: Evidence): Judgement;
}

/** Each includes those before it: the requests, the tokens that they carried, how long tokens live. */
export type Shown = 'requests' | 'tokens' | 'lifetime';

/** All that was seen of a client, and what follows from it. */
export interface Evidence {
  scenarios: readonly ScenarioTraffic[];
  pace: Pace | undefined;
  renewals: Renewals;
  /** Between two reads of a client that nothing holds up, in milliseconds. */
  idleMs: number;
  /** How many reads it has under way at once, at most; its processes, if these are more. */
  atOnce: number;
  /** How many it makes in a row, without a pause between them. */
  inARow: number;
}

export interface Judgement {
  /** Whether the client did anything that the rule applies to. */
  tried: boolean;
  findings: Finding[];
  /** Why it could not be tried, as a sentence, where the rule's own is not the reason. */
  untried?: string;
}

/**
 * Judges each scenario; `undefined` if the rule does not apply to it, a sentence if something keeps it from being judged.
 * Then the rule has not been tried, whatever other scenarios show, unless one of them has a finding.
 */
export const perScenario =
  (judge: (traffic: ScenarioTraffic, evidence: Evidence) => Finding[] | string | undefined): Rule['judge'] =>
  (evidence) => {
    const results = evidence.scenarios.map((traffic) => judge(traffic, evidence));
    const judged = results.filter((result) => Array.isArray(result));
    const untried = results.find((result) => typeof result === 'string');
    return {
      tried: judged.length > 0 && untried === undefined,
      findings: judged.flat(),
      ...(untried !== undefined && { untried }),
    };
  };

/** Judges each call of a kind; `undefined` if the rule does not apply to it. */
export const perCall = (
  of: (traffic: ScenarioTraffic) => readonly Call[],
  keeps: (call: Call, traffic: ScenarioTraffic) => boolean | undefined,
  seen: (calls: readonly Call[], traffic: ScenarioTraffic) => string,
): Rule['judge'] =>
  perScenario((traffic) => {
    const judged = of(traffic).filter((call) => keeps(call, traffic) !== undefined);
    if (judged.length === 0) return undefined;
    const broken = judged.filter((call) => keeps(call, traffic) === false);
    return broken.length === 0 ? [] : [fails(traffic, broken, seen(broken, traffic))];
  });

export const fails = (traffic: ScenarioTraffic, calls: readonly Call[], seen: string): Finding => ({
  verdict: 'failed',
  scenario: traffic.name,
  seen,
  calls: idsOf(calls),
});

export const warns = (traffic: ScenarioTraffic, calls: readonly Call[], seen: string): Finding => ({
  ...fails(traffic, calls, seen),
  verdict: 'warned',
});

/** `1 call`, `3 calls`. */
export const several = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
