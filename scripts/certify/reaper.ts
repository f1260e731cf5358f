/** A program of its own: reads which clients run, and when its input ends, ends what is left of them, and removes a folder. */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { endSession } from './session.ts';

const leaders = new Set<number>();
for await (const line of createInterface({ input: process.stdin })) {
  const leader = Number(line.slice(1));
  if (line.startsWith('+')) leaders.add(leader);
  else leaders.delete(leader);
}
for (const leader of leaders) endSession(leader);
rmSync(process.argv[2] as string, { recursive: true, force: true });
