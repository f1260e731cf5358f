/** Deployments that differ from the plain mock in one way: they prove the suite, and clients can be tried on them. */
import type { Override } from '../respond.ts';

export type { Override };

export interface Deployment {
  name: string;
  /** What it does, as the rest of a sentence that begins with "the deployment". */
  summary: string;
  /** The profile that it requires; without one, the specification only. */
  profile?: string;
  /** Set where requirements could not be run, since it does not answer, or not as they need: the stored verdicts say which. */
  mayNotRun?: true;
  override: Override;
}

/** A deployment that violates the specification: in one way, or in several to show that none hides another. */
export interface Defect extends Deployment {
  /**
   * Every requirement that a run must find violated, by its id in tests/requirements.yaml, and what the report must say of it.
   * The stored verdicts say by which request.
   */
  fails: Readonly<Record<string, RegExp>>;
}

/** Applies one override after another: a later one changes what an earlier one has made. */
export const all =
  (...overrides: readonly Override[]): Override =>
  (parts) => {
    let combined = parts;
    for (const override of overrides) combined = { ...combined, ...override(combined) };
    return combined;
  };

interface Row extends Pick<Deployment, 'profile' | 'mayNotRun'> {
  fails: Defect['fails'];
  does: Override;
}

/**
 * How a deployment is wrong. `fails` are ids of requirements with spaces between them, or by id a part of what the report says,
 * as a regular expression, where a requirement can be violated for several reasons.
 */
export const wrong = (
  fails: string | Readonly<Record<string, string>>,
  does: Override | readonly Override[],
  more: Omit<Row, 'fails' | 'does'> = {},
): Row => {
  const reasons =
    typeof fails === 'string' ? fails.split(' ').map((id) => [id, ''] as const) : Object.entries(fails);
  return {
    ...more,
    fails: Object.fromEntries(reasons.map(([id, reason]) => [id, new RegExp(reason)])),
    does: all(...[does].flat()),
  };
};

/** For a row of which requirements could not be run. */
export const UNDECIDED = { mayNotRun: true } as const;

/**
 * `name: summary` → what it does. This is a function, so that it is made anew for each mock: it may keep state in its
 * variables.
 */
export type Rows<Made> = Readonly<Record<string, () => Made>>;

const named = (key: string, lead = '') => ({
  name: key.slice(0, key.indexOf(': ')),
  summary: lead + key.slice(key.indexOf(': ') + 2),
});

/** `lead` begins each summary. */
export const variantsOf = (
  rows: Rows<Override>,
  { lead = '', ...more }: Omit<Row, 'fails' | 'does'> & { lead?: string } = {},
): Deployment[] =>
  Object.entries(rows).map(([key, make]) => ({
    ...named(key, lead),
    ...more,
    override: (parts) => make()(parts),
  }));

export const defectsOf = (rows: Rows<Row>): Defect[] =>
  Object.entries(rows).map(([key, make]) => {
    const { does: _, ...row } = make();
    return { ...named(key), ...row, override: (parts) => make().does(parts) };
  });
