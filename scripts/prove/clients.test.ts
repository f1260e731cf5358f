/** The gate for clients can go red: each way in which it must, on certificates made up for it. */
import { expect, _baseTest as test } from '@playwright/test';
import type { PermittedClient, WrongClient } from '../../tests/client/corpus/subject.ts';
import type { Certificate, JudgedRule, RuleVerdict } from '../../tests/client/judge.ts';
import { permittedClientFaults, wrongClientFaults } from './clients.ts';

const wrong: WrongClient = {
  ...{ name: 'sloppy', summary: 'is sloppy', behaviour: {} },
  catches: { reuse: /^asked \d tokens$/, place: /in the query/ },
  also: ['pace'],
};
const caught = {
  reuse: ['asked 7 tokens'],
  place: ['the token was in the body', 'the token was in the query of call 3'],
};

test('a wrong client that is caught for each of its reasons is no fault, whatever else may be broken with it', () => {
  expect(wrongClientFaults(wrong, certificate(caught))).toEqual([]);
  expect(wrongClientFaults(wrong, certificate({ ...caught, pace: ['it hammers'] }))).toEqual([]);
});

for (const [what, findings, sentence] of [
  [
    'one that is not caught',
    { reuse: [], place: caught.place },
    'sloppy: reuse should have said /^asked \\d tokens$/. It found nothing.',
  ],
  [
    'one whose rule was not even judged',
    { place: caught.place },
    'sloppy: reuse should have said /^asked \\d tokens$/. It found nothing.',
  ],
  [
    'one that is caught for another reason',
    { ...caught, reuse: ['asked no token', 'asked many tokens'] },
    'sloppy: reuse should have said /^asked \\d tokens$/. It said: asked no token',
  ],
  [
    'one with a further rule broken',
    { ...caught, retry: ['it never came back'] },
    'sloppy: retry was found broken, which this client does not explain. In steady: it never came back',
  ],
] as const)
  test(`${what} is a fault`, () => {
    expect(wrongClientFaults(wrong, certificate(findings))).toEqual([sentence]);
  });

const permitted: PermittedClient = {
  ...{ name: 'unusual', summary: 'is unusual', behaviour: {} },
  ...{ strategy: 'proactive', warns: { early: /403/ } },
};
const warned = certificate({ early: ['it met a 403'], reuse: [] }, { strategy: 'proactive' }, 'warned');

test('a permitted client that is certified is no fault, with the strategy and the warnings that it has', () => {
  expect(permittedClientFaults(permitted, warned)).toEqual([]);
  const { warns: _, ...flawless } = permitted;
  expect(permittedClientFaults(flawless, certificate({ reuse: [] }, { strategy: 'proactive' }))).toEqual([]);
});

for (const [what, seen, sentence] of [
  [
    'one that is not certified',
    { ...warned, outcome: 'incomplete' },
    'unusual is permitted, and came out incomplete.',
  ],
  [
    'one with another strategy',
    { ...warned, strategy: 'both' },
    'unusual: its strategy is proactive, and both was seen.',
  ],
  [
    'one that was not warned',
    certificate({ early: [] }, { strategy: 'proactive' }),
    'unusual: early should have warned.',
  ],
  [
    'one that was warned of something else',
    certificate({ early: ['it met a 403'], pace: ['it hammers'] }, { strategy: 'proactive' }, 'warned'),
    'unusual is permitted, and pace found: In steady: it hammers',
  ],
] as const)
  test(`${what} is a fault, too`, () => {
    expect(permittedClientFaults(permitted, seen as Certificate)).toEqual([sentence]);
  });

test('one that could not be judged is a fault, with the reasons', () => {
  const [rule] = warned.rules;
  const untried = ['Too soon.', 'Too soon.', 'Too late.'].map((reason) => ({
    ...(rule as JudgedRule),
    ...{ verdict: 'could-not-run' as const, reason, findings: [] },
  }));
  expect(
    permittedClientFaults(permitted, {
      ...warned,
      outcome: 'incomplete',
      rules: [...warned.rules, ...untried],
    }),
  ).toEqual(['unusual is permitted, and came out incomplete. Too soon. Too late.']);
});

test('one that was warned in other words is a fault', () => {
  const other = certificate({ early: ['it was late'] }, { strategy: 'proactive' }, 'warned');
  expect(permittedClientFaults(permitted, other)).toEqual([
    'unusual: early should have said /403/. It said: it was late',
  ]);
});

test('a breach where a warning belongs is a fault', () => {
  const failed = certificate({ early: ['it met a 403'] }, { strategy: 'proactive' }, 'failed');
  expect(permittedClientFaults(permitted, failed)).toEqual(['unusual: early should have warned.']);
});

/** With so many findings of each rule; those that have some have this verdict. */
function certificate(
  findings: Record<string, readonly string[]>,
  { strategy = 'reactive' }: Partial<Pick<Certificate, 'strategy'>> = {},
  verdict: RuleVerdict = 'failed',
): Certificate {
  const rules = Object.entries(findings).map(
    ([id, said]): JudgedRule => ({
      ...{ id, verdict: said.length > 0 ? verdict : 'passed', statement: '', advice: '' },
      findings: said.map((seen) => ({ verdict: 'failed', scenario: 'steady', seen, calls: [] })),
    }),
  );
  return { outcome: 'conformant', strategy, tokens: { asked: 0, needed: 0 }, rules, scenarios: [] };
}
