/** Runs of `mrs verify` for tests, in this process, and what each left behind. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { _baseTest as test } from '@playwright/test';
import type { Item, Report } from '../../../tests/report/report.ts';
import type { DraftPaths } from '../../../tests/server/draft/questions.ts';
import { observe, verify as runHere } from '../../verify/verify.ts';
import { startDeployment, type Traits, untimed } from './deployment.ts';
import { type Ended, mrsHere } from './mrs.ts';

export interface Run extends Ended {
  directory: string;
  /** Absent if none was written. */
  report?: Report;
}

/** The whole of `mrs verify`, in an environment that has nothing but `env`. */
export async function verify(
  env: Record<string, string>,
  args: string[] = [],
  directory = newDirectory(),
): Promise<Run> {
  const ended = await mrsHere(['verify', ...args], { env: { ...env, MRS_REPORT_DIR: directory } });
  return { ...ended, directory, ...reportIn(directory) };
}

function reportIn(directory: string): Pick<Run, 'report'> {
  const file = join(directory, 'report.json');
  return existsSync(file) ? { report: JSON.parse(readFileSync(file, 'utf8')) } : {};
}

/** A run in this process, from the first request to the exit code; with `draft`, that of `mrs observe`. */
export async function verifyHere(env: Record<string, string>, draft?: DraftPaths): Promise<Run> {
  const directory = newDirectory();
  const { log, error } = console;
  // Playwright asks its workers for colours.
  delete process.env.FORCE_COLOR;
  const printed = { stdout: '', stderr: '' };
  console.log = (line: string) => {
    printed.stdout += `${line}\n`;
  };
  console.error = (line: string) => {
    printed.stderr += `${line}\n`;
  };
  try {
    const all = { ...env, MRS_REPORT_DIR: directory };
    const code = await (draft ? observe(all, undefined, draft) : runHere(all));
    return { code, ...printed, directory, ...reportIn(directory) };
  } finally {
    Object.assign(console, { log, error });
  }
}

/** A run on a deployment that knows an expired token. */
export async function judge(
  traits: Partial<Traits>,
  env: Record<string, string> = {},
  run: (env: Record<string, string>) => Promise<Run> = verify,
): Promise<Run> {
  await using deployment = await startDeployment({ ...untimed, ...traits });
  return await run({ ...deployment.env, ...env });
}

/** The items of a verdict, in order. */
export const itemsIn = (report: Report | undefined, verdict: Item['verdict']): Item[] =>
  (report?.items ?? []).filter((item) => item.verdict === verdict);

export const itemIn = (report: Report | undefined, id: string): Item | undefined =>
  report?.items.find((item) => item.id === id);

/** The ids of the requirements that failed, in order. */
export const failedIn = (report?: Report): string[] => itemsIn(report, 'failed').map(({ id }) => id);

/** A fact by its name. */
export const factIn = (report: Report | undefined, name: string): string | undefined =>
  report?.facts.find((fact) => fact.name === name)?.text;

/** All that a run left behind: what it printed, and every file of its directory. */
export function seenIn({ stdout, stderr, directory }: Run): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const names = files.map(({ parentPath, name }) => join(parentPath, name));
  return [stdout, stderr, ...names, ...names.map((name) => readFileSync(name, 'utf8'))].join('\n');
}

export function newDirectory(): string {
  const directory = test.info().outputPath(randomUUID());
  mkdirSync(directory, { recursive: true });
  return directory;
}
