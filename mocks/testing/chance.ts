/** Chance that can be repeated: the same seed and number bring the same choices, on every machine. */
export interface Chance {
  /** A whole number from 0 up to `limit`, without it. */
  below(limit: number): number;
  /** True once in `times`, on the average. */
  oneIn(times: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
  /** As many characters of `alphabet`. */
  text(length: number, alphabet: string): string;
}

/** The choices of the thing with this number, whatever was chosen for others before. */
export function createChance(seed: number, number: number): Chance {
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35);
  /** From 0 to 1; mulberry32. */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const pick = <Item>(items: readonly Item[]) => items[below(items.length)] as Item;
  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick,
    text: (length, alphabet) => Array.from({ length }, () => alphabet[below(alphabet.length)]).join(''),
  };
}
