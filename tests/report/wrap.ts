/** Text in lines that fit a terminal. What came from outside brings nothing that a terminal or a CI log obeys. */
import stringWidth from 'string-width';

/** `text` in lines of at most `width` columns; a word that is longer is broken. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of tame(text)
    .split(/\s+/)
    .filter(Boolean)
    .flatMap((one) => broken(one, width))) {
    const last = lines.at(-1);
    if (last !== undefined && stringWidth(`${last} ${word}`) <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.length > 0 ? lines : [''];
}

/** Without control characters, and without the marks that make a command of a line in a CI log. */
const tame = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ')
    .replace(/:(?=:)/g, ': ')
    .replace(/##(?=\[)/g, '# #');

const graphemes = new Intl.Segmenter();

function broken(word: string, width: number): string[] {
  if (stringWidth(word) <= width) return [word];
  const parts = [''];
  for (const { segment } of graphemes.segment(word)) {
    const last = parts.length - 1;
    if (stringWidth(parts[last] + segment) > width) parts.push(segment);
    else parts[last] += segment;
  }
  return parts;
}
