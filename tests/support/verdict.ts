/** Verdicts of requirements, what a violation means, the outcome of a run, and its exit code. */

/** The verdict on one requirement or rule. `could-not-run` is never a pass. */
export type Verdict = 'passed' | 'failed' | 'not-applicable' | 'could-not-run';

/** The verdict on an item of any report. `warned`: a deviation from good practice. `not-seen`: recorded traffic does not show it. */
export type ItemVerdict = Verdict | 'warned' | 'not-seen';

/**
 * The outcome of a run. `conformant-to-profile`: the deployment matches its profile, which leaves out statements of the
 * specification. `error`: wrong configuration, or a fault of the run itself. `incomplete`: a requirement could not run.
 */
export type Outcome = 'conformant' | 'conformant-to-profile' | 'nonconformant' | 'error' | 'incomplete';

/** `accepted`: a baseline accepts each deviation. */
export type ShownOutcome = Outcome | 'accepted';

/** The exit code of the process, by outcome. */
export const exitCodes: Record<ShownOutcome, number> = {
  accepted: 0,
  conformant: 0,
  'conformant-to-profile': 0,
  nonconformant: 1,
  error: 2,
  incomplete: 3,
};

/** What a violation means, the gravest first. */
export const SEVERITIES = [
  'security', // Someone gets what is not theirs.
  'breaks-clients', // Clients cannot get or read the data.
  'wrong-data', // Clients act on data that is wrong.
  'burdens-service', // The service gets more requests than the clients need.
  'form', // Only the form differs: most programs do not notice.
] as const;

export type Severity = (typeof SEVERITIES)[number];
