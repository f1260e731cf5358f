import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { createSecrets } from '../../support/secrets.ts';
import { UsageError } from '../../support/usage-error.ts';
import type { Target } from './target.ts';
import { type KeptToken, openVault } from './vault.ts';

const owner: Target = {
  baseUrl: 'https://mrs.example/a',
  clientId: 'station',
  clientSecret: 'hunter2-hunter2',
  healthPaths: [],
  maxWaitSeconds: 120,
  timeoutSeconds: 10,
  bodyLimitBytes: 1024,
  safe: false,
  allowUploads: false,
};
const kept: KeptToken = { token: 'token-token-token', obtainedAt: 1_795_192_268_656, lifetimeSeconds: 3600 };

const foreign = (file: string) =>
  `The token vault ${file} was written for another deployment, client or secret. Name another file.`;

test('a missing vault has no token, and looking does not create one', () => {
  const file = vaultFile();
  expect(openVault(file, owner).read()).toBeUndefined();
  expect(readdirSync(dirname(file))).toEqual([]);
});

test('a later run finds the token that an earlier one left', () => {
  const file = writtenVault();
  expect(openVault(file, owner).read()).toEqual(kept);
});

for (const [what, difference] of [
  ['another base URL', { baseUrl: 'https://mrs.example/b' }],
  ['another client', { clientId: 'other' }],
  ['another secret', { clientSecret: 'hunter3-hunter3' }],
  ['the same letters parted otherwise', { baseUrl: 'https://mrs.example/as', clientId: 'tation' }],
] as const)
  test(`a vault opens only for its owner: ${what}`, () => {
    const file = writtenVault();
    expect(complaint(file, { ...owner, ...difference })).toBe(foreign(file));
  });

for (const part of ['salt', 'nonce', 'tag', 'text'])
  for (const [how, spoil] of [
    ['altered', (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at === 3 ? byte ^ 1 : byte)))],
    ['missing', () => undefined],
  ] as const)
    test(`a vault whose ${part} is ${how} does not open`, () => {
      const file = writtenVault();
      const sealed = JSON.parse(readFileSync(file, 'utf8'));
      const spoilt = spoil(Buffer.from(sealed[part], 'base64'))?.toString('base64');
      writeFileSync(file, JSON.stringify({ ...sealed, [part]: spoilt }));
      expect(complaint(file)).toBe(foreign(file));
    });

for (const part of ['text', 'tag'])
  test(`a vault whose ${part} is cut short does not open`, () => {
    const file = writtenVault();
    const sealed = JSON.parse(readFileSync(file, 'utf8'));
    const cut = Buffer.from(sealed[part], 'base64').subarray(0, 12).toString('base64');
    writeFileSync(file, JSON.stringify({ ...sealed, [part]: cut }));
    expect(complaint(file)).toBe(foreign(file));
  });

test('a vault in a missing directory is reported before anything is sent', () => {
  const file = join(vaultFile(), 'none', 'vault.json');
  expect(complaint(file)).toBe(
    `The token vault ${file} is in no directory that can be written to. Name another file.`,
  );
});

for (const [what, textFor] of [
  ['an empty file', () => ''],
  ['half a vault', (whole: string) => whole.slice(0, whole.length / 2)],
  ['a token', () => 'token-token-token'],
  ['null', () => 'null'],
  ['an array', () => '[1]'],
  ['an object of something else', () => '{"token":"token-token-token"}'],
  ['a vault of a later version', (whole: string) => whole.replace('"version":1', '"version":2')],
] as const)
  test(`${what} is not a vault`, () => {
    const file = writtenVault();
    writeFileSync(file, textFor(readFileSync(file, 'utf8')));
    expect(complaint(file)).toBe(
      `${file} is not a token vault. Name another file; a missing file is created.`,
    );
  });

test('an unreadable vault is reported with the reason', () => {
  const file = vaultFile();
  mkdirSync(file);
  expect(complaint(file)).toBe(`The token vault ${file} cannot be read (EISDIR). Name a file you can read.`);
});

test('no one else can read the file, whoever could read the one before', () => {
  const file = vaultFile();
  writeFileSync(file, '', { mode: 0o644 });
  openVault(file, owner).write(kept);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('the file holds neither token nor secret, plain or encoded', () => {
  const text = readFileSync(writtenVault(), 'utf8');
  const secrets = createSecrets();
  secrets.register(kept.token, 'token');
  secrets.register(owner.clientSecret, 'client secret');
  const decoded = text.match(/[\w+/]+=*/g)?.map((word) => Buffer.from(word, 'base64').toString('latin1'));
  expect(secrets.leaks([text, ...(decoded ?? [])].join(' '))).toEqual([]);
});

test('the same token is never written the same way', () => {
  const [one, other] = ['one', 'other'].map((name) => JSON.parse(readFileSync(writtenVault(name), 'utf8')));
  for (const part of ['salt', 'nonce', 'tag', 'text']) expect(one[part]).not.toBe(other[part]);
});

test('a newer token replaces the old one, and no other file remains', () => {
  const file = writtenVault();
  const newer = { token: 'new', obtainedAt: 1, lifetimeSeconds: 1 };
  openVault(file, owner).write(newer);
  expect(openVault(file, owner).read()).toEqual(newer);
  expect(readdirSync(dirname(file))).toEqual(['vault.json']);
});

test('a vault that cannot be written is an error with a sentence, and leaves nothing', () => {
  const file = vaultFile();
  const vault = openVault(file, owner);
  mkdirSync(file);
  expect(() => vault.write(kept)).toThrow(
    new UsageError(
      `The token vault ${file} cannot be written (EISDIR). Name another file, in a directory with free space.`,
    ),
  );
  expect(readdirSync(dirname(file))).toEqual(['vault.json']);
});

test('a vault is not written through a link with the name of a draft', () => {
  const file = vaultFile();
  const victim = join(dirname(file), 'victim');
  writeFileSync(victim, 'mine');
  symlinkSync(victim, `${file}.${process.pid}`);
  openVault(file, owner).write(kept);
  expect(readFileSync(victim, 'utf8')).toBe('mine');
  expect(lstatSync(file).isFile()).toBe(true);
});

function vaultFile(name = 'vault'): string {
  const file = test.info().outputPath(`${name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

function writtenVault(name?: string): string {
  const file = vaultFile(name);
  openVault(file, owner).write(kept);
  return file;
}

function complaint(file: string, target = owner): string {
  try {
    openVault(file, target).read();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'none';
}
