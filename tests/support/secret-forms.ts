/** The forms in which a secret can be written, besides those that decoding a text undoes. */
import { decodeOnce } from './decoded-text.ts';

/** The value, hexadecimal, base64 in either alphabet, and what is left of a value that looks encoded itself. */
export function formsOf(value: string): string[] {
  const bytes = Buffer.from(value.toWellFormed());
  const hex = bytes.toString('hex');
  const plain = [value, decodeOnce(value), decodeOnce(decodeOnce(value))];
  return [
    ...new Set([
      ...plain,
      ...plain.map((one) => one.replaceAll(' ', '+')), // application/x-www-form-urlencoded
      ...(bytes.length >= 4 ? [hex, (hex.match(/../g) ?? []).join(':')] : []),
      ...base64Forms(bytes),
    ]),
  ].filter((form) => form !== '');
}

/** With its padding and without, and from within a longer text, at any of three offsets. */
function base64Forms(bytes: Buffer): string[] {
  return (['base64', 'base64url'] as const).flatMap((alphabet) => {
    const text = bytes.toString(alphabet);
    const inner = [0, 1, 2].map((offset) => {
      const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString(alphabet)
        .replace(/=+$/, '');
      return shifted.slice(offset === 0 ? 0 : offset + 1, (bytes.length + offset) % 3 === 0 ? undefined : -1);
    });
    return [text, text.replace(/=+$/, ''), ...inner.filter(({ length }) => length >= 8)];
  });
}
