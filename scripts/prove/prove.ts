/** A proof: each subject is judged, and compared with what it should come to. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { wrap } from '../../tests/report/text.ts';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { faultsIn, isDeclared, type Judged, lastingVerdictsOf } from './judged.ts';
import { type Kind, pointOf, type Subject } from './subjects.ts';

/** What a thread posts of a subject: the judgement, or why there is none, as a sentence. */
export type Posted = { name: string } & (Judged | { problem: string });

/** What is printed of each kind: its name, and what became of those that are wrong and those that are permitted. */
const LINES: Readonly<Record<Kind, readonly [name: string, wrong: string, permitted: string]>> = {
  deployment: ['proof', 'defects caught for the stated reason', 'variants accepted'],
  client: ['clients', 'wrong clients caught for the stated reason', 'permitted clients certified'],
  reader: ['readers', 'wrong readers caught for the stated reason', 'permitted readers certified'],
  feed: ['feeds', 'wrong feeds reported by the right rule', 'permitted feeds accepted'],
};

/** By `<kind> <name>`, as `deployment data-without-token`: the outcome and the verdicts. */
export type Verdicts = ReadonlyMap<string, string>;

/** Clients and readers at a time: each has a mock for every scenario, and the number of files that a process may open is limited. */
const CLIENTS_AT_ONCE = 24;
/** Deployments at a time in one thread: each waits now and then for a connection. */
const DEPLOYMENTS_AT_ONCE = 4;

/**
 * Judges in threads: clients in one, since they go by one clock, and deployments in as many as there are cores. Whichever is
 * done first leaves its core to the others.
 */
export async function judgeAll(selected: readonly Subject[]): Promise<Posted[]> {
  const posted: Posted[] = [];
  const ofDeployments = selected.filter(({ kind }) => kind === 'deployment');
  const others = selected.filter(({ kind }) => kind !== 'deployment');
  const count = Math.min(availableParallelism(), Math.ceil(ofDeployments.length / DEPLOYMENTS_AT_ONCE));
  await Promise.all([
    ...(others.length > 0 ? [runThread(others, CLIENTS_AT_ONCE, posted)] : []),
    ...Array.from({ length: count }, () => runThread(ofDeployments, DEPLOYMENTS_AT_ONCE, posted)),
  ]);
  return posted;
}

const worker = new URL(`./worker${extname(fileURLToPath(import.meta.url))}`, import.meta.url);

/** Takes from `waiting` until nothing is left. Rejects where the thread breaks down. */
function runThread(waiting: Subject[], lanes: number, posted: Posted[]): Promise<void> {
  return new Promise((resolve, reject) => {
    // Most of what a subject allocates is soon garbage: few collections of a large young generation take less time.
    const thread = new Worker(worker, { resourceLimits: { maxYoungGenerationSizeMb: 64 } });
    let running = 0;
    const handOut = () => {
      const next = waiting.shift();
      if (next) {
        // A subject itself holds functions.
        thread.postMessage(next.name);
        running++;
      } else if (running === 0) void thread.terminate();
    };
    thread.on('message', (one: Posted) => {
      running--;
      posted.push(one);
      handOut();
    });
    thread.on('error', reject).on('exit', () => resolve());
    for (let lane = 0; lane < lanes; lane++) handOut();
  });
}

/**
 * What a proof came to: the text to print, in 80 columns with a last line for machines for each kind; the exit code: 0 it
 * holds, 1 it does not, 2 a subject could not be judged; and the verdicts. `isNamed`: each verdict is printed; otherwise each
 * requirement must have a defect. Pure: what was judged is given.
 */
export function conclude(selected: readonly Subject[], posted: readonly Posted[], isNamed: boolean) {
  const lines: string[] = [];
  const verdicts = new Map<string, string>();
  let exitCode = 0;
  for (const kind of Object.keys(LINES) as Kind[]) {
    const all = selected.filter((one) => one.kind === kind);
    if (all.length === 0) continue;
    const faults = kind === 'deployment' && !isNamed ? unprovedRequirements(all, posted) : [];
    const good = { wrong: 0, permitted: 0 };
    for (const subject of all) {
      const { name, isWrong } = subject;
      const judged = posted.find((one) => one.name === name) ?? { problem: `${name}: it was not judged.` };
      const found = 'problem' in judged ? [judged.problem] : faultsIn(subject, judged);
      if ('problem' in judged) exitCode = 2;
      else verdicts.set(`${kind} ${name}`, lastingVerdictsOf(subject, judged));
      if (found.length === 0) good[isWrong ? 'wrong' : 'permitted']++;
      faults.push(...found);
      if (isNamed) lines.push(...wrap(`${name}: ${verdicts.get(`${kind} ${name}`)}`, 80));
    }
    if (faults.length > 0) exitCode = Math.max(exitCode, 1);
    const [name, caught, accepted] = LINES[kind];
    const wrong = all.filter(({ isWrong }) => isWrong).length;
    lines.push(
      ...faults.flatMap((fault) => [...wrap(fault, 80), '']),
      `${name}: ${good.wrong}/${wrong} ${caught}, ${good.permitted}/${all.length - wrong} ${accepted}`,
    );
  }
  return { text: lines.join('\n'), exitCode, verdicts };
}

/** A sentence for each requirement that no defect fails. */
function unprovedRequirements(deployments: readonly Subject[], posted: readonly Posted[]): string[] {
  const declared = posted
    .flatMap((one) => ('found' in one ? one.found : []))
    .filter(({ id, verdict }) => isDeclared(id) && verdict === 'passed');
  const failed = new Set(
    deployments.filter(({ isWrong }) => isWrong).flatMap(({ finds }) => Object.keys(finds).map(pointOf)),
  );
  return [...new Set([...ledger.filter(isBinding), ...declared].map(({ id }) => pointOf(id)))]
    .filter((id) => !failed.has(id))
    .map(
      (id) => `${id} has no defect, so nothing shows that its test can fail. Add one to mocks/deployments/.`,
    );
}

/** A sentence for each name whose verdicts differ; a name that was not judged counts only in a whole proof. */
export function differences(expected: Verdicts, seen: Verdicts, isWhole: boolean): string[] {
  return [...new Set([...seen.keys(), ...(isWhole ? expected.keys() : [])])]
    .map((name) => [name, expected.get(name) ?? 'none', seen.get(name) ?? 'none'] as const)
    .filter(([, before, now]) => before !== now)
    .map(([name, before, now]) => `${name}: the verdicts differ. Before: ${before}. Now: ${now}.`);
}

/** Throws UsageError if there is no such file, or if it is not one that was written here. */
export function readVerdicts(file: string): Verdicts {
  try {
    return new Map(Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>));
  } catch (error) {
    throw new UsageError(
      `${file} cannot be read as verdicts (${(error as Error).message}). Write it with --write-verdicts.`,
    );
  }
}
