/** Generated from tests/client/report/certificate.schema.json. */

/**
 * Raised when a reader would have to change.
 */
export type SchemaVersion = 1;
export type Rule = {
  /**
   * As token-reuse.
   */
  id: string;
  /**
   * Of tests/requirements.yaml. Absent: good practice, which warns and does not fail.
   */
  clause?: string;
  verdict: ItemVerdict;
  /**
   * What a client does that keeps it.
   */
  statement: string;
  /**
   * What to do where it is not kept.
   */
  advice: string;
  /**
   * Of could-not-run and not-applicable.
   */
  reason?: string;
  /**
   * Where it was not kept.
   */
  findings: Finding[];
};
/**
 * warned: good practice was not kept, which violates no clause.
 */
export type ItemVerdict = 'passed' | 'failed' | 'warned' | 'could-not-run' | 'not-applicable';
export type Number = number;
/**
 * Faults of the run itself, as sentences. With any of them, the outcome is error.
 */
export type Problems = string[];

/**
 * What mrs certify writes to report.json. No secret and no token is in it: tokens are numbers, each client's first being 1.
 */
export interface CertificateSchema {
  /**
   * This schema, as a file beside the report.
   */
  $schema: string;
  schemaVersion: SchemaVersion;
  /**
   * The exit code says the same: 0, 1, 2, 3. Incomplete: nothing was broken in what was seen, and a clause could not be tried.
   */
  outcome: 'conformant' | 'nonconformant' | 'error' | 'incomplete';
  /**
   * How the client renews: on a 403, by its own clock, both, or not at all.
   */
  strategy: 'reactive' | 'proactive' | 'both' | 'none';
  /**
   * How long before its expiry a token is replaced, in the middle of the cases seen; below 0 where it is after. Absent where none was.
   */
  marginSeconds?: number;
  /**
   * What was examined.
   */
  client: {
    /**
     * The program and its arguments, with placeholders as they were given. Absent where the client came by itself.
     */
    command?: string[];
    /**
     * How many processes share the client id, as declared.
     */
    processes: number;
  };
  /**
   * When the run began.
   */
  startedAt: string;
  /**
   * Of the run.
   */
  durationMs: number;
  /**
   * Of all scenarios.
   */
  requests: number;
  tokens: Tokens;
  /**
   * Of rules, by verdict.
   */
  counts: {
    /**
     * Kept in all that was seen.
     */
    passed: number;
    /**
     * A clause was broken.
     */
    failed: number;
    /**
     * Good practice was not kept.
     */
    warned: number;
    /**
     * This run cannot tell.
     */
    'could-not-run': number;
    /**
     * There was nothing to judge.
     */
    'not-applicable': number;
  };
  /**
   * Each with its verdict.
   */
  rules: Rule[];
  /**
   * What the client met, and what it did there.
   */
  scenarios: Scenario[];
  problems: Problems;
}
/**
 * Of all scenarios.
 */
export interface Tokens {
  /**
   * How many tokens were asked for.
   */
  asked: number;
  /**
   * How many would have done for these calls, at the least.
   */
  needed: number;
}
export interface Finding {
  /**
   * It fails only where the rule has a clause.
   */
  severity: 'fails' | 'warns';
  /**
   * Name of the scenario.
   */
  scenario: string;
  /**
   * What was seen, as a sentence.
   */
  seen: string;
  /**
   * The calls that prove it, by id.
   *
   * @maxItems 20
   */
  calls: Number[];
}
export interface Scenario {
  /**
   * As --scenario takes it.
   */
  name: string;
  /**
   * What the client met.
   */
  summary: string;
  /**
   * What the client was told.
   */
  agreedLifetimeSeconds: number;
  /**
   * How long its tokens lived.
   */
  tokenLifetimeSeconds: number;
  /**
   * seen: all that the scenario is for; deadline: its time was over before; ended: the client ended by itself; silent: it never called; skipped: it was never begun.
   */
  state: 'seen' | 'deadline' | 'ended' | 'silent' | 'skipped';
  /**
   * How the client ended by itself, as the rest of a sentence: with exit code 1.
   */
  ended?: string;
  /**
   * Of the scenario.
   */
  durationMs: number;
  tokens: Tokens1;
  /**
   * The first five hundred, and those that prove a finding.
   */
  calls: Call[];
  /**
   * How many calls there were.
   */
  callCount: number;
  /**
   * The tokens that were issued.
   */
  lives: Life[];
  /**
   * What the client printed.
   */
  output?: {
    /**
     * Beside the report, with more of it.
     */
    file: string;
    /**
     * The last of it.
     */
    lastLines: string;
  };
}
/**
 * Of the scenario.
 */
export interface Tokens1 {
  /**
   * How many tokens were asked for.
   */
  asked: number;
  /**
   * How many would have done for these calls, at the least.
   */
  needed: number;
}
export interface Call {
  /**
   * Counts from 1, in the order in which requests came in.
   */
  id: number;
  /**
   * upload: an operation that a profile has besides. other: no operation of the contract was asked for.
   */
  kind: 'token' | 'data' | 'health' | 'upload' | 'other';
  /**
   * When the request came in, in real time.
   */
  startMs: number;
  /**
   * When its answer had gone out, in real time.
   */
  endMs: number;
  /**
   * When it was judged, on the client's own clock, by which tokens live.
   */
  atMs: number;
  /**
   * Of HTTP.
   */
  method: string;
  /**
   * Without a query.
   */
  path: string;
  /**
   * Names in the query, without their values.
   */
  query: string[];
  /**
   * Equal for two calls that ask for the same thing.
   */
  target: string;
  /**
   * Of the answer.
   */
  status: number;
  /**
   * Why it was answered so, as in the journal of the mock.
   */
  reason: string;
  /**
   * How the connection ended where the answer did not go out whole; gone: the client had left.
   */
  ended?: 'reset' | 'cut' | 'gone';
  /**
   * Number of the token that was sent or issued.
   */
  token?: number;
  /**
   * How that token stood when the call was answered.
   */
  standing?: 'valid' | 'expired' | 'unknown';
  /**
   * The header of this name.
   */
  accept?: string;
  /**
   * The header Content-Type.
   */
  contentType?: string;
  /**
   * Absent: no such header.
   */
  authorization?: 'bearer' | 'malformed';
  /**
   * Names of the fields of a form.
   */
  fields?: string[];
  /**
   * Where a secret or a token was that has no business there.
   */
  misplaced: {
    what: 'token' | 'client_secret';
    where: 'query' | 'path' | 'body' | 'header';
  }[];
  /**
   * What the answer said in Retry-After.
   */
  retryAfterSeconds?: number;
}
/**
 * A token's life, on the axis of atMs.
 */
export interface Life {
  /**
   * As token of a call.
   */
  number: number;
  /**
   * When it was issued.
   */
  issuedMs: number;
  /**
   * When its time is over.
   */
  expiresMs: number;
  /**
   * When it was ended before its time.
   */
  endedMs?: number;
}
