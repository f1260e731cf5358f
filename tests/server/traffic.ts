/** Judges a service by recorded traffic: each call in its condition is evidence, which the requirements judge as that of a run. */
import { healthCheckAt } from '../support/options.ts';
import { isBinding, ledger, type Requirement } from '../support/requirements.ts';
import { isServed, type RecordedCall } from '../traffic/exchange.ts';
import { type Condition, classify, type NotCounted, not, type Occasion, PROBES_OF } from './classify.ts';
import { checkKey, createIndex, type Index, type ServiceTraffic } from './compared-calls.ts';
import { requirements } from './judge.ts';
import { type JudgedBy, judge } from './suite.ts';
import {
  type Evidence,
  type Exchange,
  exchanges as exchangesOf,
  inWords,
  isAnswered,
  type Observed,
  type Response,
} from './support/evidence.ts';
import type { Judgement } from './support/judgement.ts';

const MOST_EXCHANGES = 10;
/** Of these, the words are compared with those of the data. */
const REFUSALS: readonly Condition[] = [
  'missing-token',
  'unknown-token',
  'unknown-token altered',
  'expired-token',
];
/** The words of at most this many refusals are searched for values of the data. */
const MOST_COUNTED = 200;
const NO_REQUEST = 'The traffic has no request that shows it.';

/** What the calls came to that show one requirement. */
interface Tally {
  row: Requirement;
  requirement: JudgedBy;
  kept: number;
  violated: number;
  /** The first of each, the first exchanges that violate it, and the first reason why something was not judged. */
  pass?: Judgement;
  failure?: Judgement;
  failing: Set<string>;
  open?: string;
}

/** `countValues` finds values of the data in refusals; `values` are their numbers, by the ids of exchanges. */
export function judgeTraffic(traffic: ServiceTraffic, countValues: (observed: Observed) => Observed) {
  const values = new Map<string, NonNullable<Response['values']>>();
  const index = createIndex(traffic);
  const tallies = ledger.filter(isBinding).flatMap((row): Tally[] => {
    const requirement = requirements.find(({ id }) => id === row.id);
    return requirement ? [{ row, requirement, kept: 0, violated: 0, failing: new Set() }] : [];
  });
  const shownBy = (when: Condition) => tallies.filter(({ row }) => row.conditions?.includes(when));
  const note = ({ when, gap }: NotCounted) => {
    for (const tally of when.flatMap(shownBy)) tally.open ??= gap;
  };
  let counted = 0;
  for (const call of traffic.calls)
    for (const found of classify(call, index)) {
      if ('gap' in found) {
        note(found);
        continue;
      }
      const { when, doubt } = found;
      const isRefusal = REFUSALS.includes(when);
      const takesBody = isRefusal || when === 'valid-token body' || (call.kind === 'token' && isServed(call));
      if (takesBody && !call.hasBody) {
        note(not('lacks-body', when));
        continue;
      }
      let evidence = evidenceOf(found, call, index);
      if (isRefusal && counted++ < MOST_COUNTED) {
        evidence = { ...evidence, ...countValues(evidence) };
        const id = `x${call.exchange.entry}`;
        const own = exchangesOf(evidence).find((one) => one.id === id)?.response?.values;
        if (own) values.set(id, own);
      }
      for (const tally of shownBy(when)) count(tally, judge(tally.requirement, evidence), doubt);
    }
  if (traffic.healthPaths.length === 0) note(not('no-health-paths', 'healthy'));
  return { verdicts: tallies.map((tally) => verdictOf(tally, traffic)), values };
}

/** As that of a run that sent the call, and those to compare it with. */
function evidenceOf({ when, answers, renewalRepeats }: Occasion, call: RecordedCall, index: Index): Evidence {
  const exchangeOf = ({ exchange }: RecordedCall) => index.exchanges.get(`x${exchange.entry}`) as Exchange;
  const probes = { ...answers, ...Object.fromEntries(PROBES_OF[when].map((key) => [key, call])) };
  const { method, path } = call.exchange;
  const check = call.kind === 'health' ? healthCheckAt(index.healthPaths, method, path) : undefined;
  const withToken = index.checks.get(checkKey(call));
  const life = index.history.lifeOf(call);
  const tokenLifetimeSeconds = life && index.agreedFor(life);
  return {
    ...{ startedAt: '', durationMs: 0, requests: 0 },
    ...{ refusedTokens: [], repeated: [], expiry: { kind: 'none' } },
    probes: Object.fromEntries(
      Object.entries(probes).flatMap(([key, one]) => (one ? [[key, exchangeOf(one)]] : [])),
    ),
    health:
      check === undefined
        ? []
        : [{ plain: exchangeOf(call), ...(withToken && { withToken: exchangeOf(withToken) }) }],
    ...(renewalRepeats !== undefined && { renewalRepeats }),
    target: {
      ...{ baseUrl: index.baseUrl, clientId: '', healthPaths: check === undefined ? [] : [check] },
      ...(tokenLifetimeSeconds !== undefined && { tokenLifetimeSeconds }),
    },
  };
}

/** `doubt`: why a violation decides nothing. */
function count(tally: Tally, judgement: Judgement, doubt: string | undefined): void {
  const { verdict, reason = '' } = judgement;
  if (verdict === 'passed') {
    tally.kept++;
    tally.pass ??= judgement;
  } else if (verdict === 'failed' && !doubt) {
    tally.violated++;
    tally.failure ??= judgement;
    if (tally.failing.size < MOST_EXCHANGES) tally.failing.add(judgement.exchanges[0] ?? '');
  } else tally.open ??= (verdict === 'failed' && doubt) || reason.slice(0, 1).toUpperCase() + reason.slice(1);
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
