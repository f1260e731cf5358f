/** One Playwright test for each requirement: it reports the judgement on the evidence of the run. */
import { _baseTest as base, expect } from '@playwright/test';
import { evidenceFile, readHandOver } from '../run/hand-over.ts';
import type { Evidence } from './evidence.ts';
import { readEvidence } from './evidence-file.ts';
import { type JudgedBy, judge } from './requirement.ts';

const test = base.extend<object, { evidence: Evidence }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright asks for an object pattern
  evidence: [async ({}, use) => use(readEvidence(evidenceFile()).evidence), { scope: 'worker' }],
});

/** A test is red where the requirement is violated or could not run, and skipped where it is not applicable. */
export function testEach(requirements: readonly JudgedBy[]): void {
  for (const requirement of requirements)
    test(`${requirement.id} ${requirement.title}`, ({ evidence }) => {
      const { verdict, expected, reason = `expected ${expected}` } = judge(requirement, evidence);
      test.skip(verdict === 'not-applicable', reason);
      // Playwright starts its worker anew after each red test that it does not expect, at a second of processor time each.
      test.fail(
        verdict !== 'passed' && !readHandOver().isOwn,
        'The verdict of mrs verify comes from its reporter.',
      );
      expect(verdict, reason).toBe('passed');
    });
}
