/** The calls of a mock or a proxy as they are answered: a line each, for people or for programs. */
import { styleText } from 'node:util';
import { clip, inOneLine } from '../../tests/report/text.ts';
import type { Entry } from '../index.ts';

/** The calls of a mock have more than what is shown here of their tokens. */
type Call = Pick<Entry, 'at' | 'client' | 'method' | 'path' | 'status' | 'reason' | 'ended'> & {
  token?: { name: string };
};

/** `12:00:10.400  demo  GET /ods_data/  403 expired  demo#1`: the time is UTC, on the mock's clock. */
export function callLine(entry: Call, color: boolean): string {
  const { at, client = '-', method, path, status, reason, ended, token } = entry;
  const paint = (style: Style, text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const answered = `${status} ${reason}${ended ? `, ${ended}` : ''}`;
  return [
    paint('gray', at.slice(at.indexOf('T') + 1, -1)),
    clip(inOneLine(client), 16).padEnd(8),
    clip(inOneLine(`${method} ${path}`), 34).padEnd(15),
    paint(styleOf(status), answered),
    ...(token ? [inOneLine(token.name)] : []),
  ].join('  ');
}

type Style = Parameters<typeof styleText>[0];

const styleOf = (status: number): Style => (status < 300 ? 'green' : status < 500 ? 'yellow' : 'red');

/** An object in a line: `event` says what it is. */
export const callEvent = (entry: Call): string => JSON.stringify({ event: 'call', ...entry });

/** What several processes write to one pipe up to this size is not mixed (PIPE_BUF of Linux), in bytes. */
const MOST_AT_ONCE = 4096;

/**
 * Collects lines, and writes those of one turn of the event loop together, as far as other processes cannot write between:
 * a busy mock has thousands a second.
 */
export function createLineWriter(write: (text: string) => void): (line: string) => void {
  let waiting: string[] = [];
  return (line) => {
    if (waiting.push(line) > 1) return;
    setImmediate(() => {
      const lines = waiting;
      waiting = [];
      let text = '';
      for (const next of lines) {
        if (text !== '' && Buffer.byteLength(text + next) >= MOST_AT_ONCE) {
          write(text);
          text = '';
        }
        text += `${next}\n`;
      }
      write(text);
    });
  };
}
