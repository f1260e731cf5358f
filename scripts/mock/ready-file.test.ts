import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { UsageError } from '../../tests/support/usage-error.ts';
import { writeReadyFile } from './ready-file.ts';

const ready = { url: 'http://127.0.0.1:4010', key: 'a-key', pid: 17 };

function folder(): string {
  const made = test.info().outputPath('ready');
  mkdirSync(made, { recursive: true });
  return made;
}

test('a ready file holds URL, key and process, is private, and is removed', () => {
  const file = join(folder(), 'mock.json');
  const remove = writeReadyFile(file, ready);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(ready);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  remove();
  expect(readdirSync(folder())).toEqual([]);
});

test('a ready file of an earlier mock is replaced', () => {
  const file = join(folder(), 'mock.json');
  writeReadyFile(file, ready);
  writeReadyFile(file, { ...ready, pid: 18 });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: 18 });
});

test('a ready file that cannot be written is named, and nothing is left', () => {
  expect(() => writeReadyFile('/nowhere/at-all/mock.json', ready)).toThrow(UsageError);
  expect(() => writeReadyFile(folder(), ready)).toThrow(
    /^--ready-file .* cannot be written \(EISDIR\)\. Name a file in a directory that you can write to\.$/,
  );
  expect(readdirSync(join(folder(), '..'))).toEqual(['ready']);
});
