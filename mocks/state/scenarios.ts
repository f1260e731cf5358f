/**
 * The catalogue of scenarios: what a client should survive. `mrs mock` plays each for a client id of its own, so that a
 * client only has to change its id; `mrs certify` plays those that tests/client/scenarios.ts judges, by the same names.
 */

import type { Step } from '../contract/control-types.ts';
import type { MockClient } from './clients.ts';
import { dataScenarios } from './data-scenarios.ts';
import { type Scenario, script, type Terms } from './scenario.ts';

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
