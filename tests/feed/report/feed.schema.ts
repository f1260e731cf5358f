/** Generated from tests/feed/report/feed.schema.json. */

/**
 * Raised when a reader would have to change.
 */
export type SchemaVersion = 1;
export type Count = number;
export type Time = string;

/**
 * What mrs feed --format json writes. It quotes the feed: escape what is shown.
 */
export interface FeedSchema {
  schemaVersion: SchemaVersion;
  /**
   * The exit code says the same: 0, 1, 3.
   */
  outcome: 'conformant' | 'nonconformant' | 'incomplete';
  source: {
    kind: 'file' | 'stdin' | 'url';
    /**
     * Of a URL what stands before its query.
     */
    name: string;
    /**
     * As many as were read, decoded.
     */
    bytes: number;
    status?: number;
    contentType?: string;
  };
  profile: {
    name: string;
    title: string;
  };
  /**
   * The moment that the feed was judged for.
   */
  judgedFor: string;
  /**
   * How it is known.
   */
  timeFrom: 'option' | 'date-header' | 'clock';
  /**
   * Whether a warning fails a feed.
   */
  strict: boolean;
  records: Count;
  counts: {
    findings: Count;
    warnings: Count;
  };
  findings: Finding[];
  /**
   * What could not be judged. With any, and no finding, the outcome is incomplete.
   */
  unjudged: string[];
  remarks: string[];
  /**
   * The first start and the last end.
   *
   * @minItems 2
   * @maxItems 2
   */
  span?: [Time, Time];
  sites: {
    /**
     * At most a thousand are counted.
     */
    count: number;
    /**
     * @maxItems 5
     */
    first: string[];
  };
  /**
   * Of the records in their order.
   */
  digest: string;
  /**
   * Of the same in any order.
   */
  setDigest: string;
}
/**
 * A rule for records that is violated.
 */
export interface Finding {
  /**
   * mrs feed --explain RULE explains it.
   */
  rule: string;
  /**
   * H warns; the others fail a feed.
   */
  class: 'S' | 'D' | 'H';
  count: number;
  /**
   * The first three.
   *
   * @maxItems 3
   */
  places: Place[];
}
export interface Place {
  /**
   * JSON pointer; empty for the whole body.
   */
  pointer: string;
  /**
   * What is there, in words.
   */
  seen: string;
  /**
   * Where the record begins, counted from 0.
   */
  byte?: number;
  /**
   * The same in lines, counted from 1.
   */
  line?: number;
}
