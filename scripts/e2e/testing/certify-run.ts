/** The whole of `mrs certify` as its tests run it: a process of its own, and what that left behind. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { _baseTest as test } from '@playwright/test';
import type { CertificateReport } from '../../../tests/client/report/report.ts';

export interface Certified {
  code: number | null;
  stdout: string;
  stderr: string;
  lastLine: string | undefined;
  /** Of the reports. */
  directory: string;
  /** Its files, and what is in each. */
  files: Record<string, string>;
  /** Absent if none was written. */
  report?: CertificateReport;
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

/** Short ones. */
export const only = (...names: string[]): string[] => names.flatMap((name) => ['--scenario', name]);

/** Starts it in a folder of its own, and with little in its environment but `env`. `before`: files among the reports. */
export function startCertify(
  args: readonly string[],
  env: Record<string, string> = {},
  before: readonly string[] = [],
): Certifying {
  const place = test.info().outputPath(randomUUID());
  const [directory, temporary] = [join(place, 'reports', 'certify'), join(place, 'temporary')];
  mkdirSync(temporary, { recursive: true });
  for (const file of before) {
    mkdirSync(dirname(join(directory, file)), { recursive: true });
    writeFileSync(join(directory, file), 'before');
  }
  const mrs = spawn(process.execPath, [join(root, 'dist/scripts/mrs.js'), 'certify', ...args], {
    ...{ cwd: place, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { PATH: process.env.PATH, TMPDIR: temporary, MRS_POLL_INTERVAL: '0.05', ...env },
  });
  const ended = Promise.all([
    text(mrs.stdout as NodeJS.ReadableStream),
    text(mrs.stderr as NodeJS.ReadableStream),
    new Promise<number | null>((resolve) => mrs.on('close', resolve)),
  ]).then(([stdout, stderr, code]) => {
    const files = filesIn(directory);
    const json = files['report.json'];
    return {
      ...{ code, stdout, stderr, directory, files, left: readdirSync(temporary) },
      lastLine: stdout.trimEnd().split('\n').at(-1),
      ...(json !== undefined && { report: JSON.parse(json) as CertificateReport }),
    };
  });
  return { mrs, directory, ended };
}

export const certify = (...run: Parameters<typeof startCertify>): Promise<Certified> =>
  startCertify(...run).ended;

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
