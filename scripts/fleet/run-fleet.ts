/** `mrs fleet run`: judges the deployments of a fleet file side by side, each with its own secrets, in one process. */
import { dirname, join, resolve } from 'node:path';
import { clearReports, writeReports } from '../../tests/report/publish.ts';
import { type Report, shownOutcome } from '../../tests/report/report.ts';
import { clip, inOneLine, OUTCOME_MARKS, several } from '../../tests/report/text.ts';
import { type Clock, interruption, realClock } from '../../tests/support/clock.ts';
import { createSecrets, type Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { type Entry, readFleetFile, selectEntries } from './fleet-file.ts';
import { clearDeployments, DEPLOYMENTS, type FleetPublication, publishFleet } from './fleet-report.ts';
import { type Found, readHistory } from './history.ts';
import { hostOf, type Prepared, prepareEntries } from './prepare.ts';

interface FleetRun extends FleetPublication {
  /** Labels and names to select by. */
  only?: readonly string[];
  /** The part of the fleet that this machine judges, counted from 1. */
  shard?: { index: number; total: number };
  /** For one deployment, in seconds. */
  deadline: number;
  /** The path of the file. */
  history?: string;
}

/** Runs that are under way at once, without those that wait, as for an expiry. */
const AT_ONCE = 8;
/** A shorter wait is a pause between two requests. */
const SHORTEST_WAIT_MS = 1000;
/** Returns the exit code. Throws UsageError, before anything is sent, for a mistake in the fleet file or the options. */
export async function runFleet(file: string, run: FleetRun): Promise<number> {
  const { only = [], shard, directory } = run;
  clearReports(directory);
  // Also of deployments that this run leaves out.
  clearDeployments(directory);
  if (shard && run.history !== undefined)
    throw new UsageError('--history needs all shards. Give it to mrs fleet report, which merges them.');
  const selected = selectEntries(readFleetFile(file), only);
  const mine = shard ? entriesOfShard(selected, shard) : selected;
  const { env } = process;
  const prepared = await prepareEntries(mine, { file, folder: resolve(dirname(file)), env });
  const history = run.history === undefined ? undefined : readHistory(run.history);
  const found = await judgeSideBySide(prepared, run);
  return publishFleet(found, history, run, secretsOf(prepared));
}

/** Those of one host are in one shard, so that no two machines send requests to it at a time. */
export function entriesOfShard(
  entries: readonly Entry[],
  { index, total }: { index: number; total: number },
): Entry[] {
  const hostIn = ({ name, baseUrl, feed }: Entry) => hostOf(baseUrl ?? feed ?? name);
  const hosts = [...new Set(entries.map(hostIn))].toSorted();
  const mine = entries.filter((entry) => hosts.indexOf(hostIn(entry)) % total === index - 1);
  if (mine.length > 0) return mine;
  throw new UsageError(
    `Shard ${index}/${total} has no deployments: use at most ${several(hosts.length, 'shard')}, one for each host.`,
  );
}

/** Each host has one run at a time. The result has the order of `prepared`. */
async function judgeSideBySide(
  prepared: readonly Prepared[],
  { directory, deadline: deadlineSeconds }: FleetRun,
): Promise<Found[]> {
  const interrupted = interruption();
  const all = secretsOf(prepared);
  const slots = createSlots();
  const note = createProgress(prepared.length);

  /** The report of one deployment, or a sentence that says why there is none. Never rejects. */
  const judgeOne = async (one: Prepared, folder: string): Promise<Report | string> => {
    await slots.take();
    const limit = new AbortController();
    const deadline = setTimeout(() => limit.abort(new Error('Ended by --deadline')), deadlineSeconds * 1000);
    const own = secretsOf(prepared, one.secrets);
    try {
      if (interrupted.aborted) return 'The fleet was interrupted before this run began.';
      clearReports(folder);
      const signal = AbortSignal.any([limit.signal, interrupted]);
      const judged = await one.judge({ secrets: own, clock: slots.clockOf(realClock), signal });
      return written(judged, folder, own);
    } catch (error) {
      return clip(all.redact((error as Error).message), 300);
    } finally {
      clearTimeout(deadline);
      slots.give();
    }
  };

  const free = new Map<string, Promise<unknown>>();
  return await Promise.all(
    prepared.map(async (one) => {
      const { name, labels = [] } = one.entry;
      const folder = join(directory, DEPLOYMENTS, name);
      const judged = (free.get(one.host) ?? Promise.resolve()).then(() => judgeOne(one, folder));
      free.set(one.host, judged);
      // The URL of a feed may hold a key.
      const address = one.entry.baseUrl && one.address;
      const found = { name, labels, address, folder, report: await judged };
      note(found);
      return found;
    }),
  );
}

/** Writes the reports of one deployment. Throws where one of them could not be written. */
function written(
  { report: judged, evidence: content }: Awaited<ReturnType<Prepared['judge']>>,
  directory: string,
  secrets: Secrets,
): Report {
  const evidence = content && { name: 'evidence.har' as const, content };
  const { report, problems } = writeReports(judged, { directory, secrets, evidence });
  const [problem] = problems;
  if (problem !== undefined) throw new Error(problem);
  return report;
}

/** Knows the secrets of these deployments, but for what is also in `own`, which a run registers itself. */
function secretsOf(prepared: readonly Prepared[], own: readonly string[] = []): Secrets {
  const secrets = createSecrets();
  // Parts of it may be a name that several deployments have.
  for (const { entry, secrets: values } of prepared)
    for (const value of values)
      if (!own.includes(value)) secrets.register(value, `secret of ${entry.name}`, { whole: true });
  return secrets;
}

/**
 * A run keeps its slot until it ends, or waits. After a wait it goes on at once, though all slots may be taken: a queue in the
 * middle of a run would use up the time of the run and the life of its tokens.
 */
export function createSlots(atOnce = AT_ONCE) {
  let free = atOnce;
  const waiting: (() => void)[] = [];
  const give = () => {
    const next = ++free > 0 && waiting.shift();
    if (!next) return;
    free--;
    next();
  };
  return {
    async take(): Promise<void> {
      if (free > 0) free--;
      else await new Promise<void>((begin) => waiting.push(begin));
    },
    give,
    /** The clock of a run that has a slot. */
    clockOf: (clock: Clock): Clock => ({
      ...clock,
      async sleep(milliseconds, signal) {
        if (milliseconds < SHORTEST_WAIT_MS) return clock.sleep(milliseconds, signal);
        give();
        await clock.sleep(milliseconds, signal).finally(() => free--);
      },
    }),
  };
}

/** On standard error, so that standard output has only the report: a line for each deployment that was judged. */
function createProgress(total: number) {
  let done = 0;
  process.stderr.write(`Judging ${several(total, 'deployment')}.\n`);
  return ({ name, report }: Found): void => {
    const isMissing = typeof report === 'string';
    const mark = isMissing ? '∅' : OUTCOME_MARKS[shownOutcome(report)];
    const text = isMissing ? `no report, ${report}` : `${shownOutcome(report)} (${report.tally})`;
    process.stderr.write(`[${++done}/${total}] ${mark} ${name}: ${inOneLine(text)}\n`);
  };
}
