/** Judges a service by recorded traffic: each call in its condition is evidence, which the requirements judge as that of a run. */
import { isBinding, ledger, type Requirement } from '../support/requirements.ts';
import { CONDITIONS, createClassifier, GAPS, type NotCounted, type Occasion } from './classify.ts';
import type { ServiceTraffic } from './compared-calls.ts';
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

export interface JudgedByTraffic {
  requirement: Requirement;
  /** `not-seen`: the traffic gave no occasion to judge it, or what it shows decides nothing. */
  verdict: 'passed' | 'failed' | 'not-seen';
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

interface JudgedTraffic extends ServiceTraffic {
  baseUrl: string;
  /** By `x` and the entry in the file: the request line of each call, and what is kept of its answer. */
  exchanges: ReadonlyMap<string, Exchange>;
  /** Receives, by the same ids, with how many values of the data the refusals hold. */
  values: Map<string, NonNullable<Response['values']>>;
}

/** Has only the requests that the call is compared with. */
function evidenceOf(occasion: Occasion, { baseUrl, exchanges }: JudgedTraffic): Evidence {
  const { call, answers, lifetimeSeconds, renewalRepeats, check } = occasion;
  const exchangeOf = ({ exchange }: Occasion['call']) => exchanges.get(`x${exchange.entry}`) as Exchange;
  const { path, withToken } = check ?? {};
  return {
    probes: Object.fromEntries(
      Object.entries(answers).flatMap(([key, one]) => (one ? [[key, exchangeOf(one)]] : [])),
    ),
    health: check
      ? [{ plain: exchangeOf(call), ...(withToken && { withToken: exchangeOf(withToken) }) }]
      : [],
    ...{ refusedTokens: [], repeated: [], expiry: { kind: 'none' } },
    ...(renewalRepeats !== undefined && { renewalRepeats }),
    target: {
      ...{ baseUrl, clientId: '', healthPaths: path === undefined ? [] : [path] },
      ...(lifetimeSeconds !== undefined && { tokenLifetimeSeconds: lifetimeSeconds }),
    },
    ...{ startedAt: '', durationMs: 0, requests: Object.keys(answers).length },
  };
}

/** What the calls came to that show one requirement. */
interface Tally {
  requirement: JudgedBy;
  kept: number;
  violated: number;
  /** The first of each. */
  pass?: Judgement;
  failure?: Judgement;
  /** The exchanges that violate it, the first ones. */
  failing: Set<string>;
  /** Why something was not judged, as a sentence: the first reason. */
  open?: string;
}

/** `countValues`: with how many values of the data each answer of some evidence holds. */
export function judgeTraffic(
  traffic: JudgedTraffic,
  { countValues }: { countValues(observed: Observed): Observed },
): JudgedByTraffic[] {
  const classify = createClassifier(traffic);
  const tallies = new Map(
    requirements.map((requirement): [string, Tally] => [
      requirement.id,
      { requirement, kept: 0, violated: 0, failing: new Set() },
    ]),
  );
  const shownBy = new Map<string, Tally[]>(Object.keys(CONDITIONS).map((when) => [when, []]));
  for (const { id, conditions = [] } of ledger)
    for (const when of conditions) shownBy.get(when)?.push(tallies.get(id) as Tally);
  let counted = 0;
  const add = (found: Occasion | NotCounted) => {
    if ('gap' in found) {
      for (const tally of found.when.flatMap((when) => shownBy.get(when) ?? [])) tally.open ??= found.gap;
      return;
    }
    const isCounted = found.countsValues && counted++ < MOST_COUNTED;
    const own = evidenceOf(found, traffic);
    const evidence = isCounted ? { ...own, ...countValues(own) } : own;
    if (isCounted) noteValues(evidence, `x${found.call.exchange.entry}`);
    for (const tally of shownBy.get(found.when) ?? []) {
      const judgement = judge(tally.requirement, evidence);
      const { verdict, reason = '' } = judgement;
      if (verdict === 'failed' && found.doubt) tally.open ??= found.doubt;
      else if (verdict === 'passed') {
        tally.kept++;
        tally.pass ??= judgement;
      } else if (verdict === 'failed') {
        tally.violated++;
        tally.failure ??= judgement;
        const [first = ''] = judgement.exchanges;
        if (tally.failing.size < MOST_EXCHANGES) tally.failing.add(first);
      } else tally.open ??= reason.slice(0, 1).toUpperCase() + reason.slice(1);
    }
  };
  const noteValues = (evidence: Evidence, id: string) => {
    const { values } = exchangesOf(evidence).find((one) => one.id === id)?.response ?? {};
    if (values) traffic.values.set(id, values);
  };
  for (const call of traffic.calls) classify(call).forEach(add);
  if (traffic.healthPaths.length === 0) add({ when: ['healthy'], gap: GAPS['no-health-paths'] });
  return ledger.filter(isBinding).flatMap((requirement) => {
    const tally = tallies.get(requirement.id);
    return tally ? verdictOf(requirement, tally, traffic) : [];
  });
}

const NO_REQUEST = 'The traffic has no request that shows it.';

function verdictOf(requirement: Requirement, tally: Tally, { exchanges }: JudgedTraffic): JudgedByTraffic {
  const { kept, violated, failing, failure, pass, open } = tally;
  const deciding = failure ?? pass;
  const counts = { requirement, kept, violated };
  if (!deciding) {
    const isNeverSeen = requirement.passive === undefined;
    const none = isNeverSeen
      ? 'No recorded traffic shows it. mrs verify sends the requests that do.'
      : NO_REQUEST;
    return { ...counts, verdict: 'not-seen', reason: open ?? none, seen: '', exchanges: [] };
  }
  const answered = deciding.exchanges.flatMap((id) => exchanges.get(id) ?? []).filter(isAnswered);
  return {
    ...counts,
    verdict: failure ? 'failed' : 'passed',
    ...(failure?.expected !== undefined && { expected: failure.expected }),
    seen: [...new Set(answered.map(inWords))].join('; '),
    exchanges: [...new Set([...failing, ...deciding.exchanges])].slice(0, MOST_EXCHANGES),
  };
}
