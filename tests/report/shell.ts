/** Text as one word of a shell. */

/** Text between single quotes; where it holds what a terminal would act on, between $'…', which spells that out. */
export function literal(text: string): string {
  // No argument of a program holds a NUL, and none is written with half of a surrogate pair.
  const storable = text.toWellFormed().replaceAll('\0', '\u{fffd}');
  if (!UNSEEN.test(storable)) return `'${storable.replaceAll("'", `'\\''`)}'`;
  const escaped = storable
    .replace(/[\\']/g, '\\$&')
    .replace(new RegExp(UNSEEN, 'gu'), (character) =>
      [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join(''),
    );
  return `$'${escaped}'`;
}

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
