/** Digests of the values of records, to find records that are repeated and feeds that are the same. */
import { randomInt } from 'node:crypto';
import type { FeedContract, Field } from './feed-contract.ts';
import { endOfPlainUtc, parseUtc } from './time.ts';

/** 128 bits as four words, which the next record overwrites: two records never have the same by chance. */
type Fingerprint = Readonly<Uint32Array>;

/** The order of members, 1 or 1.0, Z or no Z make no difference. */
export function createFingerprints({ fields, fieldNames }: FeedContract): (value: unknown) => Fingerprint {
  const fingerprint = new Uint32Array(4);
  /** What is hashed: two words for each field, then the characters of texts, two in a word. */
  let words = new Uint32Array(1024);
  let numbers = new Float64Array(words.buffer, 0, fields.length);
  let length = 0;

  function makeRoom(characters: number): void {
    if (length + characters + ROUND <= words.length) return;
    const old = words;
    words = new Uint32Array(2 * (old.length + characters));
    words.set(old);
    numbers = new Float64Array(words.buffer, 0, fields.length);
  }

  function addText(text: string, end: number): void {
    makeRoom(end);
    for (let at = 0; at < end; at += 2)
      words[length++] = text.charCodeAt(at) | (at + 1 < end ? text.charCodeAt(at + 1) << 16 : 0);
  }

  function addField({ isTime }: Field, at: number, value: unknown): void {
    const isText = typeof value === 'string';
    const text = isText ? value : value === undefined ? '' : jsonOf(value);
    const end = isText && isTime && !Number.isNaN(parseUtc(text)) ? endOfPlainUtc(text) : text.length;
    words[2 * at] = end;
    words[2 * at + 1] = isText ? TEXT : value === undefined ? ABSENT : OTHER;
    addText(text, end);
  }

  function addRecord(record: Record<string, unknown>): void {
    length = 2 * fields.length;
    let known = 0;
    for (let at = 0; at < fields.length; at++) {
      const field = fields[at] as Field;
      const value = record[field.name];
      if (value !== undefined) known++;
      if (typeof value === 'number')
        numbers[at] = value + 0; // Turns -0 into 0.
      else addField(field, at, value);
    }
    let members = 0;
    for (const _ in record) members++;
    if (members === known) return;
    const text = JSON.stringify(plainMembers(record, (name) => !fieldNames.has(name)));
    addText(text, text.length);
  }

  return (value) => {
    length = 0;
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      addRecord(value as Record<string, unknown>);
    else {
      const text = jsonOf(value);
      addText(text, text.length);
    }
    digest(words, length, fingerprint);
    return fingerprint;
  };
}

/** The upper words of what is not a number, in place of its bits: no number has them. */
const [TEXT, ABSENT, OTHER] = [0xfff80001, 0xfff80002, 0xfff80003] as const;

/** Different texts for different values. */
const jsonOf = (value: unknown): string => JSON.stringify(plain(value));

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

/** Words that are mixed in one round. */
const ROUND = 4;

/** MurmurHash3 (x86, 128 bits) of the first `count` words: a cryptographic digest takes longer than JSON.parse. */
function digest(words: Uint32Array, count: number, into: Uint32Array): void {
  words.fill(0, count, count + ROUND);
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < count; at += ROUND) {
    a ^= scrambled(words[at] as number, 0x239b961b, 15, 0xab0e9789);
    a = (Math.imul(turned(a, 19) + b, 5) + 0x561ccd1b) | 0;
    b ^= scrambled(words[at + 1] as number, 0xab0e9789, 16, 0x38b34ae5);
    b = (Math.imul(turned(b, 17) + c, 5) + 0x0bcaa747) | 0;
    c ^= scrambled(words[at + 2] as number, 0x38b34ae5, 17, 0xa1e38b93);
    c = (Math.imul(turned(c, 15) + d, 5) + 0x96cd1c35) | 0;
    d ^= scrambled(words[at + 3] as number, 0xa1e38b93, 18, 0x239b961b);
    d = (Math.imul(turned(d, 13) + a, 5) + 0x32ac3b17) | 0;
  }
  a = (a ^ count) + (b ^ count) + (c ^ count) + (d ^ count);
  [a, b, c, d] = [
    finished(a),
    finished(a + (b ^ count)),
    finished(a + (c ^ count)),
    finished(a + (d ^ count)),
  ];
  a += b + c + d;
  into[0] = a;
  into[1] = a + b;
  into[2] = a + c;
  into[3] = a + d;
}

const turned = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

const scrambled = (word: number, before: number, bits: number, after: number): number =>
  Math.imul(turned(Math.imul(word, before), bits), after);

function finished(word: number): number {
  const mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const more = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return more ^ (more >>> 16);
}

/** Two digests of many records: one of them in their order, one that does not depend on it. */
export function createDigests() {
  const inOrder = new Uint32Array(4);
  const inSet = new Uint32Array(4);
  const textOf = (words: Uint32Array) => Buffer.from(words.buffer).toString('hex');
  return {
    add(fingerprint: Fingerprint): void {
      for (let at = 0; at < inSet.length; at++) {
        const word = fingerprint[at] as number;
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

/** 4,194,304 records take 128 MiB. */
const MAX_RECORDS = 2 ** 22;

/** Finds repeated records by their fingerprints: sixteen bytes are kept for each, and no record. */
export function createSeenBefore() {
  // A publisher who knew the slots could put all records into one row of them, and searching would take forever.
  const [ofA = 1, ofB = 1, ofC = 1] = Array.from({ length: 3 }, () => 2 * randomInt(2 ** 31) + 1);
  /** Each slot: 96 bits of the fingerprint, and the index of the record plus one; 0 where the slot is free. */
  let slots = new Uint32Array(4 * 1024);
  let count = 0;

  /** The offset of the slot that holds the three words, or that is free for them. */
  function slotOf(a: number, b: number, c: number): number {
    const mask = slots.length / 4 - 1;
    const start = (Math.imul(a, ofA) + Math.imul(b, ofB) + Math.imul(c, ofC)) >>> Math.clz32(mask);
    for (let slot = start; ; slot = (slot + 1) & mask) {
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
      const [a = 0, b = 0, c = 0] = fingerprint;
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
