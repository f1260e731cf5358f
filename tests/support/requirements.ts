/** The ledger, tests/requirements.yaml: every statement of the specification. */
import { createRequire } from 'node:module';
import type { Severity } from './verdict.ts';

export type Kind = 'server' | 'interpretation' | 'client' | 'open' | 'not-observable' | 'declared';

/** What a run must have obtained before a requirement can be judged; each includes the ones before it. */
export type Need = 'token-response' | 'token' | 'data';

/** `usual`: the traffic of any client that renews its token shows it. `occasional`: it takes a request that not every client sends. */
type Passive = 'usual' | 'occasional';

export interface Requirement {
  id: string;
  /** The number in the specification. */
  clause: string;
  kind: Kind;
  statement: string;
  /** Without it the requirement could not run. */
  needs?: Need;
  /** Whether recorded traffic can show it: that of any client that renews a token, or only if there is an occasion. */
  passive?: Passive;
  /** Of recorded calls that show it, by their names in tests/server/classify.ts. */
  conditions?: string[];
  /** What a deployment may not have at all: a profile that offers no tokens leaves out what is about them. */
  about?: 'tokens';
  /** Of an interpretation: how the statement is read. */
  reading?: string;
  /** Of what a profile declares: where it is said. */
  source?: string;
  /** Of what is not observable: why. */
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
