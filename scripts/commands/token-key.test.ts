import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { keyIn } from './mock.ts';

test('a key is the bytes of its file, of which only ASCII white space at the end is left out', () => {
  const kept = Buffer.from([0x20, 0x80, 0x0a, 0xbf, 0xff, 0xc2, 0xa0, 0x08, 0x0e, 0x1f, 0x21]);
  const space = Buffer.from([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20]);
  const name = outputPath('token.key');
  writeFileSync(name, Buffer.concat([kept, space]));
  expect(keyIn(name)).toEqual(kept);
  writeFileSync(name, '\n');
  expect(keyIn(name)).toEqual(Buffer.from('')); // which the mock refuses
});

for (const [what, name, code] of [
  ['is missing', '/nowhere/token.key', 'ENOENT'],
  ['is a folder', '/', 'EISDIR'],
] as const)
  test(`a file that ${what} is refused with its name and a command that makes one`, () => {
    expect(() => keyIn(name)).toThrow(UsageError);
    expect(() => keyIn(name)).toThrow(
      `The token key file "${name}" cannot be read (${code}). Name a file you can read, or make one: (umask`,
    );
  });
