/** The values that must never be seen, and the one place where they are taken out of what a run writes. */

export interface Secrets {
  /** Remembers `value`; from then on `redact` puts `‹alias›` in its place. The first alias of a value stays. */
  register(value: string, alias: string): void;
  /** `value` with every registered secret replaced in every string within, in any of its encodings. */
  redact<T>(value: T): T;
  /** The first characters of a redacted text; where it is cut, no part of a secret is left. */
  excerpt(text: string, characters: number): string;
  /** The aliases of the registered secrets that `text` holds all the same, but for those in `ordinary`. */
  leaks(text: string, ordinary?: string): string[];
}

/** Above this, a value is looked for in its usual encodings alone: a pattern for it would not compile. */
const PATTERN_CHARACTERS = 4096;
/** How much longer than itself a value can be when it is written in an encoding. */
const ENCODED = 10;

/** Those of the present run: what gathers the evidence fills it, what writes the reports looks into it. */
export const runSecrets: Secrets = createSecrets();

export function createSecrets(): Secrets {
  const aliases = new Map<string, string>();
  let patterns: { pattern: RegExp; aliasOf: string[] }[] | undefined;
  let longest = 0;

  /** Few values a pattern, the longest first, so that no pattern grows too large. */
  function compile() {
    const values = [...aliases.keys()].filter(isShort).sort((a, b) => b.length - a.length);
    const groups: string[][] = [];
    for (const value of values) {
      const group = groups.at(-1);
      if (group && sizeOf(group) + value.length <= PATTERN_CHARACTERS) group.push(value);
      else groups.push([value]);
    }
    return groups.map((group) => ({
      pattern: new RegExp(group.map((value) => `(${patternFor(value)})`).join('|'), 'g'),
      aliasOf: group.map((value) => aliases.get(value) ?? ''),
    }));
  }

  function redactText(text: string): string {
    patterns ??= compile();
    const long = [...aliases].filter(([value]) => !isShort(value));
    const shortened = long.reduce(
      (done, [value, alias]) =>
        wholeForms(value).reduce((one, form) => one.replaceAll(form, () => `‹${alias}›`), done),
      text,
    );
    return patterns.reduce(
      (done, { pattern, aliasOf }) =>
        done.replace(pattern, (match, ...groups) => {
          const nth = groups.slice(0, aliasOf.length).findIndex((group) => group !== undefined);
          return nth === -1 ? match : `‹${aliasOf[nth]}›`;
        }),
      shortened,
    );
  }

  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return redactText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redact(member)]));
  };

  return {
    register(value, alias) {
      if (value === '' || aliases.has(value)) return;
      aliases.set(value, alias);
      longest = Math.max(longest, value.length * ENCODED);
      patterns = undefined;
    },
    redact: <T>(value: T) => redact(value) as T,
    excerpt(text, characters) {
      const window = characters + longest;
      const redacted = redactText(text.slice(0, window));
      const whole =
        text.length <= window ? redacted : redacted.slice(0, Math.max(0, redacted.length - longest));
      return withoutBeginning(whole.slice(0, characters), [...aliases.keys()]);
    },
    leaks(text, ordinary = '') {
      const plain = text.replace(/‹[^‹›]*›/g, '');
      const found = [...aliases].filter(([value]) => holds(plain, value) && !holds(ordinary, value));
      return [...new Set(found.map(([, alias]) => alias))];
    },
  };
}

/** How much of a secret at the end of a text is taken for its beginning. */
const TELLING_CHARACTERS = 6;

/** `text` without the part of a secret that it ends with: the secret may have become known after the cut. */
function withoutBeginning(text: string, values: string[]): string {
  const begun = values.flatMap((value) => {
    const longest = Math.min(value.length - 1, text.length);
    for (let size = longest; size >= TELLING_CHARACTERS; size--)
      if (text.endsWith(value.slice(0, size))) return size;
    return [];
  });
  return text.slice(0, text.length - Math.max(0, ...begun));
}

const isShort = (value: string) => value.length <= PATTERN_CHARACTERS;

/** The usual encodings of a value as a whole. */
const wholeForms = (value: string): string[] => [
  value,
  encodeURIComponent(value.toWellFormed()),
  JSON.stringify(value).slice(1, -1),
  ...base64Forms(value),
];

const sizeOf = (group: string[]) => group.reduce((size, value) => size + value.length, 0);

/**
 * A short value can be there by chance, as a part of a word, a figure or a digest: it counts as a word of its own,
 * and a short number or a value below four characters not at all.
 */
function holds(text: string, value: string): boolean {
  if (!isShort(value)) return wholeForms(value).some((form) => text.includes(form));
  if (value.length >= 8) return new RegExp(patternFor(value)).test(text);
  if (value.length < 4) return false;
  return /\D/.test(value) && new RegExp(`(?<![\\w-])${escapePattern(value)}(?![\\w-])`).test(text);
}

/** Matches `value` as it is, and as programs write it: each character by itself may be encoded or not. */
function patternFor(value: string): string {
  const whole = [...base64Forms(value)].map(escapePattern);
  return [...whole, Array.from(value, characterPattern).join('')].join('|');
}

/** One character: raw, percent- or form-encoded, escaped as in JSON, or as an entity of HTML. */
function characterPattern(character: string): string {
  const forms = new Set([escapePattern(character)]);
  if (!/[A-Za-z0-9]/.test(character)) {
    const hex = character.codePointAt(0)?.toString(16) ?? '';
    forms.add(`\\\\${escapePattern(character)}`);
    forms.add(`&#0*${character.codePointAt(0)};`);
    forms.add(`&#[xX]0*${anyCase(hex)};`);
    const entity = HTML_ENTITIES[character];
    if (entity) forms.add(entity);
    const json = JSON.stringify(character).slice(1, -1);
    forms.add(escapePattern(json));
    if (character === ' ') forms.add('\\+');
  }
  const bytes = Buffer.from(character.toWellFormed()).toString('hex').match(/../g) ?? [];
  forms.add(bytes.map((byte) => `%${anyCase(byte)}`).join(''));
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  forms.add(units.map((unit) => `\\\\u${anyCase(unit.toString(16).padStart(4, '0'))}`).join(''));
  return `(?:${[...forms].join('|')})`;
}

const anyCase = (hex: string) => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** In either alphabet, with its padding and without, and from within a longer text, at any of three offsets. */
function base64Forms(value: string): Set<string> {
  const bytes = Buffer.from(value);
  const forms = new Set<string>();
  for (const alphabet of ['base64', 'base64url'] as const) {
    const text = bytes.toString(alphabet);
    forms.add(text).add(text.replace(/=+$/, ''));
    for (const offset of [1, 2]) {
      const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString(alphabet)
        .replace(/=+$/, '');
      const inner = shifted.slice(offset + 1, (bytes.length + offset) % 3 === 0 ? undefined : -1);
      if (inner.length >= 8) forms.add(inner);
    }
  }
  return forms;
}

const HTML_ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&(?:#39|apos);',
};

const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
