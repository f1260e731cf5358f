/** What a scenario is for a client that was told once, for all of them, how long its tokens live. */
import type { Scenario } from '../../../tests/client/scenarios.ts';

export interface ListenTerms {
  /** How long tokens live while it is played. */
  lifetimeSeconds: number;
  /** Whether no token comes to its end in it by itself. */
  longLived: boolean;
  /** How long it may take until tokens have come to their end, and a client that goes by its clock has noticed. */
  mostSeconds: number;
}

/** Tokens whose agreed time has to pass, one after the other; of other scenarios with a short lifetime: one. */
const TOKENS: Readonly<Record<string, number>> = { 'expires-again': 3, 'shorter-than-agreed': 2 };

/**
 * Tokens live as long as was agreed, but for a scenario that is about shorter ones. Where the scenario's own tokens would
 * live for minutes, it is over long before the agreed time is.
 */
export function termsOf(scenario: Scenario, agreedSeconds: number): ListenTerms {
  const { name, agreedSeconds: own, lifetimesSeconds: [first = own] = [] } = scenario;
  const longLived = own >= 60;
  return {
    lifetimeSeconds: first < own ? Math.min(first, (first / own) * agreedSeconds) : agreedSeconds,
    longLived,
    mostSeconds: longLived ? 0 : (TOKENS[name] ?? 1) * agreedSeconds,
  };
}
