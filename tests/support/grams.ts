/** Finds many texts in one pass over a text, by their first characters. */

/** How many characters. */
export const GRAM = 8;

export interface Grams<Value> {
  /** Remembers `value` for what begins with the first characters of `text`, which has that many at least. */
  add(text: string, value: Value): void;
  has(text: string): boolean;
  /** Calls `found` with each place in `text` where remembered characters begin, and each value for them. */
  find(text: string, found: (at: number, value: Value) => void): void;
}

/** Hashes that were added are marked, so that most places of a text cost one look at a table. */
const MARKS = 1 << 16;
const BASE = 31;
const HIGHEST = Math.imul(BASE ** 4, BASE ** 3); // of the first of eight characters: 31 to the power of seven

export function createGrams<Value>(): Grams<Value> {
  const values = new Map<string, Value[]>();
  const marks = new Uint8Array(MARKS);

  return {
    add(text, value) {
      const gram = text.slice(0, GRAM);
      const own = values.get(gram);
      if (own) own.push(value);
      else values.set(gram, [value]);
      marks[markOf(hashOf(gram))] = 1;
    },
    has: (text) => values.has(text.slice(0, GRAM)),
    find(text, found) {
      if (values.size === 0 || text.length < GRAM) return;
      let hash = hashOf(text.slice(0, GRAM));
      for (let at = 0; ; at++) {
        if (marks[markOf(hash)] === 1)
          for (const value of values.get(text.slice(at, at + GRAM)) ?? []) found(at, value);
        if (at + GRAM >= text.length) return;
        hash = hash - Math.imul(text.charCodeAt(at), HIGHEST);
        hash = Math.imul(hash, BASE) + text.charCodeAt(at + GRAM);
      }
    },
  };
}

/** Polynomial, so that it moves along a text by one character at a time. */
function hashOf(gram: string): number {
  let hash = 0;
  for (let at = 0; at < gram.length; at++) hash = Math.imul(hash, BASE) + gram.charCodeAt(at);
  return hash;
}

const markOf = (hash: number): number => (hash ^ (hash >>> 16)) & (MARKS - 1);
