/** Keeps two runs from writing to the same reports at once. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { readBounded } from '../../../tests/support/files.ts';
import { UsageError } from '../../../tests/support/usage-error.ts';
import type { Shard } from '../shard.ts';

const NAME = /^run(?:-(\d{1,5})-of-(\d{1,5}))?\.lock$/;

/**
 * Of a directory for reports, until the result is called. Shards of one total can share the directory. A lock of a process
 * that is gone, or of another machine, is replaced. Throws UsageError where another run lives.
 */
export function lockReports(directory: string, shard: Shard | undefined): () => void {
  for (const name of readdirSync(directory)) {
    const [match, index, total] = NAME.exec(name) ?? [];
    if (match === undefined) continue;
    if (shard && Number(total) === shard.total && Number(index) !== shard.index) continue;
    const owner = ownerOf(join(directory, name));
    if (owner !== undefined) throw refusal(directory, owner, name);
    rmSync(join(directory, name), { recursive: true, force: true });
  }
  const name = shard ? `run-${shard.index}-of-${shard.total}.lock` : 'run.lock';
  const file = join(directory, name);
  const content = `${process.pid} ${hostname()}\n`;
  try {
    writeFileSync(file, content, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw refusal(directory, ownerOf(file) ?? 0, name);
    throw new UsageError(
      `${file} could not be written (${code}). Make room for it, or name another directory by --report-dir.`,
    );
  }
  return () => {
    if (contentOf(file) === content) rmSync(file, { force: true });
  };
}

const refusal = (directory: string, owner: number, name: string): UsageError =>
  new UsageError(
    `Another run of this fleet, process ${owner}, writes to "${directory}". Wait for it, name another directory by ` +
      `--report-dir, or remove ${name} there if that process is something else.`,
  );

/** The process that holds the lock; undefined where it is gone, or cannot be known. */
function ownerOf(file: string): number | undefined {
  const [, pid, host] = /^(\d{1,10}) (\S+)\n$/.exec(contentOf(file)) ?? [];
  if (pid === undefined || host !== hostname() || Number(pid) === process.pid) return undefined;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return undefined;
  }
  return Number(pid);
}

function contentOf(file: string): string {
  try {
    return readBounded(file, 1024).toString('utf8');
  } catch {
    return '';
  }
}
