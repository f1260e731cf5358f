import { expect, _baseTest as test } from '@playwright/test';
import { createFindings } from './findings.ts';
import { findRule, RULES } from './rules.ts';

for (const rule of RULES)
  test(`${rule.id} explains itself in sentences and links to its source`, () => {
    expect(Object.keys(rule)).toEqual(['id', 'class', 'severity', 'statement', 'why', 'source', 'remedy']);
    expect('SDH').toContain(rule.class);
    expect(['security', 'breaks-clients', 'wrong-data', 'form']).toContain(rule.severity);
    expect(rule.source).toMatch(/^https:\/\/\S+$/);
    for (const text of [rule.statement, rule.why, rule.remedy]) expect(text).toMatch(/^[A-Z0-9].*\.$/);
    expect(findRule(rule.id)).toBe(rule);
  });

test('no two rules have one id, and a name that is not a rule finds none', () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
  expect(findRule('constructor')).toBe(undefined);
});

test('a finding of a rule that is not in the file is an error of the code', () => {
  expect(() => createFindings().report('rang', () => ({ pointer: '', seen: '' }))).toThrow(
    'tests/feed-rules.yaml has no rule rang.',
  );
});
