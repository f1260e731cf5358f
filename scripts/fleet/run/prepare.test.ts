import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { type Entry, readInventory } from '../../../tests/fleet/inventory.ts';
import { prepareEntries } from './prepare.ts';

const service: Entry = {
  name: 'a',
  baseUrl: 'https://a.example',
  clientId: 'acme',
  clientSecret: { env: 'SECRET' },
  line: 3,
};
const feed: Entry = { name: 'f', feed: 'https://f.example/ods.json', line: 9 };
const env = { SECRET: 'of-a' };
const folder = () => {
  const path = test.info().outputPath('fleet');
  mkdirSync(path, { recursive: true });
  return path;
};
const prepareOn = (today: string, ...entries: Entry[]) =>
  prepareEntries(entries, { file: 'fleet.yaml', folder: folder(), env, today });
const prepare = (...entries: Entry[]) => prepareOn('2030-01-01', ...entries);

test('deployment is judged by mrs verify, and a feed by mrs feed, without its URL among the arguments', async () => {
  const url = 'https://f.example/ods.json?key=hunter2';
  const prepared = await prepare(service, { ...feed, feed: url, timeout: '5s', strict: true });
  expect(prepared.map(({ args }) => args)).toEqual([
    ['verify'],
    ['feed', '--profile', 'ods-record', '--timeout', '5s', '--strict'],
  ]);
  expect(prepared[1]?.variables.MRS_FEED).toBe(url);
});

for (const [what, entry, sentence] of [
  [
    'plain http',
    { ...service, baseUrl: 'http://a.example' },
    'fleet.yaml:3: deployment "a": baseUrl is plain http',
  ],
  [
    'a password in its URL',
    { ...service, baseUrl: 'https://x:hunter2@a.example' },
    'fleet.yaml:3: deployment "a": baseUrl holds credentials.',
  ],
  [
    'no client',
    { name: 'a', baseUrl: 'https://a.example', line: 3 },
    'fleet.yaml:3: deployment "a": clientId is missing.',
  ],
  [
    'an invalid lifetime',
    { ...service, tokenLifetime: 'soon' },
    'fleet.yaml:3: deployment "a": tokenLifetime is "soon"',
  ],
  ['an unknown profile', { ...service, profile: 'nrao' }, 'fleet.yaml:3: deployment "a": '],
  [
    'a baseline that is missing',
    { ...service, baseline: 'known.yaml' },
    'fleet.yaml:3: deployment "a": The baseline ',
  ],
  [
    'a feed with a password',
    { ...feed, feed: 'https://x:hunter2@f.example' },
    'fleet.yaml:9: deployment "f": The URL of the feed contains a user name or a password.',
  ],
  ['a feed that is missing', { ...feed, feed: 'ods.json' }, 'fleet.yaml:9: deployment "f": feed is '],
  [
    'a feed with a profile without records',
    { ...feed, profile: 'specification' },
    'fleet.yaml:9: deployment "f": profile is specification, which does not describe records.',
  ],
] as const)
  test(`entry with ${what} is refused with its line`, async () => {
    const message = await prepare(entry).then(String, (error: Error) => error.message);
    expect(message).toContain(sentence);
    expect(message).not.toContain('hunter2');
  });

test('all mistakes are reported with the lines of their settings, in the order of lines', async () => {
  const text = `deployments:
  - name: b
    baseUrl: http://b.example
    clientSecret: { env: NOT_SET }
    tokenLifetime: soon
    ca: /dev/zero
  - name: a
    feed: /dev/zero
    profile: specification
    clientId: x
  - name: A
    baseUrl: https://a.example
    clientId: x
    clientSecret: { env: SECRET }
    tokenLifetime: 60
    baseline: nowhere
`;
  const { entries, problems } = readInventory(text, 'fleet.yaml');
  const message = await prepareEntries(entries, { file: 'fleet.yaml', folder: folder(), env, problems }).then(
    String,
    (error: Error) => error.message,
  );
  expect(message.split('\n')).toEqual(
    [
      '2: deployment "b": clientId is missing.',
      '3: deployment "b": baseUrl is plain http',
      '4: deployment "b": clientSecret is in the variable NOT_SET, which is not set.',
      '5: deployment "b": tokenLifetime is "soon"',
      '6: deployment "b": The ca "/dev/zero" is not a regular file.',
      '8: deployment "a": feed is "/dev/zero", which is not a regular file.',
      '9: deployment "a": profile is specification',
      '10: deployment "a" has clientId, which a feed does not have.',
      '11: the name "A" is the one of line 7.',
      '16: deployment "A": The baseline "',
    ].map((sentence) => expect.stringContaining(`fleet.yaml:${sentence}`)),
  );
});

test('settings differ by what decides verdicts, and not by labels', async () => {
  const file = join(folder(), 'known.json');
  writeFileSync(file, '[]');
  const entry = { ...service, baseline: file };
  const digests = async (...entries: Entry[]) => (await prepare(...entries)).map(({ settings }) => settings);
  const [one, other] = await digests(entry, { ...entry, labels: ['x'], contact: 'y', line: 7 });
  expect(other).toBe(one);
  expect(new Set([one, ...(await digests(service, { ...entry, tokenLifetime: 60 }))]).size).toBe(3);
  writeFileSync(file, '[{"requirement":"MRS-2a","reason":"x","owner":"y","until":"2999-01-01"}]');
  expect(await digests(entry)).not.toEqual([one]);
});

test('settings differ once an entry of the baseline has run out, and not by the day', async () => {
  const file = join(folder(), 'known.json');
  writeFileSync(file, '[{"requirement":"MRS-2a","reason":"x","owner":"y","until":"2030-01-07"}]');
  const digest = async (today: string) =>
    (await prepareOn(today, { ...service, baseline: file }))[0]?.settings;
  const last = await digest('2030-01-07');
  expect(await digest('2030-01-01')).toBe(last);
  expect(await digest('2030-01-08')).not.toBe(last);
});

test('settings of a feed in a file differ by its content', async () => {
  const file = join(folder(), 'ods.json');
  const digest = async (content: string) => {
    writeFileSync(file, content);
    return (await prepare({ ...feed, feed: file }))[0]?.settings;
  };
  const first = await digest('{}');
  expect(await digest('{}')).toBe(first);
  expect(await digest('{ }')).not.toBe(first);
});
