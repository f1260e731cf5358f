import { expect, _baseTest as test } from '@playwright/test';
import { UsageError } from '../../tests/support/usage-error.ts';
import { readText, refuse } from './fleet-file.ts';

const SECRET = 'hunter2-is-the-secret';

/** The sentences about a text. */
function problemsOf(text: string): string[] {
  try {
    refuse(readText(text, 'fleet.yaml').problems, 'fleet.yaml');
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message.split('\n');
  }
}

test('entries are sorted by name and inherit the defaults, unless they have their own', () => {
  const { entries } = readText(
    `
defaults: { clientId: acme, tokenLifetime: 60, labels: [all] }
deployments:
  - { name: b, baseUrl: https://b.example, tokenLifetime: 15m }
  - { name: a, baseUrl: https://a.example, clientSecret: { env: A } }
`,
    'fleet.yaml',
  );
  expect(entries).toEqual([
    {
      name: 'a',
      baseUrl: 'https://a.example',
      clientId: 'acme',
      tokenLifetime: 60,
      labels: ['all'],
      clientSecret: { env: 'A' },
      line: 5,
      lines: { name: 5, baseUrl: 5, clientSecret: 5, clientId: 2, tokenLifetime: 2, labels: 2 },
    },
    {
      name: 'b',
      baseUrl: 'https://b.example',
      clientId: 'acme',
      tokenLifetime: '15m',
      labels: ['all'],
      line: 4,
      lines: { name: 4, baseUrl: 4, tokenLifetime: 4, clientId: 2, labels: 2 },
    },
  ]);
});

test('feed inherits what a feed has, and no profile', () => {
  const text = `
defaults: { clientId: acme, profile: nrao-ods, timeout: 5s, strict: true }
deployments: [{ name: a, feed: ods.json }, { name: b, baseUrl: https://b.example }]
`;
  const { entries } = readText(text, 'fleet.yaml');
  expect(entries.map(({ lines: _, ...entry }) => entry)).toEqual([
    { name: 'a', feed: 'ods.json', timeout: '5s', strict: true, line: 3 },
    {
      name: 'b',
      baseUrl: 'https://b.example',
      clientId: 'acme',
      profile: 'nrao-ods',
      timeout: '5s',
      line: 3,
    },
  ]);
});

for (const [mistake, yaml, expected] of [
  ['a list that is empty', 'deployments: []', 'fleet.yaml:1: deployments is invalid. Write a list'],
  ['nothing', '', 'fleet.yaml:1: the file is empty; it needs `deployments:`.'],
  ['a list at the top', '- name: a', 'fleet.yaml:1: the file is not a map; it needs `deployments:`.'],
  ['no list', 'defaults: {}', 'fleet.yaml:1: deployments is missing.'],
  ['no name', 'deployments:\n  - baseUrl: https://a.example', 'fleet.yaml:2: deployment 1: name is missing.'],
  [
    'a name that leads out of its folder',
    'deployments:\n  - name: ../../etc\n    feed: x',
    'fleet.yaml:2: deployment 1: name is "../../etc". Write letters, digits',
  ],
  ['no address', 'deployments:\n  - name: a', 'fleet.yaml:2: deployment "a" has neither baseUrl nor feed.'],
  [
    'two addresses',
    'deployments:\n  - { name: a, feed: x, baseUrl: https://a.example }',
    'fleet.yaml:2: deployment "a" has baseUrl and feed.',
  ],
  [
    'a name twice',
    'deployments:\n  - { name: a, feed: x }\n  - { name: A, feed: y }',
    'fleet.yaml:3: the name "A" is already used in line 2.',
  ],
  [
    'an unknown setting',
    'deployments:\n  - name: a\n    feed: x\n    label: [b]',
    'fleet.yaml:4: deployment "a": "label" is not a setting. The nearest is labels.',
  ],
  [
    'a setting of deployments at a feed',
    'deployments:\n  - name: a\n    feed: x\n    clientId: b',
    'fleet.yaml:4: deployment "a" has clientId, which a feed does not have.',
  ],
  [
    'an unknown default',
    'defaults: { nme: a }\ndeployments: [{ name: a, feed: x }]',
    'fleet.yaml:1: defaults: "nme" is not a setting.',
  ],
  [
    'a switch that is a word',
    'deployments:\n  - name: a\n    baseUrl: https://a.example\n    safe: maybe',
    'fleet.yaml:4: deployment "a": safe is "maybe". Write true or false.',
  ],
  [
    'an alias within its own anchor',
    'deployments:\n  - &d\n    name: a\n    feed: x\n    labels: *d',
    'fleet.yaml:5: an alias (*) cannot be resolved.',
  ],
  [
    'two keys that are equal',
    'deployments: []\ndeployments: []',
    'fleet.yaml:2: the setting is there twice. Remove one of them.',
  ],
] as const)
  test(`fleet file with ${mistake} is refused with its line`, () => {
    expect(problemsOf(yaml)).toEqual([expect.stringContaining(expected)]);
  });

