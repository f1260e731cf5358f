/** The rules of a certificate in the order in which they are read, and its findings by number. */
import type { Finding } from '../certificate.ts';

/** What is known of a rule, in a certificate or in a report on recorded traffic. */
interface NamedRule {
  id: string;
  clause?: string | undefined;
  findings: readonly Finding[];
}

export interface RuleGroup<Rule extends NamedRule> {
  title: string;
  rules: readonly Rule[];
}

export interface NumberedFinding extends Finding {
  /** Counts from 1, over all rules. */
  number: number;
  rule: NamedRule;
}

/** `Clause 5.3` of `MRS-5.3a`, as the specification numbers it; `Profile static-feed` of `MRS-2b@static-feed`; `RFC 9110`. */
function titleOf(clause: string): string {
  const [, profile] = /@(.*)$/.exec(clause) ?? [];
  if (profile !== undefined) return `Profile ${profile}`;
  return /^RFC \d+/.exec(clause)?.[0] ?? `Clause ${clause.match(/\d+(\.\d+)*/)?.[0] ?? clause}`;
}

/** The rules by clause, in the order of the specification, and good practice after them. */
export function groupRules<Rule extends NamedRule>(rules: readonly Rule[]): RuleGroup<Rule>[] {
  const titles = [...new Set(rules.flatMap(({ clause }) => (clause === undefined ? [] : titleOf(clause))))];
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const groups = titles.sort(compare).map((title) => ({
    title,
    rules: rules.filter(({ clause }) => clause !== undefined && titleOf(clause) === title),
  }));
  const practice = rules.filter(({ clause }) => clause === undefined);
  return practice.length === 0 ? groups : [...groups, { title: 'Good practice', rules: practice }];
}

/** All findings, in the order of the groups. */
export function numberFindings(rules: readonly NamedRule[]): NumberedFinding[] {
  return groupRules(rules)
    .flatMap((group) => group.rules)
    .flatMap((rule) => rule.findings.map((finding) => ({ ...finding, rule })))
    .map((finding, index) => ({ ...finding, number: index + 1 }));
}
