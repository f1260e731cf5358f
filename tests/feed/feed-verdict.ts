/** What a judged feed amounts to. */
import type { Finding } from './findings.ts';

/** What is known of a feed once it is read. Plain JSON, of a size that does not grow with the feed. */
export interface FeedVerdict {
  records: number;
  findings: Finding[];
  /** What could not be judged, as sentences; if empty, every rule was checked. */
  unjudged: string[];
  /** Further notes that do not change the outcome. */
  remarks: string[];
  /** Digest of the records in their order. */
  digest: string;
  /** Digest of the records that does not depend on their order. */
  setDigest: string;
  /** The moment that the feed was judged for, in milliseconds since 1970. */
  nowMs: number;
  /** The first start and the last end, in milliseconds since 1970. */
  spanMs?: [start: number, end: number];
  /** The number of instruments in the feed (at most 1,000 are counted), and the first five of them. */
  sites: { count: number; first: string[] };
  /** The latest end that had passed when the feed was read, by more than clock differences and transfer explain. */
  lastEnded?: { endMs: number; pointer: string; seen: string };
}

/** A position in the decoded body: a byte, counted from 0, and its line, counted from 1. */
export interface Position {
  byte: number;
  line: number;
}
