import { writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { UsageError } from '../../tests/support/usage-error.ts';
import { givenTokenKey } from '../commands/mock.ts';

const KEY = 'k'.repeat(40);

const bytes = (text: string) => Buffer.from(text);

function file(content: string | Uint8Array): string {
  const name = test.info().outputPath('token.key');
  writeFileSync(name, content);
  return name;
}

test('a key comes from a file, without the line end after it, or from the environment', () => {
  expect(givenTokenKey(file(`${KEY}\n`), {})).toEqual(bytes(KEY));
  expect(givenTokenKey(undefined, { MRS_TOKEN_KEY: `${KEY} é` })).toEqual(bytes(`${KEY} é`));
  expect(givenTokenKey(undefined, { MRS_TOKEN_KEY: '' })).toBeUndefined();
});

test('an empty file is an empty key, which the mock refuses, and not a missing one', () => {
  expect(givenTokenKey(file('\n'), {})).toEqual(bytes(''));
});

test('a key in a file is its bytes, of which only ASCII white space at the end is left out', () => {
  const kept = Buffer.from([0x20, 0x80, 0x0a, 0xbf, 0xff, 0xc2, 0xa0, 0x08, 0x0e, 0x1f, 0x21]);
  const space = Buffer.from([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20]);
  expect(givenTokenKey(file(Buffer.concat([kept, space])), {})).toEqual(kept);
});

test('a variable that is not UTF-8 is refused, since Node.js cannot tell such keys apart', () => {
  const given = () => givenTokenKey(undefined, { MRS_TOKEN_KEY: `${KEY}\uFFFD` });
  expect(given).toThrow(UsageError);
  expect(given).toThrow(/^MRS_TOKEN_KEY is not valid UTF-8\. Put the key into a file/);
  expect(given).not.toThrow(new RegExp(KEY));
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
] as const)
  test(`a file that ${what} is refused with its name and a command that makes one`, () => {
    expect(() => givenTokenKey(name, {})).toThrow(UsageError);
    expect(() => givenTokenKey(name, {})).toThrow(
      `The token key file "${name}" cannot be read (${code}). Name a file you can read, or make one: (umask`,
    );
  });
