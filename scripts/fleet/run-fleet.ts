/** `mrs fleet run`: judges the deployments of a fleet file side by side, each with its own secrets, in one process. */
import { setMaxListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { reportOn } from '../../tests/feed/report/report.ts';
import { openFeed } from '../../tests/feed/source.ts';
import type { Print } from '../../tests/report/output.ts';
import {
  clearReports,
  createPublisher,
  frameOf,
  namesIn,
  withEvidence,
  writeReports,
} from '../../tests/report/publish.ts';
import { type Report, reportSchema, shownOutcome } from '../../tests/report/report.ts';
import { clip, inOneLine, OUTCOME_MARKS, several } from '../../tests/report/text.ts';
import { judgeAll } from '../../tests/server/judge.ts';
import { gather } from '../../tests/server/probe/run.ts';
import { applyBaseline } from '../../tests/server/report/baseline.ts';
import { reportOf } from '../../tests/server/report/report.ts';
import { fileOf } from '../../tests/server/support/evidence-file.ts';
import { type Clock, realClock } from '../../tests/support/clock.ts';
import { ledger } from '../../tests/support/requirements.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { type Entry, readFleetFile, selectEntries } from './fleet-file.ts';
import { publishFleet } from './fleet-report.ts';
import { type Found, readHistory } from './history.ts';
import { hostOf, type Prepared, prepareEntries } from './prepare.ts';

export interface FleetRun {
  file: string;
  /** Labels and names to select by; all without any. */
  only: readonly string[];
  /** The part of the fleet that this machine judges, counted from 1. */
  shard: { index: number; total: number } | undefined;
  /** Runs that are under way at once, without those that wait for an expiry. */
  atOnce: number;
  /** For one deployment. */
  deadlineSeconds: number;
  directory: string;
  history: string | undefined;
  failsOn: 'nonconformance' | 'regression';
  print: Print;
  env: NodeJS.ProcessEnv;
}

/** Where the reports of the deployments are, within that of the fleet. */
export const DEPLOYMENTS = 'deployments';

/** Returns the exit code. Throws UsageError, before anything is sent, for a mistake in the fleet file or the options. */
export async function runFleet(run: FleetRun): Promise<number> {
  const { file, only, shard, directory, env, print } = run;
  if (shard && run.history !== undefined)
    throw new UsageError('--history needs all shards. Give it to mrs fleet report, which merges them.');
  const { entries, problems } = readFleetFile(file);
  const selected = selectEntries(entries, only);
  const mine = shard ? entriesOfShard(selected, shard) : selected;
  const prepared = await prepareEntries(mine, { file, folder: resolve(dirname(file)), env, problems });
  if (run.history !== undefined) readHistory(run.history);
  // A run that is killed must leave no report of an earlier run.
  clearReports(directory);
  const interruption = new AbortController();
  setMaxListeners(0, interruption.signal); // One for each run that is under way.
  const interrupt = () => interruption.abort(new Error('The run was interrupted.'));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  try {
    const found = await judgeSideBySide(prepared, run, interruption.signal);
    const code = publishFleet({ ...run, found, secrets: allSecrets(prepared) });
    return code;
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
    if (print === 'text' && process.stderr.isTTY) process.stderr.write('\n');
  }
}

/** Those of one host are in one shard, so that no two machines send requests to it at a time. */
export function entriesOfShard(
  entries: readonly Entry[],
  { index, total }: { index: number; total: number },
): Entry[] {
  const address = ({ name, baseUrl, feed }: Entry) => baseUrl ?? feed ?? name;
  const hosts = [...new Set(entries.map((entry) => hostOf(address(entry))))].toSorted();
  const mine = entries.filter((entry) => hosts.indexOf(hostOf(address(entry))) % total === index - 1);
  if (mine.length > 0) return mine;
  throw new UsageError(
    `Shard ${index}/${total} has no deployments: the fleet has ${several(hosts.length, 'host')}. Use at most ${several(hosts.length, 'shard')}.`,
  );
}

/** Each host has one run at a time. */
async function judgeSideBySide(
  prepared: readonly Prepared[],
  run: FleetRun,
  signal: AbortSignal,
): Promise<Found[]> {
  for (const { entry } of prepared) clearAll(join(run.directory, DEPLOYMENTS, entry.name));
  const takeSlot = createSlots(run.atOnce);
  const byHost = new Map<string, Promise<unknown>>();
  const note = createProgress(prepared.length);
  return await Promise.all(
    prepared.map(async (one) => {
      const before = byHost.get(one.host);
      const judged = (async () => {
        await before;
        const found = await judgeWithin(one, prepared, run, takeSlot, signal);
        note(found);
        return found;
      })();
      byHost.set(one.host, judged);
      return await judged;
    }),
  );
}

function clearAll(folder: string): void {
  try {
    if (existsSync(folder)) clearReports(folder);
  } catch {
    // The reason is in the report on the deployment.
  }
}

/** The report of one deployment, or a sentence that says why there is none. Never rejects. */
async function judgeWithin(
  one: Prepared,
  all: readonly Prepared[],
  { directory, deadlineSeconds }: FleetRun,
  takeSlot: TakeSlot,
  interruption: AbortSignal,
): Promise<Found> {
  const { entry } = one;
  const folder = join(directory, DEPLOYMENTS, entry.name);
  const found = (report: Report | string): Found => ({
    name: entry.name,
    labels: entry.labels ?? [],
    contact: entry.contact,
    address: one.judge.kind === 'service' ? one.address : undefined,
    folder,
    report,
  });
  const slot = await takeSlot();
  const end = endOf(deadlineSeconds, interruption);
  const judged = (async () => {
    interruption.throwIfAborted();
    clearReports(folder);
    return await judge(one, secretsFor(one, all), clockOf(slot, end.signal), folder, end.signal);
  })();
  try {
    return found(await Promise.race([judged, end.promise]));
  } catch (error) {
    const { message } = error as Error;
    return found(clip(allSecrets(all).redact(message), 300));
  } finally {
    end.forget();
    // The host is free once the run sends nothing any more.
    await judged.catch(() => {});
    slot.give();
  }
}

/** Rejects and aborts after the deadline, or when the run of the fleet is interrupted. */
function endOf(deadlineSeconds: number, interruption: AbortSignal) {
  const end = new AbortController();
  const promise = new Promise<never>((_, reject) => {
    end.signal.addEventListener('abort', () => reject(end.signal.reason), { once: true });
  });
  promise.catch(() => {});
  const timer = setTimeout(
    () => end.abort(new Error(`The run was ended after ${deadlineSeconds} s (--deadline).`)),
    deadlineSeconds * 1000,
  );
  const interrupt = () => end.abort(interruption.reason);
  interruption.addEventListener('abort', interrupt, { once: true });
  return {
    promise,
    signal: end.signal,
    forget() {
      clearTimeout(timer);
      interruption.removeEventListener('abort', interrupt);
    },
  };
}

async function judge(
  { judge: settings, address }: Prepared,
  secrets: Secrets,
  clock: Clock,
  folder: string,
  signal: AbortSignal,
): Promise<Report> {
  if (settings.kind === 'feed') {
    const { contract, timeoutSeconds, ...options } = settings;
    const source = await openFeed(address, timeoutSeconds);
    signal.addEventListener('abort', () => void source.close(), { once: true });
    const report = await reportOn(source, contract, options).finally(() => source.close());
    signal.throwIfAborted();
    return written({ report: secrets.redact(report), evidence: undefined }, folder, secrets, '');
  }
  const { target, profile, baseline } = settings;
  const progress = () => {};
  const evidence = await gather(target, { secrets, clock, progress, signal, ...(profile && { profile }) });
  signal.throwIfAborted();
  // An example in the contract may be the very secret, as it is where the mock is judged.
  const redacted = profile && { ...profile, document: secrets.redact(profile.document) };
  const judged = reportOf({ evidence, profile: redacted, ...judgeAll(evidence, redacted) });
  const today = new Date().toISOString().slice(0, 10);
  const report = baseline ? applyBaseline(judged, baseline, today) : judged;
  const file = fileOf(evidence, redacted);
  const kept = { name: 'evidence.har', content: file } as const;
  return written(withEvidence(report, kept), folder, secrets, namesIn(file));
}

/** Writes the reports of one deployment. Throws where one of them was held back. */
function written(
  { report, evidence }: ReturnType<typeof withEvidence>,
  folder: string,
  secrets: Secrets,
  words: string,
): Report {
  const publisher = createPublisher(secrets, `${frameOf(report)} ${words}`);
  writeReports(report, folder, publisher, { evidence });
  const [problem] = publisher.problems;
  if (problem !== undefined) throw new Error(problem);
  return report;
}

// Secrets: those of all deployments are taken out of the report of each.

/** Shorter values are in a report by chance. */
const SHORTEST = 8;
/** What every report may say. */
const ordinary = reportSchema() + JSON.stringify(ledger);

function secretsFor({ entry, secrets: own }: Prepared, all: readonly Prepared[]): Secrets {
  const secrets = createSecrets();
  const words = ordinary + JSON.stringify(entry);
  for (const { entry: other, secrets: values } of all)
    for (const value of values)
      if (value.length >= SHORTEST && !own.includes(value) && !words.includes(value))
        // Parts of it may be a name that both have.
        secrets.register(value, `secret of ${other.name}`, { whole: true });
  return secrets;
}

function allSecrets(prepared: readonly Prepared[]): Secrets {
  const secrets = createSecrets();
  for (const { entry, secrets: values } of prepared)
    for (const value of values)
      if (value.length >= SHORTEST && !ordinary.includes(value))
        secrets.register(value, `secret of ${entry.name}`, { whole: true });
  return secrets;
}

// Slots: a run that waits for an expiry leaves its place to another.

interface Slot {
  take(): Promise<void>;
  give(): void;
}

/** Resolves once one of `count` slots is free. */
type TakeSlot = () => Promise<Slot>;

function createSlots(count: number): TakeSlot {
  let free = count;
  const waiting: (() => void)[] = [];
  const take = async () => {
    if (free > 0) free--;
    else await new Promise<void>((begin) => waiting.push(begin));
  };
  const give = () => {
    const next = waiting.shift();
    if (next) next();
    else free++;
  };
  return async () => {
    await take();
    return { take, give };
  };
}

/** Sleeping gives the slot back, and ends with the run. */
const clockOf = ({ take, give }: Slot, signal: AbortSignal): Clock => ({
  now: realClock.now,
  async sleep(milliseconds) {
    give();
    try {
      await realClock.sleep(milliseconds, signal);
    } finally {
      await take();
    }
  },
});

/** Without a terminal, how often a line says that runs are under way. */
const EVERY_MS = 30_000;

/** On standard error, so that standard output has only the report: a line for each deployment that was judged. */
function createProgress(total: number): (found: Found) => void {
  let done = 0;
  process.stderr.write(`Judging ${several(total, 'deployment')}.\n`);
  const timer = setInterval(() => process.stderr.write(`${done} of ${total} judged\n`), EVERY_MS);
  if (total === 0) clearInterval(timer);
  return ({ name, report }) => {
    done++;
    if (done === total) clearInterval(timer);
    const count = String(done).padStart(String(total).length);
    const outcome = typeof report === 'string' ? undefined : shownOutcome(report);
    const text = typeof report === 'string' ? `no report, ${report}` : `${outcome} (${report.tally})`;
    process.stderr.write(
      `[${count}/${total}] ${outcome === undefined ? '∅' : OUTCOME_MARKS[outcome]} ${name}: ${inOneLine(text)}\n`,
    );
  };
}
