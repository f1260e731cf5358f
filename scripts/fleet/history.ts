/** The runs of a fleet over time: a file with a line of JSON for each run, and what changed since the last. */
import { appendFileSync, existsSync } from 'node:fs';
import { itemsInOrder, type Report, shownOutcome } from '../../tests/report/report.ts';
import { VERDICTS } from '../../tests/report/text.ts';
import { readBounded, UnreadableError } from '../../tests/support/files.ts';
import { guardOf } from '../../tests/support/own-schema.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import type { ItemVerdict, ShownOutcome } from '../../tests/support/verdict.ts';

/** A deployment, and its report or a sentence that says why there is none. */
export interface Found {
  name: string;
  labels: readonly string[];
  contact?: string | undefined;
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

/** A report with more items would be none of this suite. */
export const MOST_ITEMS = 500;

/** One line of the file. */
interface Run {
  at: string;
  deployments: Record<
    string,
    {
      outcome: FleetOutcome;
      /** The digest of the statements of the specification that it was judged by. */
      requirements?: string;
      verdicts: Record<string, ItemVerdict>;
    }
  >;
}

/** What a history file held when the command began. */
export interface History {
  file: string;
  runs: readonly Run[];
  /** The last line has no end: an editor may have taken it away. */
  isOpen: boolean;
  /** On lines that were left out, as sentences. */
  remarks: readonly string[];
}

const isRun = guardOf<Run>({
  type: 'object',
  additionalProperties: false,
  required: ['at', 'deployments'],
  properties: {
    at: { type: 'string', format: 'date-time' },
    deployments: {
      type: 'object',
      maxProperties: 20_000,
      additionalProperties: {
        type: 'object',
        additionalProperties: false,
        required: ['outcome', 'verdicts'],
        properties: {
          outcome: { enum: GRAVITY },
          requirements: { type: 'string', maxLength: 100 },
          verdicts: {
            type: 'object',
            maxProperties: MOST_ITEMS,
            additionalProperties: { enum: Object.keys(VERDICTS) },
          },
        },
      },
    },
  },
});

/** Bytes; more than ten years of nightly runs. */
const LONGEST_HISTORY = 256 * 1024 * 1024;

/** Throws UsageError for a file that is not a history. One that is not there is empty. */
export function readHistory(file: string): History {
  if (!existsSync(file)) return { file, runs: [], isOpen: false, remarks: [] };
  try {
    const text = readBounded(file, LONGEST_HISTORY).toString('utf8');
    const remarks: string[] = [];
    const runs = text.split('\n').flatMap((line, at) => {
      if (line.trim() === '') return [];
      if (!isTorn(line)) return runIn(line, file, at + 1);
      remarks.push(
        `${file}:${at + 1} holds only the beginning of a run, as a full disk leaves it: it is ignored.`,
      );
      return [];
    });
    return { file, runs, isOpen: !/(^|\n)$/.test(text), remarks };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new UsageError(`The history "${file}" ${error.message}. Name another file by --history.`);
  }
}

/** Whether a run was killed while it wrote this line, or the disk was full. The next run began a new line. */
const isTorn = (line: string): boolean =>
  (line.startsWith(BEGINNING) || BEGINNING.startsWith(line)) && parsed(line) === undefined;

/** Of each line. */
const BEGINNING = '{"at":"';

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function runIn(line: string, file: string, number: number): Run {
  const run = parsed(line);
  if (isRun(run)) return run;
  throw new UsageError(`${file}:${number} is not a run of a fleet. Take the line out, or name another file.`);
}

/** A rule of a feed can have an item that warns and one that fails: the graver counts. */
const verdictsIn = (report: Report): Record<string, ItemVerdict> =>
  Object.fromEntries(
    itemsInOrder(report)
      .toReversed()
      .map(({ id, verdict }) => [id, verdict]),
  );

/** Adds a line for this run. Throws UsageError where that fails. */
export function keepRun({ file, isOpen }: History, found: readonly Found[], secrets: Secrets): void {
  const deployments: Run['deployments'] = {};
  for (const { name, report } of found)
    deployments[name] =
      typeof report === 'string'
        ? { outcome: 'no-report', verdicts: {} }
        : {
            outcome: report.outcome,
            requirements: report.suite.requirements,
            verdicts: verdictsIn(report),
          };
  const run: Run = { at: new Date().toISOString(), deployments };
  try {
    appendFileSync(file, `${isOpen ? '\n' : ''}${secrets.redact(JSON.stringify(run))}\n`);
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
  /** When the earlier runs began that this one was compared with, the latest last. */
  since: readonly string[];
  /** Whether a requirement is violated, or an outcome nonconformant, that was not, or without a run to compare with. */
  isRegression: boolean;
  /** So many nonconformant deployments have no run to compare with: their violations are new. */
  uncompared: number;
}

/** The history can hold any name: it has no prototype's members. */
const own = <T>(record: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(record, name) ? record[name] : undefined;

export function compareRuns(found: readonly Found[], runs: readonly Run[]): Comparison {
  const since = new Set<string>();
  let uncompared = 0;
  let isRegression = false;
  const changes = found.flatMap((one): Change[] => {
    const { name, report } = one;
    if (typeof report === 'string') return [];
    const isViolated = outcomeOf(one) === 'nonconformant';
    const run = runs.findLast(
      ({ deployments }) => own(deployments, name)?.requirements === report.suite.requirements,
    );
    const last = run && own(run.deployments, name);
    if (!last) {
      if (isViolated) uncompared++;
      return [];
    }
    since.add(run.at);
    // With --strict, a warning makes a feed nonconformant.
    if (isViolated && report.outcome === 'nonconformant' && last.outcome !== 'nonconformant')
      isRegression = true;
    const before = last.verdicts;
    const after = verdictsIn(report);
    // A feed has items only for the rules that it violates.
    const absent = report.judge === 'feed' ? 'passed' : 'absent';
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .toSorted()
      .map(
        (id): Change => ({
          name,
          id,
          before: own(before, id) ?? absent,
          after: own(after, id) ?? absent,
          since: run.at,
        }),
      )
      .filter((change) => change.before !== change.after);
  });
  isRegression ||= uncompared > 0 || changes.some(({ after }) => after === 'failed');
  return { changes, since: [...since].toSorted(), isRegression, uncompared };
}
