import { writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { UsageError } from '../../tests/support/usage-error.ts';
import { givenTokenKey } from './token-key.ts';

const KEY = 'k'.repeat(40);

function file(text: string): string {
  const name = test.info().outputPath('token.key');
  writeFileSync(name, text);
  return name;
}

test('a key comes from a file, without the line end after it, or from the environment', () => {
  expect(givenTokenKey(file(`${KEY}\n`), {})).toBe(KEY);
  expect(givenTokenKey(undefined, { MRS_TOKEN_KEY: KEY })).toBe(KEY);
  expect(givenTokenKey(undefined, { MRS_TOKEN_KEY: '' })).toBeUndefined();
});

test('an empty file is an empty key, which the mock refuses, and not a missing one', () => {
  expect(givenTokenKey(file('\n'), {})).toBe('');
});

test('a key that is given twice is refused, without repeating it', () => {
  const given = () => givenTokenKey(file(KEY), { MRS_TOKEN_KEY: KEY });
  expect(given).toThrow(UsageError);
  expect(given).toThrow(/^A token key is given twice/);
  expect(given).not.toThrow(new RegExp(KEY));
});

for (const [what, name, code] of [
  ['is missing', '/nowhere/token.key', 'ENOENT'],
  ['is a folder', '/', 'EISDIR'],
  ['never ends', '/dev/zero', 'it has no end'],
] as const)
  test(`a file that ${what} is refused with its name and a command that makes one`, () => {
    expect(() => givenTokenKey(name, {})).toThrow(UsageError);
    expect(() => givenTokenKey(name, {})).toThrow(
      `The token key file "${name}" cannot be read (${code}). Name a file you can read, or make one: (umask`,
    );
  });
