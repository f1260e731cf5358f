/** Names that look alike, or that are not names. */

/** What is wrong with an identifier; undefined if nothing is. */
export function identifierProblem(text: string): string | undefined {
  if (PLAIN.test(text)) return NULLS.has(text) ? 'which is the text of a missing value' : undefined;
  const bare = text.trim();
  if (bare === '') return 'which is empty';
  const unseen = UNSEEN.exec(text)?.[0];
  if (unseen !== undefined) return `which has the invisible character ${codeOf(unseen)}`;
  if (text.includes('\ufffd') || !text.isWellFormed())
    return 'which is damaged: it was read in another encoding, or cut within a character';
  return bare === text ? undefined : 'which has blanks around it';
}

/** Printable ASCII, without a blank at either end. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/** What programs write in place of a value that they do not have. */
const NULLS: ReadonlySet<string> = new Set(['None', 'null', 'NULL', 'undefined', 'NaN']);

/**
 * Control characters, line separators, zero-width spaces, and marks that turn the direction of text. Joiners are not
 * among them: some scripts need them.
 */
const UNSEEN = /[\p{Cc}\u2028\u2029\u00ad\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069]/u;

const codeOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
