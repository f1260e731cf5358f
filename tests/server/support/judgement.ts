/** A judgement as a value: what a requirement came to on the evidence of a run, and the exchanges it rests on. */
import type { Finding } from '../../feed/findings.ts';
import type { Verdict } from '../../support/verdict.ts';
import type { Condition } from '../requests.ts';
import { isAnswered, type Probe } from './evidence.ts';

export interface Judgement {
  verdict: Verdict;
  /** Of `failed`: what the specification or the profile asks for, as a noun phrase. */
  expected?: string;
  /** Of `could-not-run` and `not-applicable`: why, as a sentence. */
  reason?: string;
  /** Of `could-not-run`: whether the answer may hold what it must not. */
  isUnclear?: true;
  /** Ids of the exchanges that the verdict rests on, the deciding ones first. */
  exchanges: string[];
  /** What was found in records, warnings included. */
  findings?: Finding[];
}

/** A request in a condition, whoever sent it: what a requirement judges. */
export interface Shown {
  when: Condition;
  probe: Probe;
  /** Why its answer is no decision about it. */
  gap?: Judgement | undefined;
  /** Why a violation by it decides nothing. */
  doubt?: Judgement | undefined;
  /** The same of requests that ask the same: a decision on one of them is enough. */
  kind?: unknown;
  /** It is judged where it was decided, and nothing is missing without it. */
  isOptional?: true | undefined;
  /** The contract does not have such a request. */
  isAside?: true | undefined;
  /** The deployment may refuse it by silence: it hung up, or the contract does not have such a request, and answered well later. */
  mayBeSilent?: true | undefined;
  /** The token request that brought its token, and a read that was served. */
  issue?: Probe | undefined;
  read?: Probe | undefined;
  /** Whether its token had opened the data before. */
  hasOpened?: boolean | undefined;
  /** The lifetime of its token, in seconds, where it is agreed. */
  lifetimeSeconds?: number | undefined;
  /** Of a form that was refused: the same with an Authorization header. */
  authorized?: Probe | undefined;
  /** Of an expired token: the token request after it, the read with the token that this brought, and whether that is the same. */
  renewal?: Probe | undefined;
  fresh?: Probe | undefined;
  isRepeated?: boolean | undefined;
  /** Whether only the operator says that the token has expired. */
  isGiven?: true | undefined;
  /** Of a health check: the same with a token, and whether the deployment states the path. */
  withToken?: Probe | undefined;
  isStated?: true | undefined;
}

/** How a requirement judges what was shown in one of its conditions; undefined where that does not concern it. */
export type JudgeShown = (shown: Shown) => Judgement | undefined;

const idsOf = (shown: readonly (Probe | undefined)[]) => shown.filter(isAnswered).map(({ id }) => id);

/** The requirement is kept, as these exchanges show. */
export const passed = (...shown: (Probe | undefined)[]): Judgement => ({
  verdict: 'passed',
  exchanges: idsOf(shown),
});

/** The deployment violates the requirement: these exchanges show something else than `expected`. */
export const failed = (expected: string, ...shown: (Probe | undefined)[]): Judgement => ({
  verdict: 'failed',
  expected,
  exchanges: idsOf(shown),
});

/** The requirement binds, and this run cannot decide whether it is kept. A reason may begin with the name of a request. */
export const couldNotRun = (reason: string, ...shown: (Probe | undefined)[]): Judgement => ({
  verdict: 'could-not-run',
  reason: reason.replace(/^(a|an|the) /, (article) => article.charAt(0).toUpperCase() + article.slice(1)),
  exchanges: idsOf(shown),
});

/** The same of an answer that may hold what it must not. */
export const unclear = (reason: string, ...shown: (Probe | undefined)[]): Judgement => ({
  ...couldNotRun(reason, ...shown),
  isUnclear: true,
});

/** The requirement asks nothing of this deployment. */
export const notApplicable = (reason: string): Judgement => ({
  verdict: 'not-applicable',
  reason,
  exchanges: [],
});

/** Several judgements as one: a violation, or else what could not run, or what was kept. None is nothing shown. */
export function allOf(judgements: readonly Judgement[]): Judgement {
  if (judgements.length === 0) return couldNotRun('The evidence has nothing on it.');
  const findings = judgements.find((one) => one.findings)?.findings;
  const violations = judgements.filter(({ verdict }) => verdict === 'failed');
  const [failing] = violations;
  const open = judgements.find(({ verdict }) => verdict === 'could-not-run');
  const resting = failing
    ? [...violations, ...judgements.slice(0, judgements.indexOf(failing))]
    : open && open.exchanges.length > 0
      ? [open]
      : judgements;
  const decisive =
    failing ?? open ?? judgements.find(({ verdict }) => verdict === 'passed') ?? (judgements[0] as Judgement);
  const exchanges = [...new Set(resting.flatMap((one) => one.exchanges))];
  return { ...decisive, exchanges, ...(findings && { findings }) };
}
