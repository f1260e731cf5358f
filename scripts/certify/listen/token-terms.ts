/** What becomes of a scenario's lifetimes where the client was given one lifetime for all scenarios. */
import { longLivedFrom } from '../../../tests/client/scenario-traffic.ts';
import type { Scenario } from '../scenario-catalogue.ts';

export interface ListenTerms {
  /** How long tokens live while it is played. */
  lifetimeSeconds: number;
  /** Whether no token comes to its end in it by itself. */
  longLived: boolean;
  /** How long it may take until tokens have come to their end, and a client that goes by its clock has noticed. */
  mostSeconds: number;
}

/**
 * Tokens live as long as was agreed, but for a scenario that is about shorter ones. Where the scenario's own tokens would
 * live for minutes, it is over long before the agreed time is.
 */
export function termsOf(scenario: Scenario, agreedSeconds: number): ListenTerms {
  const { agreedSeconds: own, lifetimesSeconds, tokensToOutlive = 1 } = scenario;
  const [first = own] = lifetimesSeconds;
  const longLived = own >= longLivedFrom;
  return {
    lifetimeSeconds: first < own ? Math.min(first, (first / own) * agreedSeconds) : agreedSeconds,
    longLived,
    mostSeconds: longLived ? 0 : tokensToOutlive * agreedSeconds,
  };
}
