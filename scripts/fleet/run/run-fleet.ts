/** Runs a fleet, or one shard of it: a process for each deployment, then the report on all of them. */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DeploymentOutcome } from '../../../tests/fleet/fleet-outcome.ts';
import type { Found } from '../../../tests/fleet/merge.ts';
import {
  type ExpectedDeployment,
  type InventoryRecord,
  isOfRun,
  type RunRecord,
} from '../../../tests/fleet/records.ts';
import type { Print } from '../../../tests/report/output.ts';
import { checkDirectory } from '../../../tests/report/publish.ts';
import { several } from '../../../tests/report/text.ts';
import { createTemporaryFolder } from '../../../tests/support/files.ts';
import { suiteDigest } from '../../../tests/support/proof.ts';
import { createSecrets, type Secrets } from '../../../tests/support/secrets.ts';
import { UsageError } from '../../../tests/support/usage-error.ts';
import { type ProcessReaper, startProcessReaper } from '../../certify/program.ts';
import { expectedOf } from '../expected.ts';
import { hostOf } from '../host.ts';
import { readInventoryFile, selectEntries } from '../inventory-file.ts';
import { checkNoLink, DEPLOYMENTS, deploymentFolder, inventoryName, isInventoryName } from '../layout.ts';
import { readDeployment } from '../read-deployment.ts';
import { readRunRecord, writeInventoryRecord, writeRunRecord } from '../record-file.ts';
import { assignShards, entriesOf, type Shard } from '../shard.ts';
import { writeFleet } from '../write-fleet.ts';
import { secretsOfOthers } from './foreign-secrets.ts';
import { lockReports } from './lock.ts';
import { type Prepared, prepareEntries } from './prepare.ts';
import { createProgress, inShort } from './progress.ts';
import { runEntry, startOfRecord } from './run-entry.ts';
import { runJobs } from './schedule.ts';

export interface FleetRunOptions {
  /** fleet.yaml. */
  file: string;
  atOnce: number;
  shard?: Shard | undefined;
  /** Labels and names. */
  only: readonly string[];
  /** Where the reports go. */
  output: string;
  /** Of this run of the fleet, where it is known. */
  runId: string | undefined;
  /** Leaves out what has a complete report of this run, by the same settings and the same suite. */
  resume: boolean;
  deadlineSeconds: number;
  history?: string | undefined;
  print: Print;
  env: NodeJS.ProcessEnv;
}

/** The exit code. Throws UsageError for a mistake in the fleet or the options, before anything is sent. */
export async function runFleet(options: FleetRunOptions): Promise<number> {
  const { file, shard, only, output, runId, history, print, env } = options;
  if (shard && history !== undefined)
    throw new UsageError(
      '--history needs all shards, and this is one of them. Give it to mrs fleet report, which merges them.',
    );
  const inventory = readInventoryFile(file);
  const selected = selectEntries(inventory.entries, only);
  const assignment = shard && assignShards(selected, shard.total);
  const entries = shard && assignment ? entriesOf(shard, assignment) : selected;
  const { problems } = inventory;
  const prepared = await prepareEntries(entries, { file, folder: dirname(resolve(file)), env, problems });
  const secrets = secretsOf(prepared);
  checkDirectory(output);
  checkNoLink(join(output, DEPLOYMENTS));
  if (history !== undefined) checkDirectory(history);
  const unlock = lockReports(output, shard);
  try {
    const expected = selected.map((entry) => expectedOf(entry, assignment?.get(entry)));
    const at = writeInventory(expected, options);
    const ends = await runAll(prepared, { ...options, secrets, suite: suiteDigest(), all: prepared });
    const names = new Set(ends.keys());
    // Only what this run recorded: another program may write to the directory, too.
    const collected = {
      found: [...ends].map(([name, end]) => foundAt(deploymentFolder(output, name), name, end, output)),
      expected: expected.filter(({ name }) => names.has(name)),
      at,
      remarks: [],
    };
    return writeFleet({ collected, output, runId, history, print, secrets });
  } finally {
    unlock();
  }
}

const foundAt = (folder: string, name: string, end: End, output: string): Found =>
  typeof end === 'string' ? { name, judged: end } : readDeployment(folder, name, end, output);

function secretsOf(prepared: readonly Prepared[]): Secrets {
  const secrets = createSecrets();
  for (const { entry, secrets: values } of prepared)
    for (const value of values) secrets.register(value, `secret of ${entry.name}`);
  return secrets;
}

