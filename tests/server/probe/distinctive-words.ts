/** The words of a text by which data is recognised, as hashes: they take little memory and keep nothing that was said. */

/** Numbers and words of letters and digits, as they are in any text. */
const WORD = /[\p{L}\p{N}+-][\p{L}\p{N}_.:+-]*/gu;

/** Of all words, and of the parts of those that several may have become. */
export function* hashesIn(texts: Iterable<string>): Generator<number> {
  for (const text of texts)
    for (const [match] of text.matchAll(WORD)) {
      yield* distinctive(match);
      if (match.length > 8 && /[._:]/.test(match))
        for (const part of match.split(/[._:]/)) yield* distinctive(part);
    }
}

function* distinctive(text: string): Generator<number> {
  const word = normal(text.replace(ENDS, ''));
  if (isDistinctive(word)) yield hashOf(word);
}

const ENDS = /[.:_+-]+$/;

/** A number in the form that JavaScript writes it in, so that 1.50 is found as 1.5. */
const normal = (word: string): string =>
  /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(word) && word.length < 20
    ? String(Number(word))
    : word.toLowerCase();

/** Neither a word of a language, nor a status, a year or another small number. */
const isDistinctive = (word: string): boolean =>
  /\d/.test(word) && word.replace(/[^\p{L}\p{N}]/gu, '').length >= 4 && !/^-?\d{1,4}$/.test(word);

/** FNV-1a, of 32 bits. */
export function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** Whole words only, as they are compared: what is left of a split one may be in any text. */
export function* wordsIn(texts: Iterable<string>): Generator<string> {
  for (const text of texts)
    for (const [match] of text.matchAll(WORD)) {
      const word = normal(match.replace(ENDS, ''));
      if (isDistinctive(word)) yield word;
    }
}
