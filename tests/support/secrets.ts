/** The values that must never be seen, and the one place where they are taken out of what a run writes. */
import { type DecodedText, meaningsOf, readingsOf, wordsOf } from './decoded-text.ts';

/** A secret or a token where it must not be. */
export interface CredentialLeak {
  what: 'token' | 'client_secret';
  where: 'query' | 'path' | 'body' | 'header';
}

export interface Secrets {
  /**
   * Remembers `value`; from then on `redact` writes `‹alias›` instead. The first alias of a value stays. `whole`: parts
   * of it are not secret, as where it holds a public identifier.
   */
  register(value: string, alias: string, options?: { whole?: boolean }): void;
  /**
   * `value` with every registered secret replaced in every string within: as it is, in percent-encoding, in escapes of JSON
   * and HTML, in another case, and any eight characters of it in a row; of a secret of more than 64 characters, its first
   * eight, and any 39 in a row. A word that shows so much in base64 or hexadecimal is replaced as a whole. A word of fewer
   * than eight letters, or fewer than four characters, is replaced only where it is a word of its own. An alias is never searched.
   */
  redact<T>(value: T): T;
  /**
   * Redacts what also has words of ours, and the names of its members: secrets that are there but for two characters. One of
   * fewer than eight characters, or of fewer than twenty letters and nothing else, may be a word of ours, and stays.
   */
  seal<T>(value: T): T;
  /** The first characters of a redacted text; where it is cut, fewer than eight characters of a secret are left. */
  excerpt(text: string, characters: number): string;
  /** The aliases of the registered secrets that `text` still holds, but for two characters. */
  leaks(text: string): string[];
}

/** A run of this many characters gives a secret away. */
const RUN = 8;
/** Words of ours have fewer letters. */
const LONGEST_WORD = 20;
/** Of a longer secret, only each run at a multiple of `STEP` is looked for: there may be thousands of long tokens. */
const DENSE_CHARACTERS = 64;
const STEP = 32;
/** How much longer than itself a value can be when it is written in an encoding. */
const ENCODED = 10;
/** Texts up to this length are remembered with what became of them: most are repeated, such as media types. */
const REMEMBERED_CHARACTERS = 2000;
const REMEMBERED_TEXTS = 5000;

interface Secret {
  value: string;
  /** The value, in which neither case nor plus and space differ. */
  folded: string;
  alias: string;
  /** Whether parts of it are not secret. */
  isOnlyWhole: boolean;
}

/** Part of a text, from `from` up to `to`, that shows a secret or a part of one. */
interface Match {
  from: number;
  to: number;
  secret: Secret;
  /** How many characters of the secret are there, and whether these are all, in their own case, and a word if they are few. */
  characters: number;
  isExact: boolean;
}

