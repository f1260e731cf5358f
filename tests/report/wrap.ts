/** Text in lines that fit a terminal, with nothing that a terminal or a CI log obeys. */
import { wrapAnsi } from 'fast-wrap-ansi';

/** `text` in lines of at most `width` columns; a word that is longer is broken. */
export const wrap = (text: string, width: number): string[] =>
  wrapAnsi(tame(text), width, { hard: true }).split('\n');

/** The beginning of a line, in at most `width` columns. */
export const cut = (line: string, width: number): string =>
  wrapAnsi(line, width, { hard: true, wordWrap: false, trim: false }).split('\n', 1)[0] ?? '';

/** Without control characters, and without the marks that make a command of a line in a CI log. */
const tame = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .replace(/:(?=:)/g, ': ')
    .replace(/##(?=\[)/g, '# #')
    .replace(/\s+/g, ' ')
    .trim();
