import { readdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, _baseTest as test } from '@playwright/test';
import { createTemporaryFolder } from './temporary-folder.ts';
import { UsageError } from './usage-error.ts';

const before = process.env.TMPDIR;
test.afterEach(() => {
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

test('a temporary directory without enough space is named, and nothing is left in it', () => {
  const before = readdirSync(tmpdir()).filter((name) => name.startsWith('mrs-full-'));
  expect(() => createTemporaryFolder('mrs-full-', Number.MAX_SAFE_INTEGER)).toThrow(
    /^The temporary directory .* has \d+ KiB of free space, and a run needs \d+/,
  );
  expect(readdirSync(tmpdir()).filter((name) => name.startsWith('mrs-full-'))).toEqual(before);
});

test('a folder is created where there is space', () => {
  const folder = createTemporaryFolder('mrs-test-', 1);
  rmdirSync(folder);
});