export function createSecrets(): Secrets {
  const known = new Map<string, Secret>();
  const aliases = new Set<string>();
  const long = createRuns();
  /** Those of fewer characters than a run. */
  const short: Secret[] = [];
  const remembered = new Map<string, string>();
  let longest = 0;

  function redactText(text: string): string {
    const before = remembered.get(text);
    if (before !== undefined) return before;
    const redacted = withAliases(text, () => true);
    if (remembered.size === REMEMBERED_TEXTS) remembered.clear();
    if (text.length <= REMEMBERED_CHARACTERS) remembered.set(text, redacted);
    return redacted;
  }

  /** Writes aliases in the place of what `isSought`. What is between the aliases of an earlier pass is searched. */
  function withAliases(text: string, isSought: (match: Match) => boolean): string {
    if (known.size === 0) return text;
    const searched = (part: string) => replaced(part, merged(matchesIn(part).filter(isSought)));
    let redacted = '';
    let from = 0;
    for (const { index, 0: part } of text.matchAll(/‹[^‹›]*›/g)) {
      if (!aliases.has(part.slice(1, -1))) continue; // It belongs to the text around it.
      redacted += searched(text.slice(from, index)) + part;
      from = index + part.length;
    }
    return redacted + searched(text.slice(from));
  }

  /** In the text as it is and decoded, and in its words of base64 and hexadecimal. Takes linear time. */
  function matchesIn(text: string): Match[] {
    const found: Match[] = [];
    for (const reading of readingsOf(text)) {
      for (const match of [...long.find(reading.text), ...shortIn(reading.text)])
        found.push(inSource(reading, match));
      for (const [from, to] of wordsOf(reading.text))
        for (const meaning of meaningsOf(reading.text.slice(from, to)))
          for (const match of long.find(meaning)) found.push(inSource(reading, { ...match, from, to }));
    }
    return found;
  }

  /** Of a secret of few characters, its own case counts. What is of letters only, or very short, is there by chance within a word. */
  function* shortIn(text: string): Generator<Match> {
    for (const secret of short) {
      const { value } = secret;
      const characters = value.length;
      const mustBeAlone = characters < 4 || /^[a-z]+$/i.test(value);
      for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + characters)) {
        const isAlone = !/[\w-]/.test(text[at - 1] ?? '') && !/[\w-]/.test(text[at + characters] ?? '');
        if (isAlone || !mustBeAlone)
          yield { from: at, to: at + characters, secret, characters, isExact: isAlone };
      }
    }
  }

  /** A short secret counts as a word of its own, and a number or fewer than four characters never. */
  function heldIn(text: string): Set<Secret> {
    const held = matchesIn(text).filter(({ characters, isExact, secret: { value } }) =>
      value.length < RUN ? isExact && value.length >= 4 && /\D/.test(value) : characters + 2 >= value.length,
    );
    return new Set(held.map(({ secret }) => secret));
  }

  type Edit = (text: string) => string;
  const inAll = (value: unknown, edit: Edit, editName: Edit = (name) => name): unknown => {
    if (typeof value === 'string') return edit(value);
    if (Array.isArray(value)) return value.map((one) => inAll(one, edit, editName));
    if (value === null || typeof value !== 'object') return value;
    const members = Object.entries(value);
    return Object.fromEntries(members.map(([name, one]) => [editName(name), inAll(one, edit, editName)]));
  };
  const isNoWord = ({ characters, secret: { value } }: Match) =>
    characters + 2 >= value.length && value.length >= (/[^a-z]/i.test(value) ? RUN : LONGEST_WORD);

  return {
    register(value, alias, { whole: isOnlyWhole = false } = {}) {
      if (value === '' || known.has(value)) return;
      const secret = { value, folded: fold(value), alias, isOnlyWhole };
      known.set(value, secret);
      aliases.add(alias);
      remembered.clear();
      if (value.length < RUN) short.push(secret);
      else long.add(secret);
      longest = Math.max(longest, value.length * ENCODED);
    },
    redact: <T>(value: T) => inAll(value, redactText) as T,
    seal<T>(value: T) {
      const edit = (text: string) => withAliases(text, isNoWord);
      return inAll(value, edit, edit) as T;
    },
    excerpt(text, characters) {
      const window = characters + longest;
      const redacted = redactText(text.slice(0, window));
      const kept =
        text.length <= window ? characters : Math.min(characters, Math.max(0, redacted.length - longest));
      return redacted.slice(0, kept);
    },
    leaks(text) {
      const held = heldIn(text.replace(/‹[^‹›]*›/g, ' '));
      return [...new Set([...known.values()].filter((one) => held.has(one)).map(({ alias }) => alias))];
    },
  };
}

/** Only the letters of ASCII: others can change the length of a text, or depend on those next to them. */
const fold = (text: string): string =>
  (/[\u0080-\uffff]/.test(text)
    ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
    : text.toLowerCase()
  ).replaceAll('+', ' '); // A space in a form (application/x-www-form-urlencoded).

/** Places are marked by three characters of the run there, so that most places of a text cost one look at a table. */
const MARKS = 1 << 16;
const markAt = (text: string, at: number): number =>
  (text.charCodeAt(at) ^ (text.charCodeAt(at + 3) << 5) ^ (text.charCodeAt(at + RUN - 1) << 10)) &
  (MARKS - 1);

