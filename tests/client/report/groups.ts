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

/** `5.3` of `MRS-5.3a`: the clause as the specification numbers it. */
const sectionOf = (clause: string): string => clause.match(/\d+(\.\d+)*/)?.[0] ?? clause;

/** The rules by clause, in the order of the specification, and good practice after them. */
export function groupRules(rules: readonly JudgedRule[]): RuleGroup[] {
  const sections = [
    ...new Set(rules.flatMap(({ clause }) => (clause === undefined ? [] : sectionOf(clause)))),
  ];
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const groups = sections.sort(compare).map((section) => ({
    title: `Clause ${section}`,
    rules: rules.filter(({ clause }) => clause !== undefined && sectionOf(clause) === section),
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
