/** Moments that a client should survive, each behind a client id, so that a setting of the client is all it takes. */

import type { Step } from '../contract/control-types.ts';
import type { MockClient } from './clients.ts';
import { timeText } from './clock.ts';

export interface Scenario {
  /** The client id is `demo-` and this. */
  name: string;
  /** What the client meets, as a sentence without its subject. */
  summary: string;
  /** Its terms and its script, for a client that comes at `now`, in milliseconds of the mock's clock. */
  terms(now: number): Terms;
}

export type Terms = Omit<MockClient, 'id' | 'secret'>;

/** Of every client that plays a scenario. */
export const SCENARIO_SECRET = 'demo-secret';

const script =
  (...steps: Step[]): Scenario['terms'] =>
  () => ({ script: steps });

/** What a service says that is down. The contract has no such answer. */
const unavailable: Step = {
  on: 'obtainToken',
  outsideContract: true,
  do: {
    answer: { status: 503, body: { error: 'temporarily_unavailable' }, headers: { 'retry-after': '1' } },
  },
};

const forbidden = { status: 403, example: 'insufficient-scope' };

/** Records as one public deployment documents them; the specification shows none. */
const record = (source: string, start: number, end: number) => ({
  site_id: 'demo',
  src_id: source,
  src_start_utc: timeText(start).slice(0, -1),
  src_end_utc: timeText(end).slice(0, -1),
});

const data =
  (records: (now: number) => object[]): Scenario['terms'] =>
  (now) => ({ script: [{ do: { answer: { status: 200, body: { ods_data: records(now) } } } }] });

const MINUTE = 60_000;

