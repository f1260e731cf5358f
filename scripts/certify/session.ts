/** What is left of a client: the processes of its group and of its session. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Kills what is left of the group and the session of this process. Only processes that it started can be in its session. A
 * daemon has a session of its own and may serve others, so it goes on.
 */
export function endSession(leader: number): void {
  ignoring(() => process.kill(-leader, 'SIGKILL'));
  // Linux shows the session as a file; elsewhere, the group is all.
  for (const pid of ignoring(() => readdirSync('/proc').map(Number)) ?? [])
    if (pid > 0 && sessionOf(pid) === leader) ignoring(() => process.kill(pid, 'SIGKILL'));
}

/** The name of the program, in brackets, may hold anything. */
function sessionOf(pid: number): number {
  const stat = ignoring(() => readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? '';
  const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(session);
}

/** Undefined where the process is gone, or belongs to another user. */
function ignoring<Result>(act: () => Result): Result | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
