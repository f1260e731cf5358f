/**
 * What a judged feed amounts to, and what is wrong with it by rule: the number of times, and the first locations. Nothing
 * else is kept.
 */
import { createRequire } from 'node:module';
import { clip } from '../report/text.ts';
import type { Severity } from '../support/verdict.ts';

/** S and D are findings and fail a feed; H is a warning. */
export type RuleClass = 'S' | 'D' | 'H';

export interface Rule {
  id: string;
  class: RuleClass;
  severity: Severity;
  statement: string;
  why: string;
  source: string;
  remedy: string;
}

/** tests/feed-rules.yaml, in the order of reports. */
export const RULES: readonly Rule[] = createRequire(import.meta.url)('mrs-contract/feed-rules.json');

const byId = new Map(RULES.map((rule) => [rule.id, rule]));

export function ruleOf(id: string): Rule {
  const rule = byId.get(id);
  if (!rule) throw new Error(`tests/feed-rules.yaml has no rule ${id}.`);
  return rule;
}

/** A place in the body. */
interface Place {
  /** JSON pointer into the body (RFC 6901); empty for the whole body. */
  pointer: string;
  /** Counted from 1, if it is known. */
  line?: number;
  /** What was found there, in words. It quotes the feed: escape it before showing it. */
  seen: string;
}

export interface Finding {
  rule: string;
  class: RuleClass;
  count: number;
  /** The first three. */
  places: Place[];
}

const MAX_PLACES = 3;
const MAX_CHARACTERS = 240;

export type Findings = ReturnType<typeof createFindings>;

export function createFindings() {
  const found = new Map<string, Finding>();
  return {
    /** Counts a violation. The first three places of a rule are kept. */
    report(rule: string, place: Place, ruleClass: RuleClass = ruleOf(rule).class): void {
      const key = `${ruleClass} ${rule}`;
      const finding = found.get(key) ?? { rule, class: ruleClass, count: 0, places: [] };
      found.set(key, finding);
      finding.count++;
      if (finding.places.length === MAX_PLACES) return;
      const [pointer, seen] = [clip(place.pointer, MAX_CHARACTERS), clip(place.seen, MAX_CHARACTERS)];
      finding.places.push({ ...place, pointer, seen });
    },

    /** Failures first, then warnings, each in the order of the rules. */
    list: (): Finding[] => [...found.values()].sort((a, b) => rank(a) - rank(b)),
  };
}

/** Whether a finding fails a feed; otherwise it is a warning. */
export const isFailure = (finding: Pick<Finding, 'class'>): boolean => finding.class !== 'H';

const rank = (finding: Finding): number =>
  (isFailure(finding) ? 0 : RULES.length) + RULES.indexOf(ruleOf(finding.rule));

/** `value` as JSON writes it, shortened. */
export function quote(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return JSON.stringify(clip(value.slice(0, 400), 60));
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** What is known of a feed once it is read. Plain JSON, of a size that does not grow with the feed. */
export interface FeedVerdict {
  records: number;
  findings: Finding[];
  /** What could not be judged, as sentences; if empty, every rule was checked. */
  unjudged: string[];
  /** What the body looks like that is not a feed at all: without a list in its place, and without a record. */
  looks?: string | undefined;
  /** Further notes that do not change the outcome. */
  remarks: string[];
  /** Digests of the records in their order, and of the records in any order: only of a body that was judged as a whole. */
  digest?: string;
  setDigest?: string;
  /** The moment that the feed was judged for, in milliseconds since 1970. */
  nowMs: number;
  /** The number of instruments in the feed, and the first five of them. */
  sites: { count: number; first: string[] };
  /** The latest end that had passed when the feed was read, by more than clock differences and transfer explain. */
  lastEnded?: { endMs: number; pointer: string; seen: string } | undefined;
}

/** The findings that only a comparison of two reads of one feed shows: `stale` and `unstable-order`, at most one of each. */
export function compareFeeds(first: FeedVerdict, second: FeedVerdict): Finding[] {
  const findings = createFindings();
  const { lastEnded } = second;
  if (lastEnded && lastEnded.endMs >= first.nowMs) {
    const seen = `ended ${lastEnded.seen}, between the two reads, and is still in the feed`;
    findings.report('stale', { pointer: lastEnded.pointer, seen });
  }
  if (first.setDigest === second.setDigest && first.digest !== second.digest)
    findings.report('unstable-order', {
      pointer: '',
      seen: `the same ${second.records} records in another order`,
    });
  return findings.list();
}
