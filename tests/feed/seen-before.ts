/** Finds repeated records by their fingerprints: sixteen bytes are kept for each, and no record. */
import { type Fingerprint, wordOf } from './fingerprint.ts';

export interface SeenBefore {
  /** The index of the first record with this fingerprint; undefined for the first one, which is remembered. */
  firstOf(fingerprint: Fingerprint, index: number): number | undefined;
  /** Whether the limit was reached, after which no further record is remembered. */
  isFull(): boolean;
}

/** 4,194,304 records take 128 MiB. */
const MAX_RECORDS = 2 ** 22;

export function createSeenBefore(maxRecords = MAX_RECORDS): SeenBefore {
  /** Each slot: 96 bits of the fingerprint, and the index of the record plus one; 0 where the slot is free. */
  let slots = new Uint32Array(4 * 1024);
  let count = 0;

  /** The offset of the slot that holds the three words, or that is free for them. */
  function slotOf(a: number, b: number, c: number): number {
    const mask = slots.length / 4 - 1;
    for (let slot = a & mask; ; slot = (slot + 1) & mask) {
      const at = slot * 4;
      if (slots[at + 3] === 0 || (slots[at] === a && slots[at + 1] === b && slots[at + 2] === c)) return at;
    }
  }

  function grow(): void {
    const old = slots;
    slots = new Uint32Array(old.length * 2);
    for (let at = 0; at < old.length; at += 4) {
      if (old[at + 3] === 0) continue;
      slots.set(old.subarray(at, at + 4), slotOf(old[at] ?? 0, old[at + 1] ?? 0, old[at + 2] ?? 0));
    }
  }

  return {
    firstOf(fingerprint, index) {
      const [a, b, c] = [wordOf(fingerprint, 0), wordOf(fingerprint, 4), wordOf(fingerprint, 8)];
      const at = slotOf(a, b, c);
      const first = slots[at + 3] ?? 0;
      if (first !== 0) return first - 1;
      if (count === maxRecords) return undefined;
      slots[at] = a;
      slots[at + 1] = b;
      slots[at + 2] = c;
      slots[at + 3] = index + 1;
      // A table that is more than half full is slow.
      if (++count * 8 > slots.length) grow();
      return undefined;
    },
    isFull: () => count === maxRecords,
  };
}
