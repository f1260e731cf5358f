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
function evidenceOf(occasion: Occasion, { baseUrl, exchanges }: JudgedTraffic): Evidence {
  const { when, call, other, lifetimeSeconds, ageSeconds, late, renewalRepeats, check } = occasion;
  const exchangeOf = ({ exchange }: Occasion['call']) => exchanges.get(`x${exchange.entry}`) as Exchange;
  const groups = {
    token: Object.create(BLANK.token),
    data: Object.create(BLANK.data),
    open: Object.create(BLANK.open),
  };
  const placed = Object.entries(CONDITIONS[when].places?.(occasion) ?? {}).filter(([, one]) => one);
  for (const [key, one] of placed) {
    const [group, name] = PLACES.get(key as ProbeKey) ?? ['open', key];
    groups[group][name] = one && exchangeOf(one);
  }
  const age: ExpiryEvidence =
    lifetimeSeconds === undefined || ageSeconds === undefined
      ? { kind: 'seen', ...(ageSeconds !== undefined && { ageSeconds }) }
      : { kind: 'waited', lifetimeSeconds, ageSeconds, ...(late && { late }) };
  return {
    ...groups,
    health:
      check === undefined
        ? []
        : [{ plain: exchangeOf(call), ...(other && { withToken: exchangeOf(other) }) }],
    expiry: when.startsWith('expired-token') ? age : { kind: 'none' },
    ...(renewalRepeats !== undefined && { renewalRepeats }),
    target: {
      baseUrl,
      clientId: (call.kind === 'token' ? call.clientId : undefined) ?? '',
      healthPaths: check === undefined ? [] : [check],
      ...(lifetimeSeconds !== undefined && { tokenLifetimeSeconds: lifetimeSeconds }),
    },
    startedAt: '',
    durationMs: 0,
    requests: placed.length,
  };
}

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
  /** The first of each. */
  pass?: Judgement;
  failure?: Judgement;
  /** The exchanges that violate it, the first ones. */
  failing: Set<string>;
  /** Why something was not judged: the first reason, but for what a recording leaves out. */
  open?: { code?: Gap['code']; sentence: string };
}

export interface JudgedTraffic extends ServiceTraffic {
  baseUrl: string;
  /** By `x` and the entry in the file: the request line of each call, and what is kept of its answer. */
  exchanges: ReadonlyMap<string, Exchange>;
}

export function judgeTraffic(
  traffic: JudgedTraffic,
  { countValues }: { countValues(observed: Observed): Observed },
): JudgedByTraffic[] {
  const classify = createClassifier(traffic);
  const judges = new Map(
    requirements.map((requirement) => {
      const tally: Tally = { kept: 0, violated: 0, failing: new Set() };
      return [requirement.id, { requirement, tally }];
    }),
  );
  const judgesOf = (when: Condition) => CONDITIONS[when].shows.flatMap((id) => judges.get(id) ?? []);
  let counted = 0;
  const add = (found: Occasion | NotCounted) => {
    if ('gap' in found) {
      for (const { tally } of found.when.flatMap(judgesOf)) noteOpen(tally, found.gap);
      return;
    }
    const isCounted = CONDITIONS[found.when].countsValues === true && counted++ < MOST_COUNTED;
    const evidence = evidenceOf(found, traffic);
    const counting = isCounted ? { ...evidence, ...countValues(wholeOf(evidence)) } : evidence;
    for (const { requirement, tally } of judgesOf(found.when)) {
      const judgement = judge(requirement, counting);
      if (judgement.verdict === 'failed' && found.doubt) noteOpen(tally, found.doubt);
      else if (judgement.verdict === 'passed' && found.mayLackValues) noteOpen(tally, gap('left-out'));
      else note(tally, judgement);
    }
  };
  for (const call of traffic.calls) for (const found of classify(call)) add(found);
  if (traffic.healthPaths.length === 0) add({ when: ['healthy'], gap: gap('no-health-paths') });
  return ledger.filter(isBinding).flatMap((requirement) => {
    const { tally } = judges.get(requirement.id) ?? {};
    return tally ? verdictOf(requirement, tally, traffic) : [];
  });
}

function noteOpen(tally: Tally, open: Gap): void {
  if (!tally.open || open.code === 'left-out') tally.open = open;
}

function note(tally: Tally, judgement: Judgement): void {
  if (judgement.verdict === 'failed') {
    tally.violated++;
    tally.failure ??= judgement;
    const [first] = judgement.exchanges;
    if (first !== undefined && tally.failing.size < MOST_EXCHANGES) tally.failing.add(first);
  } else if (judgement.verdict === 'passed') {
    tally.kept++;
    tally.pass ??= judgement;
  } else tally.open ??= { sentence: openInWords(judgement) };
}

/** Why it was not judged, as a sentence, without what only a run can do about it. */
function openInWords({ reason = '', unsettled }: Judgement): string {
  const text = unsettled ? `${inWords(unsettled)}. That settles nothing.` : reason;
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function verdictOf(requirement: Requirement, tally: Tally, { exchanges }: JudgedTraffic): JudgedByTraffic {
  const { kept, violated, failing, failure, pass, open } = tally;
  const deciding = failure ?? (open?.code === 'left-out' ? undefined : pass);
  const counts = { requirement, kept, violated };
  if (!deciding) {
    const reason = open?.sentence ?? reasonOf(requirement);
    return { ...counts, verdict: 'not-seen', reason, seen: '', exchanges: [] };
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

const reasonOf = ({ passive }: Requirement): string =>
  passive === undefined ? 'No recorded traffic shows it. mrs verify sends the requests that do.' : NO_REQUEST;

export const NO_REQUEST = 'The traffic has no request that shows it.';
