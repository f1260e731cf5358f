import { expect, _baseTest as test } from '@playwright/test';
import { findRule, RULES } from './rules.ts';

for (const rule of RULES)
  test(`${rule.id} explains itself in sentences and links to its source`, () => {
    expect(rule.source).toMatch(/^https:\/\/\S+$/);
    for (const text of [rule.statement, rule.why, rule.remedy]) expect(text).toMatch(/^[A-Z0-9].*\.$/);
    expect(findRule(rule.id)).toBe(rule);
  });

test('a name that is not a rule finds none', () => {
  expect(findRule('constructor')).toBe(undefined);
});
