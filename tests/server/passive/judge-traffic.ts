/** Judges a service by recorded traffic: each call by the functions that judge the evidence of a run. */
import { isBinding, ledger, type Requirement } from '../../support/requirements.ts';
import { requirements } from '../judge.ts';
import { judge } from '../suite.ts';
import { type Exchange, exchanges, inWords, isAnswered } from '../support/evidence.ts';
import type { Judgement } from '../support/judgement.ts';
import { type Case, contextOf, type Found, LEFT_OUT, type ServiceTraffic } from './cases.ts';
import { dataCases } from './data-cases.ts';
import { wholeOf } from './frame.ts';
import { healthCases, NO_HEALTH_PATHS, OF_HEALTH_CHECKS } from './health-cases.ts';
import type { AnswerRecorder } from './record-answer.ts';
import { tokenCases } from './token-cases.ts';

/** `not-seen`: the traffic gave no occasion to judge it, or what it shows decides nothing. */
export type TrafficVerdict = 'passed' | 'failed' | 'not-seen';

export interface JudgedByTraffic {
  requirement: Requirement;
  verdict: TrafficVerdict;
  /** Of not-seen: why, as a sentence. */
  reason?: string;
  /** Of a violation: what the specification asks for, as a noun phrase. */
  expected?: string;
  /** What the deciding exchanges brought. */
  seen: string;
  /** How many calls decided it: that kept it, that violate it. */
  kept: number;
  violated: number;
  /** Ids of what the verdict rests on, the deciding ones first; at most ten. */
  exchanges: readonly string[];
}

const MOST_EXCHANGES = 10;
/** The words of at most this many refusals are searched for values of the data. */
const MOST_COUNTED = 200;

interface Tally {
  kept: number;
  violated: number;
  /** The first of each. */
  pass?: { judgement: Judgement; of: Case };
  failure?: { judgement: Judgement; of: Case };
  failing: Set<string>;
  reason?: string;
}

export function judgeTraffic(
  traffic: ServiceTraffic,
  { countValues }: Pick<AnswerRecorder, 'countValues'>,
): JudgedByTraffic[] {
  const context = contextOf(traffic);
  const tallies = new Map(
    requirements.map(({ id }): [string, Tally] => [id, { kept: 0, violated: 0, failing: new Set() }]),
  );
  let counted = 0;
  const add = (found: Found) => {
    if ('reason' in found) {
      for (const id of found.requirements) noteReason(tallies.get(id), found.reason);
      return;
    }
    const isCounted = found.countsValues === true && counted++ < MOST_COUNTED;
    const { evidence } = found;
    const counting = isCounted ? { ...evidence, ...countValues(wholeOf(evidence)) } : evidence;
    for (const id of found.requirements) {
      const requirement = requirements.find((one) => one.id === id);
      const tally = tallies.get(id);
      if (!requirement || !tally) continue;
      const judgement = judge(requirement, counting);
      if (judgement.verdict === 'failed' && found.doubt !== undefined) noteReason(tally, found.doubt);
      else if (judgement.verdict === 'passed' && found.mayLackValues) noteReason(tally, LEFT_OUT);
      else note(tally, judgement, found);
    }
  };
  for (const call of traffic.calls) {
    if (call.kind === 'token') for (const found of tokenCases(call, context)) add(found);
    if (call.kind === 'data') for (const found of dataCases(call, context)) add(found);
    if (call.kind === 'health') for (const found of healthCases(call, context)) add(found);
  }
  if (traffic.healthPaths.length === 0) add({ requirements: OF_HEALTH_CHECKS, reason: NO_HEALTH_PATHS });
  return ledger.filter(isBinding).flatMap((requirement) => {
    const tally = tallies.get(requirement.id);
    return tally ? [verdictOf(requirement, tally)] : [];
  });
}

function noteReason(tally: Tally | undefined, reason: string): void {
  if (tally && (tally.reason === undefined || reason === LEFT_OUT)) tally.reason = reason;
}

function note(tally: Tally, judgement: Judgement, of: Case): void {
  if (judgement.verdict === 'failed') {
    tally.violated++;
    tally.failure ??= { judgement, of };
    const [first] = judgement.exchanges;
    if (first !== undefined && tally.failing.size < MOST_EXCHANGES) tally.failing.add(first);
  } else if (judgement.verdict === 'passed') {
    tally.kept++;
    tally.pass ??= { judgement, of };
  } else noteReason(tally, reasonInWords(judgement));
}

/** Why it could not be judged, as a sentence, without what only a run can do about it. */
const reasonInWords = ({ reason = '', unsettled }: Judgement): string => {
  const text = unsettled ? `${inWords(unsettled)}. That settles nothing.` : reason;
  return text.slice(0, 1).toUpperCase() + text.slice(1);
};

function verdictOf(requirement: Requirement, tally: Tally): JudgedByTraffic {
  const { kept, violated, failing, failure, pass } = tally;
  const deciding = failure ?? (tally.reason === LEFT_OUT ? undefined : pass);
  const counts = { requirement, kept, violated };
  if (!deciding) {
    const verdict = 'not-seen' as const;
    return { ...counts, verdict, reason: tally.reason ?? reasonOf(requirement), seen: '', exchanges: [] };
  }
  const { judgement, of } = deciding;
  const ids = [...new Set([...failing, ...judgement.exchanges])].slice(0, MOST_EXCHANGES);
  const all = exchanges(of.evidence);
  const seen = judgement.exchanges.flatMap((id) => all.find((one) => one.id === id) ?? []);
  return {
    ...counts,
    verdict: failure ? 'failed' : 'passed',
    ...(failure && judgement.expected !== undefined && { expected: judgement.expected }),
    seen: [...new Set(seen.flatMap(wordsOf))].join('; '),
    exchanges: ids,
  };
}

const wordsOf = (exchange: Exchange): string[] => (isAnswered(exchange) ? [inWords(exchange)] : []);

const reasonOf = ({ passive }: Requirement): string =>
  passive === undefined ? 'No recorded traffic shows it. mrs verify sends the requests that do.' : NO_REQUEST;

export const NO_REQUEST = 'The traffic has no request that shows it.';
