/** Whether a token that was not issued is one of those that were, with a small change. */
import { bytesOf } from '../requests/forged-token.ts';

/** At most this many tokens are compared. */
const MOST_COMPARED = 1000;
/** Parts are looked for in this number of characters of issued tokens, the first ones. */
const MOST_CHARACTERS = 1024 * 1024;
/** Of a shorter token, another one may be a part by chance. */
const TELLING_LENGTH = 16;
/** In parts, with both alphabets. */
const IS_BASE64 = /^[\w+/=.-]*$/;
/** What a token has too much at its ends, as arguments of `slice`. */
const ENDS = [[0, -1], [0, -2], [1], [2], [1, -1]] as const;

/**
 * Compares a token with those that were issued: it may be in other letters of upper and lower case, be longer by one or two
 * characters, or be a part. One that decodes to the same bytes is the same token to a deployment that decodes it. A token
 * that was issued itself must not be given.
 */
export function createAlteredTokens(issued: readonly string[]): (token: string) => boolean {
  const telling = issued.filter(({ length }) => length >= TELLING_LENGTH);
  const values = new Set(telling);
  const lowerCase = new Set(telling.map((value) => value.toLowerCase()));
  const bytes = new Set(telling.map(bytesOf));
  // One search in a text of many is much faster than one in each. No token in a header has a line break.
  const first = telling.join('\n').slice(0, MOST_CHARACTERS);
  let compared = 0;
  return (token) => {
    if (token.length < TELLING_LENGTH || compared++ >= MOST_COMPARED) return false;
    if (IS_BASE64.test(token) && bytes.has(bytesOf(token))) return false;
    return (
      lowerCase.has(token.toLowerCase()) ||
      ENDS.some(([from, to]) => values.has(token.slice(from, to))) ||
      first.includes(token)
    );
  };
}
