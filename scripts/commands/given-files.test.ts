/** Whatever an option names, a command does not wait for it, and does not read without end. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MockError } from '../../mocks/contract/mock-error.ts';
import { loadProfile } from '../../mocks/contract/profile.ts';
import { readRecordsFile } from '../../mocks/records.ts';
import { readReport } from '../../tests/report/report.ts';
import { DEPLOYMENT_OPTIONS } from '../../tests/server/probe/options.ts';
import { readBaseline } from '../../tests/server/report/baseline.ts';
import { readSecretFile } from '../../tests/support/files.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { withScripts } from '../mock/script-file.ts';
import { notePipe } from './options.ts';

const READERS: Record<string, { read(file: string): unknown; most: string }> = {
  '--client-secret-file': { read: readSecretFile, most: '64 KiB' },
  '--ca': { read: (file) => DEPLOYMENT_OPTIONS.ca.parse(file, '--ca'), most: '16 MiB' },
  '--baseline': { read: readBaseline, most: '16 MiB' },
  '--profile': { read: loadProfile, most: '16 MiB' },
  '--records': { read: (file) => readRecordsFile(file, () => {}), most: '256 MiB' },
  '--script': { read: (file) => withScripts(file), most: '16 MiB' },
  '--report': { read: readReport, most: '256 MiB' },
};

const FILES: Record<string, { make(folder: string): string; why(most: string): RegExp }> = {
  'a pipe': { make: pipe, why: () => /it is not a regular file/ },
  'a device without an end': { make: device, why: () => /it is not a regular file/ },
  'a directory': { make: (folder) => folder, why: () => /EISDIR|it is not a regular file/ },
  'a file of 5 GiB': { make: sparse, why: (most) => new RegExp(`it is larger than ${most}`) },
};

for (const [option, { read, most }] of Object.entries(READERS))
  for (const [what, { make, why }] of Object.entries(FILES))
    test(`${option} refuses ${what}`, async () => {
      const folder = outputPath('given');
      mkdirSync(folder, { recursive: true });
      const error: unknown = await (async () => read(make(folder)))().catch((thrown) => thrown);
      expect(error instanceof UsageError || error instanceof MockError, String(error)).toBe(true);
      expect((error as Error).message).toMatch(why(most));
    });

test('a feed or traffic in a named pipe is announced, and in a file is not', () => {
  const folder = outputPath('given');
  mkdirSync(folder, { recursive: true });
  const lines: string[] = [];
  const name = pipe(folder);
  for (const file of [name, '-', join(folder, 'none'), folder, 'https://mrs.example/ods.json'])
    notePipe(file, (line) => lines.push(line));
  expect(lines).toEqual([`mrs: ${name} is a named pipe: waiting for what a program writes to it.`]);
});

function pipe(folder: string): string {
  const name = join(folder, 'pipe.yaml');
  execFileSync('mkfifo', [name]);
  return name;
}

function device(folder: string): string {
  const name = join(folder, 'device.yaml');
  symlinkSync('/dev/zero', name);
  return name;
}

/** It has no blocks on the disk. */
function sparse(folder: string): string {
  const name = join(folder, 'sparse.yaml');
  writeFileSync(name, '');
  truncateSync(name, 5 * 1024 ** 3);
  return name;
}
