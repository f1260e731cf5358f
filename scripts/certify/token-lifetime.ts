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
