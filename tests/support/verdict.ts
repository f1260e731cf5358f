/** Verdicts of requirements, what a violation means, the outcome of a run, and its exit code. */

/**
 * The verdict on one requirement or rule. `could-not-run` is never a pass. `warned`: a deviation from good practice. `not-seen`:
 * recorded traffic does not show it.
 */
export type Verdict = 'passed' | 'failed' | 'warned' | 'not-applicable' | 'could-not-run' | 'not-seen';

/**
 * The outcome of a run. `conformant-to-profile`: the deployment matches its profile, which leaves out statements of the
 * specification. `error`: wrong configuration, or a fault of the run itself. `incomplete`: a requirement could not run.
 */
export type Outcome = 'conformant' | 'conformant-to-profile' | 'nonconformant' | 'error' | 'incomplete';

/** `accepted`: a baseline accepts each deviation. */
export type ShownOutcome = Outcome | 'accepted';

/** The exit code of the process, by outcome: the gravest first. */
export const exitCodes: Record<ShownOutcome, number> = {
  error: 2,
  nonconformant: 1,
  incomplete: 3,
  accepted: 0,
  'conformant-to-profile': 0,
  conformant: 0,
};

/** What verdicts come to. No evidence is never a pass. */
export function outcomeOf(
  judged: readonly { verdict: Verdict }[],
  is: {
    /** The run itself failed. */
    faulty?: boolean;
    /** Something is missing that no verdict shows. */
    partial?: boolean;
    /** A warning counts as a violation. */
    strict?: boolean;
    /** The profile leaves out statements of the specification. */
    reduced?: boolean;
  } = {},
): Outcome {
  const has = (verdict: Verdict) => judged.some((one) => one.verdict === verdict);
  if (is.faulty) return 'error';
  if (has('failed') || (is.strict && has('warned'))) return 'nonconformant';
  if (is.partial || has('could-not-run') || !has('passed')) return 'incomplete';
  return is.reduced ? 'conformant-to-profile' : 'conformant';
}

/** The gravest outcome of several parts; of nothing, `incomplete`. */
export const gravestOf = (outcomes: readonly Outcome[]): Outcome =>
  (Object.keys(exitCodes) as Outcome[]).find((one) => outcomes.includes(one)) ?? 'incomplete';

/** What a violation means, the gravest first. */
export const SEVERITIES = [
  'security', // Someone gets what is not theirs.
  'breaks-clients', // Clients cannot get or read the data.
  'wrong-data', // Clients act on data that is wrong.
  'burdens-service', // The service gets more requests than the clients need.
  'form', // Only the form differs: most programs do not notice.
] as const;

export type Severity = (typeof SEVERITIES)[number];
