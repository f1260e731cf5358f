/** A rule: its texts, which are in tests/client-rules.yaml, and a pure function that judges whether a client keeps it. */
import { createRequire } from 'node:module';
import type { Severity } from '../support/verdict.ts';
import type { Evidence } from './evidence.ts';
import type { Call, ScenarioTraffic } from './traffic.ts';

export interface Finding {
  /** `failed` only where the rule has a clause. */
  verdict: 'failed' | 'warned';
  /** Name of the scenario. */
  scenario: string;
  /** What was seen, as a sentence. */
  seen: string;
  /** The calls that prove it, by id; at most twenty. */
  calls: readonly number[];
}

/** A row of tests/client-rules.yaml, which says what each member is. */
export interface RuleText {
  id: string;
  clause?: string;
  severity?: Severity;
  required?: true;
  passive?: Shown;
  statement: string;
  notTested: string;
  advice: string;
}

/** Each includes those before it: the requests, the tokens that they carried, how long tokens live. */
export type Shown = 'requests' | 'tokens' | 'lifetime';

export interface Rule extends RuleText {
  judge: Check;
}

/**
 * Judges one scenario; `undefined` if the rule does not apply to it, a sentence if something keeps it from being judged.
 * Then the rule was not tested, whatever other scenarios show, unless one of them has a finding.
 */
export type Check = (traffic: ScenarioTraffic, evidence: Evidence) => readonly Finding[] | string | undefined;

/** All rows of tests/client-rules.yaml. */
export const texts: Record<'clients' | 'readers', readonly RuleText[]> = createRequire(import.meta.url)(
  'mrs-contract/client-rules.json',
);

/** The rules for clients or for readers, each with its check. */
export function rulesFor(kind: keyof typeof texts, checks: Readonly<Record<string, Check>>): Rule[] {
  const ids = texts[kind].map(({ id }) => id);
  const odd = [...ids, ...Object.keys(checks)].find((id) => !ids.includes(id) || !checks[id]);
  if (odd !== undefined) throw new Error(`${odd} has no check, or no row in tests/client-rules.yaml.`);
  return texts[kind].map((text) => ({ ...text, judge: checks[text.id] as Check }));
}

/** Judges each call of a kind; `undefined` if the rule does not apply to it. */
export const perCall =
  (
    of: (traffic: ScenarioTraffic) => readonly Call[],
    keeps: (call: Call, traffic: ScenarioTraffic) => boolean | undefined,
    seen: (calls: readonly Call[]) => string,
  ): Check =>
  (traffic) => {
    const judged = of(traffic).map((call) => ({ call, isKept: keeps(call, traffic) }));
    if (judged.every(({ isKept }) => isKept === undefined)) return undefined;
    const broken = judged.flatMap(({ call, isKept }) => (isKept === false ? call : []));
    return fails(traffic, broken, (calls) => seen(traffic.shown ? calls.map(traffic.shown) : calls));
  };

/** Calls that a finding names; there may be more. */
export const CALLS_OF_FINDING = 20;

/** A finding by as many of these calls as prove it; none without calls. */
export const fails = (
  { name }: ScenarioTraffic,
  calls: readonly Call[],
  seen: string | ((calls: readonly Call[]) => string),
): Finding[] =>
  calls.length === 0
    ? []
    : [
        {
          verdict: 'failed',
          scenario: name,
          seen: typeof seen === 'string' ? seen : seen(calls),
          calls: calls.slice(0, CALLS_OF_FINDING).map(({ id }) => id),
        },
      ];

export const warns: typeof fails = (...finding) =>
  fails(...finding).map((one) => ({ ...one, verdict: 'warned' }));
