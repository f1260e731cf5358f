/** The gate of a proof can go red: each way in which it must, on findings made up for it. */
import { expect, _baseTest as test } from '@playwright/test';
import type { Defect, Variant } from '../../mocks/deployments/deployment.ts';
import type { PermittedClient, WrongClient } from '../../tests/client/corpus/subject.ts';
import type { Certificate, JudgedRule, RuleVerdict } from '../../tests/client/judge.ts';
import { wrongFeeds } from '../../tests/feed/corpus/feeds.ts';
import { RULES } from '../../tests/feed/findings.ts';
import type { Item, Report } from '../../tests/report/report.ts';
import type { Requirement } from '../../tests/support/requirements.ts';
import type { ItemVerdict, Verdict } from '../../tests/support/verdict.ts';
import { deploymentResults, unprovedRequirements } from './deployments.ts';
import { type Expected, faultsIn } from './expected.ts';
import { concludeKind } from './prove.ts';
import { clientResult } from './subjects.ts';

const WANTED: Expected = { finds: { a: { says: /^seven$/ }, b: { says: /in \d/, verdict: 'warned' } } };
const good: Record<string, [ItemVerdict, ...string[]]> = {
  a: ['failed', 'one', 'seven'],
  b: ['warned', 'in 3'],
};

for (const [what, found, faults, expected = WANTED] of [
  ['all that is wanted', good, []],
  ['what passes', { ...good, c: ['passed'] }, []],
  ['nothing of one', { b: ['warned', 'in 3'] }, ['x: a is not failed for /^seven$/.']],
  ['one that passes', { ...good, a: ['passed', 'fine'] }, ['x: a is passed, and should be failed. fine']],
  [
    'one that could not be run',
    { ...good, a: ['could-not-run', 'no token'] },
    ['x: a is could-not-run, and should be failed. no token'],
  ],
  [
    'another reason',
    { ...good, a: ['failed', 'eight'] },
    ['x: a is failed for another reason than /^seven$/. It said: eight'],
  ],
  [
    'a failure for a warning',
    { ...good, b: ['failed', 'in 3'] },
    ['x: b is failed, and should be warned. in 3'],
  ],
  ['one more', { ...good, c: ['failed', 'odd'] }, ['x: c is failed, which nothing here explains. odd']],
  [
    'one more that could not be run',
    { ...good, c: ['could-not-run', 'why'] },
    ['x: c is could-not-run, which nothing here explains. why'],
  ],
  ['one more that may be found', { ...good, c: ['failed', 'odd'] }, [], { ...WANTED, also: ['c'] }],
  ['what cannot run', { ...good, c: ['could-not-run', 'why'] }, [], { ...WANTED, cannotRun: ['c'] }],
  [
    'a verdict where none can be given',
    { ...good, c: ['passed', 'fine'] },
    ['x: c is passed, which nothing here explains. fine'],
    { ...WANTED, cannotRun: ['c'] },
  ],
  [
    'what is not applicable',
    { ...good, c: ['not-applicable', 'why'] },
    ['x: c is not-applicable, which nothing here explains. why'],
    { ...WANTED, mayNotApply: (id) => id === 'd' },
  ],
  [
    'what may not apply',
    { ...good, d: ['not-applicable'] },
    [],
    { ...WANTED, mayNotApply: (id) => id === 'd' },
  ],
  ['what may not run', { ...good, a: ['could-not-run'] }, [], { ...WANTED, mayNotRun: true }],
  [
    'a pass where it may not run',
    { ...good, a: ['passed', 'fine'] },
    ['x: a is passed, and should be failed. fine'],
    { ...WANTED, mayNotRun: true },
  ],
] as [string, typeof good, string[], Expected?][])
  test(`${what}: ${faults.length} faults`, () => {
    const rows = Object.entries(found).map(([id, [verdict, ...said]]) => ({ id, verdict, said }));
    expect(faultsIn('x', expected, rows)).toEqual(faults);
  });

