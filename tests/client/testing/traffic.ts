/** The traffic of a client, made up call by call, for tests of the judge without a mock. */
import { certificateOf, type JudgedRule } from '../judge.ts';
import type { Call, Life, ScenarioTraffic } from '../traffic.ts';

/** It gets its number from the traffic that it is in. */
export type Made = Omit<Call, 'id'>;
type Details = Partial<Made>;

/** How long a call takes. */
const TOOK_MS = 10;
const FORM = 'application/x-www-form-urlencoded';

const call = (at: number, more: Details & Pick<Made, 'kind'>): Made => ({
  startMs: at,
  endMs: at + TOOK_MS,
  atMs: at + 1,
  query: [],
  misplaced: [],
  accept: 'application/json',
  method: 'GET',
  path: '/ods_data/',
  target: 'readData',
  status: 200,
  reason: 'served',
  ...more,
});

/** A token request that brings this token. */
export const asks = (at: number, token?: number, more: Details = {}): Made =>
  call(at, {
    kind: 'token',
    method: 'POST',
    path: '/token/',
    target: 'obtainToken',
    reason: 'issued',
    contentType: FORM,
    fields: ['grant_type', 'client_id', 'client_secret'],
    ...(token !== undefined && { token, standing: 'valid' }),
    ...more,
  });

/** A token request that brings none. */
export const fails = (at: number, status = 503, more: Details = {}): Made =>
  asks(at, undefined, { status, reason: 'script', ...more });

export const reads = (at: number, token: number, more: Details = {}): Made =>
  call(at, { kind: 'data', token, standing: 'valid', authorization: 'bearer', ...more });

/** A read with a token that has expired. */
export const refused = (at: number, token: number, more: Details = {}): Made =>
  reads(at, token, { status: 403, reason: 'expired', standing: 'expired', ...more });

/** A read that is answered with 403 although its token lives. */
export const forbidden = (at: number, token: number, more: Details = {}): Made =>
  reads(at, token, { status: 403, reason: 'script', ...more });

/** For `every`: a read with this token. */
export const withToken =
  (token: number) =>
  (at: number): Made =>
    reads(at, token);

/** One call each `ms` milliseconds, from `from` until before `until`. */
export const every = (ms: number, from: number, until: number, make: (at: number) => Made): Made[] =>
  Array.from({ length: Math.ceil((until - from) / ms) }, (_, nth) => make(from + nth * ms));

interface Circumstances extends Partial<Omit<ScenarioTraffic, 'calls' | 'lives'>> {
  /** When tokens were ended before their time. */
  endedAt?: Record<number, number>;
}

/** Tokens live as long as agreed unless the circumstances say otherwise. */
export function trafficOf(
  calls: readonly Made[],
  { endedAt = {}, ...more }: Circumstances = {},
): ScenarioTraffic {
  const { agreedSeconds = 900 } = more;
  const { lifetimesSeconds = [agreedSeconds] } = more;
  const inOrder = [...calls].sort((a, b) => a.startMs - b.startMs).map((one, at) => ({ id: at + 1, ...one }));
  const lives = inOrder.flatMap(({ kind, status, token: number, atMs: issuedMs }): Life[] => {
    if (kind !== 'token' || status >= 300 || number === undefined) return [];
    const lifetime = lifetimesSeconds[Math.min(number, lifetimesSeconds.length) - 1] ?? 0;
    const endedMs = endedAt[number];
    const life = { number, issuedMs, expiresMs: issuedMs + lifetime * 1000 };
    return [endedMs === undefined ? life : { ...life, endedMs }];
  });
  return {
    name: 'journal',
    agreedSeconds,
    lifetimesSeconds,
    processes: 1,
    lost: 0,
    durationMs: Math.max(0, ...inOrder.map(({ endMs }) => endMs)) + 400,
    ...more,
    calls: inOrder,
    lives,
  };
}

export const certificateFor = (...scenarios: readonly ScenarioTraffic[]) =>
  certificateOf(scenarios.map((traffic) => ({ traffic, summary: '', state: 'seen' })));

/** The result of one rule. */
export function judgedBy(rule: string, ...scenarios: readonly ScenarioTraffic[]): JudgedRule {
  const judged = certificateFor(...scenarios).rules.find(({ id }) => id === rule);
  if (!judged) throw new Error(`There is no rule ${rule}.`);
  return judged;
}

export const verdictOf = (rule: string, ...scenarios: readonly ScenarioTraffic[]): JudgedRule['verdict'] =>
  judgedBy(rule, ...scenarios).verdict;

/** The rules with findings, and their verdicts: `no-loop failed`. */
export const broken = (...scenarios: readonly ScenarioTraffic[]): string[] =>
  certificateFor(...scenarios)
    .rules.filter(({ findings }) => findings.length > 0)
    .map(({ id, verdict }) => `${id} ${verdict}`);
