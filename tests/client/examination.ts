/** An examination that is under way, as the control API and the page show it. */
import type { Certificate, ScenarioResult } from './certificate.ts';

/** What leads a client through scenarios, for the mock to ask. */
export interface Examination {
  /** Id of the client that is examined. */
  readonly client: string;
  /** How far it is. */
  progress(): Progress;
  /** What was seen so far comes to. */
  certificate(): Certificate;
}

export interface Progress {
  client: string;
  /** The one that is played. */
  scenario: string;
  summary: string;
  /** What has to be seen, as the rest of a sentence that begins with "waits for". */
  waitsFor: string;
  /** Those that are over, in the order in which they were played. */
  done: { name: string; state: ScenarioResult['state'] }[];
  /** Names of those to come. */
  left: string[];
}
