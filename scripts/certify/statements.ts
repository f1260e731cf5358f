/** What a reader of a feed prints about the records that it holds: lines such as `{"records": 20}` among any others. */
import type { Readable } from 'node:stream';
import type { ReportRecords } from './examine.ts';

/** A longer line is something else. */
const LONGEST = 200;

/** Calls `report` for each such line as soon as it has arrived whole. `stream` is text. */
export function readStatements(stream: Readable, report: ReportRecords): void {
  let rest = '';
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > LONGEST) rest = rest.slice(0, LONGEST + 1); // the line stays too long
    for (const line of lines) {
      const records = recordsIn(line);
      if (records !== undefined) report(records);
    }
  });
}

function recordsIn(line: string): number | undefined {
  if (line.length > LONGEST || !line.trimStart().startsWith('{')) return undefined;
  try {
    const { records } = JSON.parse(line);
    return Number.isInteger(records) && records >= 0 ? records : undefined;
  } catch {
    return undefined;
  }
}
