/** Runs a fleet, or one shard of it: a process for each deployment, then the report on all of them. */
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { DeploymentOutcome } from '../../../tests/fleet/fleet-outcome.ts';
import type { Entry } from '../../../tests/fleet/inventory.ts';
import { type InventoryRecord, isOfRun } from '../../../tests/fleet/records.ts';
import type { Print } from '../../../tests/report/output.ts';
import { checkDirectory } from '../../../tests/report/report-directory.ts';
import { several } from '../../../tests/report/text.ts';
import { suiteDigest } from '../../../tests/support/proof.ts';
import { createSecrets, type Secrets } from '../../../tests/support/secrets.ts';
import { createTemporaryFolder } from '../../../tests/support/temporary-folder.ts';
import { UsageError } from '../../../tests/support/usage-error.ts';
import { type ProcessReaper, startProcessReaper } from '../../certify/process-reaper.ts';
import { expectedOf } from '../expected.ts';
import { hostOf } from '../host.ts';
import { readInventoryFile, selectEntries } from '../inventory-file.ts';
import { deploymentFolder, inventoryName, isInventoryName, REPORT } from '../layout.ts';
import { readRunRecord, writeInventoryRecord, writeRunRecord } from '../record-file.ts';
import { readReportFile } from '../report-file.ts';
import { type Assignment, assignShards, entriesOf, type Shard } from '../shard.ts';
import { writeFleet } from '../write-fleet.ts';
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
  const selected = selectEntries(readInventoryFile(file), only);
  const assignment = shard && assignShards(selected, shard.total);
  const entries = shard && assignment ? entriesOf(shard, assignment) : selected;
  const prepared = await prepareEntries(entries, { file, folder: dirname(resolve(file)), env });
  const secrets = secretsOf(prepared);
  checkDirectory(output);
  if (history !== undefined) checkDirectory(history);
  writeInventory(selected, assignment, options);

  const suite = suiteDigest();
  const isDone = ({ entry, settings }: Prepared) =>
    options.resume && isComplete(deploymentFolder(output, entry.name), { settings, suite, runId });
  const waiting = prepared.filter((one) => !isDone(one));
  const left = prepared.length - waiting.length;
  if (left > 0) console.error(`${several(left, 'deployment')} left out: the report is complete (--resume).`);
  const failures = await runAll(waiting, { ...options, secrets, suite });
  return writeFleet({
    directories: [output],
    output,
    runId,
    only: entries.map(({ name }) => name),
    failures,
    history,
    print,
    secrets,
  });
}

function secretsOf(prepared: readonly Prepared[]): Secrets {
  const secrets = createSecrets();
  for (const { entry, secrets: values } of prepared)
    for (const value of values) secrets.register(value, `secret of ${entry.name}`);
  return secrets;
}

/** Which deployments are to have a report, for the machine that merges them. */
function writeInventory(
  entries: readonly Entry[],
  shards: Assignment | undefined,
  options: FleetRunOptions,
): void {
  const { output, runId, shard } = options;
  if (!shard)
    for (const name of readdirSync(output).filter(isInventoryName))
      rmSync(join(output, name), { force: true });
  const inventory: InventoryRecord = {
    schemaVersion: 1,
    ...(runId !== undefined && { runId }),
    writtenAt: new Date().toISOString(),
    ...(shard && { shard }),
    deployments: entries.map((entry) => expectedOf(entry, shards?.get(entry))),
  };
  writeInventoryRecord(join(output, inventoryName(shard)), inventory);
}

/** Whether there is a report that says what a new run would say. What could not be run is run again. */
function isComplete(
  folder: string,
  { settings, suite, runId }: { settings: string; suite: string; runId: string | undefined },
): boolean {
  const record = readRunRecord(folder);
  if (typeof record === 'string' || record.report === undefined || !isOfRun(record, runId)) return false;
  if (record.settings !== settings || record.suite !== suite) return false;
  const { judged, digest } = readReportFile(join(folder, REPORT));
  if (typeof judged === 'string' || digest !== record.report) return false;
  return judged.outcome === 'nonconformant' || judged.outcome.startsWith('conformant');
}

interface RunContext extends FleetRunOptions {
  secrets: Secrets;
  suite: string;
}

/** Why a deployment has no report, by its name, where this machine could not run it or keep its report. */
type Failures = Map<string, string>;

/** Ends all runs on the first signal to end, and keeps what has ended before. */
async function runAll(waiting: readonly Prepared[], context: RunContext): Promise<Failures> {
  const failures: Failures = new Map();
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  const scratch = createTemporaryFolder('mrs-fleet-');
  const reaper = startProcessReaper(scratch);
  const progress = createProgress(waiting.length, process.stderr);
  try {
    // An earlier report would be taken for the one of this run, if this run never gets to it.
    for (const { entry, settings } of waiting)
      await orNote(entry.name, failures, () =>
        writeRunRecord(deploymentFolder(context.output, entry.name), {
          ...startOfRecord(entry, settings, context),
          durationMs: 0,
          reason:
            'The run of the fleet ended before this deployment was judged, or before that could be recorded.',
        }),
      );
    const jobs = waiting.map((prepared) => ({
      host: hostOf(prepared.entry),
      run: async () => {
        const { name } = prepared.entry;
        progress.started(name);
        const end = await orNote(name, failures, () =>
          runOne(prepared, { ...context, signal: interruption.signal, reaper }),
        );
        if (end) failures.delete(name);
        const { outcome, detail } = end ?? { outcome: 'no-report', detail: failures.get(name) ?? '' };
        progress.ended(name, outcome, context.secrets.redact(detail));
      },
    }));
    await runJobs(jobs, context.atOnce, interruption.signal);
  } finally {
    progress.close();
    reaper.close();
    for (const signal of signals) process.off(signal, interrupt);
  }
  return failures;
}

/** A fault of one folder must not end the fleet without a report. */
async function orNote<Result>(
  name: string,
  failures: Failures,
  act: () => Result | Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await act();
  } catch (error) {
    const what = (error as Error).message.replace(/\.$/, '');
    failures.set(name, `The run failed on this machine: ${what}. Correct that, and run it again.`);
    return undefined;
  }
}

/** Judges one deployment, and records how that ended. */
async function runOne(
  prepared: Prepared,
  context: RunContext & { signal: AbortSignal; reaper: ProcessReaper },
): Promise<{ outcome: DeploymentOutcome; detail: string }> {
  const folder = deploymentFolder(context.output, prepared.entry.name);
  const record = await runEntry(prepared, { ...context, folder });
  writeRunRecord(folder, record);
  const { judged } = readReportFile(join(folder, REPORT));
  if (record.report === undefined || typeof judged === 'string')
    return { outcome: 'no-report', detail: record.reason ?? '' };
  return { outcome: record.exitCode === 2 ? 'error' : judged.outcome, detail: inShort(judged) };
}
