import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { lockReports } from './lock.ts';

/** A directory with the lock of a process. */
function lockedBy(pid: number | undefined, name = 'run.lock', host = hostname()): string {
  const directory = test.info().outputPath('reports');
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, name), `${pid} ${host}\n`);
  return directory;
}

/** A process that lives until the test ends it. */
async function startOther(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: 'pipe' });
  await once(child, 'spawn');
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  child.stdin?.end();
  await once(child, 'close');
}

test('second run in a directory is refused while the first lives, and not after', async () => {
  const other = await startOther();
  const directory = lockedBy(other.pid);
  expect(() => lockReports(directory, undefined)).toThrow(
    `Another run of this fleet, process ${other.pid}, writes to "${directory}".`,
  );
  expect(() => lockReports(directory, { index: 1, total: 2 })).toThrow('Another run');
  await end(other);
  lockReports(directory, undefined)();
  expect(readdirSync(directory)).toEqual([]);
});

test('shards of one total share a directory, and no shard runs twice', async () => {
  const other = await startOther();
  const directory = lockedBy(other.pid, 'run-1-of-2.lock');
  const unlock = lockReports(directory, { index: 2, total: 2 });
  expect(() => lockReports(directory, { index: 1, total: 2 })).toThrow('Another run');
  expect(() => lockReports(directory, { index: 2, total: 3 })).toThrow('Another run');
  expect(() => lockReports(directory, undefined)).toThrow('Another run');
  unlock();
  expect(readdirSync(directory)).toEqual(['run-1-of-2.lock']);
  await end(other);
});

test('lock of another machine, or of an earlier process with the same id, is replaced', () => {
  lockReports(lockedBy(1, 'run.lock', 'another-machine'), undefined)();
  lockReports(lockedBy(process.pid), undefined)();
});
