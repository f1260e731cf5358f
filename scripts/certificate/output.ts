/** What a client prints, kept apart: its first lines and its last, however much it was. */
import type { Readable } from 'node:stream';

export interface Output {
  text(): string;
}

const KEPT = 32 * 1024;

/** Reads both streams to their end, so that no client waits for somebody to read. */
export function keepOutput(...streams: readonly Readable[]): Output {
  let first = Buffer.alloc(0);
  let last = Buffer.alloc(0);
  let lost = 0;
  for (const stream of streams)
    stream
      .on('data', (chunk: Buffer) => {
        const room = KEPT - first.length;
        if (room > 0) first = Buffer.concat([first, chunk.subarray(0, room)]);
        const rest = chunk.subarray(Math.max(0, room));
        if (rest.length === 0) return;
        lost += Math.max(0, last.length + rest.length - KEPT);
        last = Buffer.concat([last, rest]).subarray(-KEPT);
      })
      .on('error', () => {}); // the client is gone
  return {
    text: () =>
      lost === 0
        ? Buffer.concat([first, last]).toString()
        : `${first}\n… ${lost} bytes are left out here …\n${last}`,
  };
}
