/** Processes that a client started and that have left its group, as a shell with job control or a daemon does. */
import { readdirSync, readFileSync } from 'node:fs';

/**
 * Ends those that have this client id in their environment, which no other process has. Only where the system shows
 * environments as files, as Linux does; elsewhere they are left.
 */
export function endOrphans(clientId: string): void {
  for (const pid of processes()) {
    if (pid === process.pid || !environmentOf(pid).includes(clientId)) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it is gone
    }
  }
}

function processes(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // it is gone, or belongs to another user
  }
}
