/**
 * The catalogue of scenarios: what a client should survive. `mrs mock` plays each for a client id of its own, so that a
 * client only has to change its id; `mrs certify` plays those that tests/client/scenarios.ts judges, by the same names.
 */
import type { MockClient } from './clients.ts';
import type { ScriptedAnswer, Step } from './contract/control-contract.ts';
import { nearestOf } from './contract/mock-error.ts';
import { recordOf } from './records.ts';

export interface Scenario {
  /** The client id is `demo-` and this. */
  name: string;
  /** What the client meets, as a sentence without its subject. */
  summary: string;
  /** What the client's secret ends with; nothing for most. */
  secretSuffix?: string;
  /**
   * The client's terms and script; without a token lifetime, tokens live as long as was agreed. `now`: when the client appears, in
   * milliseconds of the mock's clock. `renewal`: number of the token request that replaces the client's first token: 2, or more
   * if several processes share its id.
   */
  terms(circumstances: { now: number; renewal: number }): Terms;
}

export type Terms = Omit<MockClient, 'id' | 'secret'>;

/** The secret of every client that plays a scenario, before the suffix that a scenario may add. */
export const SCENARIO_SECRET = 'demo-secret';

const plays = (...script: Step[]): Terms => ({ script });

const MINUTE = 60_000;
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const serverError = { status: 500, body: { error: 'server_error' } };
const UNAVAILABLE = { status: 503, body: { error: 'temporarily_unavailable' } };

/** A client that pauses for long has a new token at some reads: a 403 there would not be about the end of a token. */
const endsInUse = (body: string, headers = {}): Terms =>
  plays({
    ...{ from: 3, times: 1, reused: true },
    do: { expire: 'client', answer: { status: 403, headers, body } },
  });

const renewalMeets = (step: Step): Terms => ({
  tokenLifetime: '3s',
  script: [{ ...step, on: 'obtainToken' }],
});

/** From the 3rd to the 5th read, something else than the data. */
const meanwhile = (action: Step['do']): Terms => plays({ from: 3, times: 3, do: action });
const answered = (answer: ScriptedAnswer): Terms => meanwhile({ answer });

const SITE = { id: 'demo', latDeg: 38.4, lonDeg: -79.8, elM: 800 };
const record = (source: string, startMs: number, endMs: number) => recordOf(SITE, source, 0, startMs, endMs);

const dataOf = (records: object[]): Step['do'] => ({ answer: { status: 200, body: { ods_data: records } } });

/** The same three records at first: one runs, and two are still to come. */
const planned = (now: number) => ({
  running: record('running', now - 5 * MINUTE, now + 10 * MINUTE),
  next: record('next', now + 15 * MINUTE, now + 25 * MINUTE),
  last: record('last', now + 30 * MINUTE, now + 40 * MINUTE),
});

type Planned = ReturnType<typeof planned>;

/** From the 3rd read on, the records are what `change` makes of them; null leaves one out. */
const changed =
  (change: (now: number, before: Planned) => { [Name in keyof Planned]?: object | null }) =>
  ({ now }: { now: number }): Terms => {
    const before = planned(now);
    const after = Object.values({ ...before, ...change(now, before) }).filter((one) => one !== null);
    return plays({ do: dataOf(Object.values(before)) }, { from: 3, do: dataOf(after) });
  };

/** The same record with fewer digits in its times, and its members in reverse order. */
const rewritten = (one: Planned[keyof Planned]): object => {
  const times = { src_start_utc: one.src_start_utc.slice(0, -3), src_end_utc: one.src_end_utc.slice(0, -3) };
  return Object.fromEntries(Object.entries({ ...one, ...times }).reverse());
};

