import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { certificateOf, OF_CLIENTS, rules, type ScenarioRun } from './judge.ts';
import type { RuleText } from './rule.ts';
import { scenarios } from './scenarios.ts';
import { certificateFor, scene } from './testing/scenes.ts';

const texts: Record<string, RuleText[]> = parse(
  readFileSync(new URL('../client-rules.yaml', import.meta.url), 'utf8'),
);
const steady = scene('a0 r20-1000/200', 'name=steady');
const expires = scene('a0 r20-3000/200 x3020 a3031 r3050-4000/200', 'name=expires agreed=3');
const stays = scene('a0 r20 r220 b420 a440 b460', 'name=403-stays');
const odd = { any: { accept: '*/*' }, asks: { accept: '*/*', authorization: 'bearer' } } as const;
const wide = scene('a0@any', '', odd);
const played = (traffic: ScenarioRun['traffic'], state: ScenarioRun['state'] = 'seen') => ({
  traffic,
  summary: 'so',
  state,
});
const empty = (name: string) => scene('', `name=${name} until=0`);
/** The rules with this verdict, and why. */
const withVerdict = (verdict: string, { rules: judged }: ReturnType<typeof certificateOf>) =>
  judged.filter((one) => one.verdict === verdict).map(({ id, reason }) => [id, reason]);

for (const [kind, rows] of Object.entries(texts))
  test(`each rule for ${kind} has an id of its own, and a severity if it has a clause; those come first, in their order`, () => {
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
    for (const { id, clause, severity } of rows) expect(severity !== undefined, id).toBe(!!clause);
    const sections = rows.map(({ clause }) =>
      clause ? Number(/^MRS-(\d+(?:\.\d+)?)/.exec(clause)?.[1] ?? 98) : 99,
    );
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
  // What the client did until it ended by itself is enough.
  expect(certificateOf([played(steady), played(expires, 'ended')]).outcome).toBe('conformant');
});

test('nothing is conformant on nothing: what is required could not run, and says why', () => {
  for (const names of [[], ['steady', 'expires']]) {
    const certificate = certificateOf(names.map((name) => played(empty(name), 'silent')));
    expect([certificate.outcome, certificate.strategy]).toEqual(['incomplete', 'none']);
    const examined = scenarios.flatMap(({ name, examines }) => (names.includes(name) ? examines : []));
    const required = rules.filter((rule) => rule.required || examined.includes(rule.id));
    const because = ({ id }: { id: string }) => [id, 'The client never called.'];
    expect(withVerdict('could-not-run', certificate)).toEqual(required.map(because));
    const others = rules.filter((rule) => !required.includes(rule));
    expect(withVerdict('not-applicable', certificate)).toEqual(others.map(because));
  }
});

test('one clause that could not be tried is enough to be incomplete, and says what was missing', () => {
  const certificate = certificateFor(steady);
  expect(certificate.outcome).toBe('incomplete');
  expect(withVerdict('could-not-run', certificate)).toEqual([
    ['renewal', 'No token was refused with 403, as an expired one must be, while the client was calling.'],
  ]);
});

test('each rule that a scenario exists for is a rule', () => {
  const ids = rules.map(({ id }) => id);
  for (const { name, examines } of scenarios) {
    expect(examines.length, name).toBeGreaterThan(0);
    for (const id of examines) expect(ids, name).toContain(id);
  }
});

for (const state of ['deadline', 'silent'] as const)
  test(`a scenario that is ${state} leaves the rules that it exists for at could-not-run, with its name`, () => {
    const last = played(state === 'deadline' ? stays : empty('403-stays'), state);
    const certificate = certificateOf([played(steady), played(expires), last]);
    expect(certificate.outcome).toBe('incomplete');
    expect(withVerdict('could-not-run', certificate)).toEqual([
      ['no-loop', 'The examination ended before it had seen all of 403-stays.'],
    ]);
  });

