/** A digest of a record's values: the order of members, 1 or 1.0, Z or no Z make no difference to it. */
import { createHash, hash } from 'node:crypto';
import type { FeedContract } from './feed-contract.ts';
import { parseUtc, plainUtc } from './time.ts';

/** Sixteen bytes of SHA-256, as a string of as many characters: two records never have the same by chance. */
export type Fingerprint = string;

export function createFingerprints({ fields, fieldNames }: FeedContract): (value: unknown) => Fingerprint {
  const packed = createPacked();

  function packRecord(record: Record<string, unknown>): void {
    let known = 0;
    for (const { name, isTime } of fields) {
      const value = record[name];
      if (value === undefined) {
        packed.tag(ABSENT);
        continue;
      }
      known++;
      packValue(
        isTime && typeof value === 'string' && !Number.isNaN(parseUtc(value)) ? plainUtc(value) : value,
      );
    }
    const names = Object.keys(record);
    if (names.length > known)
      packMembers(
        record,
        names.filter((name) => !fieldNames.has(name)),
      );
  }

  function packMembers(object: Record<string, unknown>, names: string[]): void {
    packed.tag(OBJECT);
    packed.number(names.length);
    for (const name of names.sort()) {
      packed.text(name);
      packValue(object[name]);
    }
  }

  function packValue(value: unknown): void {
    if (typeof value === 'number') {
      packed.tag(NUMBER);
      packed.number(value);
    } else if (typeof value === 'string') {
      packed.tag(TEXT);
      packed.text(value);
    } else if (Array.isArray(value)) {
      packed.tag(LIST);
      packed.number(value.length);
      for (const item of value) packValue(item);
    } else if (typeof value === 'object' && value !== null)
      packMembers(value as Record<string, unknown>, Object.keys(value));
    else packed.tag(value === null ? NULL : value ? TRUE : FALSE);
  }

  return (value) => {
    packed.clear();
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      packRecord(value as Record<string, unknown>);
    else packValue(value);
    // A string takes half the time of a Buffer.
    return hash('sha256', packed.bytes(), 'binary').slice(0, FINGERPRINT);
  };
}

/** Two digests of many records: one of them in their order, one that does not depend on it. */
export function createDigests() {
  const inOrder = createHash('sha256');
  const sums = new Uint32Array(FINGERPRINT / 4);
  // Hashing whole pages takes a third of the time.
  const page = Buffer.alloc(FINGERPRINT * 256);
  let length = 0;
  return {
    add(fingerprint: Fingerprint): void {
      if (length === page.length) {
        inOrder.update(page);
        length = 0;
      }
      length += page.write(fingerprint, length, 'latin1');
      for (let at = 0; at < sums.length; at++) sums[at] = (sums[at] ?? 0) + wordOf(fingerprint, at * 4);
    },
    done: (): { digest: string; setDigest: string } => ({
      digest: inOrder.update(page.subarray(0, length)).digest('hex').slice(0, 32),
      setDigest: Buffer.from(sums.buffer).toString('hex'),
    }),
  };
}

/** Four bytes of a fingerprint as a number. */
export const wordOf = (fingerprint: Fingerprint, at: number): number =>
  (fingerprint.charCodeAt(at) |
    (fingerprint.charCodeAt(at + 1) << 8) |
    (fingerprint.charCodeAt(at + 2) << 16) |
    (fingerprint.charCodeAt(at + 3) << 24)) >>>
  0;

const FINGERPRINT = 16;

const [ABSENT, NULL, FALSE, TRUE, NUMBER, TEXT, LIST, OBJECT] = [0, 1, 2, 3, 4, 5, 6, 7];

/** A growing byte buffer; a tag or a length precedes each value, so that different values never give the same bytes. */
function createPacked() {
  let buffer = Buffer.alloc(4096);
  let length = 0;
  const double = new Float64Array(1);
  const eight = new Uint8Array(double.buffer);

  function reserve(bytes: number): void {
    if (length + bytes <= buffer.length) return;
    const larger = Buffer.alloc(Math.max(buffer.length * 2, length + bytes));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }

  return {
    clear() {
      length = 0;
    },
    bytes: () => buffer.subarray(0, length),
    tag(tag: number | undefined) {
      reserve(1);
      buffer[length++] = tag as number;
    },
    number(value: number) {
      reserve(8);
      double[0] = value + 0; // Turns -0 into 0.
      for (let at = 0; at < 8; at++) buffer[length++] = eight[at] as number;
    },
    /** UTF-16 code units, ASCII in one byte: unpaired surrogates are kept as they are. */
    text(value: string) {
      reserve(4 + value.length * 3);
      buffer.writeUInt32LE(value.length, length);
      length += 4;
      for (let at = 0; at < value.length; at++) {
        const unit = value.charCodeAt(at);
        if (unit < 0x80) buffer[length++] = unit;
        else {
          buffer[length++] = 0xff;
          buffer[length++] = unit & 0xff;
          buffer[length++] = unit >> 8;
        }
      }
    },
  };
}
