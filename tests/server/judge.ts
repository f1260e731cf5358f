/** Judges a deployment by the evidence of a run: every requirement of the ledger, and what its profile declares. */
import type { TestVerdict } from './report/report.ts';
import { service } from './requirements/1-service.ts';
import { resources } from './requirements/2-resources.ts';
import { obtainToken } from './requirements/4.1-obtain-token.ts';
import { readData } from './requirements/4.2-read-data.ts';
import { healthChecks } from './requirements/4.3-health-checks.ts';
import { authentication } from './requirements/5-authentication.ts';
import { errors } from './requirements/7-errors.ts';
import type { Profile } from './support/declared.ts';
import { declaredBy } from './support/declared-verdict.ts';
import type { Evidence } from './support/evidence.ts';
import { type JudgedBy, judge } from './support/requirement.ts';

/** All that the specification states, in the order of its clauses. */
export const stated: readonly JudgedBy[] = [
  ...service,
  ...resources,
  ...obtainToken,
  ...readData,
  ...healthChecks,
  ...authentication,
  ...errors,
];

export interface Judged {
  verdicts: TestVerdict[];
  /** Faults of the suite itself, as sentences; each makes a run an error. */
  problems: string[];
}

/** A pure function: the same evidence is always judged alike. Never throws. */
export function judgeAll(evidence: Evidence, profile?: Profile): Judged {
  const problems: string[] = [];
  const requirements = [...stated, ...(profile ? declaredBy(profile) : [])];
  const verdicts = requirements.map((requirement): TestVerdict => {
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
