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
const options = { processes: 1, reportDir: join(folder, 'reports'), print: 'text' as const };
const har = join(folder, 'traffic.har');
writeFileSync(har, harOfCalls(...reactiveTraffic()));

function largeFile(): string {
  const file = join(folder, 'large.har');
  writeFileSync(file, '{');
  truncateSync(file, 501 * 1024 * 1024);
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
] as const)
  for (const baseline of [undefined, 'accepted.yaml'])
    test(`${what} ${baseline ? 'with a baseline ' : ''}is refused with the read error`, async () => {
      const judged = judgeHar(file, { ...options, baseline });
      await expect(judged).rejects.toThrow(UsageError);
      await expect(judged).rejects.toThrow(`${file} cannot be read (${why}). Name a HAR file`);
    });

test('a file above the limit is refused before it is read', async () => {
  const judged = judgeHar(largeFile(), options);
  await expect(judged).rejects.toThrow('large.har is larger than 500 MiB. Remove the entries of other hosts');
});

test('a pipe is read as a recording', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  spawn('sh', ['-c', 'cat "$0" > "$1"', har, pipe]);
  expect(await judgeHar(pipe, { ...options, print: 'quiet' })).toBe(0);
});
