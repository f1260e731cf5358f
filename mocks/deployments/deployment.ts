/** Deployments that differ from the plain mock in one way: what the suite is proved on, and a client can be tried on. */
import type { Hooks } from '../pipeline/hooks.ts';
import type { Parts } from '../pipeline/server.ts';

/** Decorates a mock: the parts that it returns take the place of those that it was given. Called once per mock. */
export type Override = (parts: Parts & Hooks) => Partial<Parts>;

export interface Deployment {
  name: string;
  /** What it does, as the rest of a sentence that begins with "the deployment". */
  summary: string;
  /** Under which profile it lives; without one, under the specification alone. */
  profile?: string;
  override: Override;
}

/** A deployment that breaks the specification in one way. */
export interface Defect extends Deployment {
  /**
   * Every requirement that a run must find broken, by its id in tests/requirements.yaml. The pattern is of what the
   * report must say then: `expected …; seen: …`.
   */
  fails: Readonly<Record<string, RegExp>>;
  /** Every requirement that no run can give a verdict on as a consequence. */
  cannotRun?: readonly string[];
}

/** A deployment that differs from the plain mock only where the specification leaves a choice. */
export type Variant = Deployment;
