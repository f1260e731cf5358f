/** The rules for mitigation request records: what each requires, why, its source, and what to do. */
import { BODY_RULES } from './rule-texts/body-rules.ts';
import { FEED_RULES } from './rule-texts/feed-rules.ts';
import { FIELD_RULES } from './rule-texts/field-rules.ts';
import { RECORD_RULES } from './rule-texts/record-rules.ts';
import type { RuleText } from './rule-texts/rule-text.ts';

export type { RuleClass } from './rule-texts/rule-text.ts';

export interface Rule extends RuleText {
  id: RuleId;
}

export type RuleId = keyof typeof TABLE;

const TABLE = { ...BODY_RULES, ...FIELD_RULES, ...RECORD_RULES, ...FEED_RULES };

/** In the order of reports. */
export const RULES: readonly Rule[] = Object.entries(TABLE).map(([id, rule]) => ({
  id: id as RuleId,
  ...rule,
}));

const byId = new Map<string, Rule>(RULES.map((rule) => [rule.id, rule]));

export const findRule = (id: string): Rule | undefined => byId.get(id);

export function ruleOf(id: RuleId): Rule {
  return byId.get(id) as Rule;
}
