/** Judges a deployment by the evidence of a run: every requirement of the ledger, and what its profile declares. */
import './1-service.spec.ts';
import './2-resources.spec.ts';
import './4.1-obtain-token.spec.ts';
import './4.2-read-data.spec.ts';
import './4.3-health-checks.spec.ts';
import './5-authentication.spec.ts';
import './7-errors.spec.ts';
import { declaredBy, type Profile } from './profile.ts';
import { byRun, judge, type Stated, stated } from './suite.ts';
import type { Evidence } from './support/evidence.ts';
import type { Judgement } from './support/judgement.ts';

/** All that the specification states, in the order of its clauses. */
export const requirements: readonly Stated[] = stated;

/** The judgement on one requirement. */
export type TestVerdict = Judgement & { id: string };

export interface Judged {
  verdicts: TestVerdict[];
  /** Faults of the suite itself, as sentences; each makes a run an error. */
  problems: string[];
}

/** A pure function: the same evidence is always judged alike. Never throws. */
export function judgeAll(evidence: Evidence, profile?: Profile): Judged {
  const problems: string[] = [];
  const all = [...requirements.map(byRun), ...(profile ? declaredBy(profile) : [])];
  const verdicts = all.map((requirement): TestVerdict => {
    const { id } = requirement;
    try {
      return { id, ...judge(requirement, evidence) };
    } catch (error) {
      problems.push(`${id} could not be judged: ${(error as Error).message}`);
      return { id, verdict: 'could-not-run', reason: 'The suite failed to judge it.', exchanges: [] };
    }
  });
  return { verdicts, problems };
}
