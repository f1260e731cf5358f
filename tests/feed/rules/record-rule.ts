/** What the rules about single records share. */
import type { Location } from '../findings.ts';
import type { RuleClass } from '../rules.ts';

export type JsonRecord = Record<string, unknown>;

export interface RecordContext {
  /** Reports a violation. `index` is that of the record in the list; `name` is the field, if it is one field's. */
  report(
    rule: string,
    index: number,
    name: string | undefined,
    seen: () => string,
    ruleClass?: RuleClass,
  ): void;
  /** The location of the current record, kept for later; `seen` is called when the location is. */
  locationOf(index: number, name: string | undefined, seen: () => string): () => Location;
  /** JSON pointer to a record or a field of it. */
  pointerTo(index: number, name?: string): string;
}

/** A string that may be kept: a record may hold megabytes. */
export const isShort = (text: unknown): text is string => typeof text === 'string' && text.length <= 200;

/** Of what a feed names, this many different values are kept. */
export const MAX_NAMES = 1000;
