import { expect, _baseTest as test } from '@playwright/test';
import type { JudgedRule } from './certificate.ts';
import { certificateOf, OF_CLIENTS, type ScenarioRun } from './judge.ts';
import { feedCatalogue } from './reader/feed-catalogue.ts';
import { rules } from './rules.ts';
import { scenarioNamed, scenarios } from './scenarios.ts';
import { scene } from './testing/rows.ts';
import { certificateFor } from './testing/traffic.ts';

const steady = scene('a0 r20-1000/200', 'name=steady');
const expires = scene('a0 r20-3000/200 x3020 a3031 r3050-4000/200', 'name=expires agreed=3');
const stays = scene('a0 r20 r220 b420 a440 b460', 'name=403-stays');
const anyType = { any: { accept: '*/*' } };
const wide = scene('a0@any', '', anyType);
const played = (traffic: ScenarioRun['traffic'], state: ScenarioRun['state'] = 'seen'): ScenarioRun => ({
  traffic,
  summary: 'so',
  state,
});
const empty = (name: string) => scene('', `name=${name} until=0`);
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
  const never = scene('a0 r20-3000/200 x3020-4000/200', 'name=expires agreed=3');
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
  // A clause that is broken outweighs one that could not be tried.
  for (const of of [part(played(wide)), certificateFor(wide)]) expect(of.outcome).toBe('nonconformant');
});

test('good practice that is not kept warns, and the client is conformant all the same', () => {
  const asking = scene('a0@bearer r20-1000/200', '', { bearer: { authorization: 'bearer' } });
  const { outcome, rules: judged } = certificateFor(asking, expires);
  expect(outcome).toBe('conformant');
  expect(judged.filter(({ verdict }) => verdict === 'warned')).toHaveLength(1);
  expect(judged.find(({ id }) => id === 'token-request-without-token')).not.toHaveProperty('clause');
});

test('a clause with findings that fail and others that warn has failed', () => {
  const reset = scene('a0 r20 r220!reset a240 r260 r460');
  const each = scene('a50 r70 a100 r120 a150 r170');
  const reuse = certificateFor(reset, each).rules.find(({ id }) => id === 'token-reuse');
  expect([reuse?.verdict, reuse?.findings.map(({ verdict }) => verdict)]).toEqual([
    'failed',
    ['warned', 'failed'],
  ]);
});

test('each rule with a clause has a severity, and no rule of good practice has', () => {
  for (const { id, clause, severity } of [...rules, ...feedCatalogue('static-feed').rules])
    expect(severity !== undefined, id).toBe(clause !== undefined);
  const failed = certificateFor(scene('a0 r20@any', '', anyType)).rules;
  expect(failed.find(({ id }) => id === 'data-accept')).toMatchObject({
    verdict: 'failed',
    severity: 'form',
  });
});

test('only what breaks a clause fails, and what is good practice only warns', () => {
  const details = { asks: { accept: '*/*', authorization: 'bearer' }, other: { kind: 'other' } } as const;
  const everything = scene('a0@asks r20@other b40-400/15', 'exits=1', details);
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
  const html = { html: { accept: 'text/html' } };
  const [shown] = certificateFor(scene('a0 r20-10000/10 r10020@html a10040', '', html)).scenarios;
  expect(shown?.callCount).toBe(1001);
  expect(shown?.calls.map(({ id }) => id)).toEqual([
    ...Array.from({ length: 500 }, (_, nth) => nth + 1),
    1000,
    1001,
  ]);
  expect(shown?.lives.map(({ number }) => number)).toEqual([1, 2]);
});

test('what proves something in one scenario brings back no call of another, and lives go with their calls', () => {
  const long = scene('a0 r20-10000/10 a10040', 'name=long');
  const calm = { ...scene('a0 r20-10000/10', 'name=calm'), lives: long.lives };
  const [, shown] = certificateFor(long, calm).scenarios;
  expect(shown?.calls).toHaveLength(500);
  expect(shown?.lives.map(({ number }) => number)).toEqual([1]);
});