/** Finds secrets by runs of their characters, in one pass over a text. */
function createRuns() {
  const known = new Map<string, { secret: Secret; offset: number }[]>();
  const marks = new Uint8Array(MARKS);
  const runAt = ({ folded }: Secret, offset: number) => folded.slice(offset, offset + RUN);

  function note(secret: Secret, offset: number): void {
    const run = runAt(secret, offset);
    known.set(run, [...(known.get(run) ?? []), { secret, offset }]);
    marks[markAt(run, 0)] = 1;
  }

  return {
    /** By each run that no other has; where there is none, by that which the fewest others have, since tokens begin alike. */
    add(secret: Secret): void {
      const { folded, isOnlyWhole } = secret;
      const step = folded.length > DENSE_CHARACTERS ? STEP : 1;
      let [fewest, rarest] = [Number.POSITIVE_INFINITY, 0];
      for (let offset = 0; offset + RUN <= folded.length; offset += step) {
        const others = known.get(runAt(secret, offset))?.length ?? 0;
        if (others < fewest) [fewest, rarest] = [others, offset];
        if (others === 0 && !isOnlyWhole) note(secret, offset);
      }
      if (fewest > 0 || isOnlyWhole) note(secret, rarest);
    },
    /** What begins within the last match of the same secret is a part of it. */
    *find(text: string): Generator<Match> {
      if (known.size === 0 || text.length < RUN) return;
      const folded = fold(text);
      const ends = new Map<Secret, number>();
      for (let at = 0; at + RUN <= folded.length; at++) {
        if (marks[markAt(folded, at)] !== 1) continue;
        for (const { secret, offset } of known.get(folded.slice(at, at + RUN)) ?? []) {
          if (at + RUN <= (ends.get(secret) ?? 0)) continue;
          const match = matchAt(folded, at, secret, offset);
          ends.set(secret, match.to);
          if (secret.isOnlyWhole && match.characters < secret.value.length) continue;
          yield { ...match, isExact: text.startsWith(secret.value, match.from) };
        }
      }
    },
  };
}

/** How far a text and a secret are equal around a run that they share. */
function matchAt(text: string, at: number, secret: Secret, offset: number): Omit<Match, 'isExact'> {
  const { folded } = secret;
  const shift = at - offset;
  let [from, to] = [at, at + RUN];
  while (from > 0 && from > shift && text.charCodeAt(from - 1) === folded.charCodeAt(from - 1 - shift))
    from--;
  while (to < text.length && text.charCodeAt(to) === folded.charCodeAt(to - shift)) to++;
  return { from, to, secret, characters: to - from };
}

const inSource = ({ starts }: DecodedText, match: Match): Match =>
  starts ? { ...match, from: starts[match.from] ?? 0, to: starts[match.to] ?? 0 } : match;

/**
 * In the order of their places. Matches that overlap become one, named after its longest part; of two secrets that differ
 * only in case, after the one it is.
 */
function merged(matches: readonly Match[]): Match[] {
  const merged: (Match & { longest: number })[] = [];
  for (const match of matches.toSorted(
    (a, b) =>
      a.from - b.from ||
      b.to - a.to ||
      Number(b.isExact) - Number(a.isExact) ||
      b.secret.value.length - a.secret.value.length,
  )) {
    const last = merged.at(-1);
    const length = match.to - match.from;
    if (!last || match.from >= last.to) merged.push({ ...match, longest: length });
    else {
      if (length > last.longest) Object.assign(last, { secret: match.secret, longest: length });
      last.to = Math.max(last.to, match.to);
    }
  }
  return merged;
}

/** `text` with aliases in the places of `matches`, which are in order and do not overlap. */
function replaced(text: string, matches: readonly Match[]): string {
  const parts = matches.map(
    ({ from, secret }, nth) => `${text.slice(matches[nth - 1]?.to ?? 0, from)}‹${secret.alias}›`,
  );
  return parts.join('') + text.slice(matches.at(-1)?.to ?? 0);
}

/** `name`, or `‹…›` where it is none that a person would give: clients have put credentials and whole bodies there. */
export const plainName = (name: string): string =>
  /^[\w.$:[\]-]{0,40}$/.test(name) && !name.split(/[^a-z\d]/i).some(isMixed) ? name : '‹…›';

/** A word of letters and digits that is too long for a name with a number. */
const isMixed = (word: string): boolean => word.length >= 8 && /\d/.test(word) && /[a-z]/i.test(word);
