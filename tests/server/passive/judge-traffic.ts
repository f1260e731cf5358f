/** Judges a service by recorded traffic: each call, in its condition, by the functions that judge the evidence of a run. */
import { isBinding, ledger, type Requirement } from '../../support/requirements.ts';
import {
  type Condition,
  createClassifier,
  type Gap,
  gap,
  type NotCounted,
  type Occasion,
  type ServiceTraffic,
} from '../../traffic/classify.ts';
import { requirements } from '../judge.ts';
import { type ProbeKey, requests } from '../requests.ts';
import { judge } from '../suite.ts';
import {
  type Evidence,
  type Exchange,
  type ExpiryEvidence,
  exchanges,
  groupsOf,
  inWords,
  isAnswered,
  type NotSent,
  type Observed,
} from '../support/evidence.ts';
import type { Judgement } from '../support/judgement.ts';

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

interface Row {
  /** Ids in tests/requirements.yaml. */
  shows: readonly string[];
  /** The calls of an occasion by the requests of a run that they take the place of. */
  places?(occasion: Occasion): Partial<Record<ProbeKey, Occasion['call'] | undefined>>;
  /** Set where a refusal is judged whose words are compared with those of the data. */
  countsValues?: true;
}

const OF_ANSWER = ['MRS-2a', 'MRS-4.1a', 'MRS-4.1k', 'MRS-4.1l'];
const valid = ({ call }: Occasion) => ({ 'token.valid': call });
const expired = ({ issue, read, call }: Occasion) => ({
  'token.valid': issue,
  'data.first': read,
  'data.expiredToken': call,
});
const form = (requirement: string, key: ProbeKey): Row => ({
  shows: [requirement],
  places: ({ issue, call }) => ({ 'token.valid': issue, [key]: call }),
});
const refused = (requirement: string, key: ProbeKey): Row => ({
  shows: [requirement],
  places: ({ issue, read, call }) => ({ 'token.valid': issue, 'data.first': read, [key]: call }),
  countsValues: true,
});

/** What each condition shows. */
export const CONDITIONS: Record<Condition, Row> = {
  'valid-credentials': { shows: [...OF_ANSWER, 'MRS-4.1b'], places: valid },
  'valid-credentials with a header': { shows: OF_ANSWER, places: valid },
  'valid-credentials again': form('MRS-4.1m', 'token.again'),
  'valid-credentials refused': {
    shows: ['MRS-4.1a', 'MRS-4.1b'],
    places: ({ call, other }) => ({ 'token.valid': call, 'token.withAuthorization': other }),
  },
  'malformed-request without grant_type': form('MRS-4.1e', 'token.withoutGrantType'),
  'malformed-request without client_id': form('MRS-4.1g', 'token.withoutClientId'),
  'malformed-request without client_secret': form('MRS-4.1i', 'token.withoutClientSecret'),
  'other-grant-type': form('MRS-4.1f', 'token.otherGrantType'),
  'wrong-credentials': { shows: ['MRS-4.1a'] },
  'valid-token': {
    shows: ['MRS-4.2a'],
    places: ({ issue, read, ownIssue, call }) =>
      read
        ? {
            'token.valid': issue,
            'data.first': read,
            'data.freshToken': read,
            'token.another': ownIssue,
            'data.newestToken': call,
          }
        : { 'token.valid': issue, 'data.first': call },
  },
  'valid-token body': {
    shows: ['MRS-4.2b'],
    places: ({ issue, call }) => ({ 'token.valid': issue, 'data.first': call }),
  },
  'valid-token again': {
    shows: ['MRS-5.3b'],
    places: ({ issue, read, call }) => ({
      'token.valid': issue,
      'data.first': read,
      'data.second': call,
      'data.third': call,
    }),
  },
  'missing-token': refused('MRS-1.3', 'data.withoutToken'),
  'unknown-token': refused('MRS-5.5a', 'data.unknownToken'),
  'unknown-token altered': refused('MRS-5.5b', 'data.alteredToken'),
  'expired-token': refused('MRS-5.6a', 'data.expiredToken'),
  'expired-token status': {
    shows: ['MRS-7a'],
    places: (one) => ({ ...expired(one), 'data.freshToken': one.fresh }),
  },
  'expired-token served': { shows: ['MRS-5.6a', 'MRS-7a'], places: expired },
  'expired-token late': { shows: ['MRS-5.6a'], places: expired },
  'expired-token renewed': {
    shows: ['MRS-5.6b'],
    places: (one) => ({ ...expired(one), 'token.again': one.renewal, 'data.freshToken': one.fresh }),
  },
  healthy: {
    shows: ['MRS-4.3a', 'MRS-4.3b'],
    places: ({ issue, read }) => ({ 'token.valid': issue, 'data.first': read }), // They show that the service is up.
  },
  'healthy without a token': { shows: ['MRS-4.3b'] },
};

