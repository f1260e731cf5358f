/** Processes that a test has started, or had started. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** Linux shows processes as files, which cost a test that polls less than `ps` does. */
const hasFiles = existsSync('/proc/self/stat');
const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
};

/** One that has ended and was not waited for by its parent counts as gone. */
export function isAlive(pid: number): boolean {
  if (hasFiles) return /^[^Z]/.test(read(`/proc/${pid}/stat`)?.split(') ').at(-1) ?? '');
  try {
    return !/^Z|^$/.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  } catch {
    return false; // ps found none
  }
}

/** Rejects where it takes too long. */
export async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { interval: 20 }).toBe(false);
}

/** The numbers of processes that programs under test have written to a file, as soon as it holds this number of them. */
export async function pidsIn(file: string, count = 1): Promise<number[]> {
  const pids = () => (read(file)?.match(/\d+(?=\n)/g) ?? []).map(Number);
  await expect.poll(() => pids().length, { interval: 20 }).toBeGreaterThanOrEqual(count);
  return pids();
}
