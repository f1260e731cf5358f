/** Verdict files: one for each run of a fleet, small enough to keep for years, and what they show over time. */
import { createHash } from 'node:crypto';
import { guardOf } from '../support/own-schema.ts';
import { type DeploymentOutcome, type FleetVerdict, OUTCOMES } from './fleet-outcome.ts';
import { startsOf } from './merge.ts';
import { momentIn } from './moment.ts';
import type { FleetSchema } from './report/fleet.schema.ts';

type Deployment = FleetSchema['deployments'][number];
type Change = Deployment['changes'][number];

/** What a verdict file holds. */
export interface VerdictFile {
  schemaVersion: 1;
  /** When the latest of its reports began. */
  at: string;
  /** Which run of the fleet: of two files on one run, the later counts. */
  run: string;
  /** The ids of requirements, for the verdicts of deployments. */
  ids: string[];
  deployments: Record<string, PastRun>;
}

interface PastRun {
  /** When it began, where it left a report. */
  at?: string;
  outcome: DeploymentOutcome;
  /** The digest of the statements of the specification that it was judged by. */
  specification?: string;
  /** A letter for each of `ids`, in their order; a dot where there is no verdict. */
  verdicts: string;
}

const LETTERS: Readonly<Record<FleetVerdict, string>> = {
  passed: 'p',
  failed: 'f',
  warned: 'w',
  'could-not-run': 'c',
  'not-applicable': 'n',
};
const VERDICTS = Object.fromEntries(
  Object.entries(LETTERS).map(([verdict, letter]) => [letter, verdict as FleetVerdict]),
);

/** Runs that a trend shows. */
const SHOWN = 12;

const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['schemaVersion', 'at', 'run', 'ids', 'deployments'],
  properties: {
    schemaVersion: { const: 1 },
    at: { type: 'string', format: 'date-time' },
    run: { type: 'string', maxLength: 100 },
    ids: { type: 'array', maxItems: 2000, items: { type: 'string', maxLength: 200 } },
    deployments: {
      type: 'object',
      maxProperties: 2000,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['outcome', 'verdicts'],
        properties: {
          at: { type: 'string', format: 'date-time' },
          outcome: { enum: OUTCOMES },
          specification: { type: 'string', maxLength: 100 },
          verdicts: { type: 'string', pattern: '^[pfwcn.]*$', maxLength: 2000 },
        },
      },
    },
  },
};
const isVerdictFile = guardOf<VerdictFile>(schema);

/** When the latest of the reports began: what was run again later is news. */
export const momentOf = ({ deployments, startedAt }: FleetSchema): string =>
  startsOf(deployments).at(-1) ?? startedAt ?? new Date().toISOString();

/** A run that is resumed, or of which more reports arrive, stays the same one: what began it is left. */
const runOf = ({ runId, startedAt }: FleetSchema, at: string): string => runId ?? startedAt ?? at;

/**
 * The verdict file of a run, without what it holds of earlier ones. Its name sorts by time, and a second report on the
 * same runs has the same name. `at`: as by `momentOf`.
 */
export function verdictFile(fleet: FleetSchema, at = momentOf(fleet)): { name: string; text: string } {
  const { deployments } = fleet;
  const ids = [
    ...new Set(deployments.flatMap(({ requirements }) => requirements.map(({ id }) => id))),
  ].toSorted();
  const content: VerdictFile = {
    schemaVersion: 1,
    at,
    run: runOf(fleet, at),
    ids,
    deployments: Object.fromEntries(
      deployments.map(({ name, outcome, startedAt, suite, requirements }) => {
        const verdicts = new Map(requirements.map(({ id, verdict }) => [id, LETTERS[verdict]]));
        return [
          name,
          {
            outcome,
            ...(startedAt !== undefined && { at: startedAt }),
            ...(suite?.requirements && { specification: suite.requirements }),
            verdicts: ids.map((id) => verdicts.get(id) ?? '.').join(''),
          },
        ];
      }),
    ),
  };
  // Fleets can share a folder, and a run.
  const identity = JSON.stringify([content.run, Object.keys(content.deployments)]);
  const digest = createHash('sha256').update(identity).digest('hex').slice(0, 12);
  return { name: `${at.replaceAll(':', '-')}-${digest}.json`, text: `${JSON.stringify(content)}\n` };
}

