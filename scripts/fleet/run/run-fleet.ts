/** Runs a fleet, or one shard of it: a process for each deployment, then the report on all of them. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Entry } from '../../../tests/fleet/inventory.ts';
import { type InventoryRecord, isRunRecord, type RunRecord } from '../../../tests/fleet/records.ts';
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
import { deploymentFolder, inventoryName, isInventoryName, REPORT, RUN_RECORD } from '../layout.ts';
import { readBounded, UnreadableError } from '../read-bounded.ts';
import { readReportFile } from '../report-file.ts';
import { type Assignment, assignShards, entriesOf, type Shard } from '../shard.ts';
import { writeFleet } from '../write-fleet.ts';
import { type Prepared, prepareEntries } from './prepare.ts';
import { createProgress, inShort, type Progress } from './progress.ts';
import { runEntry } from './run-entry.ts';
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
  /** Leaves out what has a complete report by the same settings and the same suite. */
  resume: boolean;
  deadlineSeconds: number;
  history?: string | undefined;
  print: Print;
  env: NodeJS.ProcessEnv;
}

/** The exit code. Throws UsageError for a mistake in the fleet or the options, before anything is sent. */
export async function runFleet(options: FleetRunOptions): Promise<number> {
  const { file, shard, only, output, history, print, env } = options;
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
    options.resume && isComplete(deploymentFolder(output, entry.name), settings, suite);
  const waiting = prepared.filter((one) => !isDone(one));
  const left = prepared.length - waiting.length;
  if (left > 0) console.error(`${several(left, 'deployment')} left out: the report is complete (--resume).`);
  const failures = await runAll(waiting, { ...options, secrets, suite });
  return writeFleet({
    directories: [output],
    output,
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
  const { output, shard } = options;
  if (!shard)
    for (const name of readdirSync(output).filter(isInventoryName))
      rmSync(join(output, name), { force: true });
  const inventory: InventoryRecord = {
    schemaVersion: 1,
    writtenAt: new Date().toISOString(),
    ...(shard && { shard }),
    deployments: entries.map((entry) => expectedOf(entry, shards?.get(entry))),
  };
  writeFileSync(join(output, inventoryName(shard)), `${JSON.stringify(inventory, null, 1)}\n`);
}

/** Whether there is a report that says what a new run would say. What could not be run is run again. */
function isComplete(folder: string, settings: string, suite: string): boolean {
  const record = readRecord(join(folder, RUN_RECORD));
  if (record?.settings !== settings || record.suite !== suite || record.report === undefined) return false;
  const { judged, digest } = readReportFile(join(folder, REPORT));
  if (typeof judged === 'string' || digest !== record.report) return false;
  return judged.outcome === 'nonconformant' || judged.outcome.startsWith('conformant');
}

function readRecord(file: string): RunRecord | undefined {
  try {
    const value: unknown = JSON.parse(readBounded(file, 1024 * 1024).toString('utf8'));
    return isRunRecord(value) ? value : undefined;
  } catch (error) {
    if (error instanceof UnreadableError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

interface Running extends FleetRunOptions {
  secrets: Secrets;
  suite: string;
}

/** Why a deployment has no report, by its name, where this machine could not run it or keep its report. */
type Failures = Map<string, string>;

/** Ends all runs on the first signal to end, and keeps what has ended before. */
async function runAll(waiting: readonly Prepared[], options: Running): Promise<Failures> {
  const failures: Failures = new Map();
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, interrupt);
  const scratch = createTemporaryFolder('mrs-fleet-');
  const reaper = startProcessReaper(scratch);
  const progress = createProgress(waiting.length, process.stderr);
  // An earlier report would be taken for the one of this run, if this run never gets to it.
  for (const { entry } of waiting)
    orNote(entry.name, failures, () =>
      rmSync(join(deploymentFolder(options.output, entry.name), RUN_RECORD), { force: true }),
    );
  try {
    const jobs = waiting.map((prepared) => ({
      host: hostOf(prepared.entry),
      run: () => runOne(prepared, options, { signal: interruption.signal, reaper, progress, failures }),
    }));
    await runJobs(jobs, options.atOnce, interruption.signal);
  } finally {
    progress.close();
    reaper.close();
    for (const signal of signals) process.off(signal, interrupt);
  }
  if (interruption.signal.aborted)
    for (const { entry, settings } of waiting)
      orNote(entry.name, failures, () => leaveInterrupted(entry, settings, options));
  return failures;
}

/** A fault of one folder must not end the fleet without a report. */
function orNote(name: string, failures: Failures, act: () => void): void {
  try {
    act();
  } catch (error) {
    failures.set(name, failureOf(error));
  }
}

const failureOf = (error: unknown): string =>
  `The run failed on this machine: ${(error as Error).message.replace(/\.$/, '')}. Correct that, and run it again.`;

async function runOne(
  prepared: Prepared,
  { output, deadlineSeconds, secrets, suite }: Running,
  {
    signal,
    reaper,
    progress,
    failures,
  }: { signal: AbortSignal; reaper: ProcessReaper; progress: Progress; failures: Failures },
): Promise<void> {
  const { name } = prepared.entry;
  const folder = deploymentFolder(output, name);
  progress.started(name);
  try {
    const record = await runEntry(prepared, { folder, deadlineSeconds, signal, secrets, suite, reaper });
    writeRecord(folder, record);
    failures.delete(name);
    const { judged } = readReportFile(join(folder, REPORT));
    if (record.report === undefined || typeof judged === 'string')
      return progress.ended(name, 'no-report', record.reason ?? '');
    progress.ended(name, record.exitCode === 2 ? 'error' : judged.outcome, inShort(judged));
  } catch (error) {
    failures.set(name, failureOf(error));
    progress.ended(name, 'no-report', secrets.redact(failureOf(error)));
  }
}

function writeRecord(folder: string, record: RunRecord): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, RUN_RECORD), `${JSON.stringify(record, null, 1)}\n`);
}

/** Of a deployment that was not reached, so that its report of an earlier run does not count. */
function leaveInterrupted({ name, feed }: Entry, settings: string, { output, suite }: Running): void {
  const folder = deploymentFolder(output, name);
  if (readRecord(join(folder, RUN_RECORD))) return;
  writeRecord(folder, {
    schemaVersion: 1,
    name,
    kind: feed === undefined ? 'service' : 'feed',
    settings,
    suite,
    startedAt: new Date().toISOString(),
    durationMs: 0,
    reason: 'The fleet was interrupted before this run.',
  });
}
