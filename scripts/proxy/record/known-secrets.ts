/** The secrets and tokens that passed, known by the places that they had. They hide them wherever else they are. */
import { createSecrets, type Secrets } from '../../../tests/support/secrets.ts';
import { credentialsIn, isMark, secretsOfExchange } from '../../../tests/traffic/credentials.ts';
import type { RecordedExchange } from '../../../tests/traffic/exchange.ts';
import type { Judged } from '../../judge/read-recording.ts';

export interface KnownSecrets extends Pick<Secrets, 'redact'> {
  /** Adds those of an exchange; `hidden` are values in token answers that may be credentials. */
  note(exchange: RecordedExchange, judged: Judged, hidden: Iterable<string>): void;
  /** False once more passed than are searched for: what is free text then may hold one. */
  isComplete(): boolean;
}

/** More would slow the traffic down, since each is searched for in all that is shown. */
const MOST_SECRETS = 5000;
const MOST_CHARACTERS = 2 * 1024 * 1024;
/** A shorter value would be found in ordinary words. */
const SHORTEST = 4;
/** Parts of a longer value are not searched for. */
const WITH_PARTS = 100;
/** Of a token answer, this much is searched for values that may be credentials. */
const SEARCHED_BYTES = 1024 * 1024;
/** What faulty clients send in the place of a token. */
const UNSET = /^(undefined|null|none|nil|nan|true|false)$/i;
/** In a token answer of whatever form: longer than a word. Addresses have a colon, so that none is found as a whole. */
const LONG_WORD = /[\w.~+/=-]{20,}/g;

export function createKnownSecrets(): KnownSecrets {
  const secrets = createSecrets();
  const known = new Set<string>();
  let characters = 0;
  let isComplete = true;

  function register(value: string, alias: string): void {
    if (value.length < SHORTEST || known.has(value) || isMark(value) || UNSET.test(value)) return;
    if (known.size >= MOST_SECRETS || characters + value.length > MOST_CHARACTERS) {
      isComplete = false;
      return;
    }
    const own = copyOf(value);
    known.add(own);
    characters += own.length;
    secrets.register(own, alias, { whole: alias === 'hidden' || own.length > WITH_PARTS });
  }

  return {
    note(exchange, { kind, recorded: { token } }, hidden) {
      const { clientSecret } = credentialsIn(exchange);
      if (clientSecret !== undefined) register(clientSecret, 'client-secret');
      if (token !== undefined) register(token, 'token');
      for (const [value, alias] of secretsOfExchange(exchange)) register(value, alias);
      if (kind !== 'token') return;
      for (const value of hidden) register(value, 'hidden');
      const text = exchange.answer?.readBody()?.toString('utf8', 0, SEARCHED_BYTES) ?? '';
      for (const [word] of text.matchAll(LONG_WORD))
        if (/\d/.test(word) && !word.includes('//')) register(word, 'hidden');
    },
    redact: secrets.redact,
    isComplete: () => isComplete,
  };
}

/** A part of a text would keep all of the text in memory. */
const copyOf = (text: string): string => Buffer.from(text, 'utf16le').toString('utf16le');
