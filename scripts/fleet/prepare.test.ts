import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { VERIFY_OPTIONS } from '../commands/verify.ts';
import { type Entry, readText } from './fleet-file.ts';
import { prepareEntries, type ServiceSettings } from './prepare.ts';

const env = { SECRET: 'of-the-variable', GATEWAY_KEY: 'of-the-gateway' };
const service: Entry = {
  name: 'a',
  baseUrl: 'https://a.example/api',
  clientId: 'acme',
  clientSecret: { env: 'SECRET' },
  tokenLifetime: '15m',
  line: 3,
};
const feed: Entry = { name: 'f', feed: 'https://f.example/ods.json', line: 9 };

/** An empty folder of the test, with a file of each of these names. */
function folderWith(...names: string[]): string {
  const folder = test.info().outputPath('fleet');
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(`${folder}/${name}`, '[]\n');
  return folder;
}

const prepare = (entries: Entry[], folder = folderWith()) =>
  prepareEntries(entries, { file: 'fleet.yaml', folder, env, problems: [] });

test('entry becomes the target of mrs verify, with its own secrets', async () => {
  const [{ judge, secrets, host } = {}] = await prepare([
    {
      ...service,
      headers: { 'X-Api-Key': { env: 'GATEWAY_KEY' } },
      healthPaths: ['/live', 'POST /ready'],
      safe: true,
    },
  ]);
  expect((judge as ServiceSettings).target).toMatchObject({
    baseUrl: 'https://a.example/api',
    clientId: 'acme',
    clientSecret: 'of-the-variable',
    tokenLifetimeSeconds: 900,
    healthPaths: ['/live', 'POST /ready'],
    safe: true,
  });
  expect([secrets, host]).toEqual([['of-the-variable', 'of-the-gateway'], 'a.example']);
});

test('files are relative to the fleet file', async () => {
  const folder = folderWith('secret', 'known.yaml');
  const entry = { ...service, clientSecret: { file: 'secret' }, baseline: 'known.yaml' };
  const [{ judge, secrets } = {}] = await prepare([entry], folder);
  expect([secrets, (judge as ServiceSettings).baseline]).toEqual([['[]'], []]);
});

for (const [what, entry, sentence] of [
  [
    'no client',
    { ...service, clientId: undefined },
    '3: deployment "a": clientId is missing. Add it to the deployment',
  ],
  ['plain http', { ...service, baseUrl: 'http://a.example' }, '3: deployment "a": baseUrl is plain http'],
  [
    'a lifetime that is none',
    { ...service, tokenLifetime: 'soon' },
    '3: deployment "a": tokenLifetime is "soon"',
  ],
  [
    'a secret that is not set',
    { ...service, clientSecret: { env: 'OTHER' } },
    'the variable OTHER, which is not set.',
  ],
  [
    'a variable with the name of a method',
    { ...service, clientSecret: { env: 'toString' } },
    'clientSecret is in a variable, which is not set.',
  ],
  [
    'a secret in the place of a variable',
    { ...service, clientSecret: { env: 'hunter2' } },
    'clientSecret is in a variable, which is not set.',
  ],
  [
    'a secret file that is a device',
    { ...service, clientSecret: { file: '/dev/zero' } },
    '"/dev/zero" cannot be read (it is not a regular file).',
  ],
  ['a certificate that is missing', { ...service, ca: 'nowhere.pem' }, 'nowhere.pem'],
  ['a baseline that is missing', { ...service, baseline: 'known.yaml' }, '3: deployment "a": The baseline '],
  ['a profile that is missing', { ...service, profile: 'nowhere.yaml' }, '3: deployment "a": '],
  [
    'a feed with a password',
    { ...feed, feed: 'https://x:hunter2@f.example' },
    '9: deployment "f": The URL of the feed contains',
  ],
  ['a feed that is missing', { ...feed, feed: 'ods.json' }, '9: deployment "f": The feed "'],
  [
    'a feed with a profile without records',
    { ...feed, profile: 'specification' },
    '9: deployment "f": profile is specification',
  ],
] as const)
  test(`entry with ${what} is refused with its line`, async () => {
    const message = await prepare([entry as Entry]).then(String, (error: Error) => error.message);
    expect(message).toContain(sentence);
    expect(message).not.toContain('hunter2');
  });

test('mistakes of all entries are reported in the order of lines', async () => {
  const text = `deployments:
  - name: b
    baseUrl: https://b.example
    clientId: x
    clientSecret: { env: NOT_SET }
  - name: a
    feed: /dev/zero
    clientId: x
  - name: A
    baseUrl: https://a.example
    clientId: x
    clientSecret: { env: SECRET }
    baseline: nowhere
`;
  const { entries, problems } = readText(text, 'fleet.yaml');
  const message = await prepareEntries(entries, {
    file: 'fleet.yaml',
    folder: folderWith(),
    env,
    problems,
  }).then(String, (error: Error) => error.message);
  expect(message.split('\n')).toEqual(
    [
      '5: deployment "b": clientSecret is in the variable NOT_SET, which is not set.',
      '7: deployment "a": The feed "/dev/zero" is not a regular file.',
      '8: deployment "a" has clientId, which a feed does not have.',
      '9: the name "A" is already used in line 6.',
      '13: deployment "A": The baseline ',
    ].map((sentence) => expect.stringContaining(`fleet.yaml:${sentence}`)),
  );
});

test('every option of mrs verify that is about a deployment is a setting', () => {
  const settings = `
deployments:
  - { name: a, baseUrl: https://a.example, clientId: x, clientSecret: { env: S }, expiredToken: { env: S },
      mockControlKey: { env: S }, ca: ca.pem, headers: { X-Api-Key: { env: K } }, profile: p, tokenLifetime: 60,
      healthPaths: [/live], userAgent: u/1, maxWait: 60, timeout: 5, bodyLimit: 1, safe: true, allowHttp: true,
      baseline: b.yaml }`;
  const [entry = {}] = readText(settings, 'fleet.yaml').entries;
  const known = Object.keys(entry).map((name) => (name === 'headers' ? 'header' : name));
  const other = ['clientSecretFile', 'reportDir'];
  const options = Object.entries(VERIFY_OPTIONS).flatMap(([name, row]) => ('variable' in row ? [name] : []));
  expect(options.filter((name) => !known.includes(name) && !other.includes(name))).toEqual([]);
});
