/** The scenarios for readers of a feed without tokens: what the mock serves and what the judge waits for, joined by name. */
import { variants } from '../../mocks/deployments/variants.ts';
import type { Scenario as MockScenario } from '../../mocks/state/scenario.ts';
import { scenarios as played } from '../../mocks/state/scenarios.ts';
import { type FeedScenario, feedScenarios } from '../../tests/client/reader/feed-scenarios.ts';
import { joinScenarios, type Scenario } from './scenario-catalogue.ts';

/** A permitted deployment as a scenario in which nothing else happens; undefined if there is none of this name. */
function permitted(name: string): MockScenario | undefined {
  const found = variants.find((one) => one.name === name);
  return found && { name, summary: `the feed ${found.summary}`, terms: () => ({}) };
}

function joined(scenario: FeedScenario): Scenario[] {
  const { name, serves, servesAtLast = serves, scheduled: records = serves, plays = name } = scenario;
  const inMock = played.find((one) => one.name === plays);
  const variant = inMock ? undefined : permitted(name);
  const found = inMock ? { ...inMock, name } : variant;
  return joinScenarios([scenario], found ? [found] : []).map((one) => ({
    ...one,
    ...(scenario.summary !== undefined && { summary: scenario.summary }),
    served: servesAtLast,
    mock: { records, ...(variant && { variant: name }) },
  }));
}

export const readerScenarios: readonly Scenario[] = feedScenarios.flatMap(joined);
