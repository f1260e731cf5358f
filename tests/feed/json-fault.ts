/** Where a text ceases to be JSON: for what JSON.parse refused, to say it in bytes. */

/**
 * The offset of the first byte with which `bytes` from `from` on can be no single JSON value; the length of `bytes`
 * where the value only breaks off; undefined where it is a value. It is for values that are not nested deep.
 */
export function jsonFault(bytes: Uint8Array, from = 0): number | undefined {
  let at = from;
  try {
    value();
    space();
    return at < bytes.length ? at : undefined;
  } catch (error) {
    if (error !== BROKEN) throw error;
    return Math.min(at, bytes.length);
  }

  function value(): void {
    space();
    const byte = bytes[at];
    if (byte === 0x7b) members(0x7d, member);
    else if (byte === 0x5b) members(0x5d, value);
    else if (byte === QUOTE) text();
    else if (byte === 0x74) word('true');
    else if (byte === 0x66) word('false');
    else if (byte === 0x6e) word('null');
    else number();
  }

  function members(end: number, one: () => void): void {
    at++;
    space();
    if (bytes[at] === end) return void at++;
    for (;;) {
      one();
      space();
      if (bytes[at] === end) return void at++;
      expect(0x2c);
    }
  }

  function member(): void {
    space();
    if (bytes[at] !== QUOTE) throw BROKEN;
    text();
    space();
    expect(0x3a);
    value();
  }

  function text(): void {
    at++;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || byte < 0x20) throw BROKEN;
      at++;
      if (byte === QUOTE) return;
      if (byte === 0x5c) escaped();
    }
  }

  function escaped(): void {
    const byte = bytes[at];
    if (byte === 0x75) {
      at++;
      for (let digit = 0; digit < 4; digit++) one(isHex);
    } else if (byte !== undefined && '"\\/bfnrt'.includes(String.fromCharCode(byte))) at++;
    else throw BROKEN;
  }

  function word(letters: string): void {
    for (const letter of letters) expect(letter.charCodeAt(0));
  }

  function number(): void {
    if (bytes[at] === 0x2d) at++;
    if (bytes[at] === 0x30) at++;
    else many();
    if (bytes[at] === 0x2e) {
      at++;
      many();
    }
    if (bytes[at] === 0x65 || bytes[at] === 0x45) {
      at++;
      if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
      many();
    }
  }

  function many(): void {
    one(isDigit);
    while (isDigit(bytes[at])) at++;
  }

  function one(is: (byte: number | undefined) => boolean): void {
    if (!is(bytes[at])) throw BROKEN;
    at++;
  }

  function expect(byte: number): void {
    if (bytes[at] !== byte) throw BROKEN;
    at++;
  }

  function space(): void {
    while (isSpace(bytes[at])) at++;
  }
}

export const isSpace = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const BROKEN = Symbol('broken');
const QUOTE = 0x22;
const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;
const isHex = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
