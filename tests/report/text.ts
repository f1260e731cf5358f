/** Words and plain text that the reports of all judges share. Text that came from outside is made visible here. */
import { wrapAnsi } from 'fast-wrap-ansi';
import type { Severity, ShownOutcome, Verdict } from '../support/verdict.ts';

/** The verdicts, the gravest first. The mark repeats what the colour shows, for readers who see no colours. */
export const VERDICTS: Readonly<Record<Verdict, { mark: string; word: string }>> = {
  failed: { mark: '✗', word: 'failed' },
  warned: { mark: '!', word: 'warned' },
  'could-not-run': { mark: '?', word: 'could not run' },
  passed: { mark: '✓', word: 'passed' },
  'not-applicable': { mark: '–', word: 'not applicable' },
  'not-seen': { mark: '·', word: 'not seen' },
};

/** The mark of an outcome, next to its colour. */
export const OUTCOME_MARKS: Record<ShownOutcome, string> = {
  accepted: '~',
  conformant: '✓',
  'conformant-to-profile': '✓',
  nonconformant: '✗',
  incomplete: '?',
  error: '!',
};

/** What a violation means, in words. */
export const SEVERITY_WORDS: Readonly<Record<Severity, string>> = {
  security: 'security',
  'breaks-clients': 'breaks clients',
  'wrong-data': 'wrong data',
  'burdens-service': 'burdens the service',
  form: 'form',
};

/** `1 request`, `2 requests`. */
export const several = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** `2026-11-28 18:09 UTC`, of a time of ISO 8601 in UTC. */
export const inUtc = (time: string): string => `${time.slice(0, 10)} ${time.slice(11, 16)} UTC`;

/** `12.3 s`. */
export const inSeconds = (milliseconds: number): string => `${Number((milliseconds / 1000).toFixed(1))} s`;

/**
 * `text` with every character spelt out that would not be seen as itself: controls, what changes the direction of
 * writing, halves of surrogate pairs, and what no XML document may hold. Line feeds and tabs stay.
 */
export function visible(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(INVISIBLE, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\\u{${code.toString(16).padStart(4, '0')}}`;
  });
}

/** The same in one line. */
export const inOneLine = (text: string): string =>
  visible(text).replace(/[\n\t]/g, (space) => (space === '\n' ? '\\n' : '\\t'));

/** `text` with all that matches as JSON can write any character: `\u202e`. */
export const escapeUnits = (text: string, characters: RegExp): string =>
  text.replace(characters, (match) =>
    match
      .split('')
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );

/** `text` with at most `length` characters. */
export function clip(text: string, length: number): string {
  const characters = [...text];
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`;
}

const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{fffe}\u{ffff}]/gu;

// Text in lines that fit a terminal, with nothing that a terminal or a CI log obeys.

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
    .replace(PIPELINE_COMMAND, '# #')
    .replace(/\s+/g, ' ')
    .trim();

/** What begins a command of GitHub Actions or Azure DevOps, wherever it is in a line. */
const PIPELINE_COMMAND = /##(?=(vso)?\[)/gi;

/** One line, without the marks that make a command of a part of it in a CI log. */
export const inLog = (line: string): string => line.replace(PIPELINE_COMMAND, '# #');

/** In characters; the path of a file fits. */
const LONGEST_VALUE = 200;

/** A refusal as it is printed: the values that it quotes are in one line and not long, and no line is a command in a CI log. */
export const refusal = (sentence: string): string =>
  inLog(
    visible(sentence.replace(/"([^"]*)"/g, (_, value) => `"${clip(inOneLine(value), LONGEST_VALUE)}"`)),
  ).replace(/^([^\S\n\r\u2028\u2029]*:)(?=:)/gm, '$1 ');

// Text as one word of a shell.

/** Text between single quotes; where it holds what a terminal would act on, between $'…', which spells that out. */
export function literal(text: string): string {
  // No argument of a program holds a NUL, and none is written with half of a surrogate pair.
  const storable = text.toWellFormed().replaceAll('\0', '\u{fffd}');
  if (!UNSEEN_IN_SHELL.test(storable)) return `'${storable.replaceAll("'", `'\\''`)}'`;
  const escaped = storable
    .replace(/[\\']/g, '\\$&')
    .replace(new RegExp(UNSEEN_IN_SHELL, 'gu'), (character) =>
      [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    );
  return `$'${escaped}'`;
}

const UNSEEN_IN_SHELL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