export const scenarios: readonly Scenario[] = [
  {
    name: 'ok',
    summary: 'nothing goes wrong: a hundred calls need one token',
    terms: () => ({}),
  },
  {
    name: 'expires-at-boundary',
    summary:
      'the 2nd call comes 1 s before its token expires, the 3rd at that very moment, the 5th 1 s after',
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
    name: 'expires-between-calls',
    summary: 'the token expires between the 2nd call and the 3rd',
    terms: script({ nth: 2, when: 'after', do: { expire: 'token' } }),
  },
  {
    name: 'expires-during-call',
    summary: 'the 2nd answer takes 2 s, and the token expires while it is on its way',
    terms: script({ nth: 2, do: { delay: '2s' } }, { nth: 2, when: 'during', do: { expire: 'token' } }),
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
    summary: 'tokens live 30 s, half of it more or less',
    terms: () => ({ tokenLifetime: '30s', jitter: 0.5 }),
  },
  {
    name: 'revoked-early',
    summary: 'on the 3rd call the mock knows the token no more',
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
    name: 'newest-token-only',
    summary: 'a new token ends those before it: two processes with the same credentials meet',
    terms: script({ on: 'obtainToken', when: 'during', do: { expireOthers: true } }),
  },
  {
    name: '403-not-expiry',
    summary: 'the 2nd call is refused with a 403 that is about scope: a new token does not help',
    terms: script({ nth: 2, do: { answer: forbidden } }),
  },
  {
    name: '403-for-ever',
    summary: 'every call is refused with 403, with any token: a client has to stop asking',
    terms: script({ do: { answer: forbidden } }),
  },
  {
    name: '403-html',
    summary: 'the 2nd call is refused with 403 and a page of HTML, as a firewall does it',
    terms: script({
      nth: 2,
      outsideContract: true,
      do: {
        expire: 'token',
        answer: {
          status: 403,
          headers: { 'content-type': 'text/html; charset=utf-8' },
          body: '<!doctype html><title>403</title><h1>Forbidden</h1>\n',
        },
      },
    }),
  },
  {
    name: '403-empty',
    summary: 'the 2nd call finds its token expired, and the 403 has no body',
    terms: script({
      nth: 2,
      outsideContract: true,
      do: { expire: 'token', answer: { status: 403, body: '' } },
    }),
  },
  {
    name: 'token-500',
    summary: 'the token expires after the 1st call, and the first attempt to renew it is answered with 500',
    terms: renewal({
      nth: 2,
      outsideContract: true,
      do: { answer: { status: 500, body: { error: 'server_error' } } },
    }),
  },
  {
    name: 'token-429',
    summary: 'the same, answered with 429 and Retry-After: 2',
    terms: renewal({
      nth: 2,
      do: { answer: { status: 429, headers: { 'retry-after': '2' } } },
    }),
  },
  {
    name: 'token-slow',
    summary: 'the same, but the new token comes, after 3 s',
    terms: renewal({ nth: 2, do: { delay: '3s' } }),
  },
  {
    name: 'token-reset',
    summary: 'the same, but the connection is reset',
    terms: renewal({ nth: 2, do: { reset: true } }),
  },
  {
    name: 'token-down',
    summary: "the same, and the token endpoint is down from then on for 30 s of the mock's clock",
    terms: renewal({ ...unavailable, from: 2, ttl: '30s' }),
  },
  {
    name: 'rate-limited',
    summary: 'after 3 calls within a minute of its clock the mock answers 429, with Retry-After',
    terms: script({
      above: { calls: 3, within: '1m' },
      do: { answer: { status: 429 } },
    }),
  },
  {
    name: 'secret-rotated',
    summary: 'the token expires after the 1st call, and the secret is wrong from then on',
    terms: renewal({ from: 2, do: { answer: { status: 401, example: 'wrong-credentials' } } }),
  },
  {
    name: 'same-token-again',
    summary: 'a second token request is answered with the first token, as long as it lives',
    terms: script({ on: 'obtainToken', from: 2, do: { sameToken: true } }),
  },
  {
    name: 'extra-fields',
    summary: 'the token response has expires_in, too, which the specification does not have',
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
    summary: '8 h pass before the 2nd call, as when a laptop was asleep',
    terms: script({ nth: 2, do: { advance: '8h' } }),
  },
  { name: 'data-empty', summary: 'the data holds no record', terms: data(() => []) },
  {
    name: 'data-one',
    summary: 'the data holds one record, in the shape that one public deployment documents',
    terms: data((now) => [record('one', now, now + 10 * MINUTE)]),
  },
  {
    name: 'data-many',
    summary: 'the data holds a thousand records, one after the other',
    terms: data((now) =>
      Array.from({ length: 1000 }, (_, index) =>
        record(`source ${index + 1}`, now + index * MINUTE, now + (index + 1) * MINUTE),
      ),
    ),
  },
  {
    name: 'data-overlapping',
    summary: 'the data holds three records that overlap',
    terms: data((now) => [
      record('long', now - 5 * MINUTE, now + 30 * MINUTE),
      record('within', now, now + 10 * MINUTE),
      record('across its end', now + 20 * MINUTE, now + 40 * MINUTE),
    ]),
  },
  {
    name: 'data-dst',
    summary:
      'the data holds records around an hour that local clocks show twice, and one that they leave out',
    terms: data(() => [
      record('first 01:30 in Denver', Date.UTC(2026, 10, 1, 7, 30), Date.UTC(2026, 10, 1, 7, 45)),
      record('second 01:30 in Denver', Date.UTC(2026, 10, 1, 8, 30), Date.UTC(2026, 10, 1, 8, 45)),
      record('across 02:00 in Denver', Date.UTC(2027, 2, 14, 8, 50), Date.UTC(2027, 2, 14, 9, 10)),
    ]),
  },
  {
    name: 'data-malformed',
    summary: 'the 2nd answer is no JSON',
    terms: script({ nth: 2, outsideContract: true, do: { answer: { status: 200, body: '{"ods_data": [' } } }),
  },
  {
    name: 'data-truncated',
    summary: 'the 2nd answer breaks off after 8 bytes, although more are announced',
    terms: script({ nth: 2, do: { cut: 8 } }),
  },
  {
    name: 'data-reset',
    summary: 'the connection of the 2nd call is reset',
    terms: script({ nth: 2, do: { reset: true } }),
  },
  {
    name: 'data-slow',
    summary: 'every answer takes its time, log-normal around 300 ms',
    terms: script({ do: { delay: { median: '300ms', sigma: 0.7 } } }),
  },
  {
    name: 'data-dripping',
    summary: 'every answer comes in pieces of 2 bytes, 50 ms apart',
    terms: script({ do: { drip: { bytes: 2, every: '50ms' } } }),
  },
];

/** The token expires after the first call, and this happens to who renews it. */
function renewal(step: Step): Scenario['terms'] {
  return script({ nth: 1, when: 'after', do: { expire: 'token' } }, { ...step, on: 'obtainToken' });
}

/**
 * The client of this id, if it plays a scenario: `demo-` and a name; a dot and any word behind it make it another
 * client of the same scenario, so that two developers or two tests never meet: `demo-expires-every-3.alice`.
 * `shared` keeps the terms of each scenario, which all of its clients have in common.
 */
export function scenarioClient(id: string, now: number, shared: Map<string, Terms>): MockClient | undefined {
  const name = /^demo-([\w-]+)(\.[\w-]{1,64})?$/.exec(id)?.[1] ?? '';
  const terms = shared.get(name) ?? scenarios.find((one) => one.name === name)?.terms(now);
  if (!terms) return undefined;
  shared.set(name, terms);
  return { id, secret: SCENARIO_SECRET, ...terms };
}
