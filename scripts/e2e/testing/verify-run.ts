/** The whole of `mrs verify` as its tests run it: a process of its own, and what that left behind. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { test } from '@playwright/test';
import type { Report } from '../../../tests/server/report/report.ts';
import { startDeployment, type Traits } from './deployment.ts';

export interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
  directory: string;
  /** Absent if none was written. */
  report?: Report;
}

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The whole of `mrs verify`, in a process that knows of nothing but `env`. */
export async function verify(
  env: Record<string, string>,
  args: string[] = [],
  directory = newDirectory(),
): Promise<Run> {
  const child = spawn(process.execPath, [join(root, 'dist/scripts/mrs.js'), 'verify', ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, MRS_REPORT_DIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  const file = join(directory, 'report.json');
  const report = existsSync(file) && { report: JSON.parse(readFileSync(file, 'utf8')) };
  return { code, stdout, stderr, directory, ...report };
}

export async function judge(traits: Partial<Traits>, env: Record<string, string> = {}): Promise<Run> {
  await using deployment = await startDeployment(traits);
  return await verify({ ...deployment.env, ...env });
}

/** The ids of the requirements that failed, in order. */
export const failedIn = (report?: Report): string[] =>
  (report?.requirements ?? []).filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);

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
