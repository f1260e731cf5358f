/** The gate for clients and feeds can go red: each way in which it must, on findings made up for it. */
import { expect, _baseTest as test } from '@playwright/test';
import type { PermittedClient, WrongClient } from '../../tests/client/corpus/subject.ts';
import type { Certificate, JudgedRule, RuleVerdict } from '../../tests/client/judge.ts';
import { wrongFeeds } from '../../tests/feed/corpus/feeds.ts';
import { RULES } from '../../tests/feed/findings.ts';
import { selectNamed } from './selection.ts';
import { clientResult, feedResult, feedResults } from './subjects.ts';

const wrong: WrongClient = {
  ...{ name: 'sloppy', summary: 'is sloppy', behaviour: {} },
  catches: { reuse: /^asked \d tokens$/, place: /in the query/ },
  also: ['pace'],
};
const permitted: PermittedClient = {
  ...{ name: 'unusual', summary: 'is unusual', behaviour: {} },
  ...{ strategy: 'proactive', warns: { early: /403/ } },
};
const { warns: _, ...flawless } = permitted;
const caught = { reuse: ['asked 7 tokens'], place: ['it was in the body', 'it was in the query of call 3'] };
const warned = { early: ['it met a 403'], reuse: [] };

for (const [what, client, findings, verdict, faults, more] of [
  ['wrong client that is caught for each of its reasons', wrong, caught, 'failed', []],
  ['wrong client with what may be broken, too', wrong, { ...caught, pace: ['it hammers'] }, 'failed', []],
  [
    'wrong client that is not caught',
    wrong,
    { reuse: [], place: caught.place },
    'failed',
    ['sloppy: reuse should have found /^asked \\d tokens$/. It did not.'],
  ],
  [
    'wrong client whose rule was not even judged',
    wrong,
    { place: caught.place },
    'failed',
    ['sloppy: reuse should have found /^asked \\d tokens$/. It did not.'],
  ],
  [
    'wrong client that is caught for another reason',
    wrong,
    { ...caught, reuse: ['asked no token', 'asked many tokens'] },
    'failed',
    ['sloppy: reuse should have found /^asked \\d tokens$/. It said: asked no token'],
  ],
  [
    'wrong client with a further rule broken',
    wrong,
    { ...caught, retry: ['it never came back'] },
    'failed',
    ['sloppy: retry failed, which nothing here explains. It said: it never came back'],
  ],
  ['permitted client with its strategy and warnings', permitted, warned, 'warned', []],
  ['permitted client without a warning', flawless, { reuse: [] }, 'warned', []],
  [
    'permitted client that is not certified',
    permitted,
    warned,
    'warned',
    ['unusual is permitted, and came out incomplete.'],
    { outcome: 'incomplete' },
  ],
  [
    'permitted client with another strategy',
    permitted,
    warned,
    'warned',
    ['unusual: its strategy is proactive, and both was seen.'],
    { strategy: 'both' },
  ],
  [
    'permitted client that was not warned',
    permitted,
    { early: [] },
    'warned',
    ['unusual: early should have warned /403/. It did not.'],
  ],
  [
    'permitted client that was warned of something else',
    permitted,
    { ...warned, pace: ['it hammers'] },
    'warned',
    ['unusual: pace warned, which nothing here explains. It said: it hammers'],
  ],
  [
    'permitted client that was warned in other words',
    permitted,
    { early: ['it was late'] },
    'warned',
    ['unusual: early should have warned /403/. It said: it was late'],
  ],
  [
    'permitted client that failed where a warning belongs',
    permitted,
    warned,
    'failed',
    [
      'unusual: early should have warned /403/. It did not.',
      'unusual: early failed, which nothing here explains. It said: it met a 403',
    ],
  ],
] as [
  string,
  WrongClient | PermittedClient,
  Record<string, string[]>,
  RuleVerdict,
  string[],
  Partial<Certificate>?,
][])
  test(`a ${what} ${faults.length > 0 ? 'is a fault' : 'is as it should be'}`, () => {
    const certificate = { ...certificateWith(findings, verdict), ...more };
    expect(clientResult(client, certificate).faults).toEqual(faults);
  });

test('a permitted client that could not be judged is a fault, with each reason once', () => {
  const certificate = certificateWith(warned, 'warned');
  const [rule] = certificate.rules;
  const untried = ['Too soon.', 'Too soon.', 'Too late.'].map(
    (reason) => ({ ...rule, verdict: 'could-not-run', reason, findings: [] }) as unknown as JudgedRule,
  );
  const { faults } = clientResult(permitted, {
    ...certificate,
    outcome: 'incomplete',
    rules: [...certificate.rules, ...untried],
  });
  expect(faults).toEqual(['unusual is permitted, and came out incomplete. Too soon. Too late.']);
});

test('what a wrong client may break, too, is not in its verdicts, since it differs between runs', () => {
  const { verdicts } = clientResult(wrong, certificateWith({ ...caught, pace: ['it hammers'] }, 'failed'));
  expect(verdicts).toBe('conformant: failed reuse place');
});

const wrongFeed = { name: 'w', summary: '', rule: 'range', says: /400/ } as const;
const permittedFeed = { name: 'p', summary: '', warns: { range: /5/ } };
for (const [what, feed, found, faults] of [
  ['wrong feed', wrongFeed, { range: ['failed', '400'] }, 0],
  ['wrong feed that is not reported', wrongFeed, {}, 1],
  ['wrong feed that is only warned of', wrongFeed, { range: ['warned', '400'] }, 2],
  ['wrong feed that is reported for another reason', wrongFeed, { range: ['failed', '401'] }, 1],
  ['wrong feed with another finding', wrongFeed, { range: ['failed', '400'], past: ['failed', 'x'] }, 1],
  ['permitted feed with its warning', permittedFeed, { range: ['warned', '5'] }, 0],
  ['permitted feed without its warning', permittedFeed, {}, 1],
  [
    'permitted feed with an unexpected one',
    permittedFeed,
    { range: ['warned', '5'], past: ['warned', ''] },
    1,
  ],
  ['permitted feed that fails', permittedFeed, { range: ['failed', '5'] }, 2],
] as const)
  test(`a ${what} has ${faults} faults`, () => {
    const rows = Object.entries(found).map(([id, [verdict, seen]]) => ({ id, verdict, said: [seen] }));
    expect(feedResult(feed, rows).faults).toHaveLength(faults);
  });

test('every wrong feed is reported by its rule, and every permitted one accepted', async () => {
  const results = await feedResults(selectNamed([]).feeds);
  expect(results.size).toBeGreaterThan(200);
  expect([...results.values()].flatMap(({ faults }) => faults)).toEqual([]);
});

test('every rule on single reads has a wrong feed', () => {
  const proved = new Set(wrongFeeds.map(({ rule }) => rule));
  expect(RULES.map(({ id }) => id).filter((id) => !proved.has(id))).toEqual(['stale', 'unstable-order']);
});

/** With so many findings of each rule; those that have some have this verdict. */
function certificateWith(findings: Record<string, readonly string[]>, verdict: RuleVerdict): Certificate {
  const rules = Object.entries(findings).map(
    ([id, said]): JudgedRule => ({
      ...{ id, verdict: said.length > 0 ? verdict : 'passed', statement: '', advice: '' },
      findings: said.map((seen) => ({ verdict: 'failed', scenario: 'steady', seen, calls: [] })),
    }),
  );
  const tokens = { asked: 0, needed: 0 };
  return { outcome: 'conformant', strategy: 'proactive', tokens, rules, scenarios: [] };
}
