/** The outcome of a fleet, from those of its deployments. */
import { exitCodes, type ItemVerdict, type Outcome } from '../support/verdict.ts';

/** Of one deployment. `no-report`: its report is missing or cannot be read. */
export type DeploymentOutcome = Outcome | 'no-report';

/** Of a clause. Recorded traffic is not in a fleet. */
export type FleetVerdict = Exclude<ItemVerdict, 'not-seen'>;

/** The gravest first. A violation weighs more than what is unknown, as in a single run. */
export const OUTCOMES: readonly DeploymentOutcome[] = [
  'error',
  'nonconformant',
  'no-report',
  'incomplete',
  'conformant-to-profile',
  'conformant',
];

/** Exit codes, the gravest first. */
const EXIT_CODES = [exitCodes.error, exitCodes.nonconformant, exitCodes.incomplete];

/** The gravest of all; without any, nothing was checked. */
export function fleetOutcome(outcomes: readonly DeploymentOutcome[]): Outcome {
  const gravest = OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? 'no-report';
  return gravest === 'no-report' ? 'incomplete' : gravest;
}

/** A baseline can accept what a deployment violates: then its run ended with 0. */
export const fleetExitCode = (codes: readonly number[]): number =>
  codes.length === 0 ? exitCodes.incomplete : (EXIT_CODES.find((code) => codes.includes(code)) ?? 0);
