/**
 * Sentences of a report without secrets. They are our own words around values of the recording: a secret that is a usual
 * word, or shares some letters with them, must not take our words out.
 */
import { createSecrets, type Secrets } from '../../../tests/support/secrets.ts';

export interface Sentences {
  /** `quoted`: the values of the recording that the sentence may hold. */
  redact(sentence: string, quoted: Iterable<string | undefined>): string;
}

type Values = readonly (readonly [value: string, alias: string])[];

/** A value that looks like one of our words, and shows nothing where we use it. */
const WORD = /^\p{L}{1,16}$/u;
/** A shorter value holds no secret. */
const SHORTEST = 4;

/** `secrets` holds the same `values`; their parts are looked for in what is quoted only. */
export function createSentences(secrets: Secrets, values: Values): Sentences {
  const wholes = createSecrets();
  for (const [value, alias] of values) if (!WORD.test(value)) wholes.register(value, alias, { whole: true });
  return {
    redact(sentence, quoted) {
      let text = sentence;
      for (const value of new Set(quoted))
        if (value !== undefined && value.length >= SHORTEST && text.includes(value))
          text = text.replaceAll(value, () => secrets.redact(value));
      return wholes.redact(text);
    },
  };
}

/** Those of the secrets that are words of these texts: they look like our words. */
export const wordsAmong = (values: Values, texts: readonly string[]): string[] => {
  const words = new Set(texts.flatMap((text) => text.match(/\p{L}+/gu) ?? []));
  return values.flatMap(([value]) => (WORD.test(value) && words.has(value) ? value : []));
};
