/** Verdict files: one for each run of a fleet, small enough to keep for years, and what they show over time. */
import { createHash } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type DeploymentOutcome, type FleetVerdict, OUTCOMES } from './fleet-outcome.ts';
import type { FleetSchema } from './report/fleet.schema.ts';

type Deployment = FleetSchema['deployments'][number];
type Change = Deployment['changes'][number];

/** What a verdict file holds. */
export interface VerdictFile {
  schemaVersion: 1;
  /** When the first run of the fleet began. */
  at: string;
  /** The ids of requirements, for the verdicts of deployments. */
  ids: string[];
  deployments: Record<string, PastRun>;
}

interface PastRun {
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
  required: ['schemaVersion', 'at', 'ids', 'deployments'],
  properties: {
    schemaVersion: { const: 1 },
    at: { type: 'string', format: 'date-time' },
    ids: { type: 'array', maxItems: 2000, items: { type: 'string', maxLength: 200 } },
    deployments: {
      type: 'object',
      maxProperties: 2000,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['outcome', 'verdicts'],
        properties: {
          outcome: { enum: OUTCOMES },
          specification: { type: 'string', maxLength: 100 },
          verdicts: { type: 'string', pattern: '^[pfwcn.]*$', maxLength: 2000 },
        },
      },
    },
  },
};
const ajv = new Ajv2020();
addFormats.default(ajv);
const isVerdictFile = ajv.compile<VerdictFile>(schema);

/** The verdict file of a run, without what it holds of earlier ones; its name sorts by time and is that of its content. */
export function verdictFile({ deployments, startedAt = '' }: FleetSchema): { name: string; text: string } {
  const ids = [
    ...new Set(deployments.flatMap(({ requirements }) => requirements.map(({ id }) => id))),
  ].toSorted();
  const content: VerdictFile = {
    schemaVersion: 1,
    at: startedAt || '1970-01-01T00:00:00.000Z',
    ids,
    deployments: Object.fromEntries(
      deployments.map(({ name, outcome, suite, requirements }) => {
        const verdicts = new Map(requirements.map(({ id, verdict }) => [id, LETTERS[verdict]]));
        return [
          name,
          {
            outcome,
            ...(suite && { specification: suite.specification }),
            verdicts: ids.map((id) => verdicts.get(id) ?? '.').join(''),
          },
        ];
      }),
    ),
  };
  const text = `${JSON.stringify(content)}\n`;
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { name: `${content.at.replaceAll(':', '-')}-${digest}.json`, text };
}

/** Undefined for what is not a verdict file. */
export function readVerdictFile(text: string): VerdictFile | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isVerdictFile(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** `fleet` with what changed since the latest of `past` by the same statements, and the trend of each deployment. */
export function withHistory(fleet: FleetSchema, past: readonly VerdictFile[]): FleetSchema {
  const earlier = past.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const now = fleet.startedAt ?? new Date(0).toISOString();
  return { ...fleet, deployments: fleet.deployments.map((one) => ofDeployment(one, earlier, now)) };
}

function ofDeployment(deployment: Deployment, past: readonly VerdictFile[], now: string): Deployment {
  const { name, outcome, suite, requirements } = deployment;
  const runs = past.flatMap(({ at, ids, deployments }) => {
    const run = Object.hasOwn(deployments, name) ? deployments[name] : undefined;
    return run ? [{ at, ids, ...run }] : [];
  });
  const specification = suite?.specification;
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
