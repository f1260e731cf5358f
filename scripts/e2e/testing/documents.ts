/** The Markdown documents of this repository, and what is in them. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Paths of all documents, relative to the root of the repository. */
export const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');

export const readDocument = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

export interface ConsoleBlock {
  /** The commands after `$ `, each with its continuation lines. */
  commands: string[];
  /** The lines of the block `text` that follows, if one does. */
  output: string[];
}

/** The blocks marked `console`, in order. */
export function consoleBlocks(text: string): ConsoleBlock[] {
  return [...text.matchAll(/^```console\n(.*?)^```\n(?:\n```text\n(.*?)^```)?/gms)].map(
    ([, commands = '', output = '']) => ({
      commands: commands
        .split(/^\$ /m)
        .slice(1)
        .map((command) => command.trimEnd()),
      output: output.split('\n').filter((line) => line.trim() !== ''),
    }),
  );
}

/** The text without fenced blocks. */
export const proseOf = (text: string): string => text.replace(/^```.*?^```$/gms, '');
