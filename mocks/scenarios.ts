/**
 * The catalogue of scenarios: what a client should survive. `mrs mock` plays each for a client id of its own, so that a
 * client only has to change its id; `mrs certify` plays those that tests/client/scenarios.ts judges, by the same names.
 */

import type { MockClient } from './clients.ts';
import { timeText } from './clock.ts';
import type { Step } from './contract/control-types.ts';

export interface Scenario {
  /** The client id is `demo-` and this. */
  name: string;
  /** Earlier names, whose client ids still work. */
  formerNames?: readonly string[];
  /** What the client meets, as a sentence without its subject. */
  summary: string;
  /** What the client's secret ends with; nothing for most. */
  secretSuffix?: string;
  /** The client's terms and script. Without a token lifetime, tokens live as long as was agreed. */
  terms(circumstances: Circumstances): Terms;
}

export interface Circumstances {
  /** When the client appears, in milliseconds of the mock's clock. */
  now: number;
  /** Number of the token request that replaces the client's first token: 2, or more if several processes share its id. */
  renewal: number;
}

export type Terms = Omit<MockClient, 'id' | 'secret'>;

/** The terms of a scenario that is only a script. */
const script =
  (...steps: Step[]): Scenario['terms'] =>
  () => ({ script: steps });

/** Records as one public deployment documents them; the specification shows none. */
const record = (source: string, start: number, end: number) => ({
  site_id: 'demo',
  site_lat_deg: 38.4,
  site_lon_deg: -79.8,
  site_el_m: 800,
  src_id: source,
  src_ra_j2000_deg: 202.7845,
  src_dec_j2000_deg: 30.5092,
  src_start_utc: timeText(start).slice(0, -1),
  src_end_utc: timeText(end).slice(0, -1),
  slew_sec: 12.5,
  trk_rate_ra_deg_per_sec: 0,
  trk_rate_dec_deg_per_sec: 0,
  freq_lower_hz: 1_990_000_000,
  freq_upper_hz: 1_995_000_000,
  dish_diameter_m: 25,
  corr_integ_time_sec: 2,
  subarray: 0,
  version: 'v1.0.0',
});

const data =
  (records: (now: number) => object[]): Scenario['terms'] =>
  ({ now }) => ({ script: [{ do: { answer: { status: 200, body: { ods_data: records(now) } } } }] });

const MINUTE = 60_000;

/** The same three records at first: one runs, and two are still to come. */
const planned = (now: number) => ({
  running: record('running', now - 5 * MINUTE, now + 10 * MINUTE),
  next: record('next', now + 15 * MINUTE, now + 25 * MINUTE),
  last: record('last', now + 30 * MINUTE, now + 40 * MINUTE),
});

type Planned = ReturnType<typeof planned>;

/** From the 3rd read on, the records are what `change` makes of them; null leaves one out. */
const changed =
  (
    change: (now: number, planned: Planned) => { [Name in keyof Planned]?: object | null },
  ): Scenario['terms'] =>
  ({ now }) => {
    const before = planned(now);
    const answer = (records: object): Step['do'] => ({
      answer: { status: 200, body: { ods_data: Object.values(records).filter((one) => one !== null) } },
    });
    return {
      script: [{ do: answer(before) }, { from: 3, do: answer({ ...before, ...change(now, before) }) }],
    };
  };

/** The same record with more digits in its times, and its members in reverse order. */
const rewritten = (one: Planned[keyof Planned]): object => {
  const times = { src_start_utc: `${one.src_start_utc}000`, src_end_utc: `${one.src_end_utc}000` };
  return Object.fromEntries(Object.entries({ ...one, ...times }).reverse());
};

/** From the 3rd to the 5th read, something else than the data. */
const meanwhile = (action: Step['do']): Scenario['terms'] =>
  script({ from: 3, times: 3, outsideContract: true, do: action });

const HTML = { 'content-type': 'text/html; charset=utf-8' };

