import { expect, _baseTest as test } from '@playwright/test';
import type { JudgedRule } from './certificate.ts';
import { certificateOf, OF_CLIENTS, type ScenarioRun } from './judge.ts';
import { feedCatalogue } from './reader/feed-catalogue.ts';
import { rules } from './rules.ts';
import { scenarioNamed, scenarios } from './scenarios.ts';
import {
  asks,
  certificateFor,
  every,
  forbidden,
  reads,
  refused,
  trafficOf,
  withToken,
} from './testing/traffic.ts';

const steady = trafficOf([asks(0, 1), ...every(200, 20, 1000, withToken(1))], { name: 'steady' });
const expires = trafficOf(
  [
    ...[asks(0, 1), ...every(200, 20, 3000, withToken(1)), refused(3020, 1), asks(3031, 2)],
    ...every(200, 3050, 4000, withToken(2)),
  ],
  { name: 'expires', agreedSeconds: 3 },
);
const stays = trafficOf(
  [asks(0, 1), reads(20, 1), reads(220, 1), forbidden(420, 1), asks(440, 2), forbidden(460, 2)],
  { name: '403-stays' },
);
const played = (traffic: ScenarioRun['traffic'], state: ScenarioRun['state'] = 'seen'): ScenarioRun => ({
  traffic,
  summary: 'so',
  state,
});
const empty = (name: string) => trafficOf([], { name, durationMs: 0 });
const clauses = (of: readonly JudgedRule[]) => of.filter(({ clause }) => clause !== undefined);

test('each rule has an id of its own, and those with a clause come first, in the order of the clauses', () => {
  const ids = rules.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const sections = rules.map(({ clause = 'MRS-99' }) => Number.parseFloat(clause.slice('MRS-'.length)));
  expect(sections).toEqual([...sections].sort((a, b) => a - b));
});

test('a client that keeps all is conformant, by its strategy and with what it asked for', () => {
  const certificate = certificateFor(steady, expires);
  expect(certificate).toMatchObject({
    outcome: 'conformant',
    strategy: 'reactive',
    tokens: { asked: 3, needed: 3 },
    scenarios: [
      { name: 'steady', agreedLifetimeSeconds: 900, tokens: { asked: 1, needed: 1 }, callCount: 6 },
      { name: 'expires', tokenLifetimeSeconds: 3, tokens: { asked: 2, needed: 2 }, state: 'seen' },
    ],
  });
  expect(certificate.rules.map(({ verdict }) => verdict)).not.toContain('failed');
  expect(certificate).not.toHaveProperty('marginSeconds');
});

test('nothing is conformant on nothing: what is required could not run, and says why', () => {
  for (const names of [[], ['steady', 'expires']]) {
    const certificate = certificateOf(names.map((name) => played(empty(name), 'silent')));
    expect([certificate.outcome, certificate.strategy]).toEqual(['incomplete', 'none']);
    const examined = names.flatMap((name) => scenarioNamed(name)?.examines ?? []);
    for (const { id, verdict, reason } of certificate.rules) {
      const required = rules.find((rule) => rule.id === id)?.required || examined.includes(id);
      expect([id, verdict, reason]).toEqual([
        ...[id, required ? 'could-not-run' : 'not-applicable'],
        'The client never called.',
      ]);
    }
  }
});

test('one clause that could not be tried is enough to be incomplete, and says what was missing', () => {
  const { outcome, rules: judged } = certificateFor(steady);
  expect(outcome).toBe('incomplete');
  expect(judged.filter(({ verdict }) => verdict === 'could-not-run')).toMatchObject([
    { id: 'renewal', reason: 'No token expired while the client was calling.' },
  ]);
});

test('each rule that a scenario exists for is a rule', () => {
  const ids = rules.map(({ id }) => id);
  for (const { name, examines } of scenarios) {
    expect(examines.length, name).toBeGreaterThan(0);
    for (const id of examines) expect(ids, name).toContain(id);
  }
});

for (const state of ['deadline', 'silent', 'skipped'] as const)
  test(`a scenario that is ${state} leaves the rules that it exists for at could-not-run, with its name`, () => {
    const { outcome, rules: judged } = certificateOf([
      played(steady),
      played(expires),
      played(state === 'deadline' ? stays : empty('403-stays'), state),
    ]);
    expect(outcome).toBe('incomplete');
    expect(judged.filter(({ verdict }) => verdict === 'could-not-run')).toMatchObject([
      { id: 'no-loop', reason: 'The examination ended before it had seen all of 403-stays.' },
      { id: 'refresh-once', reason: 'The examination ended before it had seen all of 403-stays.' },
    ]);
  });

test('a rule that is broken in a scenario that was cut short has failed', () => {
  const never = trafficOf(
    [asks(0, 1), ...every(200, 20, 3000, withToken(1)), ...every(200, 3020, 4000, (at) => refused(at, 1))],
    { name: 'expires', agreedSeconds: 3 },
  );
  const { outcome, rules: judged } = certificateOf([played(steady), played(never, 'deadline')]);
  expect([outcome, judged.find(({ id }) => id === 'renewal')?.verdict]).toEqual(['nonconformant', 'failed']);
});