const down = 'a0 r20-3000/200 x3020 f3031';
const wait = 'f3031!429?2';
for (const [what, name, calls, ended, unseen] of [
  ['dies at the first 503', 'token-down', down, 'exits=1', 'back-off recovers'],
  ['is killed at the first 503', 'token-down', down, 'killed=SIGSEGV', 'back-off recovers'],
  ['exits with 0 at the first 503', 'token-down', down, 'exits=0', 'back-off recovers'],
  ['dies at the first 429', 'token-429', `a0 r20-3000/200 x3020 ${wait}`, 'exits=1', 'retry-after recovers'],
  ['dies before the first 503', 'token-down', 'a0 r20-400/200', 'exits=1', 'back-off recovers'],
  ['dies at a reset', 'data-reset', 'a0 r20 r220 r420!reset', 'exits=2', 'token-reuse recovers'],
  ['exits with 0 when it is done', 'token-down', `${down} a3600 r3620-4400/200`, 'exits=0', ''],
  ['exits with 0 before an outage', 'token-down', 'a0 r20 r220-1400/200', 'exits=0', 'back-off recovers'],
  ['exits when a fresh token is refused too', '403-stays', 'a0 r20 r220 b420 a440 b460', 'exits=1', ''],
] as const)
  test(`a client that ${what} has ${unseen === '' ? 'shown all' : `not shown ${unseen}`}`, () => {
    const last = played(
      scene(calls, `agreed=${name === '403-stays' ? 900 : 3} name=${name} ${ended}`),
      'ended',
    );
    const { outcome, rules: judged } = certificateOf([played(steady), played(expires), last]);
    expect(outcome).toBe(unseen === '' ? 'conformant' : 'incomplete');
    for (const { id, verdict, reason } of judged.filter((rule) => unseen.split(' ').includes(rule.id))) {
      expect(['could-not-run', 'warned'], id).toContain(verdict);
      if (verdict === 'could-not-run')
        expect(reason).toBe(`The client ended by itself before it had shown this, in ${name}.`);
    }
  });

test('a rule that is broken in a scenario that was cut short has failed', () => {
  const never = scene('a0 r20-3000/200 x3020-4000/200', 'name=expires agreed=3');
  const certificate = certificateOf([played(steady), played(never, 'deadline')]);
  expect(certificate.outcome).toBe('nonconformant');
  expect(withVerdict('failed', certificate)).toEqual([['renewal', undefined]]);
});

test('an examination of a part of the scenarios is not conformant, and names those that were left out', () => {
  const part = (...runs: ScenarioRun[]) => certificateOf(runs, OF_CLIENTS, ['403-stays']);
  const whole = part(played(steady), played(expires));
  expect(whole).toMatchObject({ outcome: 'incomplete', leftOut: ['403-stays'] });
  // A clause that is broken outweighs one that could not be tried.
  for (const of of [part(played(wide)), certificateFor(wide)]) expect(of.outcome).toBe('nonconformant');
});

test('a clause with findings that fail and others that warn has failed', () => {
  const reset = scene('a0 r20 r220!reset a240 r260 r460');
  const each = scene('a50 r70 a100 r120 a150 r170');
  const reuse = certificateFor(reset, each).rules.find(({ id }) => id === 'token-reuse');
  expect(reuse?.findings.map(({ verdict }) => verdict)).toEqual(['warned', 'failed']);
  expect(reuse?.verdict).toBe('failed');
});

test('a client that ended by itself is reported with how, and no other is', () => {
  const endingOf = (ended: object) => certificateFor({ ...steady, ...ended }).scenarios[0]?.ended;
  expect(endingOf({})).toBeUndefined();
  expect(endingOf({ ended: { code: 3 } })).toBe('with exit code 3');
  expect(endingOf({ ended: { signal: 'SIGSEGV' } })).toBe('by the signal SIGSEGV');
});

test('the first five hundred calls of a scenario are shown, and later ones that a finding of it names', () => {
  const long = scene('a0 r20-10000/10 r10020@any a10040', 'name=long', odd);
  const calm = { ...scene('a0 r20-10000/10', 'name=calm'), lives: long.lives };
  const [shown, other] = certificateFor(long, calm).scenarios;
  const first = Array.from({ length: 500 }, (_, nth) => nth + 1);
  expect(shown?.callCount).toBe(1001);
  expect(shown?.calls.map(({ id }) => id)).toEqual([...first, 1000, 1001]);
  expect(other?.calls.map(({ id }) => id)).toEqual(first);
  // Lives go with their calls.
  expect([shown, other].map((one) => one?.lives.map(({ number }) => number))).toEqual([[1, 2], [1]]);
});