const dataScenarios: readonly Scenario[] = [
  { name: 'data-empty', summary: 'the data has no records', terms: data(() => []) },
  {
    name: 'data-one',
    summary: 'the data has one record, in the shape that one public deployment documents',
    terms: data((now) => [record('one', now, now + 10 * MINUTE)]),
  },
  {
    name: 'data-many',
    summary: 'the data has a thousand consecutive records',
    terms: data((now) =>
      Array.from({ length: 1000 }, (_, index) =>
        record(`source ${index + 1}`, now + index * MINUTE, now + (index + 1) * MINUTE),
      ),
    ),
  },
  {
    name: 'data-overlapping',
    summary: 'the data has three overlapping records',
    terms: data((now) => [
      record('long', now - 5 * MINUTE, now + 30 * MINUTE),
      record('within', now, now + 10 * MINUTE),
      record('across its end', now + 20 * MINUTE, now + 40 * MINUTE),
    ]),
  },
  {
    name: 'data-dst',
    summary: 'the data has records around an hour that local clocks show twice, and one that they skip',
    terms: data(() => [
      record('first 01:30 in Denver', Date.UTC(2026, 10, 1, 7, 30), Date.UTC(2026, 10, 1, 7, 45)),
      record('second 01:30 in Denver', Date.UTC(2026, 10, 1, 8, 30), Date.UTC(2026, 10, 1, 8, 45)),
      record('across 02:00 in Denver', Date.UTC(2027, 2, 14, 8, 50), Date.UTC(2027, 2, 14, 9, 10)),
    ]),
  },
  {
    name: 'data-malformed',
    summary: 'the 2nd answer is not JSON',
    terms: script({ nth: 2, outsideContract: true, do: { answer: { status: 200, body: '{"ods_data": [' } } }),
  },
  {
    name: 'data-truncated',
    summary: 'the 2nd answer is cut off after 8 bytes, although more are announced',
    terms: script({ nth: 2, do: { cut: 8 } }),
  },
  {
    name: 'data-reset',
    summary: 'the connection of the 3rd read is reset',
    terms: script({ nth: 3, do: { reset: true } }),
  },
  {
    name: 'data-emptied',
    summary: 'from the 3rd read on, the data has no records',
    terms: script({ from: 3, do: { answer: { status: 200, body: { ods_data: [] } } } }),
  },
  {
    name: 'data-cancelled',
    summary: 'from the 3rd read on, one of three records is missing: it was cancelled before its start',
    terms: changed(() => ({ next: null })),
  },
  {
    name: 'data-extended',
    summary: 'from the 3rd read on, the record that runs ends 3 min later',
    terms: changed((now) => ({ running: record('running', now - 5 * MINUTE, now + 13 * MINUTE) })),
  },
  {
    name: 'data-slid',
    summary: 'from the 3rd read on, one of three records starts and ends 3 min later',
    terms: changed((now) => ({ next: record('next', now + 18 * MINUTE, now + 28 * MINUTE) })),
  },
  {
    name: 'data-republished',
    summary:
      'from the 3rd read on, the same records have more digits in their times, and another order of members',
    terms: changed((_, { running, next, last }) => ({
      running: rewritten(running),
      next: rewritten(next),
      last: rewritten(last),
    })),
  },
  {
    name: 'data-500',
    summary: 'the 3rd to the 5th read are answered with 500',
    terms: meanwhile({ answer: { status: 500, body: { error: 'server_error' } } }),
  },
  {
    name: 'data-500-once',
    summary: 'the 3rd read is answered with 500',
    terms: script({
      nth: 3,
      outsideContract: true,
      do: { answer: { status: 500, body: { error: 'server_error' } } },
    }),
  },
  {
    name: 'data-404',
    summary: 'the 3rd to the 5th read are answered with 404, and an HTML page',
    terms: meanwhile({
      answer: { status: 404, headers: HTML, body: '<!doctype html><title>Not Found</title>\n' },
    }),
  },
  {
    name: 'data-503',
    summary: 'the 3rd to the 5th read are answered with 503 and Retry-After: 2',
    terms: meanwhile({ answer: { status: 503, headers: { 'retry-after': '2' }, body: '' } }),
  },
  {
    name: 'data-timeout',
    summary: 'the 3rd answer takes 12 s, and so do those to reads in the following 11 s',
    terms: script({ from: 3, ttl: '11s', do: { delay: '12s' } }),
  },
  {
    name: 'data-resets',
    summary: 'the connections of the 3rd to the 5th read are reset',
    terms: meanwhile({ reset: true }),
  },
  {
    name: 'data-cut',
    summary: 'the 3rd to the 5th answer are cut off after 600 bytes, in the second of sixty records',
    // They differ from the data, so that a conditional request is not answered with 304, which has no body to cut. Sixty
    // records have more than 600 bytes even with gzip.
    terms: (circumstances) => {
      const records = Array.from({ length: 60 }, (_, nth) => {
        const start = circumstances.now + nth * 7 * MINUTE;
        return record(`source ${nth + 1}`, start, start + 5 * MINUTE);
      });
      return meanwhile({ answer: { status: 200, body: { ods_data: records } }, cut: 600 })(circumstances);
    },
  },
  {
    name: 'data-error',
    summary: 'the 3rd to the 5th answer have status 200, and an error object instead of the data',
    terms: meanwhile({ answer: { status: 200, body: { error: 'temporarily_unavailable' } } }),
  },
  {
    name: 'data-html',
    summary: 'the 3rd to the 5th answer have status 200, and are an HTML page',
    terms: meanwhile({
      answer: { status: 200, headers: HTML, body: '<!doctype html><title>Maintenance</title>\n' },
    }),
  },
  {
    name: 'data-array',
    summary: 'the 3rd to the 5th answer are an empty array, without the object around it',
    terms: meanwhile({ answer: { status: 200, body: [] } }),
  },
  {
    name: 'data-text',
    summary: 'the 3rd to the 5th answer are an empty list of records, as text/plain',
    terms: meanwhile({
      answer: { status: 200, headers: { 'content-type': 'text/plain' }, body: { ods_data: [] } },
    }),
  },
  {
    name: 'data-slow',
    summary: 'every answer is delayed, log-normally distributed around 300 ms',
    terms: script({ do: { delay: { median: '300ms', sigma: 0.7 } } }),
  },
  {
    name: 'data-dripping',
    summary: 'every answer comes in pieces of 2 bytes, 50 ms apart',
    terms: script({ do: { drip: { bytes: 2, every: '50ms' } } }),
  },
];

