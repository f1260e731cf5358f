/** A feed that the judge of feeds is proved on: an edit of the base feed. */
import { baseRecords, type FeedRecord, SERVED_MS } from './base.ts';

export interface FeedSubject {
  name: string;
  /** What it does, as the rest of a sentence that begins with "the feed". */
  summary: string;
  /** Changes the records. They are a copy. */
  records?: (records: FeedRecord[]) => unknown[];
  /** Changes the JSON text of the body, after the records. */
  text?: (text: string) => string;
  /** The Content-Type of the response; default application/json, undefined for none. */
  contentType?: string | undefined;
  /** The profile that it is judged by; default ods-record. */
  profile?: string;
}

/** A feed that is wrong in exactly one way. */
export interface WrongFeed extends FeedSubject {
  /** The rule that must report it, and what it must say. */
  rule: string;
  says: RegExp;
  /** Whether it only warns; otherwise it must fail the feed. */
  isWarning?: boolean;
  /** Rules that may report it too, because the one mistake is a mistake there as well. */
  also?: readonly string[];
}

/** A feed that differs from most, as is permitted. */
export interface PermittedFeed extends FeedSubject {
  /** Warnings that it draws, by rule; without it there are none. */
  warns?: Record<string, RegExp>;
}

/** What is done to the base feed: an edit of its records, or more than that. */
type Change = FeedSubject['records'] | Omit<FeedSubject, 'name' | 'summary'>;

const subjectOf = (name: string, summary: string, change: Change): FeedSubject => ({
  name,
  summary,
  ...(typeof change === 'function' ? { records: change } : change),
});

type WrongRow = [summary: string, change: Change, says: RegExp, also?: readonly string[]];

/** Feeds that the rule must fail, by their names. */
export const failed = (rule: string, rows: Record<string, WrongRow>): WrongFeed[] =>
  Object.entries(rows).map(([name, [summary, change, says, also = []]]) => ({
    ...subjectOf(name, summary, change),
    rule,
    says,
    also,
  }));

/** Feeds that the rule must warn of. */
export const warned = (rule: string, rows: Record<string, WrongRow>): WrongFeed[] =>
  failed(rule, rows).map((feed) => ({ ...feed, isWarning: true }));

type PermittedRow = [summary: string, change?: Change, warns?: PermittedFeed['warns']];

export const permitted = (rows: Record<string, PermittedRow>): PermittedFeed[] =>
  Object.entries(rows).map(([name, [summary, change, warns = {}]]) => ({
    ...subjectOf(name, summary, change),
    warns,
  }));

/** The body of a feed, and how it is served. */
export function responseOf(subject: FeedSubject): { body: string; contentType: string; servedMs: number } {
  const copy = structuredClone(baseRecords) as FeedRecord[];
  const text = JSON.stringify({ ods_data: subject.records ? subject.records(copy) : copy }, null, 1);
  return {
    body: subject.text ? subject.text(text) : text,
    contentType: 'contentType' in subject ? (subject.contentType ?? '') : 'application/json',
    servedMs: SERVED_MS,
  };
}
