/** The scenarios of an examination: what the mock plays and what the judge of clients waits for, joined by name. */
import type { MockClient, MockOptions } from '../../mocks/index.ts';
import { secondsIn } from '../../mocks/state/duration.ts';
import type { Scenario as MockScenario } from '../../mocks/state/scenario.ts';
import { scenarios as played } from '../../mocks/state/scenarios.ts';
import { type Scenario as JudgedScenario, scenarios as judged } from '../../tests/client/scenarios.ts';

export interface Scenario extends JudgedScenario {
  /** What the client meets, as a sentence without its subject. */
  summary: string;
  /** In seconds, of the client's first token, its second and so on; the last is for all that follow. */
  lifetimesSeconds: readonly number[];
  /** Whether no token expires in it by itself; without it: where tokens live for a minute or more. */
  longLived?: boolean;
  /** What the client's secret ends with; nothing for most. */
  secretSuffix: string;
  /** `renewal`: number of the token request that replaces the client's first token. */
  script(renewal: number): NonNullable<MockClient['script']>;
  /** What the mock serves, where that is not the data of every other scenario. */
  mock?: Pick<MockOptions, 'records' | 'variant'>;
  /** Of a feed without tokens: how many records it has at last. */
  served?: number;
}

/** Throws Error if the mock does not play a scenario that is judged: the two catalogues have to fit. */
export function joinScenarios(
  ofJudge: readonly JudgedScenario[],
  ofMock: readonly MockScenario[],
): readonly Scenario[] {
  return ofJudge.map((scenario) => {
    const { name, agreedSeconds } = scenario;
    const found = ofMock.find((one) => one.name === name);
    if (!found)
      throw new Error(
        `The scenario "${name}" of tests/client/scenarios.ts is missing in mocks/state/scenarios.ts.`,
      );
    const { summary, secretSuffix = '' } = found;
    const termsAt = (renewal: number) => found.terms({ now: Date.now(), renewal });
    const { tokenLifetime = agreedSeconds } = termsAt(2);
    return {
      ...scenario,
      summary,
      secretSuffix,
      lifetimesSeconds: [tokenLifetime].flat().map(secondsIn),
      script: (renewal) => termsAt(renewal).script ?? [],
    };
  });
}

export const scenarios: readonly Scenario[] = joinScenarios(judged, played);
