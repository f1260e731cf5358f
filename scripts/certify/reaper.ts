/**
 * Ends what is left of clients. As a program of its own, it reads which of them run, and when its input ends, it ends what is left of
 * them, and removes a folder.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * Kills what is left of the group and the session of this process. Only processes that it started can be in its session. A
 * daemon has a session of its own and may serve others, so it goes on.
 */
export function endSession(leader: number): void {
  unlessGone(() => process.kill(-leader, 'SIGKILL'));
  // Linux shows the session as a file; elsewhere, the group is all.
  for (const pid of unlessGone(() => readdirSync('/proc').map(Number)) ?? [])
    if (pid > 0 && sessionOf(pid) === leader) unlessGone(() => process.kill(pid, 'SIGKILL'));
}

/** The name of the program, in brackets, may hold anything. */
function sessionOf(pid: number): number {
  const stat = unlessGone(() => readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? '';
  const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(session);
}

/** What `act` returns; undefined where the process is gone, or belongs to another user. */
export function unlessGone<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

const [, program = '', folder] = process.argv;
if (folder !== undefined && program === fileURLToPath(import.meta.url)) {
  const leaders = new Set<number>();
  for await (const line of createInterface({ input: process.stdin })) {
    const leader = Number(line.slice(1));
    if (line.startsWith('+')) leaders.add(leader);
    else leaders.delete(leader);
  }
  for (const leader of leaders) endSession(leader);
  rmSync(folder, { recursive: true, force: true });
}
