/** Words that every rendering of a conformance report shares. */
import { several } from '../../report/text.ts';
import type { Outcome } from '../../support/outcome.ts';
import type { Proof } from '../../support/proof.ts';
import type { Report } from './report.ts';

interface Meaning {
  meaning: string;
  next: string;
}

const OUTCOMES: Record<Outcome, Meaning> = {
  conformant: {
    meaning: 'The deployment keeps every clause that binds a service and could be tried in this run.',
    next: 'Nothing has to change. Keep this report, and run again when the deployment changes.',
  },
  'conformant-to-profile': {
    meaning:
      'The deployment matches its profile. The profile leaves out statements of the specification, so the deployment does not conform to the specification.',
    next: 'Nothing has to change for clients that know the profile. Keep this report, and run again when the deployment changes.',
  },
  nonconformant: {
    meaning: 'The deployment violates the specification.',
    next: 'Give this report to the operator of the deployment. Each failed clause shows what was expected, what was seen and how to reproduce it.',
  },
  incomplete: {
    meaning: 'No clause failed, but some clauses could not be checked.',
    next: 'Resolve the reasons listed below, and run again.',
  },
  error: {
    meaning: 'The run itself failed, so this report does not judge the deployment as a whole.',
    next: 'Fix the fault of the run, and run again.',
  },
};

export const UNVERIFIED =
  'This run did not verify certificates, since NODE_TLS_REJECT_UNAUTHORIZED is 0: another server may have answered. ' +
  'Unset it, and run again. For a private authority, set NODE_EXTRA_CA_CERTS to its PEM file.';

/** What the outcome of a report means, and what to do next. */
export function meaningOf({ outcome, profile }: Pick<Report, 'outcome' | 'profile'>): Meaning {
  if (outcome !== 'nonconformant' || !profile || profile.specification === 'nonconformant')
    return OUTCOMES[outcome];
  return {
    meaning: `No clause of the specification failed, but the deployment differs from what the profile ${profile.name} declares.`,
    next: 'Find out which of the two is right: correct the profile, or give this report to the operator of the deployment.',
  };
}

/** What the proof of the suite found, as sentences. */
export function proofInWords(proof: Proof | undefined): string {
  if (!proof) return 'The suite has not been proved. Run npm run prove.';
  const { defects, variants } = proof;
  return (
    `The suite caught ${defects.caught} of ${several(defects.total, 'mock')} with one defect each, ` +
    `and accepted ${variants.accepted} of ${several(variants.total, 'mock')} that differ only where the specification is open.`
  );
}

/** Why a statement has no verdict. */
export function whyNotJudged({ kind, reason }: Report['notJudged'][number]): string {
  return reason ?? (kind === 'client' ? 'It binds the client.' : 'It cannot be observed from outside.');
}