/** The requests that the traffic does not have are optional: it gave no occasion for them. */
const NOT_THERE: NotSent = {
  what: 'a request',
  notSent: 'The traffic does not have the request that this takes.',
  isOptional: true,
};

/** What the evidence of each occasion inherits: there are several for each call of the traffic, and a copy takes long. */
const BLANK = groupsOf(() => NOT_THERE);

/** The group and the name of each request, which are not taken apart for each occasion. */
const PLACES = new Map(
  requests.map(({ key }) => [key, key.split('.') as ['token' | 'data' | 'open', string]]),
);

/** An occasion as evidence of a run, with recorded calls in the places of its requests. */
function evidenceOf(
  occasion: Occasion,
  exchangeOf: (call: Occasion['call']) => Exchange,
  baseUrl: string,
): Evidence {
  const { when, call, other, lifetimeSeconds, renewalRepeats, check } = occasion;
  const groups = {
    token: Object.create(BLANK.token),
    data: Object.create(BLANK.data),
    open: Object.create(BLANK.open),
  };
  let requests = 0;
  for (const [key, placed] of Object.entries(CONDITIONS[when].places?.(occasion) ?? {})) {
    const [group, name] = PLACES.get(key as ProbeKey) ?? ['open', key];
    if (!placed) continue;
    groups[group][name] = exchangeOf(placed);
    requests++;
  }
  return {
    ...groups,
    health:
      check === undefined
        ? []
        : [{ plain: exchangeOf(call), ...(other && { withToken: exchangeOf(other) }) }],
    expiry: when.startsWith('expired-token') ? expiryOf(occasion) : { kind: 'none' },
    ...(renewalRepeats !== undefined && { renewalRepeats }),
    target: {
      baseUrl,
      clientId: (call.kind === 'token' ? call.clientId : undefined) ?? '',
      healthPaths: check === undefined ? [] : [check],
      ...(lifetimeSeconds !== undefined && { tokenLifetimeSeconds: lifetimeSeconds }),
    },
    startedAt: '',
    durationMs: 0,
    requests,
  };
}

const expiryOf = ({ lifetimeSeconds, ageSeconds, late }: Occasion): ExpiryEvidence =>
  lifetimeSeconds === undefined || ageSeconds === undefined
    ? { kind: 'seen', ...(ageSeconds !== undefined && { ageSeconds }) }
    : { kind: 'waited', lifetimeSeconds, ageSeconds, ...(late && { late }) };

/** The same with all probes as members of their own, for what goes through them. */
const wholeOf = ({ token, data, open, ...rest }: Evidence): Evidence => ({
  ...rest,
  token: { ...BLANK.token, ...token },
  data: { ...BLANK.data, ...data },
  open: { ...BLANK.open, ...open },
});

interface Tally {
  kept: number;
  violated: number;
  /** The first of each, with the exchanges that it rests on. */
  pass?: Decision;
  failure?: Decision;
  failing: Set<string>;
  /** Why something was not judged: the first reason, but for what a recording leaves out. */
  open?: Gap | Judgement;
}

interface Decision {
  judgement: Judgement;
  evidence: Evidence;
}

