import { expect, _baseTest as test } from '@playwright/test';
import { groupRules, numberFindings } from './groups.ts';
import { broken } from './testing/sample-certificates.ts';

test('rules are read by clause, as numbers, and good practice after them', () => {
  const [one] = broken.rules;
  if (!one) throw new Error('The sample has rules.');
  const { clause: _, ...practice } = one;
  const rules = [
    practice,
    ...['MRS-10.1', 'MRS-5.10a', 'MRS-5.2', 'MRS-5c'].map((clause) => ({ ...one, clause })),
  ];
  expect(groupRules(rules).map(({ title }) => title)).toEqual([
    ...['Clause 5', 'Clause 5.2', 'Clause 5.10', 'Clause 10.1', 'Good practice'],
  ]);
  expect(groupRules([])).toEqual([]);
});

test('findings are numbered in the order in which they are read', () => {
  const found = numberFindings(broken.rules).map(({ number, rule, scenario }) => [number, rule.id, scenario]);
  expect(found).toEqual([
    [1, 'no-loop', '403-stays'],
    [2, 'token-reuse', 'steady'],
    [3, 'token-reuse', 'parallel'],
    [4, 'stampede', 'parallel'],
  ]);
});
