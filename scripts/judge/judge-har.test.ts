/** What `mrs judge` says of a file that it cannot read; it is not taken for a recording then. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../../tests/support/usage-error.ts';
import { harOfCalls, reactiveTraffic } from '../../tests/traffic/testing/har.ts';
import { judgeHar } from './judge-har.ts';

const folder = mkdtempSync(join(tmpdir(), 'mrs-judge-'));
const options = { healthPaths: [], processes: 1, reportDir: join(folder, 'reports'), print: 'text' as const };
const har = join(folder, 'traffic.har');
writeFileSync(har, harOfCalls(...reactiveTraffic()));

function largePage(): string {
  const file = join(folder, 'report.html');
  writeFileSync(file, '<!doctype html>');
  truncateSync(file, 257 * 1024 * 1024);
  return file;
}

function loop(): string {
  const file = join(folder, 'loop.har');
  symlinkSync(file, file);
  return file;
}

for (const [what, file, why] of [
  ['a directory', folder, 'EISDIR'],
  ['a file that is not there', join(folder, 'none.har'), 'ENOENT'],
  ['a link to itself', loop(), 'ELOOP'],
  ['a path through a file', join(har, 'a.har'), 'ENOTDIR'],
  ['a page above the limit', largePage(), 'it is larger than 256 MiB'],
] as const)
  for (const baseline of [undefined, 'accepted.yaml'])
    test(`${what} ${baseline ? 'with a baseline ' : ''}is refused with the read error`, async () => {
      const judged = judgeHar(file, { ...options, baseline });
      await expect(judged).rejects.toThrow(UsageError);
      await expect(judged).rejects.toThrow(`${file} cannot be read (${why}). Name a HAR file`);
    });

test('a pipe is read as a recording', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  spawn('sh', ['-c', 'cat "$0" > "$1"', har, pipe]);
  expect(await judgeHar(pipe, { ...options, print: 'quiet' })).toBe(0);
});
