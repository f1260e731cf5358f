/** Pieces of GitHub-flavoured Markdown in which text from outside stays text. */
import { clip, inOneLine, visible } from './text.ts';

/** GitHub takes no summary above 1 MiB, so what a deployment sent gets a bounded place in it. */
const LONGEST_TEXT = 500;
const LONGEST_BLOCK = 4000;

/** A part under a heading of its own; nothing where it has no lines. */
export function section(title: string, lines: string[]): string[] {
  return lines.length === 0 ? [] : [`### ${title}`, lines.join('\n')];
}

/** What is seen once it is opened. */
export function folded(title: string, lines: string[]): string {
  return `<details><summary>${title}</summary>\n\n${lines.join('\n')}\n\n</details>`;
}

/** Words without anything that GitHub gives a meaning to stay words; all else becomes code, where nothing has one. */
export function prose(text: string): string {
  return WORDS.test(text) && !/www\./i.test(text)
    ? clip(text, LONGEST_TEXT).replaceAll('_', '\\_')
    : code(text);
}

/** A number at the start is one of a list where a dot or a bracket is behind it. */
const WORDS = /^(?:\p{L}|\p{N}+(?![\p{N}.)]))(?:[\p{L}\p{N} .,;'"(){}?/_=-]|:(?= ))*$/u;

/** A code span: its fence is longer than any row of backticks within. */
export function code(text: string): string {
  const content = clip(inOneLine(text), LONGEST_TEXT);
  const ticks = '`'.repeat(longestRun(content) + 1);
  // One space on either side is taken away again; without it, a backtick at the edge would join the fence.
  const pad = /^`|`$|^ .* $/.test(content) ? ' ' : '';
  return `${ticks}${pad}${content || '(nothing)'}${pad}${ticks}`;
}

/** A block of code: its fence is longer than any row of backticks within. */
export function fence(language: string, text: string): string {
  const content = clip(visible(text), LONGEST_BLOCK);
  const ticks = '`'.repeat(Math.max(3, longestRun(content) + 1));
  return `${ticks}${language}\n${content}\n${ticks}`;
}

/** A cell ends at a bar, unless an odd number of backslashes precedes it. */
export const cell = (markdown: string): string => markdown.replace(/(\\*)\|/g, '$1$1\\|');

const longestRun = (text: string): number =>
  Math.max(0, ...(text.match(/`+/g) ?? []).map((ticks) => ticks.length));
