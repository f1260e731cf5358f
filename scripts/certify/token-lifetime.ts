/** The scenarios of a program with another token lifetime than their own. */
import { longLivedFrom } from '../../tests/client/scenario-traffic.ts';
import type { Scenario } from './scenario-catalogue.ts';

/**
 * The scenario with tokens of `seconds`. One in which no token expires stays as it is; where a first token lives shorter
 * or longer than agreed, it still does.
 */
export function withTokenLifetime(scenario: Scenario, seconds: number): Scenario {
  const { agreedSeconds, lifetimesSeconds } = scenario;
  if (agreedSeconds >= longLivedFrom) return scenario;
  const [first = agreedSeconds, ...rest] = lifetimesSeconds;
  const scaled = first < agreedSeconds ? (first / agreedSeconds) * seconds : seconds + first - agreedSeconds;
  return { ...scenario, agreedSeconds: seconds, lifetimesSeconds: [scaled, ...rest], longLived: false };
}

/** In seconds, from the start of the client; enough for one that polls each few seconds. */
const DEADLINE = 30;

/**
 * The time limit of a scenario, in seconds, where none is set. One with a token lifetime of its own takes until its tokens
 * have expired, and two more where a client that renews by its clock meets those that end early.
 */
export const deadlineOf = ({ longLived, tokensToOutlive = 1, agreedSeconds }: Scenario): number =>
  DEADLINE + (longLived === false ? (tokensToOutlive + 2) * agreedSeconds : 0);