for (const [where, yaml] of [
  ['in the place of an entry', `deployments:\n  - ${SECRET}`],
  [
    'as the client secret',
    `deployments:\n  - name: a\n    baseUrl: https://a.example\n    clientSecret: ${SECRET}`,
  ],
  [
    'within the reference',
    `deployments:\n  - name: a\n    baseUrl: https://a.example\n    clientSecret: { value: ${SECRET} }`,
  ],
  [
    'as the name of a variable',
    `deployments:\n  - name: a\n    baseUrl: https://a.example\n    clientSecret: { env: ${SECRET} }`,
  ],
  ['among the defaults', `defaults:\n  clientSecret: ${SECRET}\ndeployments: [{ name: a, feed: x }]`],
  [
    'as the key of a mock',
    `deployments:\n  - name: a\n    baseUrl: https://a.example\n    mockControlKey: ${SECRET}`,
  ],
  [
    'as the value of a header',
    `deployments:\n  - name: a\n    baseUrl: https://a.example\n    headers: { X-Key: ${SECRET} }`,
  ],
  ['as an address', `deployments:\n  - name: a\n    baseUrl: { x: ${SECRET} }`],
  ['in a line that is not YAML', `deployments:\n  - name: a\n    clientSecret: "${SECRET}\n`],
  ['after a mark of YAML', `deployments:\n  - name: a\n    clientSecret: *${SECRET}\n`],
] as const)
  test(`secret ${where} is refused and not repeated`, () => {
    const problems = problemsOf(yaml);
    expect(problems).toEqual([expect.stringMatching(/^fleet\.yaml:\d: /)]);
    expect(problems.join()).not.toContain('hunter2');
  });

test('all mistakes are reported together', () => {
  const problems = problemsOf('deployments:\n  - { name: a, feed: x, safe: 1 }\n  - { nam: b, feed: x }');
  expect(problems.map((problem) => problem.slice(0, 12))).toEqual([
    'fleet.yaml:2',
    'fleet.yaml:3',
    'fleet.yaml:3',
  ]);
});

test('secret that is written into the file is refused with what to write instead', () => {
  const yaml = `deployments:\n  - name: a\n    baseUrl: https://a.example\n    clientSecret: ${SECRET}`;
  expect(problemsOf(yaml)).toEqual([
    'fleet.yaml:4: deployment "a": clientSecret does not name where the secret is. ' +
      'Write { env: VARIABLE } or { file: PATH }; never write the secret itself.',
  ]);
});

test('mistakes are reported in the order of lines, the first 20 of them', () => {
  const many = Array.from({ length: 30 }, (_, at) => `  - { name: a${at}, feed: x, safe: true, ca: x }`).join(
    '\n',
  );
  const problems = problemsOf(`deployments:\n  - { name: A1, feed: x }\n${many}`);
  const lines = problems.slice(0, -1).map((problem) => Number(problem.split(':')[1]));
  expect([lines.length, lines[0], lines.at(-1)]).toEqual([20, 3, 12]);
  expect(lines).toEqual(lines.toSorted((one, other) => one - other));
  expect(problems.at(-1)).toBe('41 more');
});

for (const [what, yaml, expected] of [
  [
    '400,000 entries',
    `deployments: [${'{},'.repeat(400_000)}]`,
    'fleet.yaml is longer than 1000000 characters. Divide the fleet.',
  ],
  [
    '100,000 unknown settings',
    `deployments:\n${Array.from({ length: 100_000 }, (_, at) => `k${at}:`).join('\n')}`,
    'fleet.yaml has more than 50000 lines. Divide the fleet.',
  ],
  [
    '2001 entries',
    `deployments: [${'{},'.repeat(2001)}]`,
    'fleet.yaml:1: deployments has 2001 entries, and 2000 are allowed. Divide the fleet.',
  ],
] as const)
  test(`fleet file with ${what} is refused without a look at all of them`, () => {
    expect(problemsOf(yaml)[0]).toContain(expected);
  });
