/** The values that must never be seen, and the one place where they are taken out of what a run writes. */
import { type DecodedText, decodeOnce, encodedParts, readingsOf } from './decoded-text.ts';

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
   * `value` with every registered secret replaced in every string within: in any usual encoding, in one of another, in
   * another case, and any eight characters of it in a row. A word of fewer than eight letters, or fewer than four characters, is
   * replaced only where it is a word of its own. What shows a secret only when it is decoded is replaced as a whole, by
   * `‹encoded secret›`. An alias is never searched.
   */
  redact<T>(value: T): T;
  /** The first characters of a redacted text; where it is cut, no part of a secret is left. */
  excerpt(text: string, characters: number): string;
  /**
   * The aliases of the registered secrets that `text` still holds, but for two characters at an end, except those in
   * `ordinary`; `encoded secret` where it shows one only when it is decoded.
   */
  leaks(text: string, ordinary?: string): string[];
}

/** So many characters of a secret in a row give it away. */
const RUN = 8;
/** How much longer than itself a value can be when it is written in an encoding. */
const ENCODED = 10;
/** A shorter text holds no secret in an encoding of another. */
const ENCODED_CHARACTERS = 16;
/** So many characters of a form are compared at each place where its first ones are. */
const COMPARED = 256;
/** Runs are taken from so much of each end of a value. */
const RUNS_CHARACTERS = 4096;
/** Texts up to this length are remembered with what became of them: most are repeated, such as media types. */
const REMEMBERED_CHARACTERS = 2000;
const REMEMBERED_TEXTS = 5000;
/** How many characters of a secret at the end of a text count as its beginning, the most first. */
const CUT_SIZES = [RUN, RUN - 1, RUN - 2];

/** What replaces a word that holds a secret in a nested encoding, or bytes that are written one by one. */
const ENCODED_SECRET = 'encoded secret';

interface Secret {
  value: string;
  alias: string;
}

/** One form of a secret, as it is searched for: in lower case, if the secret is long. */
interface Form {
  text: string;
  /** As it is written. */
  written: string;
  /** The part of `text` that shows the secret, and where it begins in it. */
  sign: string;
  signAt: number;
  secret: Secret;
}

/** Part of a source text, from `from` up to `to`. */
interface Range {
  from: number;
  to: number;
  alias: string;
  /** Whether it is a whole secret, in the case that it has. */
  isExact?: boolean;
}

