/** The judge of clients: from what was seen of one to its certificate. */
import type { Certificate, JudgedRule, RuleVerdict, ScenarioResult, TokenCount } from './certificate.ts';
import { undisturbedIdleMs } from './delay.ts';
import { atOnceIn, paceOf } from './pace.ts';
import type { Evidence, Rule } from './rule.ts';
import { rules } from './rules.ts';
import type { ScenarioTraffic } from './scenario-traffic.ts';
import { renewalsOf } from './strategy.ts';
import { tokenCount } from './token-count.ts';

/** A scenario, and how it came to its end. A traffic without a call, or one that was skipped, is no occasion for a rule. */
export interface ScenarioRun {
  traffic: ScenarioTraffic;
  summary: string;
  state: ScenarioResult['state'];
}

export function certificateOf(played: readonly ScenarioRun[]): Certificate {
  const scenarios = played.map(({ traffic }) => traffic).filter(({ calls }) => calls.length > 0);
  const atOnce = atOnceIn(scenarios);
  const pace = paceOf(scenarios, atOnce);
  const renewals = renewalsOf(scenarios, pace, atOnce);
  const idleMs = undisturbedIdleMs(scenarios, atOnce);
  const evidence = { scenarios, pace, renewals, idleMs, atOnce };
  const judged = rules.map((rule) => judge(rule, evidence));
  return {
    outcome: outcomeOf(
      judged,
      scenarios.some(({ lost }) => lost > 0),
    ),
    strategy: renewals.strategy,
    ...(renewals.marginSeconds !== undefined && { marginSeconds: renewals.marginSeconds }),
    tokens: sum(scenarios.map(tokenCount)),
    rules: judged,
    scenarios: played.map((one) => resultOf(one, judged)),
  };
}

function judge(
  { judge, id, clause, statement, advice, required, untried }: Rule,
  evidence: Evidence,
): JudgedRule {
  const { tried, findings } = judge(evidence);
  const verdict = verdictOf(findings, tried, required);
  const isSilent = evidence.scenarios.length === 0;
  return {
    id,
    ...(clause !== undefined && { clause }),
    verdict,
    statement,
    advice,
    findings,
    ...((verdict === 'could-not-run' || verdict === 'not-applicable') && {
      reason: isSilent ? 'The client never called.' : untried,
    }),
  };
}

function verdictOf(findings: JudgedRule['findings'], tried: boolean, required?: true): RuleVerdict {
  if (findings.some(({ severity }) => severity === 'fails')) return 'failed';
  if (findings.length > 0) return 'warned';
  if (tried) return 'passed';
  return required ? 'could-not-run' : 'not-applicable';
}

/** Never conformant on nothing: a clause that could not be tried is not kept, nor one by calls that are lost. */
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
  const { name, agreedSeconds, lifetimesSeconds, calls, lives, durationMs, ended } = traffic;
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
    calls: shown,
    callCount: calls.length,
    lives: lives.filter(({ number }) => carried.has(number)),
  };
}

const exitInWords = ({ code, signal }: NonNullable<ScenarioTraffic['ended']>): string =>
  signal === undefined ? `with exit code ${code}` : `by the signal ${signal}`;
