/** The output of a client without secrets and without control sequences. */

import { stripVTControlCharacters } from 'node:util';
import { visible } from '../../tests/report/text.ts';
import type { Secrets } from '../../tests/support/secrets.ts';

/** The name of the token with this value, if it is one. */
type TokenName = (value: string) => string | undefined;

/** How long each token of the mock is. */
const TOKEN = 32;

export function redactOutput(text: string, secrets: Secrets, tokenName: TokenName): string {
  const plain = visible(stripVTControlCharacters(text));
  return secrets.redact(withoutEncodedTokens(withoutTokens(plain, tokenName), tokenName));
}

/** Replaces each token that the mock issued by its name, also in the middle of a word. */
const withoutTokens = (text: string, tokenName: TokenName): string =>
  text.replace(/[\w-]{32,}/g, (word) => {
    let kept = '';
    for (let at = 0; at < word.length; ) {
      const name = tokenName(word.slice(at, at + TOKEN));
      kept += name ? `‹token ${name}›` : word[at];
      at += name ? TOKEN : 1;
    }
    return kept;
  });

/** Replaces each word that contains a token in base64, which may begin at any character. */
const withoutEncodedTokens = (text: string, tokenName: TokenName): string =>
  text.replace(/[\w+/-]{43,}=*/g, (word) => {
    const isHolder = [0, 1, 2, 3].some((from) => {
      const decoded = Buffer.from(word.slice(from), 'base64').toString('latin1');
      return withoutTokens(decoded, tokenName) !== decoded;
    });
    return isHolder ? '‹token in base64›' : word;
  });
