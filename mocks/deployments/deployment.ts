/** Deployments that differ from the plain mock in one way: they prove the suite, and clients can be tried on them. */
import type { Hooks } from '../pipeline/hooks.ts';
import type { Parts } from '../respond.ts';

/** Replaces parts of a mock: those that it returns take the place of those that it is given. Called once per mock. */
export type Override = (parts: Parts & Hooks) => Partial<Parts>;

export interface Deployment {
  name: string;
  /** What it does, as the rest of a sentence that begins with "the deployment". */
  summary: string;
  /** The profile that it requires; without one, the specification only. */
  profile?: string;
  override: Override;
}

/** A deployment that violates the specification: in one way, or in several to show that none hides another. */
export interface Defect extends Deployment, Silence {
  /**
   * Every requirement that a run must find violated, by its id in tests/requirements.yaml. The pattern matches what
   * the report must say: `expected …; seen: …`.
   */
  fails: Readonly<Record<string, RegExp>>;
  /** Every requirement that could not be run as a consequence. */
  cannotRun?: readonly string[];
}

/** A deployment that differs from the plain mock only where the specification is open. */
export interface Variant extends Deployment, Silence {
  /** Every requirement that could not be run, since this deployment does not answer what it is asked for it. */
  cannotRun?: readonly string[];
}

interface Silence {
  /** Set where it does not answer all requests, so that any requirement may be one that could not be run. */
  mayNotRun?: true;
}
