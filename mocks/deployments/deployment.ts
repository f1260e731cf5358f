/** Deployments that differ from the plain mock in one way: they prove the suite, and clients can be tried on them. */
import type { Override } from '../respond.ts';

export type { Override };

export interface Deployment {
  name: string;
  /** What it does, as the rest of a sentence that begins with "the deployment". */
  summary: string;
  /** The profile that it requires; without one, the specification only. */
  profile?: string;
  /** Every requirement that could not be run, since this deployment does not answer what it is asked for it. */
  cannotRun?: readonly string[];
  /** Set where it does not answer all requests, so that any requirement may be one that could not be run. */
  mayNotRun?: true;
  override: Override;
}

/** A deployment that differs from the plain mock only where the specification is open. */
export type Variant = Deployment;

/** A deployment that violates the specification: in one way, or in several to show that none hides another. */
export interface Defect extends Deployment {
  /**
   * Every requirement that a run must find violated, by its id in tests/requirements.yaml. The pattern matches what
   * the report must say: `expected …; seen: …`.
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

/**
 * What the report must say of each requirement that fails, as a regular expression: `REQUEST: STATUS`, after
 * `EXPECTED; seen: ` where a requirement can expect several things.
 */
export type Fails = Readonly<Record<string, string | RegExp>>;

function patternOf(reason: string | RegExp): RegExp {
  if (typeof reason !== 'string') return reason;
  const [seen, expected = ''] = reason.split('; seen: ').reverse();
  return new RegExp(`^expected ${expected}.*; seen: .*${seen}\\b`);
}

type More = Partial<Pick<Deployment, 'profile' | 'cannotRun' | 'mayNotRun'>>;

/** How a deployment is wrong. */
export interface Wrong extends More {
  fails: Fails;
  does: Override;
  /** What its summary begins with. */
  lead?: string;
}

export const wrong = (fails: Fails, does: Override | readonly Override[], more: More = {}): Wrong => ({
  ...{ fails, does: all(...[does].flat()), ...more },
});

/**
 * `name: summary` → what it does. This is a function, so that it is made anew for each mock: it may keep state in its
 * variables.
 */
export type Rows<Made> = Readonly<Record<string, () => Made>>;

const splitKey = (key: string) =>
  [key.slice(0, key.indexOf(': ')), key.slice(key.indexOf(': ') + 2)] as const;

export const variantsOf = (
  rows: Rows<Override>,
  { lead = '', ...more }: More & { lead?: string } = {},
): Variant[] =>
  Object.entries(rows).map(([key, make]) => {
    const [name, summary] = splitKey(key);
    return { name, summary: lead + summary, ...more, override: (parts) => make()(parts) };
  });

export const defectsOf = (rows: Rows<Wrong>): Defect[] =>
  Object.entries(rows).map(([key, make]) => {
    const [name, summary] = splitKey(key);
    const { fails, does: _, lead = '', ...more } = make();
    return {
      ...{ name, summary: lead + summary, ...more, override: (parts) => make().does(parts) },
      fails: Object.fromEntries(Object.entries(fails).map(([id, reason]) => [id, patternOf(reason)])),
    };
  });
