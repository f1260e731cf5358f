/** What is wrong with a feed, rule by rule: how often, and the first places. Never more than that is kept. */
import { clip } from '../report/text.ts';
import { RULES, type RuleClass, type RuleId, ruleOf } from './rules.ts';

export interface Place {
  /** JSON pointer into the body (RFC 6901); empty for the whole of it. */
  pointer: string;
  /** What stands there, in words. It quotes the feed: escape it before it is shown. */
  seen: string;
  /** Where the record begins in the decoded body: its byte, counted from 0, and its line, counted from 1. */
  byte?: number;
  line?: number;
}

export interface Finding {
  rule: RuleId;
  class: RuleClass;
  count: number;
  /** The first three. */
  places: Place[];
}

export interface Findings {
  /** `place` is asked for the first three alone. */
  tell(rule: RuleId, place: () => Place, ruleClass?: RuleClass): void;
  /** Those that fail a feed first, each kind in the order of the rules. */
  list(): Finding[];
}

const MOST_PLACES = 3;
const MOST_CHARACTERS = 240;

export function createFindings(): Findings {
  const found = new Map<string, Finding>();
  return {
    tell(rule, place, ruleClass = ruleOf(rule).class) {
      const key = `${ruleClass} ${rule}`;
      let finding = found.get(key);
      if (!finding) {
        finding = { rule, class: ruleClass, count: 0, places: [] };
        found.set(key, finding);
      }
      finding.count++;
      if (finding.places.length === MOST_PLACES) return;
      const { seen, pointer, ...where } = place();
      finding.places.push({
        pointer: clip(pointer, MOST_CHARACTERS),
        seen: clip(seen, MOST_CHARACTERS),
        ...where,
      });
    },
    list: () => [...found.values()].sort((a, b) => rank(a) - rank(b)),
  };
}

/** Whether a finding fails a feed. */
export const isFailure = (finding: Pick<Finding, 'class'>): boolean => finding.class !== 'H';

const order = new Map(RULES.map(({ id }, at) => [id, at]));
const rank = (finding: Finding): number =>
  (isFailure(finding) ? 0 : RULES.length) + (order.get(finding.rule) ?? 0);

/** `value` as JSON writes it, short. */
export function quote(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return JSON.stringify(clip(value.slice(0, 400), 60));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** `name` as a token of a JSON pointer (RFC 6901 section 3). */
export const escapedToken = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
