import { expect, test } from '@playwright/test';
import { findRule, RULES } from './rules.ts';

for (const rule of RULES)
  test(`${rule.id} says in sentences what, why and what to do, and where it comes from`, () => {
    expect(rule.source).toMatch(/^https:\/\/\S+$/);
    for (const text of [rule.statement, rule.why, rule.remedy]) expect(text).toMatch(/^[A-Z0-9].*\.$/);
    expect(findRule(rule.id)).toBe(rule);
  });

test('what no rule is named by is no rule', () => {
  expect(findRule('constructor')).toBe(undefined);
});
