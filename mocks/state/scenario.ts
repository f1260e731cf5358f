/** What a client meets: the form of a row in the catalogue of scenarios. */
import type { Step } from '../contract/control-types.ts';
import type { MockClient } from './clients.ts';

export interface Scenario {
  /** The client id is `demo-` and this. */
  name: string;
  /** Earlier names, whose client ids still work. */
  formerNames?: readonly string[];
  /** What the client meets, as a sentence without its subject. */
  summary: string;
  /** What the client's secret ends with; nothing for most. */
  secretSuffix?: string;
  /** The client's terms and script. Without a token lifetime, tokens live as long as was agreed. */
  terms(circumstances: Circumstances): Terms;
}

export interface Circumstances {
  /** When the client appears, in milliseconds of the mock's clock. */
  now: number;
  /** Number of the token request that replaces the client's first token: 2, or more if several processes share its id. */
  renewal: number;
}

export type Terms = Omit<MockClient, 'id' | 'secret'>;

/** The terms of a scenario that is only a script. */
export const script =
  (...steps: Step[]): Scenario['terms'] =>
  () => ({ script: steps });
