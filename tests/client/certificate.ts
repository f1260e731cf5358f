/** What an examination of a client comes to. */
import type { Severity } from '../support/verdict.ts';
import type { Call, Life } from './traffic.ts';

/** `incomplete`: nothing is broken in what was seen, and a clause could not be tried. */
export type CertificateOutcome = 'conformant' | 'nonconformant' | 'incomplete';

/** How a client renews: on a 403, before or after the token's time is over by its own clock, both, or not at all. */
export type Strategy = 'reactive' | 'proactive' | 'both' | 'none';

/** `warned`: good practice was not kept, which breaks no clause. */
export type RuleVerdict = 'passed' | 'failed' | 'warned' | 'could-not-run' | 'not-applicable';

export interface Certificate {
  outcome: CertificateOutcome;
  strategy: Strategy;
  /** How long before its expiry a token is replaced, in the middle of the cases seen; absent where none was. */
  marginSeconds?: number;
  /** Over all scenarios. */
  tokens: TokenCount;
  rules: readonly JudgedRule[];
  scenarios: readonly ScenarioResult[];
  /** Names of the scenarios that were not to be played; absent where all were. Without them nothing is conformant. */
  leftOut?: readonly string[];
}

/** `needed` is the lower bound: the fewest tokens that these calls require. */
export interface TokenCount {
  asked: number;
  needed: number;
}

export interface RecordCount {
  served: number;
  held?: number;
}

export interface JudgedRule {
  /** As `token-reuse`. */
  id: string;
  /**
   * What it follows from: a clause of tests/requirements.yaml, as `MRS-5.3a`; a point that a profile declares, as
   * `MRS-2b@static-feed`; a section of an RFC. Absent: good practice.
   */
  clause?: string;
  /** What a violation means; only with a clause. */
  severity?: Severity;
  verdict: RuleVerdict;
  /** What a client does that keeps it. */
  statement: string;
  /** What to do where it is not kept; a paragraph. */
  advice: string;
  /** Of could-not-run and not-applicable. */
  reason?: string;
  findings: readonly Finding[];
}

export interface Finding {
  /** `failed` only where the rule has a clause. */
  verdict: 'failed' | 'warned';
  /** Name of the scenario. */
  scenario: string;
  /** What was seen, as a sentence. */
  seen: string;
  /** The calls that prove it, by id; at most twenty. */
  calls: readonly number[];
}

export interface ScenarioResult {
  name: string;
  /** What the client met. */
  summary: string;
  /** The lifetime that was agreed with the client, and how long its tokens really lived. */
  agreedLifetimeSeconds: number;
  tokenLifetimeSeconds: number;
  /**
   * `seen`: enough, which is all that the scenario is for, or that the client gets nowhere in it; `deadline`: its time was
   * over before, or the examination was ended; `ended`: the client ended by itself; `silent`: it never called;
   * `skipped`: it was never begun.
   */
  state: 'seen' | 'deadline' | 'ended' | 'silent' | 'skipped';
  /** How the client ended by itself, as the rest of a sentence: `with exit code 1`. */
  ended?: string;
  durationMs: number;
  tokens: TokenCount;
  /** Of a feed without tokens: how many it has at last, and how many the client said that it holds, if it said so. */
  records?: RecordCount;
  /** The first five hundred, and those that prove a finding. */
  calls: readonly Call[];
  /** How many there were. */
  callCount: number;
  lives: readonly Life[];
}
