/** The judge of clients: from what was seen of one to its certificate. */
import { type Outcome, outcomeOf, type Verdict } from '../support/verdict.ts';
import { type Evidence, evidenceOf, type Strategy, type TokenCount, tokenCount } from './evidence.ts';
import { type Finding, type Rule, type RuleText, rulesFor } from './rule.ts';
import { outageChecks } from './rules/outages.ts';
import { refusalChecks } from './rules/refusals.ts';
import { requestChecks } from './rules/requests.ts';
import { tokenChecks } from './rules/tokens.ts';
import { scenarios as clientScenarios, type Scenario } from './scenarios.ts';
import { type Call, isRefused, isServed, type Life, type ScenarioTraffic } from './traffic.ts';

export interface Certificate {
  /** `incomplete`: nothing is broken in what was seen, and a clause could not be tried. */
  outcome: Outcome;
  strategy: Strategy;
  /** Over all scenarios. */
  tokens: TokenCount;
  rules: readonly JudgedRule[];
  scenarios: readonly ScenarioResult[];
  /** Names of the scenarios that were not to be played; absent where all were. Without them nothing is conformant. */
  leftOut?: readonly string[];
}

export interface JudgedRule extends Pick<RuleText, 'id' | 'clause' | 'severity' | 'statement' | 'advice'> {
  verdict: Verdict;
  /** Of could-not-run and not-applicable. */
  reason?: string;
  findings: readonly Finding[];
}

export interface ScenarioResult {
  name: string;
  /** What the client met. */
  summary: string;
  /** The lifetime that was agreed with the client, and how long its tokens really lived. */
  agreedLifetimeSeconds: number;
  tokenLifetimeSeconds: number;
  /**
   * `seen`: enough, which is all that the scenario is for, or that the client gets nowhere in it; `deadline`: its time was
   * over before; `interrupted`: the user ended the examination; `ended`: the client ended by itself; `silent`: it never called.
   */
  state: 'seen' | 'deadline' | 'interrupted' | 'ended' | 'silent';
  /** How the client ended by itself, as the rest of a sentence: `with exit code 1`. */
  ended?: string;
  durationMs: number;
  tokens: TokenCount;
  /** Of a feed without tokens: how many it has at last, and how many the client said that it holds, if it said so. */
  records?: { served: number; held?: number };
  /** The first five hundred, and those that prove a finding. */
  calls: readonly Call[];
  /** How many there were. */
  callCount: number;
  lives: readonly Life[];
}

/** A scenario, and how it came to its end. Traffic without a call shows nothing of a rule. */
export interface ScenarioRun {
  traffic: ScenarioTraffic;
  summary: string;
  state: ScenarioResult['state'];
}

/** What a kind of client is examined on. */
export interface Catalogue {
  rules: readonly Rule[];
  scenarios: readonly Scenario[];
}

export const rules: readonly Rule[] = rulesFor('clients', {
  ...requestChecks,
  ...tokenChecks,
  ...refusalChecks,
  ...outageChecks,
});

/** That of clients with tokens. */
export const OF_CLIENTS: Catalogue = { rules, scenarios: clientScenarios };

/** `leftOut`: names of the scenarios that the user chose not to play, and without which the examination is partial. */
export function certificateOf(
  played: readonly ScenarioRun[],
  catalogue = OF_CLIENTS,
  leftOut: readonly string[] = [],
): Certificate {
  const scenarios = played
    .map(({ traffic, state }) =>
      state === 'seen' && !traffic.ended ? traffic : { ...traffic, isCut: true as const },
    )
    .filter(({ calls }) => calls.length > 0);
  const evidence = evidenceOf(scenarios);
  const cut = catalogue.scenarios.flatMap((scenario) => {
    const run = played.find(({ traffic }) => traffic.name === scenario.name);
    return run && isCutShort(run, scenario)
      ? { ...scenario, byClient: run.state === 'ended', isDone: isDone(run) }
      : [];
  });
  const judged = catalogue.rules.map((rule) => judge(rule, evidence, cut));
  // Neither if a clause could not be tried, nor if calls or a scenario's end are missing.
  const isPartial =
    cut.some((one) => !one.isDone) || leftOut.length > 0 || scenarios.some(({ lost }) => lost > 0);
  const counts = scenarios.map(tokenCount);
  return {
    outcome: outcomeOf(judged, { partial: isPartial }),
    strategy: evidence.strategy,
    tokens: {
      asked: counts.reduce((sum, { asked }) => sum + asked, 0),
      needed: counts.reduce((sum, { needed }) => sum + needed, 0),
    },
    rules: judged,
    scenarios: played.map((one) => resultOf(one, judged)),
    ...(leftOut.length > 0 && { leftOut }),
  };
}

