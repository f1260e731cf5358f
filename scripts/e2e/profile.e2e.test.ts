import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, _baseTest as test } from '@playwright/test';
import { parse } from 'yaml';
import { profileNames } from '../../mocks/contract/profile.ts';

const program = fileURLToPath(new URL('../../dist/scripts/mrs.js', import.meta.url));
const mrs = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [program, ...args], { env: { PATH: process.env.PATH } }))
    .stdout;

test('the list names every profile and what it declares, in 80 columns', async () => {
  const list = await mrs('profile', 'list');
  for (const name of profileNames()) expect(list).toMatch(new RegExp(`^${name}: `, 'm'));
  expect(list).toContain('  MRS-7e    A request without a token is answered with 401');
  expect(list).toContain('30 statements of the specification are not offered');
  expect(Math.max(...list.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('the contract under a profile is printed as YAML', async () => {
  const document = parse(await mrs('profile', 'show', 'static-feed'));
  expect(Object.keys(document.paths)).toEqual(['/ods.json']);
  expect(document['x-profile']).toMatchObject({ name: 'static-feed' });
});
