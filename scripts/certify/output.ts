/** What a client prints, kept apart: its first lines and its last, however much it was. */
import type { Readable } from 'node:stream';

export interface Output {
  text(): string;
}

const KEPT = 32 * 1024;

/** At a cut, no word is kept that was cut in two and is no longer than this: it may have been a secret. */
const WORD = 400;

/** Reads both streams to their end, so that no client waits for a reader. */
export function keepOutput(...streams: readonly Readable[]): Output {
  let first = '';
  let last = '';
  let printed = 0;
  for (const stream of streams)
    stream
      .setEncoding('utf8') // a character may come in two pieces
      .on('data', (chunk: string) => {
        const room = KEPT - first.length;
        printed += chunk.length;
        first += chunk.slice(0, room);
        last = (last + chunk.slice(room)).slice(-KEPT);
      })
      .on('error', () => {}); // the client is gone
  return {
    text() {
      const lost = printed - first.length - last.length;
      if (lost === 0) return first + last;
      const before = first.slice(0, -WORD) + first.slice(-WORD).replace(/\S+$/, '');
      const after = last.slice(0, WORD).replace(/^\S+/, '') + last.slice(WORD);
      return `${before}\n… ${lost} characters and more are left out here …\n${after}`;
    },
  };
}
