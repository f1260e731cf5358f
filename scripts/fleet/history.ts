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

interface Run {
  at: string;
  deployments: Record<string, PastRun>;
}

interface PastRun {
  outcome: FleetOutcome;
  /** The digest of the statements of the specification that it was judged by. */
  requirements?: string;
  verdicts: Record<string, ItemVerdict>;
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

const NEWLINE = 0x0a;
/** Bytes; more than ten years of nightly runs. */
const LONGEST_HISTORY = 256 * 1024 * 1024;

/** Throws UsageError for a file that is not a history. */
export function readHistory(file: string): Run[] {
  if (!existsSync(file)) return [];
  let text: string;
  try {
    text = readBounded(file, LONGEST_HISTORY, { followsLink: true }).toString('utf8');
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    throw new UsageError(`The history "${file}" ${error.message}. Name another file by --history.`);
  }
  return text.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const run = parsed(line);
    if (isRun(run)) return run;
    throw new UsageError(
      `${file}:${at + 1} is not a run of a fleet. Take the line out, or name another file.`,
    );
  });
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** A rule of a feed can have an item that warns and one that fails: the graver counts. */
const verdictsIn = (report: Report): Record<string, ItemVerdict> =>
  Object.fromEntries(
    itemsInOrder(report)
      .toReversed()
      .map(({ id, verdict }) => [id, verdict]),
  );

export function keepRun(file: string, found: readonly Found[], secrets: Secrets): void {
  const run: Run = {
    at: new Date().toISOString(),
    deployments: Object.fromEntries(
      found.map((one): [string, PastRun] => [
        one.name,
        typeof one.report === 'string'
          ? { outcome: 'no-report', verdicts: {} }
          : {
              outcome: one.report.outcome,
              requirements: one.report.suite.requirements,
              verdicts: verdictsIn(one.report),
            },
      ]),
    ),
  };
  const line = secrets.redact(JSON.stringify(run));
  try {
    // An editor may have taken the end of the last line away.
    const before = existsSync(file) ? readBounded(file, LONGEST_HISTORY, { followsLink: true }) : undefined;
    const isOpen = before !== undefined && before.length > 0 && before.at(-1) !== NEWLINE;
    appendFileSync(file, `${isOpen ? '\n' : ''}${line}\n`);
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
  /** It is violated now, and was not. */
  isRegression: boolean;
}

/** Whether a deployment violates something in its first run. */
export const hasNewViolation = (found: readonly Found[], past: readonly Run[]): boolean =>
  found.some(
    (one) =>
      outcomeOf(one) === 'nonconformant' &&
      !past.some(({ deployments }) => Object.hasOwn(deployments, one.name)),
  );

/** Compared with the last run of each deployment that left a report by the same statements. */
export function changesOf(found: readonly Found[], past: readonly Run[]): Change[] {
  return found.flatMap(({ name, report }): Change[] => {
    if (typeof report === 'string') return [];
    const last = past.findLast(
      ({ deployments }) =>
        Object.hasOwn(deployments, name) && deployments[name]?.requirements === report.suite.requirements,
    );
    if (!last) return [];
    const before = last.deployments[name]?.verdicts ?? {};
    const after = verdictsIn(report);
    // A feed has items only for the rules that it violates.
    const absent: Change['before'] = report.judge === 'feed' ? 'passed' : 'absent';
    return [...new Set([...Object.keys(before), ...Object.keys(after)])]
      .toSorted()
      .flatMap((id): Change[] => {
        const [was, is] = [before, after].map(
          (side) => (Object.hasOwn(side, id) ? side[id] : undefined) ?? absent,
        ) as [Change['before'], Change['after']];
        if (was === is) return [];
        return [{ name, id, before: was, after: is, since: last.at, isRegression: is === 'failed' }];
      });
  });
}