export function createSecrets(): Secrets {
  const known = new Map<string, Secret>();
  /** The forms of the secrets: those that are found by the first characters of their sign, and the rest. */
  const forms = createGrams<Form>();
  const shortForms: Form[] = [];
  /** What a text may end with where a secret is cut. */
  const cuts = new Set<string>();
  /** Parts of a secret that are as good as the whole. */
  const runs = createGrams<Secret>();
  const aliases = new Set([ENCODED_SECRET]);
  const remembered = new Map<string, string>();
  let longest = 0;
  let shortest = RUN;

  function redactText(text: string): string {
    // What decoding leaves of a text is not longer than the text.
    if (known.size === 0 || text.length < shortest) return text;
    const before = remembered.get(text);
    if (before !== undefined) return before;
    const redacted = betweenAliases(betweenAliases(text, searchPart), searchEncoded);
    if (remembered.size === REMEMBERED_TEXTS) remembered.clear();
    if (text.length <= REMEMBERED_CHARACTERS) remembered.set(text, redacted);
    return redacted;
  }

  /** What is between the aliases that an earlier pass has written is searched. */
  function betweenAliases(text: string, search: (part: string) => string): string {
    let searched = '';
    let from = 0;
    for (const { index, 0: part } of text.matchAll(/‹[^‹›]*›/g)) {
      if (!aliases.has(part.slice(1, -1))) continue; // It belongs to the text around it.
      searched += search(text.slice(from, index)) + part;
      from = index + part.length;
    }
    return searched + search(text.slice(from));
  }

  function searchPart(text: string): string {
    const readings = readingsOf(text).map((reading) => ({ ...reading, lower: lowerCase(reading.text) }));
    const whole = readings.flatMap((reading) => [
      ...shortForms.flatMap((form) => rangesOf(reading, form)),
      ...wholeRanges(reading, forms),
    ]);
    const covered = merged(whole);
    // A run that reaches into a whole secret adds fewer characters than count.
    const parts = readings.flatMap((reading) => runRanges(reading, runs, covered));
    return replaced(text, parts.length > 0 ? merged([...whole, ...parts]) : covered);
  }

  /** Replaces what shows a secret when it is decoded. */
  function searchEncoded(text: string): string {
    if (text.length < ENCODED_CHARACTERS) return text;
    const hidden = readingsOf(text).flatMap((reading) =>
      encodedParts(reading.text, shows).map((part) => sourceRange(reading, ...part, ENCODED_SECRET)),
    );
    return replaced(text, merged(hidden));
  }

  /** The long secrets that show in a text that is read so. */
  function* longIn(lower: string): Generator<Secret> {
    for (const [at, { sign, secret }] of forms.find(lower)) if (lower.startsWith(sign, at)) yield secret;
  }

  /** Whether a text that was decoded shows so much of a secret that it is not there by chance. */
  function shows(decoded: string): boolean {
    if (decoded.length < RUN) return false;
    for (const { text } of readingsOf(decoded)) {
      const lower = lowerCase(text);
      for (const _ of runs.find(lower)) return true;
      for (const _ of longIn(lower)) return true;
      if (shortForms.some((form) => form.text.length >= RUN && text.includes(form.text))) return true;
    }
    return false;
  }

  /** The secrets that a text shows. */
  function heldIn(text: string): Set<Secret> {
    const held = new Set<Secret>();
    for (const reading of readingsOf(text)) {
      const lower = lowerCase(reading.text);
      for (const secret of longIn(lower)) held.add(secret);
      for (const { sign, secret } of shortForms)
        if (isLong(secret.value) && lower.includes(sign)) held.add(secret);
    }
    for (const secret of known.values())
      if (!isLong(secret.value) && isWordOf(text, secret.value)) held.add(secret);
    return held;
  }

  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return redactText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redact(member)]));
  };

  return {
    register(value, alias, { whole = false } = {}) {
      if (value === '' || known.has(value)) return;
      const secret = { value, alias };
      known.set(value, secret);
      aliases.add(alias);
      remembered.clear();
      for (const size of CUT_SIZES) if (value.length > size) cuts.add(value.slice(0, size));
      for (const written of formsOf(value)) {
        const text = isLong(value) ? lowerCase(written) : written;
        // What precedes or follows a form may make a part of an encoding of its first or last characters.
        // The whole as it is has no such part, and its last two characters can be all of a secret.
        const signAt = text.length >= RUN + 4 && !(whole && written === value) ? 2 : 0;
        const core = text.slice(signAt, text.length - signAt);
        // Of an encoded form, the case is not compared.
        const form = {
          ...{ text, signAt, secret, sign: core.slice(0, COMPARED) },
          written: written.length > value.length ? text : written,
        };
        if (isLong(value) && text.length >= RUN) forms.add(core, form);
        else shortForms.push(form);
        shortest = Math.min(shortest, text.length);
      }
      // In a form, a space is a plus.
      for (const spelling of whole ? [] : new Set([value, value.replaceAll(' ', '+')]))
        runs.addNew(runsOf(spelling), secret);
      longest = Math.max(longest, value.length * ENCODED);
    },
    redact: <T>(value: T) => redact(value) as T,
    excerpt(text, characters) {
      const window = characters + longest;
      const redacted = redactText(text.slice(0, window));
      const kept =
        text.length <= window ? characters : Math.min(characters, Math.max(0, redacted.length - longest));
      const excerpt = redacted.slice(0, kept);
      // It may end with a part of a secret that became known after it was cut.
      const begun = CUT_SIZES.find((size) => excerpt.length >= size && cuts.has(excerpt.slice(-size))) ?? 0;
      return excerpt.slice(0, excerpt.length - begun);
    },
    leaks(text, ordinary = '') {
      const shown = text.replace(/‹[^‹›]*›/g, '');
      const inText = heldIn(shown);
      const inOrdinary = inText.size > 0 ? heldIn(ordinary) : inText;
      const found = [...known.values()].filter((secret) => inText.has(secret) && !inOrdinary.has(secret));
      // Each string of JSON and text of a page by itself: the ids in a list of a report are not a row of bytes.
      const isHidden =
        found.length === 0 &&
        known.size > 0 &&
        shown.split(/["<>\n]/).some((part) => encodedParts(part, shows).length > 0);
      return isHidden ? [ENCODED_SECRET] : [...new Set(found.map(({ alias }) => alias))];
    },
  };
}

/** Whether a value is long enough to be known by its letters, whatever their case. */
const isLong = (value: string): boolean => value.length >= RUN;

/** Only the letters of ASCII: others can change the length of a text, or depend on those next to them. */
const lowerCase = (text: string): string =>
  BEYOND_ASCII.test(text) ? text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()) : text.toLowerCase();
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** A text in lower case as well, once for all secrets. */
type Reading = DecodedText & { lower: string };

