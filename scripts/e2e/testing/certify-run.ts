/** The whole of `mrs certify` as its tests run it, in a process of its own or in this one, and what that left behind. */
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _baseTest as test } from '@playwright/test';
import { plain, type Report } from '../../../tests/report/report.ts';
import { type Ended, mrsHere, type Place, startMrs } from './mrs.ts';

export interface Certified extends Ended {
  lastLine: string | undefined;
  /** Of the reports. */
  directory: string;
  /** Its files, and what is in each. */
  files: Record<string, string>;
  /** Absent if none was written. */
  report?: Report;
  /** What it left in the folder for temporary files. */
  left: readonly string[];
}

export interface Certifying {
  mrs: ChildProcess;
  directory: string;
  ended: Promise<Certified>;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A reference client, as a command. */
export const reference = (name: 'reactive' | 'proactive'): string[] => [
  process.execPath,
  join(root, `dist/tests/client/corpus/${name}.js`),
];

/** A wrong or a permitted client, as a command. */
export const corpus = (name: string): string[] => [
  process.execPath,
  join(root, 'dist/tests/client/corpus/run.js'),
  name,
];

export interface ScenarioRow {
  name: string;
  calls: number;
  /** Tokens asked for and needed, or records held and served. */
  measure: string;
  /** `passed`, or what was broken and what kept it from being seen. */
  result: string;
}

/** The scenarios, as the table of a report has them. */
export function scenariosIn(report: Report | undefined): ScenarioRow[] {
  const [block] = report?.sections.find(({ id }) => id === 'scenarios')?.blocks ?? [];
  return (block?.table?.rows ?? []).map(({ cells }) => {
    const [name = '', , calls, measure = '', result = ''] = cells.map(plain);
    return { name, calls: Number(calls), measure, result };
  });
}

/** The names of the scenarios that were not played. */
export const leftOutIn = (report: Report | undefined): string[] =>
  report?.properties.leftOut?.split(', ') ?? [];

/** Short ones. */
export const only = (...names: string[]): string[] => names.flatMap((name) => ['--scenario', name]);

interface Prepared {
  directory: string;
  place: Place;
  /** What is left of it when the command has ended. */
  outcome(ended: Ended): Certified;
}

/** A folder of its own, and little in its environment but `env`. `before`: files among the reports. */
function prepare(env: Record<string, string> = {}, before: readonly string[] = []): Prepared {
  const cwd = test.info().outputPath(randomUUID());
  const [directory, temporary] = [join(cwd, 'reports', 'certify'), join(cwd, 'temporary')];
  mkdirSync(temporary, { recursive: true });
  for (const file of before) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), 'before');
  }
  return {
    directory,
    place: { cwd, env: { TMPDIR: temporary, MRS_POLL_INTERVAL: '0.05', ...env } },
    outcome(ended) {
      const files = filesIn(directory);
      const json = files['report.json'];
      return {
        ...{ ...ended, directory, files, left: readdirSync(temporary) },
        lastLine: ended.stdout.trimEnd().split('\n').at(-1),
        ...(json !== undefined && { report: JSON.parse(json) as Report }),
      };
    },
  };
}

type Run = [args: readonly string[], env?: Record<string, string>, before?: readonly string[]];

/** In a process of its own, which a test can end. */
export function startCertify(...[args, env, before]: Run): Certifying {
  const { place, directory, outcome } = prepare(env, before);
  const { child, ended } = startMrs(['certify', ...args], place);
  return { mrs: child, directory, ended: ended.then(outcome) };
}

/** In this process; the clients have their own. */
export async function certify(...[args, env, before]: Run): Promise<Certified> {
  const { place, outcome } = prepare(env, before);
  return outcome(await mrsHere(['certify', ...args], place));
}

/** A program for `node`, as a command. */
export function program(source: string): string[] {
  const file = test.info().outputPath(`${randomUUID()}.mjs`);
  writeFileSync(file, source);
  return [process.execPath, file];
}

function filesIn(directory: string): Record<string, string> {
  if (!existsSync(directory)) return {};
  const found = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  const paths = found.map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(
    paths.map((path) => [path.slice(directory.length + 1), readFileSync(path, 'utf8')]),
  );
}
