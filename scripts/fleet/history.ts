/** The runs of a fleet over time: a file with a line of JSON for each run, and what changed since the last. */
import { appendFileSync, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { itemsInOrder, type Report, shownOutcome } from '../../tests/report/report.ts';
import { readBounded } from '../../tests/support/files.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { ShownOutcome, Verdict } from '../../tests/support/verdict.ts';

/** A deployment, and its report or a sentence that says why there is none. */
export interface Found {
  name: string;
  labels: readonly string[];
  address?: string | undefined;
  /** Where its reports are. */
  folder?: string | undefined;
  report: Report | string;
}

/**
 * The gravest first: a violation weighs more than what is unknown, as in a single run. What is accepted fails no job, and
 * is not a pass either.
 */
export const OUTCOMES = {
  error: { word: 'error', verdict: 'could-not-run' },
  nonconformant: { word: 'nonconformant', verdict: 'failed' },
  'no-report': { word: 'no report', verdict: 'could-not-run' },
  incomplete: { word: 'incomplete', verdict: 'could-not-run' },
  accepted: { word: 'accepted by its baseline', verdict: 'warned' },
  'conformant-to-profile': { word: 'conformant to profile', verdict: 'passed' },
  conformant: { word: 'conformant', verdict: 'passed' },
} as const satisfies Record<ShownOutcome | 'no-report', { word: string; verdict: Verdict }>;

/** Of a deployment; its baseline counts. */
export type FoundOutcome = keyof typeof OUTCOMES;

/** What a run found out about a deployment. */
interface Result {
  outcome: FoundOutcome;
  /** The digest of the statements of the specification that it was judged by. */
  requirements?: string;
  verdicts: Record<string, Verdict>;
}

/** One line of the file. */
interface Run {
  at: string;
  deployments: Record<string, Result>;
}

/** What a history file held when the command began. */
export interface History {
  file: string;
  runs: readonly Run[];
  /** What ends a last line that has no end. */
  end: string;
  /** On lines that were left out, as sentences. */
  remarks: readonly string[];
}

export const foundOutcome = ({ report }: Pick<Found, 'report'>): FoundOutcome =>
  typeof report === 'string' ? 'no-report' : shownOutcome(report);

/** A rule of a feed can have an item that warns and one that fails: the graver counts. */
function resultOf({ report }: Found): Result {
  if (typeof report === 'string') return { outcome: 'no-report', verdicts: {} };
  const rows = itemsInOrder(report).map(({ id, verdict }) => [id, verdict] as const);
  return {
    outcome: foundOutcome({ report }),
    requirements: report.suite.requirements,
    verdicts: Object.fromEntries(rows.toReversed()),
  };
}

/** Bytes; more than ten years of nightly runs. */
const LONGEST_HISTORY = 256 * 1024 * 1024;

/** Throws UsageError for a file that is not a history. One that is not there is empty. */
export function readHistory(file: string): History {
  if (!existsSync(dirname(file)))
    throw new UsageError(
      `The folder of the history "${file}" does not exist. Create it, or name another file by --history.`,
    );
  if (!existsSync(file)) return { file, runs: [], end: '', remarks: [] };
  const text = readBounded(file, LONGEST_HISTORY, `The history "${file}"`).toString();
  const lines = text.split('\n').map((line, at) => ({ line, at: `${file}:${at + 1}`, run: runIn(line) }));
  const runs = lines.flatMap(({ run }) => run ?? []);
  const others = lines.filter(({ line, run }) => line.trim() !== '' && !run);
  if (others[0] && runs.length === 0)
    throw new UsageError(`${others[0].at} is not a run of a fleet. Name another file by --history.`);
  // A full disk or a kill cuts a line off.
  const remarks = others.map(({ at }) => `${at} is not a whole run of a fleet: it is ignored.`);
  return { file, runs, end: /(^|\n)$/.test(text) ? '' : '\n', remarks };
}

function runIn(line: string): Run | undefined {
  try {
    const { at, deployments } = JSON.parse(line);
    return typeof at === 'string' && typeof deployments === 'object' ? { at, deployments } : undefined;
  } catch {
    return undefined;
  }
}

/** Adds a line for this run. Throws UsageError where that fails. */
export function keepRun({ file, end }: History, found: readonly Found[], secrets: Secrets): void {
  const deployments = Object.fromEntries(found.map((one) => [one.name, resultOf(one)]));
  const run: Run = { at: new Date().toISOString(), deployments };
  try {
    appendFileSync(file, `${end}${secrets.redact(JSON.stringify(run))}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The history "${file}" cannot be written (${code}). Name another file by --history.`,
    );
  }
}

/** How a deployment differs from its last run by the same requirements. */
export interface Change {
  name: string;
  before: FoundOutcome;
  now: FoundOutcome;
  /** What is violated now and was not then, and the reverse, as ids. */
  broken: readonly string[];
  fixed: readonly string[];
}

export interface Comparison {
  changes: readonly Change[];
  /** Deployments that are worse than their last accepted state: since which day (YYYY-MM-DD), and in how many runs by now. */
  regressed: readonly { name: string; since: string; runs: number; wasAccepted: boolean }[];
}

const failedIn = ({ verdicts }: Pick<Result, 'verdicts'>): string[] =>
  Object.keys(verdicts).filter((id) => verdicts[id] === 'failed');

/**
 * Without a report, the last run of a deployment is the one before, whatever it was judged by. Its last accepted state is the
 * last run that was conformant or accepted by its baseline; where there is none, what the first run of the history found.
 */
export function compareRuns(found: readonly Found[], runs: readonly Run[]): Comparison {
  const changes: Change[] = [];
  const regressed: Comparison['regressed'][number][] = [];
  for (const one of found) {
    const { name } = one;
    const now = resultOf(one);
    const own = runs
      .flatMap(({ at, deployments }, nth) => {
        const result = Object.hasOwn(deployments, name) ? deployments[name] : undefined;
        return result ? { ...result, day: at.slice(0, 10), isFirst: nth === 0 } : [];
      })
      .filter(({ requirements }) => now.outcome === 'no-report' || requirements === now.requirements);
    const last = own.at(-1);
    const then = failedIn(last ?? { verdicts: {} });
    const broken = failedIn(now).filter((id) => !then.includes(id));
    // A feed has items only for the rules that it violates.
    const isPassed = (id: string) => (now.verdicts[id] ?? 'passed') === 'passed';
    const fixed = now.outcome === 'no-report' ? [] : then.filter(isPassed);
    if (last && (last.outcome !== now.outcome || broken.length + fixed.length > 0))
      changes.push({ name, before: last.outcome, now: now.outcome, broken, fixed });
    const at = own.findLastIndex(({ outcome, isFirst }) => isFirst || /^(conformant|accepted)/.test(outcome));
    const accepted = own[at] ?? { outcome: 'conformant', verdicts: {} };
    // With --strict, a warning makes a feed nonconformant. The end of a baseline is not a regression.
    const wasViolated = accepted.outcome === 'nonconformant' || accepted.outcome === 'accepted';
    const known = failedIn(accepted);
    const isWorse = (run: Result) =>
      run.outcome === 'nonconformant' && !(wasViolated && failedIn(run).every((id) => known.includes(id)));
    if (!isWorse(now)) continue;
    const since = own.slice(at + 1).filter(isWorse);
    const { day } = since[0] ?? { day: new Date().toISOString().slice(0, 10) };
    regressed.push({ name, since: day, runs: since.length + 1, wasAccepted: at !== -1 });
  }
  // The worst first.
  const sorted = changes.toSorted((a, b) => b.broken.length - a.broken.length);
  // What the first run of a history finds is accepted.
  return { changes: sorted, regressed: runs.length === 0 ? [] : regressed };
}
