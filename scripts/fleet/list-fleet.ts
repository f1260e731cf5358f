/** The jobs of a fleet, in the form that an engine wants which runs them on many machines. */
import { stringify } from 'yaml';
import { type Entry, isFeed } from '../../tests/fleet/inventory.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { version } from '../../tests/support/version.ts';
import { addressOf } from './expected.ts';
import { FLEET_FILE } from './inventory-file.ts';
import { assignShards } from './shard.ts';

export type ListFormat = 'text' | 'github-matrix' | 'gitlab' | 'kubernetes';

/** The most jobs that an engine makes of one definition. */
const MOST_JOBS: Readonly<Record<ListFormat, number>> = {
  text: 100_000,
  'github-matrix': 256,
  gitlab: 200,
  kubernetes: 1000,
};

/** The deployments of each job, in the order of shards. */
function shardsOf(entries: readonly Entry[], jobs: number): Entry[][] {
  const assignment = [...assignShards(entries, jobs)];
  return Array.from({ length: jobs }, (_, at) =>
    assignment.filter(([, shard]) => shard === at + 1).map(([entry]) => entry),
  ).filter(({ length }) => length > 0);
}

export interface ListOptions {
  /** fleet.yaml. */
  file: string;
  /** At most that many; without it, one for each host. */
  jobs?: number | undefined;
  /** The labels and names by which `entries` were selected: each job selects by them before it takes its shard. */
  only?: readonly string[];
}

export function listFleet(
  entries: readonly Entry[],
  format: ListFormat,
  { file, jobs, only = [] }: ListOptions,
): string {
  const most = MOST_JOBS[format];
  if (jobs !== undefined && jobs > most)
    throw new UsageError(`--jobs is ${jobs}, and ${format} has at most ${most}. Give a smaller number.`);
  const shards = shardsOf(entries, Math.min(jobs ?? entries.length, most));
  const flags = only.flatMap((word) => ['--only', word]);
  if (format === 'github-matrix') return githubMatrix(shards, flags);
  if (format === 'gitlab') {
    const args = file === FLEET_FILE ? flags : [file, ...flags];
    return stringify(gitlab(shards.length, args), YAML).trimEnd();
  }
  if (format === 'kubernetes') return kubernetes(shards.length, file, flags);
  return entries.map(line).join('\n');
}

const YAML = { lineWidth: 0 };

/** A word of a POSIX shell. */
const quoted = (word: string): string =>
  /^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

const line = (entry: Entry): string => {
  const labels = (entry.labels ?? []).join(', ');
  const kind = isFeed(entry) ? 'feed      ' : 'deployment';
  return `${kind} ${entry.name.padEnd(24)} ${addressOf(entry)}${labels && `  [${labels}]`}`;
};

/** For `strategy: { matrix: ${{ fromJSON(…) }} }`, in one line. */
function githubMatrix(shards: readonly Entry[][], flags: readonly string[]): string {
  const include = shards.map((entries, at) => ({
    name: entries.length === 1 ? entries[0]?.name : `${entries[0]?.name} and ${entries.length - 1} more`,
    shard: `${at + 1}/${shards.length}`,
    deployments: entries.map(({ name }) => name).join(' '),
    ...(flags.length > 0 && { only: flags.map(quoted).join(' ') }),
  }));
  return JSON.stringify({ include });
}

/** A child pipeline: as many jobs as there are shards, and one that merges their reports. */
function gitlab(total: number, args: readonly string[]) {
  const mrs = `npx --yes mrs-contract@${version} `;
  const artifacts = { when: 'always', paths: ['reports/fleet/'] };
  return {
    'mrs-fleet': {
      stage: 'test',
      image: 'node:24',
      // GitLab makes no parallel job of one, and sets no index then.
      ...(total > 1 && { parallel: total }),
      script: [[`${mrs}fleet run`, ...args.map(quoted)].join(' ')],
      allow_failure: true,
      artifacts,
    },
    'mrs-fleet-report': {
      stage: 'deploy',
      image: 'node:24',
      when: 'always',
      needs: ['mrs-fleet'],
      script: [`${mrs}fleet report reports/fleet`],
      artifacts: { ...artifacts, reports: { junit: 'reports/fleet/junit.xml' } },
    },
  };
}

/** A label that each pod of a Job has. */
const JOB_UID = 'batch.kubernetes.io/controller-uid';

/** An indexed Job (batch/v1). The reports are on a volume that all pods write to, each to a folder of its own. */
function kubernetes(total: number, file: string, flags: readonly string[]): string {
  const name = 'mrs-fleet';
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      completionMode: 'Indexed',
      completions: total,
      parallelism: Math.min(total, 10),
      // A nonconformant deployment ends its pod with 1: that is a result, and the others go on.
      backoffLimitPerIndex: 0,
      maxFailedIndexes: total,
      template: {
        spec: {
          restartPolicy: 'Never',
          automountServiceAccountToken: false,
          containers: [
            {
              name: 'mrs',
              image: `mrs-contract:${version}`,
              args: [
                'fleet',
                'run',
                `/fleet/${FLEET_FILE}`,
                ...flags,
                '--report-dir',
                '/reports/shard-$(JOB_COMPLETION_INDEX)',
              ],
              env: [
                { name: 'MRS_SHARD_TOTAL', value: String(total) },
                {
                  name: 'MRS_RUN_ID', // The UID of the Job: the volume may hold reports of an earlier one.
                  valueFrom: { fieldRef: { fieldPath: `metadata.labels['${JOB_UID}']` } },
                },
              ],
              envFrom: [{ secretRef: { name } }],
              securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
              volumeMounts: [
                { name: 'fleet', mountPath: '/fleet', readOnly: true },
                { name: 'reports', mountPath: '/reports' },
              ],
            },
          ],
          volumes: [
            { name: 'fleet', configMap: { name } },
            { name: 'reports', persistentVolumeClaim: { claimName: `${name}-reports` } },
          ],
        },
      },
    },
  };
  return `# The variables of secrets are in the Secret ${name}, and the file in a ConfigMap:
# kubectl create configmap ${name} --from-file=${quoted(`${FLEET_FILE}=${file}`)}
# Each pod writes to a folder of its own on the volume. This merges them:
# mrs fleet report /reports --run-id "$(kubectl get job ${name} --output jsonpath='{.metadata.uid}')"
${stringify(job, YAML).trimEnd()}`;
}
