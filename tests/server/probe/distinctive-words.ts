/** The words of a text by which data is recognised. */

/** Numbers and words of letters and digits, as they are in any text. */
const WORD = /[\p{L}\p{N}+-][\p{L}\p{N}_.:+-]*/gu;
const ENDS = /[.:_+-]+$/;
/** Several words that have become one, such as in an ETag. */
const JOINED = /^(?=.{9})[^._:]*[._:]/;

/** The distinctive words, as they are compared. */
export function* wordsIn(texts: Iterable<string>): Generator<string> {
  for (const text of texts)
    for (const [match] of text.matchAll(WORD)) {
      const word = normal(match.replace(ENDS, ''));
      if (isDistinctive(word)) yield word;
    }
}

/** Hashes of the words, and of the parts of those that several may have become: they keep nothing that a text said. */
export function* hashesOfAll(texts: Iterable<string>): Generator<number> {
  for (const text of texts)
    for (const [match] of text.matchAll(WORD)) {
      const parts = JOINED.test(match) ? match.split(/[._:]/) : [];
      for (const word of wordsIn([match, ...parts])) yield hashOf(word);
    }
}

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
