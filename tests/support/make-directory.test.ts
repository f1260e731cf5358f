import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { makeDirectory } from './make-directory.ts';

test('a directory is made with those that it is in, and may be there', () => {
  const directory = test.info().outputPath('a/b/c');
  makeDirectory(directory);
  makeDirectory(`${directory}/`);
  expect(statSync(directory).isDirectory()).toBe(true);
});

test('a file in the place of a directory is an error', () => {
  const folder = test.info().outputPath();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeDirectory(join(folder, 'file'))).toThrow('EEXIST');
  expect(() => makeDirectory(join(folder, 'file/below'))).toThrow('ENOTDIR');
});

test('a place where nothing can be made is an error', () => {
  test.skip(!existsSync('/proc/self'), 'Only Linux has such a place for every user.');
  expect(() => makeDirectory('/proc/x/y')).toThrow('ENOENT');
});
