/** Records that follow the predecessor of the schema. */
import type { FeedContract, LegacySchema } from '../feed-contract.ts';
import { quote } from '../findings.ts';
import type { JsonRecord } from './record-rule.ts';

/** The predecessor, if `record` follows it: it has a field of it, and no version. */
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
