/** Which deployments one of several machines runs. */
import type { Entry } from '../../tests/fleet/inventory.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { hostOf } from './host.ts';

/** `index` counts from 1. */
export interface Shard {
  index: number;
  total: number;
}

/** Each with the number of the shard that runs it, counted from 1. */
export type Assignment = Map<Entry, number>;

const HINT = 'Write it as 2/5: the second of five shards.';

/** Reads `2/5`. Throws UsageError. */
export function readShard(text: string, name: string): Shard {
  const [, index = 0, total = 0] = (/^(\d{1,5})\/(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (index >= 1 && index <= total) return { index, total };
  if (index > total && total >= 1)
    throw new UsageError(`${name} is "${text}", and ${index} is more than ${total}. ${HINT}`);
  throw new UsageError(`${name} is "${text}". ${HINT}`);
}

/** By the variables of GitLab (`parallel`) or Kubernetes (an indexed Job); undefined where no such job runs. */
export function shardOfEnvironment(env: NodeJS.ProcessEnv): Shard | undefined {
  const { CI_NODE_INDEX, CI_NODE_TOTAL, JOB_COMPLETION_INDEX, MRS_SHARD_TOTAL } = env;
  if (CI_NODE_INDEX)
    return fromVariables(CI_NODE_INDEX, CI_NODE_TOTAL, 0, ['CI_NODE_INDEX', 'CI_NODE_TOTAL']);
  if (JOB_COMPLETION_INDEX)
    return fromVariables(JOB_COMPLETION_INDEX, MRS_SHARD_TOTAL, 1, [
      'JOB_COMPLETION_INDEX',
      'MRS_SHARD_TOTAL',
    ]);
  return undefined;
}

/** Kubernetes does not pass on the number of completions, so the manifest sets it. */
function fromVariables(
  index: string,
  total: string | undefined,
  offset: 0 | 1,
  [indexName, totalName]: readonly [string, string],
): Shard {
  if (!total)
    throw new UsageError(
      `${indexName} is set, but ${totalName} is not. Set it to the number of jobs, or give --shard.`,
    );
  const shard = { index: Number(index) + offset, total: Number(total) };
  if (/^\d{1,5}$/.test(index) && /^\d{1,5}$/.test(total) && shard.index >= 1 && shard.index <= shard.total)
    return shard;
  throw new UsageError(
    `${indexName} is "${index}" and ${totalName} is "${total}", which is not a shard. Correct them, or give --shard.`,
  );
}

/**
 * Spreads entries, which are sorted by name, over `total` shards. Those of one host are in one shard, so that no two
 * machines send requests to it at a time. The result depends on nothing but the entries and `total`.
 */
export function assignShards(entries: readonly Entry[], total: number): Assignment {
  const sizes = Array.from({ length: total }, () => 0);
  const byHost = new Map<string, number>();
  const assignment: Assignment = new Map();
  for (const entry of entries) {
    const host = hostOf(entry) ?? `file ${entry.name}`;
    const at = byHost.get(host) ?? sizes.indexOf(Math.min(...sizes));
    byHost.set(host, at);
    sizes[at] = (sizes[at] ?? 0) + 1;
    assignment.set(entry, at + 1);
  }
  return assignment;
}

/** The entries of one shard. Throws UsageError where there are none. */
export function entriesOf({ index, total }: Shard, assignment: Assignment): Entry[] {
  const mine = [...assignment].filter(([, shard]) => shard === index).map(([entry]) => entry);
  if (mine.length > 0) return mine;
  const used = new Set(assignment.values()).size;
  throw new UsageError(
    `Shard ${index}/${total} has no deployments: the fleet has ${used === 1 ? 'one host' : `${used} hosts`}. Use at most ${used} shards.`,
  );
}
