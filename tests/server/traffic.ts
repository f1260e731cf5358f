/** Judges a service by recorded traffic: the requirements judge each call in its condition, as they judge those of a run. */
import { isBinding, ledger, type Requirement } from '../support/requirements.ts';
import { isServed } from '../traffic/exchange.ts';
import { classify, createIndex, type NotCounted, not, type ServiceTraffic } from './classify.ts';
import { requirements } from './judge.ts';
import type { Condition } from './requests.ts';
import { judgeCall, type Stated } from './suite.ts';
import { type Answered, inWords, isAnswered } from './support/evidence.ts';
import type { Judgement } from './support/judgement.ts';

const MOST_EXCHANGES = 10;
/** The answers to these must not hold the data. */
const REFUSALS: readonly Condition[] = ['missing-token', 'unknown-token', 'expired-token'];
const NO_REQUEST = 'The traffic has no request that shows it.';

/** What the calls came to that show one requirement. */
interface Tally {
  row: Requirement;
  requirement: Stated;
  kept: number;
  violated: number;
  /** The first of each, the first exchanges that violate it, and the first reason why something was not judged. */
  pass?: Judgement;
  failure?: Judgement;
  failing: Set<string>;
  open?: string;
}

export function judgeTraffic(traffic: ServiceTraffic) {
  const index = createIndex(traffic);
  const tallies = ledger.filter(isBinding).flatMap((row): Tally[] => {
    const requirement = requirements.find(({ id }) => id === row.id);
    return requirement ? [{ row, requirement, kept: 0, violated: 0, failing: new Set() }] : [];
  });
  const shownBy = (when: Condition) => tallies.filter(({ requirement }) => requirement.of.includes(when));
  const note = ({ when, gap }: NotCounted) => {
    for (const tally of when.flatMap(shownBy)) tally.open ??= gap;
  };
  for (const call of traffic.calls)
    for (const found of classify(call, index)) {
      if (!('probe' in found)) {
        note(found);
        continue;
      }
      const { when, probe } = found;
      const isRefusal = REFUSALS.includes(when);
      const takesBody = isRefusal || when === 'valid-token body' || (call.kind === 'token' && isServed(call));
      if (takesBody && !call.hasBody) note(not('lacks-body', when));
      else if (isRefusal && isServed(call) && isAnswered(probe) && hasOtherForm(probe))
        note(not('has-another-form', when));
      else for (const tally of shownBy(when)) count(tally, judgeCall(tally.requirement, found));
    }
  return tallies.map((tally) => verdictOf(tally, traffic));
}

const hasOtherForm = ({ response: { bodyBytes, json } }: Answered): boolean =>
  bodyBytes > 0 && !json.wellFormed;

function count(tally: Tally, judgement: Judgement | undefined): void {
  if (!judgement) return;
  const { verdict, reason = '' } = judgement;
  if (verdict === 'passed') {
    tally.kept++;
    tally.pass ??= judgement;
  } else if (verdict === 'failed') {
    tally.violated++;
    tally.failure ??= judgement;
    if (tally.failing.size < MOST_EXCHANGES) tally.failing.add(judgement.exchanges[0] ?? '');
  } else tally.open ??= reason;
}

function verdictOf(tally: Tally, { exchanges }: ServiceTraffic) {
  const { row: requirement, kept, violated, failing, failure, pass, open } = tally;
  const deciding = failure ?? pass;
  const ids = deciding?.exchanges ?? [];
  const answered = ids.flatMap((id) => exchanges.get(id) ?? []).filter(isAnswered);
  const none = requirement.passive
    ? NO_REQUEST
    : 'No recorded traffic shows it. mrs verify sends the requests that do.';
  return {
    /** How many calls decided it: that kept it, that violate it. */
    ...{ requirement, kept, violated },
    /** `not-seen`: the traffic gave no occasion to judge it, or what it shows decides nothing. */
    verdict: failure ? ('failed' as const) : pass ? ('passed' as const) : ('not-seen' as const),
    /** Of not-seen: why, as a sentence. */
    reason: deciding ? undefined : (open ?? none),
    /** Of a violation: what the specification asks for, as a noun phrase. */
    expected: failure?.expected,
    /** What the deciding exchanges brought. */
    seen: [...new Set(answered.map(inWords))].join('; '),
    /** Ids of what the verdict rests on, the deciding ones first. */
    exchanges: [...new Set([...failing, ...ids])].slice(0, MOST_EXCHANGES),
  };
}