test('a client that ends by itself is judged by what it did until then', () => {
  expect(certificateOf([played(steady), played(expires, 'ended')]).outcome).toBe('conformant');
});

test('an examination of a part of the scenarios is not conformant, and names those that were left out', () => {
  const part = (...runs: ScenarioRun[]) => certificateOf(runs, OF_CLIENTS, ['403-stays']);
  expect(part(played(steady), played(expires))).toMatchObject({
    outcome: 'incomplete',
    leftOut: ['403-stays'],
  });
  expect(part(played(trafficOf([asks(0, 1, { accept: '*/*' })]))).outcome).toBe('nonconformant');
});

test('a clause that is broken outweighs one that could not be tried', () => {
  const bare = trafficOf([asks(0, 1, { accept: '*/*' })]);
  expect(certificateFor(bare).outcome).toBe('nonconformant');
});

test('good practice that is not kept warns, and the client is conformant all the same', () => {
  const asking = trafficOf([asks(0, 1, { authorization: 'bearer' }), ...steady.calls.slice(1)]);
  const { outcome, rules: judged } = certificateFor(asking, expires);
  expect(outcome).toBe('conformant');
  expect(judged.filter(({ verdict }) => verdict === 'warned')).toHaveLength(1);
  expect(judged.find(({ id }) => id === 'token-request-without-token')).not.toHaveProperty('clause');
});

test('a clause with findings that fail and others that warn has failed', () => {
  const reset = trafficOf([
    ...[asks(0, 1), reads(20, 1), reads(220, 1, { ended: 'reset' }), asks(240, 2)],
    ...[reads(260, 2), reads(460, 2)],
  ]);
  const each = trafficOf(
    [1, 2, 3].flatMap((token) => [asks(token * 50, token), reads(token * 50 + 20, token)]),
  );
  const reuse = certificateFor(reset, each).rules.find(({ id }) => id === 'token-reuse');
  expect([reuse?.verdict, reuse?.findings.map(({ verdict }) => verdict)]).toEqual([
    'failed',
    ['warned', 'failed'],
  ]);
});

test('each rule with a clause has a severity, and no rule of good practice has', () => {
  for (const { id, clause, severity } of [...rules, ...feedCatalogue('static-feed').rules])
    expect(severity !== undefined, id).toBe(clause !== undefined);
  const failed = certificateFor(trafficOf([asks(0, 1), reads(20, 1, { accept: '*/*' })])).rules;
  expect(failed.find(({ id }) => id === 'data-accept')).toMatchObject({
    verdict: 'failed',
    severity: 'form',
  });
});

test('only what breaks a clause fails, and what is good practice only warns', () => {
  const everything = trafficOf(
    [
      ...[asks(0, 1, { accept: '*/*', authorization: 'bearer' }), reads(20, 1, { kind: 'other' })],
      ...every(15, 40, 400, (at) => forbidden(at, 1)),
    ],
    { ended: { code: 1 } },
  );
  for (const { clause, findings } of certificateFor(everything, expires).rules)
    if (clause === undefined) expect(findings.map(({ verdict }) => verdict)).not.toContain('failed');
  expect(clauses(certificateFor(everything, expires).rules).some(({ verdict }) => verdict === 'failed')).toBe(
    true,
  );
});

test('a client that ended by itself is reported with how, and no other is', () => {
  const told = (ended: object) => certificateFor({ ...steady, ...ended }).scenarios[0]?.ended;
  expect(told({})).toBeUndefined();
  expect(told({ ended: { code: 3 } })).toBe('with exit code 3');
  expect(told({ ended: { signal: 'SIGSEGV' } })).toBe('by the signal SIGSEGV');
});

test('the first five hundred calls of a scenario are shown, and later ones that a finding names', () => {
  const calls = [
    asks(0, 1),
    ...every(10, 20, 10_000, withToken(1)),
    reads(10_020, 1, { accept: 'text/html' }),
    asks(10_040, 2),
  ];
  const [shown] = certificateFor(trafficOf(calls)).scenarios;
  expect(shown?.callCount).toBe(1001);
  expect(shown?.calls.map(({ id }) => id)).toEqual([
    ...Array.from({ length: 500 }, (_, nth) => nth + 1),
    1000,
    1001,
  ]);
  expect(shown?.lives.map(({ number }) => number)).toEqual([1, 2]);
});

test('what proves something in one scenario brings back no call of another, and lives go with their calls', () => {
  const long = [asks(0, 1), ...every(10, 20, 10_000, withToken(1)), asks(10_040, 2)];
  const calm = trafficOf(long.slice(0, -1), { name: 'calm' });
  const [, shown] = certificateFor(trafficOf(long, { name: 'long' }), {
    ...calm,
    lives: trafficOf(long).lives,
  }).scenarios;
  expect(shown?.calls).toHaveLength(500);
  expect(shown?.lives.map(({ number }) => number)).toEqual([1]);
});
