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