const requirements = ['MRS-1', 'MRS-2', 'MRS-3'].map(
  (id): Requirement => ({ id, clause: '1', kind: 'server', statement: 'It must.' }),
);
const override = () => ({});
const says = /^expected status 200; seen: .* 201$/;
const defects: Defect[] = [
  { name: 'broken', summary: 'breaks 1', fails: { 'MRS-1': says }, cannotRun: ['MRS-2'], override },
  { name: 'breaks-2', summary: 'breaks 2', fails: { 'MRS-2': says }, override },
  { name: 'breaks-3', summary: 'breaks 3', fails: { 'MRS-3': says }, override },
];
const variant: Variant = { name: 'other', summary: 'does it differently', override };

/** A letter for the verdict of each requirement: `F?.` */
const VERDICTS: Record<string, Verdict> = {
  F: 'failed',
  '?': 'could-not-run',
  '.': 'passed',
  '-': 'not-applicable',
};
const GOOD: Record<string, string> = { broken: 'F?.', 'breaks-2': '.F.', 'breaks-3': '..F', other: '.-.' };

for (const [what, seen, exitCode, sentence, given = {}] of [
  ['every deployment as it should be', {}, 0, 'proof: 3/3 defects caught for the stated reason, 1/1'],
  ['a silent defect', { broken: '.?.' }, 1, 'broken: MRS-1 is passed, and should be failed. seen: form: 201'],
  [
    'a variant that fails',
    { other: 'F..' },
    1,
    'other, which does it differently, is permitted, and is nonconformant.',
  ],
  ['a variant that cannot be judged', { other: '.?.' }, 1, 'other: MRS-2 is could-not-run'],
  ['a deployment that was not judged', { other: undefined }, 1, 'other: it was not judged.'],
  ['a fault of the run', {}, 2, 'other: It was interrupted.', { problems: ['It was interrupted.'] }],
  ['no defect for a requirement', {}, 1, 'MRS-2 has no defect', { defects: [0, 2] }],
  [
    'a variant that states what is left',
    { other: '.?.' },
    0,
    'proof:',
    { variant: { cannotRun: ['MRS-2'] } },
  ],
  [
    'a variant of which that runs',
    { other: '...' },
    1,
    'is permitted, and is conformant',
    { variant: { cannotRun: ['MRS-2'] } },
  ],
  ['a variant that may not run', { other: '?..' }, 0, 'proof:', { variant: { mayNotRun: true } }],
  [
    'a variant that may not run, and fails',
    { other: '?F.' },
    1,
    'is permitted, and is nonconf',
    { variant: { mayNotRun: true } },
  ],
] as [string, Record<string, string | undefined>, number, string, Given?][])
  test(`${what}: exit code ${exitCode}`, () => {
    const wrong = (given.defects ?? [0, 1, 2]).map((at) => defects[at] as Defect);
    const permitted = [{ ...variant, ...given.variant }];
    const posted = [...wrong, ...permitted].flatMap(({ name }) => {
      const letters = name in seen ? seen[name] : GOOD[name];
      return letters === undefined
        ? []
        : { name, report: report(letters, name === 'other' ? given.problems : []) };
    });
    const results = deploymentResults({ wrong, permitted }, posted);
    const unproved = unprovedRequirements(requirements, wrong, posted);
    const concluded = concludeKind('deployments', { wrong, permitted }, results, unproved);
    expect(concluded.text.replace(/\s+/g, ' ')).toContain(sentence);
    expect(concluded.exitCode).toBe(exitCode);
  });

test('a deployment that could not be judged makes the exit code 2', () => {
  const group = { wrong: [], permitted: [variant] };
  const results = deploymentResults(group, [{ name: 'other', problem: 'other: no.' }]);
  expect(concludeKind('deployments', group, results)).toMatchObject({
    exitCode: 2,
    counts: { defects: { total: 0 }, variants: { accepted: 0 } },
  });
});

