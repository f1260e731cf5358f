/** The record that is being judged, as the rules see it. */
import type { RuleClass } from '../findings.ts';

export type JsonRecord = Record<string, unknown>;

export interface RecordContext {
  /** The position of the record in the list. */
  index: number;
  /** Reports a violation by the record; `name` is the field, if it is one field's. */
  report(rule: string, name: string | undefined, seen: string, ruleClass?: RuleClass): void;
  /** JSON pointer to any record, or to a field of it. */
  pointerTo(index: number, name?: string): string;
}