/** Undefined for what is not a verdict file. */
export function readVerdictFile(text: string): VerdictFile | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isVerdictFile(value) ? withMoments(value) : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined where it is not known when the run was. */
function withMoments(file: VerdictFile): VerdictFile | undefined {
  const at = momentIn(file.at);
  if (at === undefined) return undefined;
  const deployments = Object.entries(file.deployments).map(([name, { at: own, ...rest }]) => {
    const moment = own === undefined ? undefined : momentIn(own);
    return [name, { ...rest, ...(moment !== undefined && { at: moment }) }];
  });
  return { ...file, at, deployments: Object.fromEntries(deployments) };
}

/**
 * `fleet` with what changed since the latest of `past` by the same statements, and the trend of each deployment. `at`: as
 * by `momentOf`.
 */
export function withHistory(
  fleet: FleetSchema,
  past: readonly VerdictFile[],
  at = momentOf(fleet),
): FleetSchema {
  const run = runOf(fleet, at);
  const earlier = past.filter((one) => one.run !== run).toSorted(byTime);
  return { ...fleet, deployments: fleet.deployments.map((one) => ofDeployment(one, earlier, at)) };
}

const byTime = (one: { at: string }, other: { at: string }): number =>
  Date.parse(one.at) - Date.parse(other.at);

function ofDeployment(deployment: Deployment, past: readonly VerdictFile[], at: string): Deployment {
  const { name, outcome, suite, requirements, startedAt: now = at } = deployment;
  const byRun = new Map(
    past.flatMap(({ at, run, ids, deployments }) => {
      const own = Object.hasOwn(deployments, name) ? deployments[name] : undefined;
      return own ? [[run, { at, ids, ...own }]] : [];
    }),
  );
  const runs = [...byRun.values()].toSorted(byTime);
  const specification = suite?.requirements;
  // A missing report is comparable with anything.
  const isComparable = (run: PastRun) =>
    run.outcome === 'no-report' || outcome === 'no-report' || run.specification === specification;
  const trend = [
    ...runs.map((run) => ({ at: run.at, outcome: run.outcome, isComparable: isComparable(run) })),
    { at: now, outcome, isComparable: true },
  ];
  const first = trend.findLastIndex((run) => run.outcome !== outcome || !run.isComparable) + 1;
  const last = runs.findLast((run) => run.outcome !== 'no-report');
  const isCompared = last !== undefined && outcome !== 'no-report' && last.specification === specification;
  return {
    ...deployment,
    ...(first > 0 && { since: trend[first]?.at ?? now }),
    ...(isCompared && { comparedWith: last.at }),
    changes: isCompared ? changesOf(verdictsOf(last), deployment.kind, requirements) : [],
    trend: trend.slice(-SHOWN),
  };
}

function verdictsOf({
  ids,
  verdicts,
}: {
  ids: readonly string[];
  verdicts: string;
}): Map<string, FleetVerdict> {
  return new Map(
    ids.flatMap((id, at): [string, FleetVerdict][] => {
      const verdict = VERDICTS[verdicts[at] ?? '.'];
      return verdict ? [[id, verdict]] : [];
    }),
  );
}

/**
 * The report of a feed names only the rules that it violates: any other was kept if everything was judged, and is unknown
 * otherwise. Nothing can be said of how a rule of a feed changed from or to unknown.
 */
function changesOf(
  before: ReadonlyMap<string, FleetVerdict>,
  kind: Deployment['kind'],
  requirements: Deployment['requirements'],
): Change[] {
  const isFeed = kind === 'feed';
  const after = new Map(requirements.map(({ id, verdict }) => [id, verdict]));
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((id): Change[] => {
    const [was, is] = [before, after].map(
      (side): Change['before'] =>
        side.get(id) ?? (isFeed && side.get('feed-complete') === 'passed' ? 'passed' : 'absent'),
    ) as [Change['before'], Change['after']];
    if (was === is || (isFeed && (was === 'absent' || is === 'absent'))) return [];
    const isRegression = is === 'failed' || (was === 'passed' && is !== 'warned');
    return [{ id, before: was, after: is, isRegression }];
  });
}
