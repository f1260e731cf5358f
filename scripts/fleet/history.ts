/** The runs of a fleet over time: a file with a line of JSON for each run, and what changed since the last. */
import { appendFileSync, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { itemsInOrder, type Report, shownOutcome } from '../../tests/report/report.ts';
import { VERDICTS } from '../../tests/report/text.ts';
import { readBounded } from '../../tests/support/files.ts';
import { guardOf } from '../../tests/support/own-schema.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { ItemVerdict, ShownOutcome } from '../../tests/support/verdict.ts';

/** A deployment, and its report or a sentence that says why there is none. */
export interface Found {
  name: string;
  labels: readonly string[];
  address?: string | undefined;
  /** Where its reports are. */
  folder?: string | undefined;
  report: Report | string;
}

/** Of a deployment; its baseline counts. */
export type FleetOutcome = ShownOutcome | 'no-report';

/** The gravest first. A violation weighs more than what is unknown, as in a single run. */
export const GRAVITY = [
  'error',
  'nonconformant',
  'no-report',
  'incomplete',
  'accepted',
  'conformant-to-profile',
  'conformant',
] as const;

export const outcomeOf = ({ report }: Found): FleetOutcome =>
  typeof report === 'string' ? 'no-report' : shownOutcome(report);

/** What is kept of the report of a deployment. */
interface Kept {
  outcome: FleetOutcome;
  /** The digest of the statements of the specification that it was judged by. */
  requirements?: string;
  verdicts: Record<string, ItemVerdict>;
}

/** One line of the file. */
interface Run {
  at: string;
  deployments: Record<string, Kept>;
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

const KEPT = {
  type: 'object',
  required: ['outcome', 'verdicts'],
  properties: {
    outcome: { enum: GRAVITY },
    requirements: { type: 'string' },
    verdicts: { type: 'object', additionalProperties: { enum: Object.keys(VERDICTS) } },
  },
};

const isRun = guardOf<Run>({
  type: 'object',
  required: ['at', 'deployments'],
  properties: {
    at: { type: 'string', format: 'date-time' },
    deployments: { type: 'object', additionalProperties: KEPT },
  },
});

/** Bytes; more than ten years of nightly runs. */
const LONGEST_HISTORY = 256 * 1024 * 1024;

/** Throws UsageError for a file that is not a history. One that is not there is empty. */
export function readHistory(file: string): History {
  if (!existsSync(dirname(file)))
    throw new UsageError(
      `The folder of the history "${file}" does not exist. Create it, or name another file by --history.`,
    );
  if (!existsSync(file)) return { file, runs: [], end: '', remarks: [] };
  const subject = `The history "${file}"`;
  const text = readBounded(file, LONGEST_HISTORY, subject, 'Name another file by --history.').toString();
  const lines = text.split('\n').map((line, at) => ({ line, at: `${file}:${at + 1}`, run: runIn(line) }));
  const written = lines.filter(({ line }) => line.trim() !== '');
  const runs = written.flatMap(({ run }) => run ?? []);
  const others = written.filter(({ run }) => !run);
  if (others[0] && runs.length === 0)
    throw new UsageError(`${others[0].at} is not a run of a fleet. Name another file by --history.`);
  // A full disk or a kill cuts a line off.
  const remarks = others.map(({ at }) => `${at} is not a whole run of a fleet: it is ignored.`);
  return { file, runs, end: /(^|\n)$/.test(text) ? '' : '\n', remarks };
}

function runIn(line: string): Run | undefined {
  try {
    const run: unknown = JSON.parse(line);
    return isRun(run) ? run : undefined;
  } catch {
    return undefined;
  }
}

/** A rule of a feed can have an item that warns and one that fails: the graver counts. */
const verdictsIn = (report: Report): Kept['verdicts'] =>
  Object.fromEntries(
    itemsInOrder(report)
      .toReversed()
      .map(({ id, verdict }) => [id, verdict]),
  );

/** Adds a line for this run. Throws UsageError where that fails. */
export function keepRun({ file, end }: History, found: readonly Found[], secrets: Secrets): void {
  const kept = found.map(({ name, report }): [string, Kept] => {
    if (typeof report === 'string') return [name, { outcome: 'no-report', verdicts: {} }];
    const { outcome, suite } = report;
    return [name, { outcome, requirements: suite.requirements, verdicts: verdictsIn(report) }];
  });
  const run: Run = { at: new Date().toISOString(), deployments: Object.fromEntries(kept) };
  try {
    appendFileSync(file, `${end}${secrets.redact(JSON.stringify(run))}\n`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `The history "${file}" cannot be written (${code}). Name another file by --history.`,
    );
  }
}

/** A verdict that differs from the last run. */
export interface Change {
  name: string;
  id: string;
  before: ItemVerdict | 'absent';
  after: ItemVerdict | 'absent';
  since: string;
}

/** What this run shows that the last run of each deployment by the same statements did not. */
export interface Comparison {
  changes: readonly Change[];
  /** Nonconformant deployments with a violation that the last run did not have, or without such a run. */
  regressed: readonly string[];
}

/** The history can hold any name: it has no prototype's members. */
const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

export function compareRuns(found: readonly Found[], runs: readonly Run[]): Comparison {
  const regressed: string[] = [];
  const changes = found.flatMap((one): Change[] => {
    const { name, report } = one;
    if (typeof report === 'string') return [];
    const run = runs.findLast(
      ({ deployments }) => own(deployments, name)?.requirements === report.suite.requirements,
    );
    const last = run && own(run.deployments, name);
    const after = verdictsIn(report);
    // A feed has items only for the rules that it violates.
    const absent = report.judge === 'feed' ? 'passed' : 'absent';
    const ids = last ? [...new Set([...Object.keys(last.verdicts), ...Object.keys(after)])].toSorted() : [];
    const changed = ids
      .map(
        (id): Change => ({
          ...{ name, id, since: run?.at ?? '' },
          before: own(last?.verdicts ?? {}, id) ?? absent,
          after: own(after, id) ?? absent,
        }),
      )
      .filter((change) => change.before !== change.after);
    const isViolated = outcomeOf(one) === 'nonconformant';
    // With --strict, a warning makes a feed nonconformant.
    const isNew = last?.outcome !== 'nonconformant' || changed.some((change) => change.after === 'failed');
    if (isViolated && isNew) regressed.push(name);
    return changed;
  });
  return { changes, regressed };
}
