import { writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { readSecretFile } from './secret-file.ts';

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
  expect(() => readSecretFile('/nowhere/secret')).toThrow(
    'The client secret file "/nowhere/secret" cannot be read (ENOENT). Name a file you can read.',
  );
});

function file(text: string): string {
  const name = test.info().outputPath('secret');
  writeFileSync(name, text);
  return name;
}
