import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
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

test('a ready file of an earlier mock is replaced, and an empty one as mktemp leaves it', () => {
  const file = join(folder(), 'mock.json');
  writeFileSync(file, '');
  writeReadyFile(file, ready);
  writeReadyFile(file, { ...ready, pid: 18 });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: 18 });
});

test('a ready file that cannot be written is named, and nothing is left', () => {
  expect(() => writeReadyFile('/nowhere/at-all/mock.json', ready)).toThrow(UsageError);
  expect(() => writeReadyFile(join(folder(), 'none/mock.json'), ready)).toThrow(
    /^--ready-file .* cannot be written \(ENOENT\)\. Name a file in a directory that you can write to\.$/,
  );
  expect(readdirSync(folder())).toEqual([]);
});

for (const [what, make] of [
  ['a pipe', (file) => execFileSync('mkfifo', [file])],
  ['a link to a file of a mock', (file) => symlinkSync(other(), file)],
  ['a link that leads nowhere', (file) => symlinkSync('nowhere.json', file)],
  ['a folder', (file) => mkdirSync(file)],
  ['a file of a user', (file) => writeFileSync(file, '{"notes": "mine"}')],
] as [string, (file: string) => void][])
  test(`a ready file does not replace ${what}`, () => {
    const file = join(folder(), 'mock.json');
    make(file);
    const names = readdirSync(folder());
    const { mode, ino } = lstatSync(file);
    expect(() => writeReadyFile(file, ready)).toThrow(
      /^--ready-file .* exists, and is not the file of an earlier mock\. Name another, or remove it\.$/,
    );
    expect(lstatSync(file)).toMatchObject({ mode, ino });
    expect(readdirSync(folder())).toEqual(names);
  });

/** A ready file that a link can lead to. */
function other(): string {
  const file = join(folder(), 'other.json');
  writeReadyFile(file, ready);
  return file;
}

test('a mock that ends leaves the ready file of another, and what replaced its own', () => {
  const file = join(folder(), 'mock.json');
  const remove = writeReadyFile(file, ready);
  writeReadyFile(file, { ...ready, pid: 18 });
  remove();
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ pid: 18 });
  writeFileSync(file, 'notes');
  remove();
  expect(readFileSync(file, 'utf8')).toBe('notes');
});
