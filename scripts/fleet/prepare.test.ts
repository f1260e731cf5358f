import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEPLOYMENT_OPTIONS } from '../../tests/server/probe/options.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { type Entry, readText } from './fleet-file.ts';
import { prepareEntries } from './prepare.ts';

const env = { SECRET: 'of-the-variable', GATEWAY_KEY: 'of-the-gateway' };
const service: Entry = {
  ...{ name: 'a', baseUrl: 'https://a.example/api', clientId: 'acme', tokenLifetime: '15m', line: 3 },
  clientSecret: { env: 'SECRET' },
};
const feed: Entry = { name: 'f', feed: 'https://f.example/ods.json', line: 9 };

function prepare(...entries: Entry[]) {
  const folder = outputPath('fleet');
  mkdirSync(folder, { recursive: true });
  for (const name of ['secret', 'known.yaml']) writeFileSync(`${folder}/${name}`, '[]\n');
  return prepareEntries(entries, { file: 'fleet.yaml', folder, env });
}

test('entry becomes what mrs verify judges, with its own secrets and with files next to the fleet file', async () => {
  const headers = { 'X-Api-Key': { env: 'GATEWAY_KEY' } };
  const files = { ...service, clientSecret: { file: 'secret' }, baseline: 'known.yaml' };
  const prepared = await prepare({ ...service, headers, healthPaths: ['/live'], safe: true }, files, feed);
  expect(prepared.map(({ secrets, host, address }) => [secrets.toSorted(), host, address])).toEqual([
    [['of-the-gateway', 'of-the-variable'], 'a.example', 'https://a.example/api'],
    [['[]'], 'a.example', 'https://a.example/api'],
    [[], 'f.example', 'https://f.example/ods.json'],
  ]);
});

for (const [what, entry, sentence] of [
  ['no client', { ...service, clientId: undefined }, '3: deployment "a": clientId is not set.'],
  ['plain http', { ...service, baseUrl: 'http://a.example' }, 'Use https, or give allowHttp: true.'],
  ['a timeout that is too long', { ...service, timeout: '2h' }, '"a": timeout is "2h". Give a duration'],
  ['a path that is none', { ...service, healthPaths: ['live'] }, '"a": healthPaths holds "live"'],
  ['no secret', { ...service, clientSecret: undefined }, 'or give clientSecret: { file: PATH }.'],
  [
    'a header that a run sets itself',
    { ...service, headers: { Cookie: { env: 'SECRET' } } },
    '"a": headers has Cookie, which',
  ],
  ['a lifetime that is none', { ...service, tokenLifetime: 'soon' }, 'tokenLifetime is "soon"'],
  ['a secret that is unset', { ...service, clientSecret: { env: 'OTHER' } }, 'the variable OTHER, which is'],
  ['a variable named like a method', { ...service, clientSecret: { env: 'toString' } }, 'in a variable,'],
  ['a secret for a variable', { ...service, clientSecret: { env: 'hunter2' } }, 'in a variable, which is'],
  [
    'a secret for the name of a header',
    { ...service, headers: { hunter2hunter2: { env: 'OTHER' } } },
    'headers: ‹…› is in the variable OTHER',
  ],
  ['a device for a secret', { ...service, clientSecret: { file: '/dev/zero' } }, 'is not a regular file'],
  ['a certificate that is missing', { ...service, ca: 'nowhere.pem' }, 'nowhere.pem'],
  ['a baseline that is missing', { ...service, baseline: 'nowhere' }, '3: deployment "a": The baseline '],
  ['a profile that is missing', { ...service, profile: 'nowhere.yaml' }, '3: deployment "a": '],
  ['a password', { ...feed, feed: 'https://x:hunter2@f.example' }, '9: deployment "f": The URL of the feed'],
  ['a profile without records', { ...feed, profile: 'specification' }, 'The profile specification does not'],
] as const)
  test(`entry with ${what} is refused with its line`, async () => {
    const message = await prepare(entry as Entry).then(String, (error: Error) => error.message);
    expect(message).toMatch(/^fleet\.yaml:\d: deployment/);
    expect(message).toContain(sentence);
    expect(message).not.toContain('hunter2');
  });

test('every option of mrs verify that is about a deployment is a setting', () => {
  const settings = `
deployments:
  - { name: a, baseUrl: https://a.example, clientId: x, clientSecret: { env: S }, expiredToken: { env: S },
      mockControlKey: { env: S }, ca: ca.pem, headers: { X-Api-Key: { env: K } }, profile: p, tokenLifetime: 60,
      healthPaths: [/live], userAgent: u/1, maxWait: 60, wait: 9, timeout: 5, safe: true, allowHttp: true,
      baseline: b.yaml }`;
  const [entry = {}] = readText(settings, 'fleet.yaml');
  const known = Object.keys(entry).map((name) => (name === 'headers' ? 'header' : name));
  const other = ['clientSecretFile', 'mock'];
  const options = Object.keys(DEPLOYMENT_OPTIONS);
  expect(options.filter((name) => !known.includes(name) && !other.includes(name))).toEqual([]);
});