/** The secret of every client that plays a scenario, before the suffix that a scenario may add. */
export const SCENARIO_SECRET = 'demo-secret';

/** The contract has no such answer. */
const unavailable: Step['do'] = {
  answer: { status: 503, body: { error: 'temporarily_unavailable' } },
};

const forbidden = { status: 403, example: 'insufficient-scope' };

/** A client that pauses for long has a new token at some reads: a 403 there would not be about the end of a token. */
const endsInUse = { from: 3, times: 1, reused: true } as const;

export const scenarios: readonly Scenario[] = [
  {
    name: 'steady',
    formerNames: ['ok'],
    summary: 'nothing goes wrong: one token is enough for every read',
    terms: () => ({}),
  },
  {
    name: 'odd-secret',
    summary: 'the client secret contains + & % and =, which a form has to encode',
    secretSuffix: '+&%=',
    terms: () => ({}),
  },
  {
    name: 'expires',
    summary: 'the token expires when agreed',
    terms: () => ({ tokenLifetime: '3s' }),
  },
  {
    name: 'expires-again',
    summary: 'tokens expire when agreed, one after the other',
    terms: () => ({ tokenLifetime: '2s' }),
  },
  {
    name: 'expires-at-boundary',
    summary: 'the 2nd call comes 1 s before its token expires, the 3rd at that moment, the 5th 1 s after it',
    terms: script(
      { nth: 2, do: { advanceToExpiry: '-1s' } },
      { nth: 3, do: { advanceToExpiry: 0 } },
      { nth: 5, do: { advanceToExpiry: '1s' } },
    ),
  },
  {
    name: 'expires-every-3',
    summary: 'every 3rd call finds its token expired',
    terms: script({ every: 3, do: { expire: 'token' } }),
  },
  {
    name: 'ended-early',
    formerNames: ['expires-between-calls'],
    summary: 'the token ends after the 2nd read: the next is answered with 403',
    terms: script({ nth: 2, when: 'after', do: { expire: 'client' } }),
  },
  {
    name: 'expires-during-call',
    summary: 'the 2nd answer takes 2 s, and the token expires in the meantime',
    terms: script({ nth: 2, do: { delay: '2s' } }, { nth: 2, when: 'during', do: { expire: 'token' } }),
  },
  {
    name: 'shorter-than-agreed',
    summary: 'tokens expire earlier than agreed',
    terms: () => ({ tokenLifetime: '2s' }),
  },
  {
    name: 'short-lifetime',
    summary: 'tokens live 10 s, whatever was agreed',
    terms: () => ({ tokenLifetime: '10s' }),
  },
  {
    name: 'changing-lifetime',
    summary: 'the 1st token lives 15 min, the 2nd 10 s, the following 15 min',
    terms: () => ({ tokenLifetime: ['15m', '10s', '15m'] }),
  },
  {
    name: 'jittered-lifetime',
    summary: 'tokens live 30 s, up to half of it more or less',
    terms: () => ({ tokenLifetime: '30s', jitter: 0.5 }),
  },
  {
    name: 'revoked-early',
    summary: 'the mock forgets the token before the 3rd call',
    terms: script({ nth: 3, do: { revoke: 'token' } }),
  },
  {
    name: 'stampede',
    summary:
      'the token expires after the 1st call, and a new one takes 1 s: what do twenty parallel calls do?',
    terms: script(
      { nth: 1, when: 'after', do: { expire: 'token' } },
      { on: 'obtainToken', from: 2, do: { delay: '1s' } },
    ),
  },
  {
    name: 'parallel',
    summary: 'reads take 100 ms, the token ends after the 3rd, and a new one takes 1 s',
    terms: ({ renewal }) => ({
      script: [
        { do: { delay: '100ms' } },
        { nth: 3, when: 'after', do: { expire: 'client' } },
        { on: 'obtainToken', from: renewal, do: { delay: '1s' } },
      ],
    }),
  },
  {
    name: 'newest-token-only',
    summary: 'a new token ends all earlier ones, as two processes with the same credentials notice',
    terms: script({ on: 'obtainToken', when: 'during', do: { expireOthers: true } }),
  },
  {
    name: '403-not-expiry',
    summary: 'the 2nd call is refused with a 403 about its scope: a new token does not help',
    terms: script({ nth: 2, do: { answer: forbidden } }),
  },
  {
    name: '403-for-ever',
    summary: 'every call is refused with 403, with any token: a client has to stop asking',
    terms: script({ do: { answer: forbidden } }),
  },
  {
    name: '403-stays',
    summary:
      'from the 3rd read on, when its token has been used before, every answer is a 403, whatever the token',
    terms: script({ from: 3, reused: true, do: { answer: forbidden } }),
  },
  {
    name: '403-empty',
    summary: 'the 3rd read or a later one finds its token expired, and the 403 has no body',
    terms: script({
      ...endsInUse,
      outsideContract: true,
      do: { expire: 'client', answer: { status: 403, body: '' } },
    }),
  },
  {
    name: '403-html',
    summary:
      'the 3rd read or a later one finds its token expired, and the 403 is an HTML page, as from a firewall',
    terms: script({
      ...endsInUse,
      outsideContract: true,
      do: {
        expire: 'client',
        answer: {
          status: 403,
          headers: { 'content-type': 'text/html; charset=utf-8' },
          body: '<!doctype html><title>403</title><h1>Forbidden</h1>\n',
        },
      },
    }),
  },
  {
    name: 'token-down',
    summary: 'from the first renewal on, the token endpoint answers 503 for 3 s',
    terms: ({ renewal }) => ({
      tokenLifetime: '3s',
      script: [{ on: 'obtainToken', from: renewal, ttl: '3s', outsideContract: true, do: unavailable }],
    }),
  },
  {
    name: 'token-429',
    summary: 'from the first renewal on, the token endpoint answers 429 with Retry-After: 2, for 2 s',
    terms: ({ renewal }) => ({
      tokenLifetime: '3s',
      script: [
        {
          on: 'obtainToken',
          from: renewal,
          ttl: '2s',
          do: { answer: { status: 429, headers: { 'retry-after': '2' } } },
        },
      ],
    }),
  },
  {
    name: 'token-slow',
    summary: 'the first token takes 1 s to arrive, and its renewal takes 2 s',
    terms: ({ renewal }) => ({
      tokenLifetime: ['4s', '15m'], // the first is a second old when it arrives
      script: [
        { on: 'obtainToken', nth: 1, do: { delay: '1s' } },
        { on: 'obtainToken', nth: renewal, do: { delay: '2s' } },
      ],
    }),
  },
  {
    name: 'token-500',
    summary: 'the token expires after the 1st call, and the first renewal is answered with 500',
    terms: renewalMeets({
      nth: 2,
      outsideContract: true,
      do: { answer: { status: 500, body: { error: 'server_error' } } },
    }),
  },
  {
    name: 'token-reset',
    summary: 'the token expires after the 1st call, and the connection of the first renewal is reset',
    terms: renewalMeets({ nth: 2, do: { reset: true } }),
  },
  {
    name: 'rate-limited',
    summary: 'after 3 calls within a minute of its clock the mock answers 429 with Retry-After',
    terms: script({
      above: { calls: 3, within: '1m' },
      do: { answer: { status: 429 } },
    }),
  },
  {
    name: 'secret-rotated',
    summary: 'the token expires after the 1st call, and the secret is wrong from then on',
    terms: renewalMeets({ from: 2, do: { answer: { status: 401, example: 'wrong-credentials' } } }),
  },
  {
    name: 'same-token-again',
    summary: 'a second token request is answered with the first token as long as that lives',
    terms: script({ on: 'obtainToken', from: 2, do: { sameToken: true } }),
  },
  {
    name: 'extra-fields',
    summary: 'the token response also has expires_in, which the specification does not have',
    terms: script({ on: 'obtainToken', outsideContract: true, do: { add: { expires_in: 900 } } }),
  },
  {
    name: 'skew-ahead',
    summary: 'the clock of the data is 30 s ahead: tokens of 60 s expire after 30',
    terms: () => ({ tokenLifetime: '60s', skew: '30s' }),
  },
  {
    name: 'skew-behind',
    summary: 'the clock of the data is 30 s behind: tokens of 60 s expire after 90',
    terms: () => ({ tokenLifetime: '60s', skew: '-30s' }),
  },
  {
    name: 'clock-jump',
    summary: '8 h pass before the 2nd call, as when a laptop slept',
    terms: script({ nth: 2, do: { advance: '8h' } }),
  },
  ...dataScenarios,
];

/** The token expires after the first call; the step applies to token requests. */
function renewalMeets(step: Step): Scenario['terms'] {
  return script({ nth: 1, when: 'after', do: { expire: 'token' } }, { ...step, on: 'obtainToken' });
}

/**
 * The client of this id, if it plays a scenario: `demo-` and a name. A dot and any word after it make another client of
 * the same scenario, so that two developers or two tests do not disturb each other: `demo-expires-every-3.alice`.
 * `shared` keeps the terms of each scenario, which all of its clients have in common.
 */
export function scenarioClient(id: string, now: number, shared: Map<string, Terms>): MockClient | undefined {
  const name = /^demo-([\w-]+)(\.[\w-]{1,64})?$/.exec(id)?.[1] ?? '';
  const scenario = scenarios.find((one) => one.name === name || one.formerNames?.includes(name));
  if (!scenario) return undefined;
  const terms = shared.get(scenario.name) ?? scenario.terms({ now, renewal: 2 });
  shared.set(scenario.name, terms);
  return { id, secret: SCENARIO_SECRET + (scenario.secretSuffix ?? ''), ...terms };
}