/** Which deployments are to have a report, for the machine that merges them. Returns when it was written. */
function writeInventory(
  deployments: ExpectedDeployment[],
  { output, runId, shard }: FleetRunOptions,
): string {
  if (!shard)
    for (const name of readdirSync(output).filter(isInventoryName))
      rmSync(join(output, name), { force: true });
  const writtenAt = new Date().toISOString();
  const inventory: InventoryRecord = {
    schemaVersion: 1,
    ...(runId !== undefined && { runId }),
    writtenAt,
    ...(shard && { shard }),
    deployments,
  };
  writeInventoryRecord(join(output, inventoryName(shard)), inventory);
  return writtenAt;
}

/** The record of a report that says what a new run would say. What could not be run is run again. */
function completeRun(
  { entry, settings }: Prepared,
  { output, suite, runId }: RunContext,
): RunRecord | undefined {
  const folder = deploymentFolder(output, entry.name);
  const record = readRunRecord(folder);
  if (typeof record === 'string' || record.report === undefined || !isOfRun(record, runId)) return undefined;
  if (record.settings !== settings || record.suite !== suite) return undefined;
  const { judged } = readDeployment(folder, entry.name, record, output);
  const isWhole =
    typeof judged === 'object' &&
    (judged.outcome === 'nonconformant' || judged.outcome.startsWith('conformant'));
  return isWhole ? record : undefined;
}

interface RunContext extends FleetRunOptions {
  secrets: Secrets;
  suite: string;
  all: readonly Prepared[];
}

/** How a run ended, or why this machine could not run it or keep its report. */
type End = RunRecord | string;

/** Ends all runs on the first signal to end, and keeps what has ended before. Resolves with the ends by name. */
async function runAll(prepared: readonly Prepared[], context: RunContext): Promise<Map<string, End>> {
  const ends = new Map<string, End>();
  const waiting = prepared.filter((one) => {
    const complete = context.resume ? completeRun(one, context) : undefined;
    ends.set(one.entry.name, complete ?? pendingRun(one, context));
    return complete === undefined;
  });
  const left = prepared.length - waiting.length;
  if (left > 0) console.error(`${several(left, 'deployment')} left out: the report is complete (--resume).`);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  const scratch = createTemporaryFolder('mrs-fleet-');
  const reaper = startProcessReaper(scratch);
  const progress = createProgress(waiting.length, context.atOnce, process.stderr);
  try {
    // An earlier report would be taken for the one of this run, if this run never gets to it.
    for (const one of waiting) {
      const { name } = one.entry;
      await orNote(name, ends, () => {
        checkNoLink(deploymentFolder(context.output, name));
        writeRunRecord(deploymentFolder(context.output, name), pendingRun(one, context));
      });
    }
    const jobs = waiting.map((prepared) => ({
      host: hostOf(prepared.entry),
      run: async () => {
        const { name } = prepared.entry;
        progress.started(name);
        await orNote(name, ends, async () =>
          ends.set(name, await runOne(prepared, { ...context, signal: interruption.signal, reaper })),
        );
        const { outcome, detail } = inBrief(name, ends.get(name) ?? '', context.output);
        progress.ended(name, outcome, context.secrets.redact(detail));
      },
    }));
    await runJobs(jobs, context.atOnce, interruption.signal);
  } finally {
    progress.close();
    reaper.close();
    for (const signal of signals) process.off(signal, interrupt);
  }
  return ends;
}

const pendingRun = ({ entry, settings }: Prepared, context: RunContext): RunRecord => ({
  ...startOfRecord(entry, settings, context),
  durationMs: 0,
  reason: 'The run of the fleet ended before this deployment was judged, or before that could be recorded.',
});

/** A fault of one folder must not end the fleet without a report. */
async function orNote(name: string, ends: Map<string, End>, act: () => unknown): Promise<void> {
  try {
    await act();
  } catch (error) {
    const what = (error as Error).message.replace(/\.$/, '');
    ends.set(name, `The run failed on this machine: ${what}. Correct that, and run it again.`);
  }
}

/** Judges one deployment, and records how that ended. */
async function runOne(
  prepared: Prepared,
  context: RunContext & { signal: AbortSignal; reaper: ProcessReaper },
): Promise<RunRecord> {
  const folder = deploymentFolder(context.output, prepared.entry.name);
  checkNoLink(folder);
  const others = secretsOfOthers(context.all, prepared);
  const record = await runEntry(prepared, { ...context, folder, others });
  writeRunRecord(folder, record);
  return record;
}

/** For the line that is printed at the end of a run. */
function inBrief(name: string, end: End, output: string): { outcome: DeploymentOutcome; detail: string } {
  const { judged, record } = foundAt(deploymentFolder(output, name), name, end, output);
  if (typeof judged !== 'object') return { outcome: 'no-report', detail: judged ?? record?.reason ?? '' };
  return { outcome: record?.exitCode === 2 ? 'error' : judged.outcome, detail: inShort(judged) };
}
