/** Digests of the values of records, to find records that are repeated and feeds that are the same. */
import { hash } from 'node:crypto';
import type { FeedContract, Field } from './feed-contract.ts';
import { parseUtc, plainUtc } from './time.ts';

/** Sixteen bytes of SHA-256, as a string of as many characters: two records never have the same by chance. */
type Fingerprint = string;

/** The order of members, 1 or 1.0, Z or no Z make no difference. */
export function createFingerprints({ fields, fieldNames }: FeedContract): (value: unknown) => Fingerprint {
  /** The numbers of a record: to write them as text takes longer. */
  const numbers = new Float64Array(fields.length);
  const bytes = Buffer.from(numbers.buffer);

  function textOfRecord(record: Record<string, unknown>): string {
    let known = 0;
    let text = '';
    for (let at = 0; at < fields.length; at++) {
      const { name, isTime } = fields[at] as Field;
      const value = record[name];
      const isNumber = typeof value === 'number';
      numbers[at] = isNumber ? value + 0 : 0; // Turns -0 into 0.
      if (value !== undefined) known++;
      if (isNumber || value === undefined) text += isNumber ? 'n' : 'u';
      else {
        const isMoment = isTime && typeof value === 'string' && !Number.isNaN(parseUtc(value));
        text += textOf(isMoment ? plainUtc(value) : value);
      }
    }
    const names = Object.keys(record);
    if (names.length > known) text += JSON.stringify(plainMembers(record, (name) => !fieldNames.has(name)));
    return bytes.toString('latin1') + text;
  }

  return (value) => {
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    const text = isRecord ? textOfRecord(value as Record<string, unknown>) : textOf(value);
    // A string takes half the time of a Buffer.
    return hash('sha256', text, 'binary').slice(0, FINGERPRINT);
  };
}

/** Different texts for different values, none of which begins another. */
const textOf = (value: unknown): string =>
  typeof value === 'string' && value.isWellFormed()
    ? `s${value.length}:${value}`
    : `j${JSON.stringify(plain(value))}`;

/** What JSON writes in one way only. A list begins with what it stands for, so that nothing else looks like it. */
function plain(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : [INFINITE, value > 0];
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return [LIST, ...value.map(plain)];
  return plainMembers(value as Record<string, unknown>, () => true);
}

const plainMembers = (object: Record<string, unknown>, isMeant: (name: string) => boolean): unknown[] => [
  OBJECT,
  ...Object.keys(object)
    .filter(isMeant)
    .sort()
    .flatMap((name) => [name, plain(object[name])]),
];

const [INFINITE, LIST, OBJECT] = [0, 1, 2];
const FINGERPRINT = 16;

/** Two digests of many records: one of them in their order, one that does not depend on it. */
export function createDigests() {
  const inOrder = new Uint32Array(FINGERPRINT / 4);
  const inSet = new Uint32Array(FINGERPRINT / 4);
  const textOf = (words: Uint32Array) => Buffer.from(words.buffer).toString('hex');
  return {
    add(fingerprint: Fingerprint): void {
      for (let at = 0; at < inSet.length; at++) {
        const word = wordOf(fingerprint, at * 4);
        inSet[at] = (inSet[at] ?? 0) + word;
        // By an odd factor, a record counts for what it is and for where it is.
        inOrder[at] = Math.imul(inOrder[at] ?? 0, 0x01000193) + word;
      }
    },
    done: (): { digest: string; setDigest: string } => ({
      digest: textOf(inOrder),
      setDigest: textOf(inSet),
    }),
  };
}

/** Four bytes of a fingerprint as a number. */
const wordOf = (fingerprint: Fingerprint, at: number): number =>
  (fingerprint.charCodeAt(at) |
    (fingerprint.charCodeAt(at + 1) << 8) |
    (fingerprint.charCodeAt(at + 2) << 16) |
    (fingerprint.charCodeAt(at + 3) << 24)) >>>
  0;

/** 4,194,304 records take 128 MiB. */
const MAX_RECORDS = 2 ** 22;

/** Finds repeated records by their fingerprints: sixteen bytes are kept for each, and no record. */
export function createSeenBefore() {
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
    /** The index of the first record with this fingerprint; undefined for the first one, which is remembered. */
    firstOf(fingerprint: Fingerprint, index: number): number | undefined {
      const [a, b, c] = [wordOf(fingerprint, 0), wordOf(fingerprint, 4), wordOf(fingerprint, 8)];
      const at = slotOf(a, b, c);
      const first = slots[at + 3] ?? 0;
      if (first !== 0) return first - 1;
      if (count === MAX_RECORDS) return undefined;
      slots[at] = a;
      slots[at + 1] = b;
      slots[at + 2] = c;
      slots[at + 3] = index + 1;
      // A table that is more than half full is slow.
      if (++count * 8 > slots.length) grow();
      return undefined;
    },
    /** Whether the limit was reached, after which no further record is remembered. */
    isFull: () => count === MAX_RECORDS,
  };
}