/** Takes linear time, whatever repeats: what begins within the last place of the same form is left to the search for runs. */
function wholeRanges(reading: Reading, forms: Grams<Form>): Range[] {
  const found: Range[] = [];
  const ends = new Map<Form, number>();
  for (const [place, form] of forms.find(reading.lower)) {
    const { text, written, secret } = form;
    const at = place - form.signAt;
    if (at < (ends.get(form) ?? 0) || !reading.lower.startsWith(text.slice(0, COMPARED), at)) continue;
    const isWhole = text.length <= COMPARED || reading.lower.startsWith(text, at);
    const end = at + (isWhole ? text.length : COMPARED);
    ends.set(form, end);
    const isExact = isWhole && reading.text.startsWith(written, at);
    found.push({ ...sourceRange(reading, at, end, secret.alias), isExact });
  }
  return found;
}

/** A form of few characters. Of a secret of few, it counts in its own case only, and a plain one as a word of its own. */
function rangesOf(reading: Reading, { text, secret: { value, alias } }: Form): Range[] {
  const searched = isLong(value) ? reading.lower : reading.text;
  const isWord = text.length < 4 || (text.length < RUN && /^[a-z]+$/i.test(text));
  const found: Range[] = [];
  for (let at = searched.indexOf(text); at !== -1; at = searched.indexOf(text, at + text.length))
    if (!isWord || standsAlone(reading.text, at, text.length))
      found.push(sourceRange(reading, at, at + text.length, alias));
  return found;
}

/** Where at least eight characters in a row are those of a secret, and none of them is in `covered`. */
function runRanges(reading: Reading, runs: Grams<Secret>, covered: readonly Range[]): Range[] {
  const found: Range[] = [];
  let nth = 0;
  for (const [at, { alias }] of runs.find(reading.lower)) {
    const run = sourceRange(reading, at, at + RUN, alias);
    while ((covered[nth]?.to ?? Number.POSITIVE_INFINITY) <= run.from) nth++;
    if ((covered[nth]?.from ?? Number.POSITIVE_INFINITY) < run.to) continue;
    const last = found.at(-1);
    if (last?.alias === alias && run.from <= last.to) last.to = run.to;
    else found.push(run);
  }
  return found;
}

/** Of a long value, those of both ends. */
function* runsOf(value: string): Generator<string> {
  const [long, size] = [value.length > 2 * RUNS_CHARACTERS, RUNS_CHARACTERS];
  for (const part of long ? [value.slice(0, size), value.slice(-size)] : [value]) {
    const lower = lowerCase(part);
    for (let at = 0; at + RUN <= lower.length; at++) yield lower.slice(at, at + RUN);
  }
}

const sourceRange = ({ starts }: DecodedText, from: number, to: number, alias: string): Range =>
  starts ? { from: starts[from] ?? 0, to: starts[to] ?? 0, alias } : { from, to, alias };

/**
 * In the order of their places. Ranges that overlap become one, named after its longest part; of two secrets that differ
 * only in case, after the one it is.
 */
function merged(ranges: readonly Range[]): Range[] {
  const merged: (Range & { longest: number })[] = [];
  for (const range of ranges.toSorted(
    (a, b) => a.from - b.from || b.to - a.to || Number(b.isExact ?? false) - Number(a.isExact ?? false),
  )) {
    const last = merged.at(-1);
    const length = range.to - range.from;
    if (!last || range.from >= last.to) merged.push({ ...range, longest: length });
    else {
      if (length > last.longest) Object.assign(last, { alias: range.alias, longest: length });
      last.to = Math.max(last.to, range.to);
    }
  }
  return merged;
}

