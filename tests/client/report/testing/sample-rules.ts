/** The rules of the sample certificates. */
import type { Finding, JudgedRule, RuleVerdict } from '../../certificate.ts';
import { rules } from '../../rules.ts';

const IDS = `
  form-content-type token-accept data-accept form-fields credentials-place token-reuse bearer-header token-place renewal
  retry dead-token no-loop stampede back-off retry-after recovers refresh-once margin token-request-without-token`
  .trim()
  .split(/\s+/);

/** What a sample says of a rule that did not simply pass. */
export interface Judgement {
  verdict: RuleVerdict;
  reason?: string;
  findings?: readonly Finding[];
}

/** Every rule, passed where `judgements` says nothing else. */
export function sampleRules(judgements: Record<string, Judgement> = {}): JudgedRule[] {
  return IDS.map((id) => {
    const rule = rules.find((one) => one.id === id);
    if (!rule) throw new Error(`There is no rule ${id}.`);
    const { clause, severity, statement, advice } = rule;
    const { verdict, reason, findings = [] } = judgements[id] ?? { verdict: 'passed' as const };
    return {
      ...{ id, verdict, statement, advice, findings },
      ...(clause === undefined ? {} : { clause }),
      ...(severity === undefined ? {} : { severity }),
      ...(reason === undefined ? {} : { reason }),
    };
  });
}
