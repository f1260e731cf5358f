import { expect, test } from 'vitest';
import { UsageError } from '../../tests/support/usage-error.ts';
import { readText } from './fleet-file.ts';

const SECRET = 'hunter2-is-the-secret';

/** The sentences about a text. */
function problemsOf(text: string): string[] {
  try {
    readText(text, 'fleet.yaml');
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message.split('\n');
  }
}

/** An entry with this setting. */
const withSetting = (setting: string) =>
  `deployments:\n  - name: a\n    baseUrl: https://a.example\n    ${setting}`;

test('entries are sorted by name and inherit the defaults; feeds inherit what feeds have, and no profile', () => {
  const text = `
defaults: { clientId: acme, tokenLifetime: 60, labels: [all], profile: nrao-ods, timeout: 5s, strict: true }
deployments:
  - { name: b, baseUrl: https://b.example, tokenLifetime: 15m, clientSecret: { env: A } }
  - { name: a, feed: ods.json }
`;
  expect(readText(text, 'fleet.yaml')).toEqual([
    { name: 'a', feed: 'ods.json', labels: ['all'], timeout: '5s', strict: true, line: 5 },
    {
      ...{ name: 'b', baseUrl: 'https://b.example', clientId: 'acme', tokenLifetime: '15m', labels: ['all'] },
      ...{ profile: 'nrao-ods', timeout: '5s', clientSecret: { env: 'A' }, line: 4 },
    },
  ]);
});

for (const [mistake, yaml, expected] of [
  ['a list that is empty', 'deployments: []', '1: deployments is invalid. Write a list'],
  ['nothing', '', '1: deployments is missing. Add it.'],
  ['a list at the top', '- name: a', '1: the file is invalid. Write a map with deployments,'],
  ['no name', 'deployments:\n  - baseUrl: https://a.example', '2: name is missing.'],
  ['a name that leads out', 'deployments:\n  - name: ../../etc\n    feed: x', '2: name is invalid.'],
  ['no address', 'deployments:\n  - name: a', '2: baseUrl is missing. Add it.'],
  ['two addresses', withSetting('feed: x'), '3: "baseUrl" is not a setting here. Remove it.'],
  [
    'a name twice',
    'deployments:\n  - { name: a, feed: x }\n  - { name: A, feed: y }',
    '3: deployment "A" has the name of another.',
  ],
  [
    'a setting with its value in its name',
    withSetting(`"clientSecret:${SECRET}": b`),
    '4: "clientSecret…" is not a setting here. Remove it.',
  ],
  ['an unknown setting', withSetting('region: b'), '4: "region" is not a setting here. Remove it.'],
  [
    'a mistyped setting',
    withSetting('healthpaths: [/live]'),
    '4: "healthpaths" is not a setting here. Did you mean healthPaths?',
  ],
  [
    'a setting of deployments at a feed',
    'deployments:\n  - { name: a, feed: x, clientId: b }',
    '2: "clientId" is not a setting here.',
  ],
  [
    'an unknown default',
    'defaults: { nme: a }\ndeployments: [{ name: a, feed: x }]',
    '1: "nme" is not a setting here.',
  ],
  ['a switch that is a word', withSetting('safe: maybe'), '4: safe is invalid. Write true or false.'],
  ['a number for a label', withSetting('labels: [1]'), '4: an item of labels is invalid. Write a word of'],
  [
    'a number for an id',
    withSetting('clientId: 7'),
    '4: clientId is invalid. Write the id of the client as text, in quotes if',
  ],
  ['a setting that is empty', withSetting('userAgent:'), '4: userAgent is invalid. Write the user agent of'],
  [
    'an alias within its own anchor',
    'deployments:\n  - &d\n    name: a\n    feed: x\n    labels: *d',
    '5: labels is invalid.',
  ],
  ['two keys that are equal', 'deployments: []\ndeployments: []', '2: this is not YAML, or a setting'],
  ['2001 entries', `deployments: [${'{},'.repeat(2001)}]`, '1: deployments is invalid. Write a list'],
] as const)
  test(`fleet file with ${mistake} is refused with its line`, () => {
    expect(problemsOf(yaml)[0]).toContain(`fleet.yaml:${expected}`);
  });

for (const [where, yaml] of [
  ['in the place of an entry', `deployments:\n  - ${SECRET}`],
  ['as the client secret', withSetting(`clientSecret: ${SECRET}`)],
  ['within the reference', withSetting(`clientSecret: { value: ${SECRET} }`)],
  ['as the name of a variable', withSetting(`clientSecret: { env: ${SECRET} }`)],
  ['among the defaults', `defaults:\n  clientSecret: ${SECRET}\ndeployments: [{ name: a, feed: x }]`],
  ['as the key of a mock', withSetting(`mockControlKey: ${SECRET}`)],
  ['as the value of a header', withSetting(`headers: { X-Key: ${SECRET} }`)],
  ['in the name of a header', withSetting(`headers: { "X-Key: ${SECRET}": { env: KEY } }`)],
  ['as an address', `deployments:\n  - name: a\n    baseUrl: { x: ${SECRET} }`],
  ['in a line that is not YAML', `deployments:\n  - name: a\n    clientSecret: "${SECRET}\n`],
  ['after a mark of YAML', `deployments:\n  - name: a\n    clientSecret: *${SECRET}\n`],
] as const)
  test(`secret ${where} is refused and not repeated`, () => {
    const problems = problemsOf(yaml);
    expect(problems[0]).toMatch(/^fleet\.yaml:(\d:)? /);
    expect(problems.join()).not.toContain('hunter2');
  });

test('mistakes are reported together in the order of lines, the first 20 of them', () => {
  const many = Array.from({ length: 30 }, (_, at) => `  - { name: a${at}, feed: x, safe: true }`).join('\n');
  const lines = problemsOf(`deployments:\n${many}`).map((one) => one.split(':')[1]);
  expect(lines).toEqual(Array.from({ length: 20 }, (_, at) => String(at + 2)));
});
