/** `mrs fleet run`: judges the deployments of a fleet file side by side, each with its own secrets, in one process. */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { reportOn } from '../../tests/feed/report.ts';
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

interface FleetRun {
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
const DEPLOYMENTS = 'deployments';

/** Returns the exit code. Throws UsageError, before anything is sent, for a mistake in the fleet file or the options. */
export async function runFleet(run: FleetRun): Promise<number> {
  const { file, only, shard, directory, env } = run;
  if (shard && run.history !== undefined)
    throw new UsageError('--history needs all shards. Give it to mrs fleet report, which merges them.');
  const { entries, problems } = readFleetFile(file);
  const selected = selectEntries(entries, only);
  const mine = shard ? entriesOfShard(selected, shard) : selected;
  const prepared = await prepareEntries(mine, { file, folder: resolve(dirname(file)), env, problems });
  const history = run.history === undefined ? undefined : readHistory(run.history);
  // A run that is killed must leave no report of an earlier run.
  clearReports(directory);
  const interruption = new AbortController();
  const interrupt = () => interruption.abort(new Error('The run was interrupted.'));
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.once(signal, interrupt);
  try {
    const known = secretsOf(prepared);
    const secrets = registered(known);
    const found = await judgeSideBySide(prepared, run, known, secrets, interruption.signal);
    return publishFleet({ ...run, history, found, secrets });
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
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

/** Each host has one run at a time. The result has the order of `prepared`. */
async function judgeSideBySide(
  prepared: readonly Prepared[],
  { directory, atOnce, deadlineSeconds }: FleetRun,
  known: readonly KnownSecret[],
  all: Secrets,
  interruption: AbortSignal,
): Promise<Found[]> {
  const folderOf = ({ entry }: Prepared) => join(directory, DEPLOYMENTS, entry.name);
  for (const one of prepared) clearAll(folderOf(one));
  const takeSlot = createSlots(atOnce);
  const note = createProgress(prepared.length);

  /** The report of one deployment, or a sentence that says why there is none. Never rejects. */
  const judgeOne = async (one: Prepared): Promise<Report | string> => {
    const slot = await takeSlot();
    const deadline = new AbortController();
    const timer = setTimeout(
      () => deadline.abort(new Error(`The run was ended after ${deadlineSeconds} s (--deadline).`)),
      deadlineSeconds * 1000,
    );
    const signal = AbortSignal.any([deadline.signal, interruption]);
    const ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    const judged = (async () => {
      signal.throwIfAborted();
      clearReports(folderOf(one));
      return await judge(one, secretsFor(one, known), clockOf(slot, signal), folderOf(one), signal);
    })();
    try {
      return await Promise.race([judged, ended]);
    } catch (error) {
      return clip(all.redact((error as Error).message), 300);
    } finally {
      clearTimeout(timer);
      // The host is free once the run sends nothing any more.
      await judged.catch(() => {});
      slot.give();
    }
  };

  const free = new Map<string, Promise<unknown>>();
  return await Promise.all(
    prepared.map(async (one) => {
      const { entry, judge: kind, address, host } = one;
      const judged = (free.get(host) ?? Promise.resolve()).then(() => judgeOne(one));
      free.set(host, judged);
      const found = {
        name: entry.name,
        labels: entry.labels ?? [],
        contact: entry.contact,
        address: kind.kind === 'service' ? address : undefined,
        folder: folderOf(one),
        report: await judged,
      };
      note(found);
      return found;
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

interface KnownSecret {
  value: string;
  /** The first deployment that has it. */
  name: string;
}

/** Each secret of the fleet once, without what every report may say. */
function secretsOf(prepared: readonly Prepared[]): KnownSecret[] {
  const ordinary = reportSchema() + JSON.stringify(ledger);
  const names = new Map<string, string>();
  for (const { entry, secrets } of prepared)
    for (const value of secrets)
      if (value.length >= SHORTEST && !names.has(value) && !ordinary.includes(value))
        names.set(value, entry.name);
  return [...names].map(([value, name]) => ({ value, name }));
}

function registered(known: readonly KnownSecret[]): Secrets {
  const secrets = createSecrets();
  // Parts of it may be a name that both have.
  for (const { value, name } of known) secrets.register(value, `secret of ${name}`, { whole: true });
  return secrets;
}

/** Those of the others. A run registers its own, and what an entry says of itself is none. */
function secretsFor({ entry, secrets: own }: Prepared, known: readonly KnownSecret[]): Secrets {
  const words = JSON.stringify(entry);
  return registered(known.filter(({ value }) => !own.includes(value) && !words.includes(value)));
}

// Slots: a run that waits for an expiry leaves its place to another.

interface Slot {
  take(): Promise<void>;
  give(): void;
}

/** Resolves once one of `count` slots is free. */
function createSlots(count: number): () => Promise<Slot> {
  let free = count;
  const waiting: (() => void)[] = [];
  const slot: Slot = {
    async take() {
      if (free > 0) free--;
      else await new Promise<void>((begin) => waiting.push(begin));
    },
    give() {
      const next = waiting.shift();
      if (next) next();
      else free++;
    },
  };
  return async () => {
    await slot.take();
    return slot;
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
    const [mark, text] =
      typeof report === 'string'
        ? ['∅', `no report, ${report}`]
        : [OUTCOME_MARKS[shownOutcome(report)], `${shownOutcome(report)} (${report.tally})`];
    process.stderr.write(`[${count}/${total}] ${mark} ${name}: ${inOneLine(text)}\n`);
  };
}
