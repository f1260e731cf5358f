/** The verdicts that a test can end with, and the answers on which one can be given. */
import { test } from '@playwright/test';
import type { Finding } from '../../feed/findings.ts';
import { type Answered, inWords, type Probe } from './evidence.ts';

class Violation extends Error {}

/** Ends the test as failed: the deployment does otherwise than the specification states. */
export function violates(expected: string, ...exchanges: Answered[]): never {
  annotate('expected', expected);
  show(...exchanges);
  throw new Violation(`expected ${expected}; seen: ${exchanges.map(inWords).join('; ')}`);
}

/** Judges every one of `items`: what is violated by one weighs more than what could not be run on another. */
export function judgeEach<Item>(items: readonly Item[], judge: (item: Item) => void): void {
  const left: unknown[] = [];
  for (const item of items) {
    try {
      judge(item);
    } catch (error) {
      if (error instanceof Violation) throw error;
      left.push(error);
    }
  }
  if (left.length > 0) throw left[0];
}

/** A probe for `judgeEach` that belongs to a requirement only where the deployment gave occasion for it. */
export const ifSent = (probe: Probe): Probe[] => ('id' in probe ? [probe] : []);

/** Ends the test as could-not-run: the requirement binds, and this run cannot tell. */
export function couldNotRun(reason: string): never {
  return leaveOut('could-not-run', reason);
}

/** Ends the test as not-applicable: the requirement asks nothing of this deployment. */
export function notApplicable(reason: string): never {
  return leaveOut('not-applicable', reason);
}

/** Puts what is wrong with records beside the verdict, what only warns included. */
export function tellFindings(findings: readonly Finding[]): void {
  if (findings.length > 0) annotate('findings', JSON.stringify(findings));
}

/** Puts exchanges beside the verdict, as what it rests on. */
export function show(...exchanges: Answered[]): void {
  for (const exchange of exchanges) annotate('exchange', exchange.id);
}

/** The answer to a probe; without one the requirement could not be run. */
export function answered(probe: Probe): Answered {
  if ('notSent' in probe) return couldNotRun(probe.notSent);
  if (probe.response === undefined) return couldNotRun(`For ${probe.what}, the deployment ${probe.failure}.`);
  return probe as Answered;
}

/**
 * The answer to a probe, where it settles the matter. Timeouts, overload and faults of a gateway (408, 429, 502, 503,
 * 504) do not: a client that waits may get another answer.
 */
export function settled(probe: Probe): Answered {
  const exchange = answered(probe);
  if (![408, 429, 502, 503, 504].includes(exchange.response.status)) return exchange;
  show(exchange);
  return couldNotRun(`${inWords(exchange)}. That settles nothing; run again when the deployment is at rest.`);
}

/** The answer to a request that must be refused, where it is a decision about that request; a 5xx is not. */
export function decided(probe: Probe): Answered {
  const exchange = settled(probe);
  if (exchange.response.status < 500) return exchange;
  show(exchange);
  return couldNotRun(`${inWords(exchange)}. A server error is not a decision about the request.`);
}

function leaveOut(type: 'could-not-run' | 'not-applicable', reason: string): never {
  annotate(type, reason);
  test.skip(true, reason);
  throw new Error('test.skip() ends the test');
}

function annotate(type: string, description: string): void {
  test.info().annotations.push({ type, description });
}
