/** The judge of clients: from what was seen of one to its certificate. */
import type { Certificate, JudgedRule, RuleVerdict, ScenarioResult, TokenCount } from './certificate.ts';
import { undisturbedIdleMs } from './delay.ts';
import { atOnceIn, paceOf, usualRow } from './pace.ts';
import type { Evidence, Rule } from './rule.ts';
import { rules as clientRules } from './rules.ts';
import { isServed, type ScenarioTraffic } from './scenario-traffic.ts';
import { scenarios as clientScenarios, type Scenario } from './scenarios.ts';
import { renewalsOf } from './strategy.ts';
import { tokenCount } from './token-count.ts';

/** A scenario, and how it came to its end. A traffic without a call, or one that was skipped, is no occasion for a rule. */
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

/** That of clients with tokens. */
export const OF_CLIENTS: Catalogue = { rules: clientRules, scenarios: clientScenarios };

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
  const atOnce = atOnceIn(scenarios);
  const pace = paceOf(scenarios, atOnce);
  const renewals = renewalsOf(scenarios, pace, atOnce);
  const idleMs = undisturbedIdleMs(scenarios, atOnce);
  const inARow = usualRow(scenarios, pace);
  const evidence = { scenarios, pace, renewals, idleMs, atOnce, inARow };
  const cut = catalogue.scenarios.filter(({ name }) =>
    played.some((one) => one.traffic.name === name && isCutShort(one)),
  );
  const judged = catalogue.rules.map((rule) => judge(rule, evidence, cut));
  return {
    outcome: outcomeOf(
      judged,
      cut.length > 0 || leftOut.length > 0 || scenarios.some(({ lost }) => lost > 0),
    ),
    strategy: renewals.strategy,
    ...(renewals.marginSeconds !== undefined && { marginSeconds: renewals.marginSeconds }),
    tokens: sum(scenarios.map(tokenCount)),
    rules: judged,
    scenarios: played.map((one) => resultOf(one, judged)),
    ...(leftOut.length > 0 && { leftOut }),
  };
}

/**
 * Whether a scenario ended before all had been seen. Of one that the client ended: only where its last call left open what it
 * would have done next, and where it did not say by its exit code that it failed.
 */
const isCutShort = ({ state, traffic }: ScenarioRun): boolean => {
  if (state === 'seen') return false;
  if (state !== 'ended') return true;
  const last = traffic.calls.findLast(({ kind }) => kind === 'data' || kind === 'token');
  return last !== undefined && !isServed(last) && !traffic.ended?.code;
};

function judge(
  { judge, id, clause, severity, statement, advice, required, untried }: Rule,
  evidence: Evidence,
  cut: readonly Scenario[],
): JudgedRule {
  const { tried, findings, untried: cause = untried } = judge(evidence);
  const unseen = cut.filter(({ examines }) => examines.includes(id)).map(({ name }) => name);
  const verdict = verdictOf(findings, tried, required === true, unseen.length > 0);
  const reason =
    evidence.scenarios.length === 0
      ? 'The client never called.'
      : unseen.length > 0
        ? `The examination ended before it had seen all of ${inWords(unseen)}.`
        : cause;
  return {
    id,
    ...(clause !== undefined && { clause }),
    ...(severity !== undefined && { severity }),
    verdict,
    statement,
    advice,
    findings,
    ...((verdict === 'could-not-run' || verdict === 'not-applicable') && { reason }),
  };
}

function verdictOf(
  findings: JudgedRule['findings'],
  tried: boolean,
  isRequired: boolean,
  isUnseen: boolean,
): RuleVerdict {
  if (findings.some(({ verdict }) => verdict === 'failed')) return 'failed';
  if (findings.length > 0) return 'warned';
  if (isUnseen) return 'could-not-run';
  if (tried) return 'passed';
  return isRequired ? 'could-not-run' : 'not-applicable';
}

/** Never conformant without evidence: neither if a clause could not be tried, nor if calls or a scenario's end are missing. */
function outcomeOf(judged: readonly JudgedRule[], isPartial: boolean): Certificate['outcome'] {
  const has = (verdict: RuleVerdict) => judged.some((one) => one.verdict === verdict);
  return has('failed') ? 'nonconformant' : has('could-not-run') || isPartial ? 'incomplete' : 'conformant';
}

const sum = (counts: readonly TokenCount[]): TokenCount => ({
  asked: counts.reduce((all, { asked }) => all + asked, 0),
  needed: counts.reduce((all, { needed }) => all + needed, 0),
});

/** A loop makes thousands of calls, of which a report shows the first. */
const SHOWN = 500;

function resultOf({ traffic, summary, state }: ScenarioRun, judged: readonly JudgedRule[]): ScenarioResult {
  const { name, agreedSeconds, lifetimesSeconds, calls, lives, durationMs, ended, served, statements } =
    traffic;
  const held = statements?.at(-1)?.records;
  const proofs = new Set(
    judged
      .flatMap(({ findings }) => findings.filter(({ scenario }) => scenario === name))
      .flatMap((one) => one.calls),
  );
  const shown = calls.filter(({ id }) => id <= SHOWN || proofs.has(id));
  const carried = new Set(shown.map(({ token }) => token));
  return {
    name,
    summary,
    state,
    durationMs,
    agreedLifetimeSeconds: agreedSeconds,
    tokenLifetimeSeconds: lifetimesSeconds[0] ?? agreedSeconds,
    ...(ended && { ended: exitInWords(ended) }),
    tokens: tokenCount(traffic),
    ...(served !== undefined && { records: { served, ...(held !== undefined && { held }) } }),
    calls: shown,
    callCount: calls.length,
    lives: lives.filter(({ number }) => carried.has(number)),
  };
}

/** `a`, `a and b`, `a, b and c`. */
const inWords = (names: readonly string[]): string => new Intl.ListFormat('en-GB').format(names);

const exitInWords = ({ code, signal }: NonNullable<ScenarioTraffic['ended']>): string =>
  signal === undefined ? `with exit code ${code}` : `by the signal ${signal}`;