/** By name: what the client meets, its terms, and what its secret ends with. */
const ROWS: Record<string, [summary: string, terms: Terms | Scenario['terms'], secretSuffix?: string]> = {
  steady: ['nothing goes wrong: one token is enough for every read', {}],
  'odd-secret': ['the client secret contains + & % and =, which a form has to encode', {}, '+&%='],
  expires: ['the token expires when agreed', { tokenLifetime: '3s' }],
  'expires-again': ['tokens expire when agreed, one after the other', { tokenLifetime: '2s' }],
  'expires-every-3': ['every 3rd call finds its token expired', plays({ every: 3, do: { expire: 'token' } })],
  'ended-early': [
    'the token ends after the 2nd read: the next is answered with 403',
    plays({ nth: 2, when: 'after', do: { expire: 'client' } }),
  ],
  'shorter-than-agreed': ['tokens expire earlier than agreed', { tokenLifetime: '2s' }],
  'revoked-early': [
    'the mock forgets the token before the 3rd call',
    plays({ nth: 3, do: { revoke: 'token' } }),
  ],
  parallel: [
    'reads take 100 ms, the token ends after the 3rd, and a new one takes 1 s',
    ({ renewal }) =>
      plays(
        { do: { delay: '100ms' } },
        { nth: 3, when: 'after', do: { expire: 'client' } },
        { on: 'obtainToken', from: renewal, do: { delay: '1s' } },
      ),
  ],
  'newest-token-only': [
    'a new token ends all earlier ones, as two processes with the same credentials notice',
    plays({ on: 'obtainToken', when: 'during', do: { expireOthers: true } }),
  ],
  '403-stays': [
    'from the 3rd read on, when its token has been used before, every answer is a 403, whatever the token',
    plays({ from: 3, reused: true, do: { answer: { status: 403, example: 'insufficient-scope' } } }),
  ],
  '403-empty': [
    'the 3rd read or a later one finds its token expired, and the 403 has no body',
    endsInUse(''),
  ],
  '403-html': [
    'the 3rd read or a later one finds its token expired, and the 403 is an HTML page, as from a firewall',
    endsInUse('<!doctype html><title>403</title><h1>Forbidden</h1>\n', HTML),
  ],
  'token-down': [
    'from the first renewal on, the token endpoint answers 503 for 3 s',
    ({ renewal }) => renewalMeets({ from: renewal, ttl: '3s', do: { answer: UNAVAILABLE } }),
  ],
  'token-429': [
    'from the first renewal on, the token endpoint answers 429 with Retry-After: 2, for 2 s',
    ({ renewal }) => {
      const answer = { status: 429, headers: { 'retry-after': '2' } };
      return renewalMeets({ from: renewal, ttl: '2s', do: { answer } });
    },
  ],
  'token-slow': [
    'the first token takes 1 s to arrive, and its renewal takes 2 s',
    ({ renewal }) => ({
      tokenLifetime: ['4s', '15m'], // the first is a second old when it arrives
      script: [
        { on: 'obtainToken', nth: 1, do: { delay: '1s' } },
        { on: 'obtainToken', nth: renewal, do: { delay: '2s' } },
      ],
    }),
  ],
  'rate-limited': [
    'after 3 calls within a minute of its clock the mock answers 429 with Retry-After',
    plays({ above: { calls: 3, within: '1m' }, do: { answer: { status: 429 } } }),
  ],
  'secret-rotated': [
    'the token expires after the 1st call, and the secret is wrong from then on',
    plays(
      { nth: 1, when: 'after', do: { expire: 'token' } },
      { on: 'obtainToken', from: 2, do: { answer: { status: 401, example: 'wrong-credentials' } } },
    ),
  ],
  'data-reset': ['the connection of the 3rd read is reset', plays({ nth: 3, do: { reset: true } })],
  'data-emptied': ['from the 3rd read on, the data has no records', plays({ from: 3, do: dataOf([]) })],
  'data-cancelled': [
    'from the 3rd read on, one of three records is missing: it was cancelled before its start',
    changed(() => ({ next: null })),
  ],
  'data-extended': [
    'from the 3rd read on, the record that runs ends 3 min later',
    changed((now) => ({ running: record('running', now - 5 * MINUTE, now + 13 * MINUTE) })),
  ],
  'data-slid': [
    'from the 3rd read on, one of three records starts and ends 3 min later',
    changed((now) => ({ next: record('next', now + 18 * MINUTE, now + 28 * MINUTE) })),
  ],
  'data-republished': [
    'from the 3rd read on, the same records have fewer digits in their times, and another order of members',
    changed((_, { running, next, last }) => ({
      running: rewritten(running),
      next: rewritten(next),
      last: rewritten(last),
    })),
  ],
  'data-500': ['the 3rd to the 5th read are answered with 500', answered(serverError)],
  'data-500-once': ['the 3rd read is answered with 500', plays({ nth: 3, do: { answer: serverError } })],
  'data-404': [
    'the 3rd to the 5th read are answered with 404, and an HTML page',
    answered({ status: 404, headers: HTML, body: '<!doctype html><title>Not Found</title>\n' }),
  ],
  'data-503': [
    'the 3rd to the 5th read are answered with 503 and Retry-After: 2',
    answered({ status: 503, headers: { 'retry-after': '2' }, body: '' }),
  ],
  'data-timeout': [
    'the 3rd answer takes 12 s, and so do those to reads in the following 11 s',
    plays({ from: 3, ttl: '11s', do: { delay: '12s' } }),
  ],
  'data-resets': ['the connections of the 3rd to the 5th read are reset', meanwhile({ reset: true })],
  'data-cut': [
    'the 3rd to the 5th answer are cut off after 600 bytes, in the second of sixty records',
    // They differ from the data, so that a conditional request is not answered with 304, which has no body to cut.
    ({ now }) => {
      const records = Array.from({ length: 60 }, (_, nth) => {
        const start = now + nth * 7 * MINUTE;
        return record(`source ${nth + 1}`, start, start + 5 * MINUTE);
      });
      return meanwhile({ ...dataOf(records), cut: 600 });
    },
  ],
  'data-error': [
    'the 3rd to the 5th answer have status 200, and an error object instead of the data',
    answered({ status: 200, body: { error: 'temporarily_unavailable' } }),
  ],
  'data-html': [
    'the 3rd to the 5th answer have status 200, and are an HTML page',
    answered({ status: 200, headers: HTML, body: '<!doctype html><title>Maintenance</title>\n' }),
  ],
  'data-array': [
    'the 3rd to the 5th answer are an empty array, without the object around it',
    answered({ status: 200, body: [] }),
  ],
  'data-text': [
    'the 3rd to the 5th answer are an empty list of records, as text/plain',
    answered({ status: 200, headers: { 'content-type': 'text/plain' }, body: { ods_data: [] } }),
  ],
};

