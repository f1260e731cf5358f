/** Words that every rendering of a conformance report shares. */

import { several } from '../../report/text.ts';
import type { Outcome } from '../../support/outcome.ts';
import type { Proof } from '../../support/proof.ts';
import type { Report } from './report.ts';

export const OUTCOMES: Record<Outcome, { mark: string; meaning: string; next: string }> = {
  conformant: {
    mark: '✓',
    meaning: 'Every clause that binds a service and could be tried was kept, for the requests of this run.',
    next: 'Nothing has to change. Keep this report, and run again when the deployment changes.',
  },
  'conformant-to-profile': {
    mark: '✓',
    meaning:
      'The deployment does as its profile says, which leaves out statements of the specification: it is not conformant to that.',
    next: 'Nothing has to change for those who know the profile. Keep this report, and run again when the deployment changes.',
  },
  nonconformant: {
    mark: '✗',
    meaning: 'The deployment does otherwise than the specification states.',
    next: 'Give this report to the operator of the deployment: each failed clause says what was expected, what was seen, and how to see it again.',
  },
  incomplete: {
    mark: '?',
    meaning: 'No clause failed, but this run cannot tell whether all of them are kept.',
    next: 'Do what the reasons below ask for, and run again.',
  },
  error: {
    mark: '!',
    meaning: 'The run itself broke down, so it says nothing about the deployment as a whole.',
    next: 'Remove the fault of the run, and run again.',
  },
};

/** What the outcome of a report means, and what is next. */
export function outcomeOf({ outcome, profile }: Report): (typeof OUTCOMES)[Outcome] {
  if (outcome !== 'nonconformant' || profile?.specification === 'nonconformant' || !profile)
    return OUTCOMES[outcome];
  return {
    mark: '✗',
    meaning: `No clause of the specification failed; the deployment does otherwise than the profile ${profile.name} declares.`,
    next: 'Find out which of the two is right: correct the profile, or give this report to the operator of the deployment.',
  };
}

/** `14 passed, 6 failed, 1 could not run, 2 not applicable`. */
export function tally({ counts }: Report): string {
  return `${counts.passed} passed, ${counts.failed} failed, ${counts['could-not-run']} could not run, ${counts['not-applicable']} not applicable`;
}

export const NO_PROOF = 'No proof was run.';

export function proofInWords({ defects, variants }: Proof): string {
  return (
    `Run against ${several(defects.total, 'mock')} with one defect each, the suite caught ${defects.caught}. ` +
    `Of ${several(variants.total, 'mock')} that differ only where the specification is open, it accepted ${variants.accepted}.`
  );
}

/** Why nothing is said of a statement that no verdict is owed on. */
export function whyNotJudged({ kind, reason }: Report['notJudged'][number]): string {
  return (
    reason ?? (kind === 'client' ? 'It binds the client: a deployment cannot break it.' : 'Not observable.')
  );
}
