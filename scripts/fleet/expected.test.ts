import { expect, _baseTest as test } from '@playwright/test';
import { addressOf } from './expected.ts';

for (const [entry, address] of [
  [{ baseUrl: 'https://a.example/api/' }, 'https://a.example/api'],
  [{ baseUrl: 'https://user:hunter2@a.example' }, 'https://a.example'],
  [{ feed: 'https://a.example/ods.json?key=hunter2#x' }, 'https://a.example/ods.json'],
  [{ baseUrl: 'hunter2' }, 'an invalid URL'],
  [{ feed: 'data/ods.json' }, 'data/ods.json'],
] as const)
  test(`address of ${JSON.stringify(entry)} is shown without what may be a secret`, () => {
    expect(addressOf(entry)).toBe(address);
  });