export const scenarios: readonly Scenario[] = Object.entries(ROWS).map(
  ([name, [summary, terms, secretSuffix]]) => ({
    name,
    summary,
    terms: typeof terms === 'function' ? terms : () => terms,
    ...(secretSuffix && { secretSuffix }),
  }),
);

/**
 * The client of this id, if it plays a scenario: `demo-` and a name. A dot and any word after it make another client of
 * the same scenario, so that two developers or two tests do not disturb each other: `demo-expires-every-3.alice`.
 * `shared` keeps the terms of each scenario, which all of its clients have in common.
 */
export function scenarioClient(id: string, now: number, shared: Map<string, Terms>): MockClient | undefined {
  const name = /^demo-([\w-]+)(\.[\w-]{1,64})?$/.exec(id)?.[1] ?? '';
  const found = scenarios.find((one) => one.name === name);
  if (!found) return undefined;
  const terms = shared.get(found.name) ?? found.terms({ now, renewal: 2 });
  shared.set(found.name, terms);
  return { id, secret: SCENARIO_SECRET + (found.secretSuffix ?? ''), ...terms };
}

/** The id of a scenario that a client meant by an id that plays none; undefined if the id plays one, or is like none. */
export function nearestScenario(id: string): string | undefined {
  const [name = ''] = id.slice(0, 100).split('.');
  const nearest = nearestOf(
    name,
    scenarios.map((one) => `demo-${one.name}`),
  );
  return nearest === name ? undefined : nearest;
}
