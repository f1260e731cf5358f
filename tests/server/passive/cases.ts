/** What recorded traffic gives occasion to judge: a call, the requirements that it shows, and the calls to compare it with. */
import type { TokenHistory, TokenLife } from '../../traffic/token-history.ts';
import { type Answered, type Evidence, isAnswered, isSuccess } from '../support/evidence.ts';
import { isIssued } from '../support/expectations.ts';
import type { ServiceCall } from './call.ts';
import { type Circumstances, frameOf, type Placed } from './frame.ts';

export interface Case {
  /** Ids in tests/requirements.yaml. */
  requirements: readonly string[];
  evidence: Evidence;
  /** Whether the words of a refusal are compared with those of the data. */
  countsValues?: true;
}

/** A call that shows nothing, and why, as a sentence. */
export interface Undecided {
  requirements: readonly string[];
  reason: string;
}

export type Found = Case | Undecided;

/** Recorded traffic of one service, in the order of time. */
export interface ServiceTraffic {
  baseUrl: string;
  calls: readonly ServiceCall[];
  history: TokenHistory;
  /** As it was agreed; in seconds. */
  lifetimeSeconds?: number;
  /** Whether the recorder left Authorization headers out. */
  lacksAuthorization: boolean;
}

/** What the functions of a kind of call share. */
export interface CaseContext extends ServiceTraffic {
  /** The request that brought a token first. */
  issueOf(life: TokenLife | undefined): ServiceCall | undefined;
  /** The first read that a token opened. */
  firstReadOf(life: TokenLife | undefined): ServiceCall | undefined;
  /** The token requests with the same credentials, in order. */
  requestsWith(call: ServiceCall): readonly ServiceCall[];
  /** The reads that carried a token, in order. */
  readsWith(life: TokenLife): readonly ServiceCall[];
  /** A token request that brought a token, and a read that it opened. */
  acceptance: { issue?: ServiceCall | undefined; read?: ServiceCall | undefined };
  caseOf(requirements: readonly string[], placed: Placed, more?: Partial<Circumstances>): Case;
}

export function contextOf(traffic: ServiceTraffic): CaseContext {
  const { calls, history, baseUrl, lifetimeSeconds } = traffic;
  const requests = new Map<string, ServiceCall[]>();
  const carrying = new Map<string, ServiceCall[]>();
  for (const call of calls)
    if (call.kind === 'token') addTo(requests, credentialsKey(call), call);
    else if (call.kind === 'data' && call.token !== undefined) addTo(carrying, call.token, call);
  const issues = new Map<TokenLife, ServiceCall>();
  const reads = new Map<TokenLife, ServiceCall>();
  for (const call of calls) {
    const life = history.lifeOf(call.token);
    if (!life) continue;
    if (call.kind === 'token' && isIssue(call) && !issues.has(life)) issues.set(life, call);
    const isBetter = !reads.has(life) || (reads.get(life)?.hasBody === false && call.hasBody);
    if (call.kind === 'data' && isServed(call) && isBetter) reads.set(life, call);
  }
  const opened = history.lives.filter((life) => issues.has(life) && reads.has(life));
  const best = opened.find((life) => reads.get(life)?.hasBody) ?? opened[0];
  const anyIssue = [...issues.values()][0];
  return {
    ...traffic,
    issueOf: (life) => life && issues.get(life),
    firstReadOf: (life) => life && reads.get(life),
    requestsWith: (call) => requests.get(credentialsKey(call)) ?? [],
    readsWith: ({ value }) => carrying.get(value) ?? [],
    acceptance: best
      ? { issue: issues.get(best), read: reads.get(best) }
      : { issue: anyIssue, read: [...reads.values()][0] },
    caseOf: (requirements, placed, more = {}) => ({
      requirements,
      evidence: frameOf(placed, { baseUrl, lifetimeSeconds, ...more }),
    }),
  };
}

function addTo(groups: Map<string, ServiceCall[]>, key: string, call: ServiceCall): void {
  const group = groups.get(key);
  if (group) group.push(call);
  else groups.set(key, [call]);
}

const credentialsKey = ({ clientId, clientSecret }: ServiceCall): string =>
  JSON.stringify([clientId, clientSecret]);

/** Places those calls that there are. */
export function placed(calls: Readonly<Partial<Record<keyof Placed, ServiceCall | undefined>>>): Placed {
  const found: Placed = {};
  for (const [key, call] of Object.entries(calls) as [keyof Placed, ServiceCall | undefined][])
    if (call) found[key] = call.exchange;
  return found;
}

export const answerOf = ({ exchange }: ServiceCall): Answered | undefined =>
  isAnswered(exchange) ? exchange : undefined;

export const isServed = (call: ServiceCall): boolean => {
  const answer = answerOf(call);
  return answer !== undefined && isSuccess(answer);
};

export const isIssue = (call: ServiceCall): boolean => {
  const answer = answerOf(call);
  return answer !== undefined && isSuccess(answer) && isIssued(answer);
};
