/** Judges clients by recorded traffic: by those rules for which the traffic shows enough. */
import type { Certificate, JudgedRule } from '../certificate.ts';
import { certificateOf } from '../judge.ts';
import type { Rule, Shown } from '../rule.ts';
import { rules } from '../rules.ts';
import { type ClientTraffic, scenarioTrafficOf } from './client-traffic.ts';

export type TrafficRuleVerdict = 'passed' | 'failed' | 'warned' | 'not-seen';

export interface TrafficRule extends Omit<JudgedRule, 'verdict'> {
  verdict: TrafficRuleVerdict;
}

/** The certificate of one client; verdicts that an examination gives are not-seen where the traffic shows too little. */
export interface TrafficCertificate extends Pick<Certificate, 'strategy' | 'marginSeconds' | 'tokens'> {
  outcome: 'conformant' | 'nonconformant' | 'incomplete';
  rules: readonly TrafficRule[];
  scenario: Certificate['scenarios'][number];
}

const LEVELS: readonly Shown[] = ['requests', 'tokens', 'lifetime'];

const TAKES_EXAMINATION = 'Recorded traffic does not show it. mrs certify tests it.';

/** How much the traffic shows of a client, and why not more, as sentences. */
export interface Visible {
  shown: Shown;
  why?: string;
  /** The highest age at which a token was accepted, where nothing else is known of how long tokens live. */
  aliveSeconds?: number;
  /** Why nothing is judged that takes the times of calls; absent where they are known. */
  untimed?: string;
  /** By the ids of rules that take parts of requests which the recording leaves out, and so do not pass: why, as a sentence. */
  leftOut?: ReadonlyMap<string, string>;
}

/** The rules may not take a client for a scenario, whatever its id is. */
const RECORDED = 'recorded traffic';

/** Where no lifetime is known, fewer needless requests may be those of several processes. */
const FEWEST_NEEDLESS = 4;

/**
 * Whether a client asks for tokens while it has one that is accepted later: then it is needless, however long tokens live.
 * `aliveSeconds`: the highest age at which a token was accepted.
 */
function needlessRenewals(traffic: ClientTraffic, aliveSeconds: number): JudgedRule | undefined {
  const reuse = rules.filter(({ id }) => id === 'token-reuse');
  const played = {
    traffic: scenarioTrafficOf({ ...traffic, name: RECORDED, lifetimeSeconds: aliveSeconds }),
    summary: RECORDED,
    state: 'seen' as const,
  };
  const [found] = certificateOf([played], { rules: reuse, scenarios: [] }).rules;
  const isClear = found?.findings.some(({ calls }) => calls.length >= FEWEST_NEEDLESS);
  return found?.verdict === 'failed' && isClear ? found : undefined;
}

export function judgeClient(
  traffic: ClientTraffic,
  { shown, why = '', aliveSeconds, untimed, leftOut }: Visible,
): TrafficCertificate {
  const level = LEVELS.indexOf(shown);
  const isShown = (rule: Rule) => rule.passive !== undefined && LEVELS.indexOf(rule.passive) <= level;
  const judgeable = rules.filter((rule) => isShown(rule) && (untimed === undefined || rule.timeless));
  const { name } = traffic;
  const played = {
    traffic: scenarioTrafficOf({ ...traffic, name: RECORDED }),
    summary: RECORDED,
    state: 'seen' as const,
  };
  const { scenarios, ...certificate } = certificateOf([played], { rules: judgeable, scenarios: [] });
  const [scenario] = scenarios;
  if (!scenario) throw new Error('A certificate has no scenario.');
  const needless = aliveSeconds === undefined ? undefined : needlessRenewals(traffic, aliveSeconds);
  const known = needless ? [...certificate.rules, needless] : certificate.rules;
  const judged = rules.map((rule): TrafficRule => {
    const found = known.find(({ id }) => id === rule.id);
    const missing = leftOut?.get(rule.id);
    if (found?.verdict === 'passed' && missing !== undefined)
      return { ...found, verdict: 'not-seen', reason: missing };
    if (found) return seenAs(found, name);
    const { id, clause, severity, statement, advice, passive, timeless } = rule;
    return {
      id,
      ...(clause !== undefined && { clause }),
      ...(severity !== undefined && { severity }),
      statement,
      advice,
      verdict: 'not-seen',
      reason: passive === undefined ? TAKES_EXAMINATION : timeless ? why : (untimed ?? why),
      findings: [],
    };
  });
  const isRequired = (id: string) => rules.some((rule) => rule.id === id && rule.required === true);
  const isShort = judged.some(({ id, verdict }) => verdict === 'not-seen' && isRequired(id));
  const hasFailed = judged.some(({ verdict }) => verdict === 'failed');
  return {
    ...certificate,
    rules: judged,
    scenario: { ...scenario, name },
    outcome: hasFailed ? 'nonconformant' : isShort ? 'incomplete' : 'conformant',
  };
}

function seenAs({ verdict, ...rule }: JudgedRule, client: string): TrafficRule {
  const findings = rule.findings.map((finding) => ({ ...finding, scenario: client }));
  if (verdict === 'passed' || verdict === 'failed' || verdict === 'warned')
    return { ...rule, findings, verdict };
  return { ...rule, findings, verdict: 'not-seen' };
}
