import { expect, _baseTest as test } from '@playwright/test';
import { parse } from 'yaml';
import { profileNames } from '../../mocks/contract/profile.ts';
import { mrsHere } from './testing/mrs.ts';

test('the list names every profile and what it declares, in 80 columns', async () => {
  const { stdout: list } = await mrsHere(['profile', 'list']);
  for (const name of profileNames()) expect(list).toMatch(new RegExp(`^${name}: `, 'm'));
  expect(list).toContain('  MRS-7e    A request without a token is answered with 401');
  expect(list).toContain('30 statements of the specification are not offered');
  expect(Math.max(...list.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('the contract under a profile is printed as YAML', async () => {
  const document = parse((await mrsHere(['profile', 'show', 'static-feed'])).stdout);
  expect(Object.keys(document.paths)).toEqual(['/ods.json']);
  expect(document['x-profile']).toMatchObject({ name: 'static-feed' });
});
