/** The lines of a file that is open. */
import { read } from 'node:fs';
import { promisify } from 'node:util';

const CHUNK = 256 * 1024;
const NEWLINE = 0x0a;

/** From its beginning, without their ends; what follows the last one is not a line. One is in memory at a time. */
export async function* linesOf(descriptor: number): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await promisify(read)(descriptor, Buffer.alloc(CHUNK), 0, CHUNK, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    let from = 0;
    for (
      let end = buffer.indexOf(NEWLINE);
      end !== -1 && end < bytesRead;
      end = buffer.indexOf(NEWLINE, from)
    ) {
      yield Buffer.concat([...begun, buffer.subarray(from, end)]).toString('utf8');
      begun = [];
      from = end + 1;
    }
    begun.push(buffer.subarray(from, bytesRead));
  }
}
