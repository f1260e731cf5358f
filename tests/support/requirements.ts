/** The ledger, tests/requirements.yaml: every statement of the specification. */
import { createRequire } from 'node:module';
import type { Severity } from './verdict.ts';

type Kind = 'server' | 'interpretation' | 'client' | 'open' | 'not-observable' | 'declared';

/** What a run must have obtained before a requirement can be judged; each includes the ones before it. */
export type Need = 'token-response' | 'token' | 'data';

export interface Requirement {
  id: string;
  /** The number in the specification. */
  clause: string;
  kind: Kind;
  statement: string;
  /** Without it the requirement could not run. */
  needs?: Need;
  /** Whether recorded traffic can show it: `usual`, that of any client that renews its token; `occasional`, not of every client. */
  passive?: 'usual' | 'occasional';
  /** What a deployment may not have at all: a profile that offers no tokens leaves out what is about them. */
  about?: 'tokens';
  /** How an interpretation reads the statement; where a declaration is from; why something is not observable. */
  reading?: string;
  source?: string;
  reason?: string;
  /** Of an open point: what to ask the operator, who has not read the specification. */
  question?: string;
  /** Of what binds a deployment: what a violation means, what is wrong then (a sentence), and what to change. */
  severity?: Severity;
  violation?: string;
  advice?: string;
}

export const ledger: Requirement[] = createRequire(import.meta.url)('mrs-contract/requirements.json');

/** Whether a deployment can keep or break it, so that a verdict is required. */
export const isBinding = ({ kind }: Requirement): boolean =>
  kind === 'server' || kind === 'interpretation' || kind === 'declared';
