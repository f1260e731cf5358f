/** Many random numbers from a few bytes of the mock's randomness. */

/** A number from 0 up to, but not including, 1; a different one at each call. */
export type Draw = () => number;

/** Mulberry32, fast enough for 100,000 records. */
export function drawsFrom(bytes: Uint8Array): Draw {
  let state = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The number that is `share` of the way from `least` to `most`. */
export const between = (least: number, most: number, share: number): number => least + (most - least) * share;

/** The member that is `share` of the way through a list that is not empty. */
export const oneOf = <One>(list: readonly One[], share: number): One =>
  list[Math.floor(share * list.length)] as One;
