/** Processes that a test has started, or had started. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from '@playwright/test';

/** One that has ended and was not waited for by its parent counts as gone. */
export function isAlive(pid: number): boolean {
  try {
    return !/^Z|^$/.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).trim());
  } catch {
    return false; // ps found none
  }
}

/** The processes that one has started, with their arguments. */
export function childrenOf(parent: number | undefined): { pid: number; args: string }[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n');
  return lines.flatMap((line) => {
    const [, pid, ppid, args = ''] = /^ *(\d+) +(\d+) +(.*)$/.exec(line) ?? [];
    return Number(ppid) === parent ? [{ pid: Number(pid), args }] : [];
  });
}

/** Rejects where it takes too long. */
export async function untilGone(pid: number): Promise<void> {
  await expect.poll(() => isAlive(pid), { intervals: [20] }).toBe(false);
}

/** The numbers of processes that programs under test have written to a file, as soon as it holds so many. */
export async function pidsIn(file: string, count = 1): Promise<number[]> {
  const read = () =>
    existsSync(file) ? (readFileSync(file, 'utf8').match(/\d+(?=\n)/g) ?? []).map(Number) : [];
  await expect.poll(() => read().length, { intervals: [20] }).toBeGreaterThanOrEqual(count);
  return read();
}
