/** Deployments that differ from the plain mock in one way: they prove the suite, and clients can be tried on them. */
import type { Hooks } from '../pipeline/hooks.ts';
import type { Parts } from '../pipeline/server.ts';

/** Replaces parts of a mock: those that it returns take the place of those that it is given. Called once per mock. */
export type Override = (parts: Parts & Hooks) => Partial<Parts>;

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
export const combine =
  (...overrides: readonly Override[]): Override =>
  (parts) => {
    let combined = parts;
    for (const override of overrides) combined = { ...combined, ...override(combined) };
    return combined;
  };

/**
 * What the report must say of each requirement that fails, as a regular expression: `EXPECTED; seen: REQUEST: STATUS`, or
 * only `REQUEST: STATUS` where the requirement expects one thing.
 */
export type Fails = Readonly<Record<string, string | RegExp>>;

const NOT_GIVEN = 'that the data is not given';
const NO_TOKEN = 'no token';
const SUCCESS = 'a 2xx status';

/** What most of the violations of a requirement have in common. */
const EXPECTED: Readonly<Record<string, string>> = {
  'MRS-1.3': NOT_GIVEN,
  'MRS-2a': 'the field token',
  'MRS-4.1a': 'status 200',
  'MRS-4.1e': NO_TOKEN,
  'MRS-4.1f': NO_TOKEN,
  'MRS-4.1g': NO_TOKEN,
  'MRS-4.1h': NO_TOKEN,
  'MRS-4.1i': NO_TOKEN,
  'MRS-4.1j': NO_TOKEN,
  'MRS-4.1k': 'a JSON media type',
  'MRS-4.1l': 'no further field, but there is',
  'MRS-4.1m': 'a token for the same credentials',
  'MRS-4.2a': SUCCESS,
  'MRS-4.2b': 'well-formed JSON',
  'MRS-4.3a': 'a health check at this path; check MRS_HEALTH_PATHS',
  'MRS-4.3b': 'an answer without a token',
  'MRS-5.3b': SUCCESS,
  'MRS-5.5a': NOT_GIVEN,
  'MRS-5.5b': NOT_GIVEN,
  'MRS-5.6a': NOT_GIVEN,
  'MRS-5.6b': SUCCESS,
  'MRS-7a': 'status 403',
};

function patternOf(id: string, reason: string | RegExp): RegExp {
  if (typeof reason !== 'string') return reason;
  const [expected, seen] = reason.includes('; seen: ') ? reason.split('; seen: ') : [EXPECTED[id], reason];
  return new RegExp(`^expected ${expected}.*; seen: .*${seen}\\b`);
}

/** What a row states apart from its name and what it does. */
export interface DefectRow extends Pick<Deployment, 'profile' | 'cannotRun' | 'mayNotRun'> {
  fails: Fails;
  /** One after the other. */
  does: Override | readonly Override[];
}

export const defect = (name: string, summary: string, { fails, does, ...more }: DefectRow): Defect => ({
  ...{ name, summary, ...more, override: combine(...[does].flat()) },
  fails: Object.fromEntries(Object.entries(fails).map(([id, reason]) => [id, patternOf(id, reason)])),
});

/** By their names: what they do in words, and how. */
export const variantsOf = (
  rows: Readonly<Record<string, readonly [summary: string, ...does: Override[]]>>,
  more: Pick<Deployment, 'profile' | 'cannotRun' | 'mayNotRun'> = {},
): Variant[] =>
  Object.entries(rows).map(([name, [summary, ...does]]) => ({
    ...{ name, summary, ...more, override: combine(...does) },
  }));