/** `exchangeOf`: the request line of a call and what is kept of its answer; its id is `x` and the entry in the file. */
export function judgeTraffic(
  traffic: ServiceTraffic & { baseUrl: string; exchangeOf(call: Occasion['call']): Exchange },
  { countValues }: { countValues(observed: Observed): Observed },
): JudgedByTraffic[] {
  const classify = createClassifier(traffic);
  const judges = new Map(requirements.map((one) => [one.id, one]));
  const tallies = new Map(
    requirements.map(({ id }): [string, Tally] => [id, { kept: 0, violated: 0, failing: new Set() }]),
  );
  let counted = 0;
  const add = (found: Occasion | NotCounted) => {
    if ('gap' in found) {
      for (const when of found.when)
        for (const id of CONDITIONS[when].shows) noteOpen(tallies.get(id), found.gap);
      return;
    }
    const { shows, countsValues } = CONDITIONS[found.when];
    const isCounted = countsValues === true && counted++ < MOST_COUNTED;
    const evidence = evidenceOf(found, traffic.exchangeOf, traffic.baseUrl);
    const counting = isCounted ? { ...evidence, ...countValues(wholeOf(evidence)) } : evidence;
    for (const id of shows) {
      const requirement = judges.get(id);
      const tally = tallies.get(id);
      if (!requirement || !tally) continue;
      const judgement = judge(requirement, counting);
      if (judgement.verdict === 'failed' && found.doubt) noteOpen(tally, found.doubt);
      else if (judgement.verdict === 'passed' && found.mayLackValues) noteOpen(tally, gap('left-out'));
      else note(tally, { judgement, evidence });
    }
  };
  for (const call of traffic.calls) for (const found of classify(call)) add(found);
  if (traffic.healthPaths.length === 0) add({ when: ['healthy'], gap: gap('no-health-paths') });
  return ledger.filter(isBinding).flatMap((requirement) => {
    const tally = tallies.get(requirement.id);
    return tally ? [verdictOf(requirement, tally)] : [];
  });
}

const isLeftOut = (open: Tally['open']): boolean =>
  open !== undefined && 'code' in open && open.code === 'left-out';

function noteOpen(tally: Tally | undefined, open: Gap | Judgement): void {
  if (tally && (tally.open === undefined || isLeftOut(open))) tally.open = open;
}

function note(tally: Tally, decision: Decision): void {
  const { judgement } = decision;
  if (judgement.verdict === 'failed') {
    tally.violated++;
    tally.failure ??= decision;
    const [first] = judgement.exchanges;
    if (first !== undefined && tally.failing.size < MOST_EXCHANGES) tally.failing.add(first);
  } else if (judgement.verdict === 'passed') {
    tally.kept++;
    tally.pass ??= decision;
  } else noteOpen(tally, judgement);
}

/** Why it was not judged, as a sentence, without what only a run can do about it. */
function openInWords(open: Gap | Judgement): string {
  if ('code' in open) return open.sentence;
  const { reason = '', unsettled } = open;
  const text = unsettled ? `${inWords(unsettled)}. That settles nothing.` : reason;
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function verdictOf(requirement: Requirement, tally: Tally): JudgedByTraffic {
  const { kept, violated, failing, failure, pass, open } = tally;
  const deciding = failure ?? (isLeftOut(open) ? undefined : pass);
  const counts = { requirement, kept, violated };
  if (!deciding) {
    const reason = open ? openInWords(open) : reasonOf(requirement);
    return { ...counts, verdict: 'not-seen', reason, seen: '', exchanges: [] };
  }
  const { judgement, evidence } = deciding;
  const all = exchanges(evidence);
  const seen = judgement.exchanges.flatMap((id) => all.find((one) => one.id === id) ?? []);
  return {
    ...counts,
    verdict: failure ? 'failed' : 'passed',
    ...(failure && judgement.expected !== undefined && { expected: judgement.expected }),
    seen: [...new Set(seen.filter(isAnswered).map(inWords))].join('; '),
    exchanges: [...new Set([...failing, ...judgement.exchanges])].slice(0, MOST_EXCHANGES),
  };
}

const reasonOf = ({ passive }: Requirement): string =>
  passive === undefined ? 'No recorded traffic shows it. mrs verify sends the requests that do.' : NO_REQUEST;

export const NO_REQUEST = 'The traffic has no request that shows it.';
