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

export interface Block {
  text: string;
  /** The lines of the block `text` that follows, if one does. */
  output: string[];
}

/** The fenced blocks in a language, in order. */
export const blocksOf = (document: string, language: string): Block[] =>
  [...document.matchAll(/^```(\w+)\n(.*?)^```\n(?:\n```text\n(.*?)^```)?/gms)]
    .filter(([, one]) => one === language)
    .map(([, , text = '', output = '']) => ({
      text,
      output: output.split('\n').filter((line) => line.trim() !== ''),
    }));

/** The commands of a block `console`, after `$ `, each with its continuation lines. */
export const commandsIn = ({ text }: Block): string[] =>
  text
    .split(/^\$ /m)
    .slice(1)
    .map((command) => command.trimEnd());

/** The text without fenced blocks. */
export const proseOf = (text: string): string => text.replace(/^```.*?^```$/gms, '');
