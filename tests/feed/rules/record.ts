/** The record that is being judged, as the rules see it, and as its schema names its fields. */
import type { FeedContract, LegacySchema } from '../feed-contract.ts';
import { type Location, quote, type RuleClass } from '../findings.ts';

export type JsonRecord = Record<string, unknown>;

export interface RecordContext {
  /** The position of the record in the list. */
  index: number;
  /** Reports a violation by the record; `name` is the field, if it is one field's. */
  report(rule: string, name: string | undefined, seen: string, ruleClass?: RuleClass): void;
  /** Where the record, or a field of it, is. */
  place(name: string | undefined): Omit<Location, 'seen'>;
  /** JSON pointer to any record, or to a field of it. */
  pointerTo(index: number, name?: string): string;
}

/** A string that may be kept: a record may hold megabytes. */
export const isShort = (text: unknown): text is string => typeof text === 'string' && text.length <= 200;

/** Of what a feed names, this many different values are kept. */
export const MAX_NAMES = 1000;

/** The predecessor of the schema, if `record` follows it: it has a field of it, and no version. */
export function legacySchemaOf(record: JsonRecord, { legacy }: FeedContract): LegacySchema | undefined {
  if (!legacy || (record.version !== undefined && record.version !== null)) return undefined;
  return legacy.marks.some((name) => Object.hasOwn(record, name)) ? legacy : undefined;
}

/** `record` with today's names, and the name in the record of each field that was renamed. */
export function withTodaysNames(
  record: JsonRecord,
  { renamed }: LegacySchema,
): { record: JsonRecord; earlierNames: ReadonlyMap<string, string> } {
  const earlierNames = new Map<string, string>();
  for (const name in record) {
    const now = Object.hasOwn(renamed, name) ? renamed[name] : undefined;
    if (now !== undefined && !Object.hasOwn(record, now)) earlierNames.set(now, name);
  }
  if (earlierNames.size === 0) return { record, earlierNames };
  const entries = Object.entries(record).map(([name, value]) => {
    const now = renamed[name];
    return [now !== undefined && earlierNames.get(now) === name ? now : name, value];
  });
  return { record: Object.fromEntries(entries), earlierNames };
}

/** What makes a record legacy: its fields of the predecessor, and all that the schema requires and it lacks. */
export function whyLegacy(record: JsonRecord, { marks }: LegacySchema, { fields }: FeedContract): string {
  const own = marks.filter((name) => Object.hasOwn(record, name));
  const missing = fields.filter(({ name, isRequired }) => isRequired && (record[name] ?? null) === null);
  return `it has ${own.map(quote).join(', ')} and no ${missing.map(({ name }) => name).join(', ')}`;
}
