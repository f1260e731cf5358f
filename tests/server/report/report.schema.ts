/** Generated from tests/server/report/report.schema.json. */

/**
 * Raised when a reader would have to change.
 */
export type SchemaVersion = 1;
export type Id = string;
/**
 * Exit codes: 0, 0, 1, 2, 3. conformant-to-profile: the profile leaves out statements of the specification.
 */
export type Outcome = 'conformant' | 'conformant-to-profile' | 'nonconformant' | 'error' | 'incomplete';
export type Count = number;
export type Requirement = {
  id: Id;
  clause: Clause;
  kind: 'server' | 'interpretation' | 'declared';
  verdict: Verdict;
  statement: string;
  reading?: string;
  /**
   * Of declared: where it is said.
   */
  source?: string;
  evidence: {
    /**
     * The exchanges that the verdict rests on, in words.
     */
    seen: string;
    /**
     * Of failed.
     */
    expected?: string;
    /**
     * Of could-not-run and not-applicable.
     */
    reason?: string;
    /**
     * How it is known that a token had expired.
     */
    evidenceStrength?: string;
    exchanges: ExchangeId[];
    findings?: Findings;
  };
};
export type Clause = string;
export type Verdict = 'passed' | 'failed' | 'not-applicable' | 'could-not-run';
export type ExchangeId = string;
/**
 * What was found in records, by rule.
 */
export type Findings = Finding[];
/**
 * Faults of the run itself, as sentences. With any of them, the outcome is error.
 */
export type Problems = string[];
export type Exchange = {
  id: ExchangeId;
  what: string;
  request: {
    method: string;
    path: string;
    headers: Headers;
    form?: {
      [k: string]: string;
    };
  };
  sentAtMs: Count;
  durationMs: Count;
  failure?: string;
  response?: {
    status: number;
    mediaType?: string;
    headers: Headers;
    bodyBytes: Count;
    digest: string;
    excerpt: string;
    json: {};
    declared?: {};
    feed?: {};
    tokenResponse?: {};
  };
} & Exchange1;
export type Headers = [string, string][];
export type Exchange1 = {
  [k: string]: unknown;
};

/**
 * What mrs verify writes to report.json. Secrets and tokens are replaced by aliases such as ‹token 1›.
 */
export interface ReportSchema {
  $schema?: string;
  schemaVersion: SchemaVersion;
  /**
   * The exit code says the same: 0, 1, 2, 3.
   */
  outcome: 'conformant' | 'conformant-to-profile' | 'nonconformant' | 'error' | 'incomplete';
  /**
   * Under which the deployment was judged. Absent where nothing is declared.
   */
  profile?: {
    name: string;
    title: string;
    /**
     * Statements of the specification that the deployment does not offer.
     */
    notOffered: Id[];
    specification: Outcome;
    declared: Outcome;
  };
  target: {
    baseUrl: string;
    clientId: string;
    tokenLifetimeSeconds?: number;
    healthPaths: string[];
  };
  startedAt: string;
  durationMs: Count;
  requests: Count;
  counts: {
    passed: Count;
    failed: Count;
    'could-not-run': Count;
    'not-applicable': Count;
  };
  requirements: Requirement[];
  openPoints: OpenPoint[];
  /**
   * Statements that bind the client, or that nothing on the wire shows.
   */
  notJudged: {
    id: Id;
    clause: Clause;
    kind: 'client' | 'not-observable';
    statement: string;
    reason?: string;
  }[];
  problems: Problems;
  /**
   * What the suite came to when it was itself tried last. Absent where it was not, or was changed since.
   */
  proof?: {
    /**
     * Deployments that are wrong in one way each, and how many were found to be, for the stated reason.
     */
    defects: {
      caught: Count;
      total: Count;
    };
    /**
     * Deployments that differ where the specification is open, and how many were found conformant.
     */
    variants: {
      accepted: Count;
      total: Count;
    };
    digest: string;
  };
  exchanges: Exchange[];
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
export interface OpenPoint {
  id: Id;
  verdict: 'observed';
  statement: string;
  /**
   * In words; null if nothing that was sent would show it.
   */
  observed: string | null;
}
