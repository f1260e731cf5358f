/** The rules of a certificate in the order in which they are read, and its findings by number. */
import type { Finding, JudgedRule } from '../certificate.ts';

export interface RuleGroup {
  title: string;
  rules: readonly JudgedRule[];
}

export interface NumberedFinding extends Finding {
  /** Counts from 1, over all rules. */
  number: number;
  rule: JudgedRule;
}

/** `Clause 5.3` of `MRS-5.3a`, as the specification numbers it; `Profile static-feed` of `MRS-2b@static-feed`; `RFC 9110`. */
function titleOf(clause: string): string {
  const [, profile] = /@(.*)$/.exec(clause) ?? [];
  if (profile !== undefined) return `Profile ${profile}`;
  return /^RFC \d+/.exec(clause)?.[0] ?? `Clause ${clause.match(/\d+(\.\d+)*/)?.[0] ?? clause}`;
}

/** The rules by clause, in the order of the specification, and good practice after them. */
export function groupRules(rules: readonly JudgedRule[]): RuleGroup[] {
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
export function numberFindings(rules: readonly JudgedRule[]): NumberedFinding[] {
  return groupRules(rules)
    .flatMap((group) => group.rules)
    .flatMap((rule) => rule.findings.map((finding) => ({ ...finding, rule })))
    .map((finding, index) => ({ ...finding, number: index + 1 }));
}
