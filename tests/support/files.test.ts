import { symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, expect, test } from 'vitest';
import { createTemporaryFolder, readBounded, readSecretFile } from './files.ts';
import { outputPath } from './testing/output-path.ts';
import { UsageError } from './usage-error.ts';

test('a file is read up to the limit, also through a link', () => {
  const file = outputPath('file');
  const link = outputPath('link');
  writeFileSync(file, 'x'.repeat(2048));
  symlinkSync(file, link); // As in a volume of Kubernetes.
  expect(readBounded(link, 2048, 'The file')).toHaveLength(2048);
  expect(() => readBounded(file, 2047, 'The file')).toThrow('The file cannot be read (it is larger than');
});

for (const [text, secret] of [
  ['s3cret', 's3cret'],
  ['s3cret\n', 's3cret'],
  ['s3cret\r\n', 's3cret'],
  [' s3cret \n', ' s3cret '],
  ['s3cret\n\n', 's3cret\n'],
] as const)
  test(`a file with ${JSON.stringify(text)} holds the secret ${JSON.stringify(secret)}`, () => {
    expect(readSecretFile(file(text))).toBe(secret);
  });

test('an empty file and a missing one are refused with their name', () => {
  const empty = file('\n');
  expect(() => readSecretFile(empty)).toThrow(`The client secret file "${empty}" is empty.`);
  const latin = file('');
  writeFileSync(latin, Buffer.from('s3cr\xe9t', 'latin1'));
  expect(() => readSecretFile(latin)).toThrow(`The client secret file "${latin}" is not UTF-8.`);
  expect(() => readSecretFile('/nowhere/secret')).toThrow(
    'The client secret file "/nowhere/secret" cannot be read (ENOENT). Name a file you can read.',
  );
});

function file(text: string): string {
  const name = outputPath('secret');
  writeFileSync(name, text);
  return name;
}

const before = process.env.TMPDIR;
afterEach(() => {
  if (before === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = before;
});

test('a temporary directory that does not exist is named, with what to do', () => {
  process.env.TMPDIR = '/nowhere/at-all';
  expect(() => createTemporaryFolder('mrs-test-')).toThrow(
    new UsageError(
      'The temporary directory /nowhere/at-all cannot be used (ENOENT). Set TMPDIR to a directory that you can write to.',
    ),
  );
  expect(() => createTemporaryFolder('mrs-test-')).toThrow(UsageError);
});
