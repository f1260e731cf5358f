/** The calls of a mock or a proxy as they are answered: a line each, for people or for programs. */
import { styleText } from 'node:util';
import type { Entry } from '../../mocks/index.ts';
import { clip, inLog, inOneLine } from '../../tests/report/text.ts';

/** The calls of a mock have more than what is shown here of their tokens. */
type Call = Pick<Entry, 'at' | 'client' | 'method' | 'path' | 'status' | 'reason' | 'nearest' | 'ended'> & {
  token?: { name: string };
};

/** `12:00:10.400  demo  GET /ods_data/  403 expired  demo#1`: the time is UTC, on the mock's clock. */
export function callLine(entry: Call, color: boolean): string {
  const { at, client = '-', method, path, status, reason, nearest, ended, token } = entry;
  const paint = (style: Style, text: string) =>
    color ? styleText(style, text, { validateStream: false }) : text;
  const answered = `${status} ${reason}${ended ? `, ${ended}` : ''}`;
  const parts = [
    paint('gray', at.slice(at.indexOf('T') + 1, -1)),
    clip(inOneLine(client), 16).padEnd(8),
    clip(inOneLine(`${method} ${path}`), 34).padEnd(15),
    paint(styleOf(status), answered),
    ...(token ? [inOneLine(token.name)] : []),
    ...(nearest ? [`nearest client id: ${nearest}`] : []),
  ];
  return inLog(parts.join('  '));
}

type Style = Parameters<typeof styleText>[0];

const styleOf = (status: number): Style => (status < 300 ? 'green' : status < 500 ? 'yellow' : 'red');

/** An object in a line: `event` says what it is. */
export const callEvent = (entry: Call): string => JSON.stringify({ event: 'call', ...entry });