const wrongClient: WrongClient = {
  ...{ name: 'sloppy', summary: 'is sloppy', behaviour: {} },
  ...{ catches: { reuse: /^asked \d tokens$/ }, also: ['pace'] },
};
const permittedClient: PermittedClient = {
  ...{ name: 'unusual', summary: 'is unusual', behaviour: {} },
  ...{ strategy: 'proactive', warns: { early: /403/ } },
};

for (const [what, client, findings, verdict, faults, verdicts, more] of [
  ['a wrong client', wrongClient, { reuse: ['asked 7 tokens'] }, 'failed', [], 'conformant: failed reuse'],
  [
    'a wrong client with what differs between runs',
    wrongClient,
    { reuse: ['asked 7 tokens'], pace: ['it hammers'] },
    'failed',
    [],
    'conformant: failed reuse',
  ],
  [
    'a wrong client that is not caught',
    wrongClient,
    { reuse: [] },
    'failed',
    ['sloppy: reuse is not failed for /^asked \\d tokens$/.'],
    'conformant',
  ],
  [
    'a permitted client',
    permittedClient,
    { early: ['it met a 403'], reuse: [] },
    'warned',
    [],
    'conformant: warned early',
  ],
  [
    'a permitted client with another strategy',
    permittedClient,
    { early: ['it met a 403'] },
    'warned',
    ['unusual: its strategy is proactive, and both was seen.'],
    'conformant: warned early',
    { strategy: 'both' },
  ],
  [
    'a permitted client that is not certified',
    permittedClient,
    { early: ['it met a 403'] },
    'warned',
    ['unusual is permitted, and is incomplete. Too soon.'],
    'incomplete: warned early',
    { outcome: 'incomplete', rules: [rule('pace', 'could-not-run', [], 'Too soon.')] },
  ],
] as [
  string,
  WrongClient | PermittedClient,
  Record<string, string[]>,
  RuleVerdict,
  string[],
  string,
  Partial<Certificate>?,
][])
  test(`${what} has ${faults.length} faults`, () => {
    const rules = Object.entries(findings).map(([id, said]) =>
      rule(id, said.length > 0 ? verdict : 'passed', said),
    );
    const tokens = { asked: 0, needed: 0 };
    const certificate: Certificate = {
      ...{ outcome: 'conformant', strategy: 'proactive', tokens, scenarios: [], ...more },
      rules: [...rules, ...(more?.rules ?? [])],
    };
    expect(clientResult(client, certificate)).toEqual({ faults, verdicts });
  });

test('every rule on single reads has a wrong feed', () => {
  const proved = new Set(wrongFeeds.map(({ rule }) => rule));
  expect(RULES.map(({ id }) => id).filter((id) => !proved.has(id))).toEqual(['stale', 'unstable-order']);
});

interface Given {
  /** Faults of the run of the variant. */
  problems?: string[];
  /** Which of the defects are selected. */
  defects?: number[];
  variant?: Partial<Variant>;
}

function report(letters: string, problems: string[] = []): Report {
  const items = [...letters].map((letter, at): Item => {
    const verdict = VERDICTS[letter] ?? 'passed';
    return {
      ...{ id: `MRS-${at + 1}`, group: '1', statement: 'It must.', verdict },
      ...{ seen: 'form: 201', facts: [], findings: [], exchanges: ['x1'] },
      ...(verdict === 'failed' && { expected: 'status 200' }),
      ...(verdict === 'could-not-run' && { reason: 'no token' }),
    };
  });
  const isLeft = letters.includes('?') ? 'incomplete' : 'conformant';
  const outcome = letters.includes('F') ? 'nonconformant' : isLeft;
  return { outcome, items, problems, properties: {} } as unknown as Report;
}

function rule(id: string, verdict: RuleVerdict, said: string[], reason?: string): JudgedRule {
  const findings = said.map((seen) => ({ verdict: 'failed' as const, scenario: 'steady', seen, calls: [] }));
  return { ...{ id, verdict, statement: '', advice: '', findings }, ...(reason !== undefined && { reason }) };
}