/** Whether a scenario ended before all had been seen; a client may end where a fresh token is refused too. */
const isCutShort = ({ state, traffic: { calls } }: ScenarioRun, { mayEnd }: Scenario): boolean => {
  const last = calls.findLast(({ kind }) => kind === 'data' || kind === 'token');
  return state !== 'seen' && !(state === 'ended' && mayEnd && last && isRefused(last));
};

/** Whether the client ended a scenario without a failure, after a call that was served: what it had met until then counts. */
const isDone = ({ state, traffic: { calls, ended } }: ScenarioRun): boolean => {
  const last = calls.findLast(({ kind }) => kind === 'data' || kind === 'token');
  return state === 'ended' && !ended?.code && !ended?.signal && (last === undefined || isServed(last));
};

/** What a judged rule keeps of its row. */
export const textOf = ({ id, clause, severity, statement, advice }: RuleText) => ({
  id,
  ...(clause !== undefined && { clause }),
  ...(severity !== undefined && { severity }),
  statement,
  advice,
});

/** A scenario that was cut short, and whether the client ended it: if it `isDone`, only what it did not meet is unseen. */
type CutScenario = Scenario & { byClient: boolean; isDone: boolean };

/** Why nothing is known of a rule that these scenarios exist for. */
function whyUnseen(cut: readonly CutScenario[]): string {
  const names = cut.map(({ name }) => name).join(', ');
  return cut.every(({ byClient }) => byClient)
    ? `The client ended by itself before it had shown this, in ${names}.`
    : `The examination ended before it had seen all of ${names}.`;
}

function judge(rule: Rule, evidence: Evidence, cut: readonly CutScenario[]): JudgedRule {
  const { id, required } = rule;
  const results = evidence.scenarios.map((traffic) => rule.judge(traffic, evidence));
  const findings = results.flatMap((result) => (Array.isArray(result) ? (result as Finding[]) : []));
  const obstacle = results.find((result) => typeof result === 'string');
  const applied = new Set(
    evidence.scenarios.flatMap(({ name }, at) => (results[at] === undefined ? [] : name)),
  );
  const unseen = cut.filter((one) => one.examines.includes(id) && !(one.isDone && applied.has(one.name)));
  const isApplied = obstacle === undefined && results.some((result) => result !== undefined);
  const verdict: Verdict = findings.some((one) => one.verdict === 'failed')
    ? 'failed'
    : findings.length > 0
      ? 'warned'
      : isApplied && unseen.length === 0
        ? 'passed'
        : required || unseen.length > 0 || obstacle !== undefined
          ? 'could-not-run'
          : 'not-applicable';
  const reason =
    evidence.scenarios.length === 0
      ? 'The client never called.'
      : unseen.length > 0
        ? whyUnseen(unseen)
        : (obstacle ?? rule.notTested);
  return {
    ...textOf(rule),
    verdict,
    findings,
    ...((verdict === 'could-not-run' || verdict === 'not-applicable') && { reason }),
  };
}

/** A loop makes thousands of calls, of which a report shows the first. */
const SHOWN = 500;

function resultOf({ traffic, summary, state }: ScenarioRun, judged: readonly JudgedRule[]): ScenarioResult {
  const { name, agreedSeconds, lifetimesSeconds, calls, lives, durationMs, ended, served } = traffic;
  const held = traffic.statements?.at(-1)?.records;
  const findings = judged.flatMap((rule) => rule.findings.filter(({ scenario }) => scenario === name));
  const proofs = new Set(findings.flatMap((one) => one.calls));
  const shown = calls.filter(({ id }) => id <= SHOWN || proofs.has(id));
  const carried = new Set(shown.map(({ token }) => token));
  return {
    name,
    summary,
    state,
    durationMs,
    agreedLifetimeSeconds: agreedSeconds,
    tokenLifetimeSeconds: lifetimesSeconds[0] ?? agreedSeconds,
    ...(ended && {
      ended: ended.signal === undefined ? `with exit code ${ended.code}` : `by the signal ${ended.signal}`,
    }),
    tokens: tokenCount(traffic),
    ...(served !== undefined && { records: { served, ...(held !== undefined && { held }) } }),
    calls: shown,
    callCount: calls.length,
    lives: lives.filter(({ number }) => carried.has(number)),
  };
}
