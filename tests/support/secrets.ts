/** The values that must never be seen, and the one place where they are taken out of what a run writes. */

export interface Secrets {
  /** Remembers `value`; from then on `redact` puts `‹alias›` in its place. The first alias of a value stays. */
  register(value: string, alias: string): void;
  /** `value` with every registered secret replaced in every string within, in any of its encodings. */
  redact<T>(value: T): T;
  /** The aliases of the registered secrets that `text` holds all the same. */
  leaks(text: string): string[];
}

/** Those of the present run: what gathers the evidence fills it, what writes the reports looks into it. */
export const runSecrets: Secrets = createSecrets();

export function createSecrets(): Secrets {
  const aliases = new Map<string, string>();
  let pattern: RegExp | undefined;

  const redactText = (text: string): string => {
    if (aliases.size === 0) return text;
    pattern ??= new RegExp([...aliases.keys()].sort(longestFirst).map(escapePattern).join('|'), 'g');
    return text.replace(pattern, (match) => `‹${aliases.get(match)}›`);
  };

  const redact = (value: unknown): unknown => {
    if (typeof value === 'string') return redactText(value);
    if (Array.isArray(value)) return value.map(redact);
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redact(member)]));
  };

  return {
    register(value, alias) {
      for (const form of encodings(value)) if (!aliases.has(form)) aliases.set(form, alias);
      pattern = undefined;
    },
    redact: <T>(value: T) => redact(value) as T,
    leaks: (text) => [...aliases].filter(([form]) => holds(text, form)).map(([, alias]) => alias),
  };
}

/**
 * A short value can be there by chance, as a part of a word, a figure or a digest: it counts as a word of its own,
 * and a short number not at all.
 */
function holds(text: string, form: string): boolean {
  if (form.length >= 8) return text.includes(form);
  return /\D/.test(form) && new RegExp(`(?<![\\w-])${escapePattern(form)}(?![\\w-])`).test(text);
}

/** The ways in which a value can come back: raw, percent-, form-, JSON-, HTML- and base64-encoded. */
function encodings(value: string): string[] {
  const percent = encodeURIComponent(value.toWellFormed());
  const base64 = Buffer.from(value).toString('base64');
  const forms = [
    value,
    percent,
    percent.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    new URLSearchParams({ v: value }).toString().slice(2),
    JSON.stringify(value).slice(1, -1),
    value.replace(/[&<>"']/g, (character) => HTML_ENTITIES[character] ?? character),
    base64,
    base64.replace(/=+$/, ''),
    Buffer.from(value).toString('base64url'),
  ];
  return forms.filter((form) => form !== '');
}

const HTML_ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const longestFirst = (a: string, b: string) => b.length - a.length;
const escapePattern = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