/** `text` with aliases in the places of `ranges`, which are in order and do not overlap. */
function replaced(text: string, ranges: readonly Range[]): string {
  const parts = ranges.map(
    ({ from, alias }, nth) => `${text.slice(ranges[nth - 1]?.to ?? 0, from)}‹${alias}›`,
  );
  return parts.join('') + text.slice(ranges.at(-1)?.to ?? 0);
}

/** A short value can be there by chance: it counts as a word of its own, and a number or fewer than four characters never. */
function isWordOf(text: string, value: string): boolean {
  if (value.length < 4 || !/\D/.test(value)) return false;
  for (let at = text.indexOf(value); at !== -1; at = text.indexOf(value, at + 1))
    if (standsAlone(text, at, value.length)) return true;
  return false;
}

/** Whether this number of characters from `at` on is a word of its own, and not a part of another. */
const standsAlone = (text: string, at: number, length: number): boolean =>
  !/[\w-]/.test(text[at - 1] ?? '') && !/[\w-]/.test(text[at + length] ?? '');

/** The value, in hexadecimal and base64, and what is left of one that looks encoded itself: decoding a text undoes the rest. */
function formsOf(value: string): string[] {
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
const base64Forms = (bytes: Buffer): string[] =>
  (['base64', 'base64url'] as const).flatMap((alphabet) => {
    const text = bytes.toString(alphabet);
    const inner = [0, 1, 2].map((offset) => {
      const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString(alphabet)
        .replace(/(?<!=)=+$/, '');
      return shifted.slice(offset === 0 ? 0 : offset + 1, (bytes.length + offset) % 3 === 0 ? undefined : -1);
    });
    return [text, text.replace(/(?<!=)=+$/, ''), ...inner.filter(({ length }) => length >= 8)];
  });

/** Places that were added are marked by three of their characters, so that most places of a text cost one look at a table. */
const MARKS = 1 << 16;
const markAt = (text: string, at: number): number =>
  (text.charCodeAt(at) ^ (text.charCodeAt(at + 3) << 5) ^ (text.charCodeAt(at + RUN - 1) << 10)) &
  (MARKS - 1);

/** Finds many texts in one pass over a text, by a few of their characters. */
function createGrams<Value>() {
  const known = new Map<string, { value: Value; offset: number }[]>();
  const marks = new Uint8Array(MARKS);

  return {
    /** Remembers `value` for `text`, by those of its characters that the fewest others have: tokens begin alike. */
    add(text: string, value: Value): void {
      let [rarest, offset] = [known.get(text.slice(0, RUN)) ?? [], 0];
      for (let at = RUN; rarest.length > 0 && at + RUN <= text.length; at += RUN) {
        const others = known.get(text.slice(at, at + RUN)) ?? [];
        if (others.length < rarest.length) [rarest, offset] = [others, at];
      }
      const gram = text.slice(offset, offset + RUN);
      rarest.push({ value, offset });
      known.set(gram, rarest);
      marks[markAt(gram, 0)] = 1;
    },
    /** Remembers `value` for each of these characters that nothing is remembered for. */
    addNew(grams: Iterable<string>, value: Value): void {
      const only = [{ value, offset: 0 }];
      for (const gram of grams) {
        if (!known.has(gram)) known.set(gram, only);
        marks[markAt(gram, 0)] = 1;
      }
    },
    /** Each place in `text` where what was remembered may begin, with each value for it. */
    *find(text: string): Generator<[at: number, value: Value]> {
      for (let at = 0; known.size > 0 && at + RUN <= text.length; at++)
        if (marks[markAt(text, at)] === 1)
          for (const { value, offset } of known.get(text.slice(at, at + RUN)) ?? [])
            if (at >= offset) yield [at - offset, value];
    },
  };
}

type Grams<Value> = ReturnType<typeof createGrams<Value>>;

/** `name`, or `‹…›` where it is none that a person would give: clients have put credentials and whole bodies there. */
export const plainName = (name: string): string =>
  /^[\w.$:[\]-]{0,40}$/.test(name) && !name.split(/[^a-z\d]/i).some(isMixed) ? name : '‹…›';

/** A word of letters and digits that is too long for a name with a number. */
const isMixed = (word: string): boolean => word.length >= 8 && /\d/.test(word) && /[a-z]/i.test(word);

/** Those of the present run: what gathers the evidence fills it, what writes the reports looks into it. */
export const runSecrets: Secrets = createSecrets();
