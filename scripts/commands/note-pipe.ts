/** Says what a command waits for that reads from a named pipe, such as one of mkfifo. */
import { lstatSync } from 'node:fs';

/** Nothing for `<(...)` of a shell, which is a link: there is always a writer. */
export function notePipe(file: string, print: (line: string) => void = console.error): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isFIFO())
    print(`mrs: ${file} is a named pipe: waiting for what a program writes to it.`);
}
