/** Ends the clients when this program is killed before it could. */
import { spawn } from 'node:child_process';

export interface ProcessReaper {
  /** From now on the process group of this process is ended with this program. */
  watch(pid: number): void;
  forget(pid: number): void;
  close(): void;
}

/** Of a process of its own: it reads numbers, and when its input ends, it ends the processes that are left. */
const PROGRAM = `
const groups = new Set();
require('node:readline').createInterface({ input: process.stdin })
  .on('line', (line) => line[0] === '+' ? groups.add(Number(line.slice(1))) : groups.delete(Number(line.slice(1))))
  .on('close', () => {
    for (const group of groups) try { process.kill(-group, 'SIGKILL'); } catch {}
    require('node:fs').rmSync(process.argv[1], { recursive: true, force: true });
  });
`;

/** `scratch` is a folder that goes with this program, too. */
export function startProcessReaper(scratch: string): ProcessReaper {
  const reaper = spawn(process.execPath, ['-e', PROGRAM, scratch], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // a signal from the terminal to this program is not for it
  });
  reaper.unref();
  reaper.on('error', () => {}).stdin.on('error', () => {});
  return {
    watch: (pid) => void reaper.stdin.write(`+${pid}\n`),
    forget: (pid) => void reaper.stdin.write(`-${pid}\n`),
    close: () => void reaper.stdin.end(),
  };
}
