import { expect, _baseTest as test } from '@playwright/test';
import { plainName } from './plain-name.ts';

for (const name of ['grant_type', 'filter[start]', '$top', 'page2', 'min_frequency_1', 'x-api-key', ''])
  test(`"${name}" is shown as a name`, () => {
    expect(plainName(name)).toBe(name);
  });

for (const name of ['a7c1d94be2', 'x[a7c1d94be2]', '{"client_secret":"x"}', 'two words', 'a'.repeat(41)])
  test(`"${name}" is not shown as a name`, () => {
    expect(plainName(name)).toBe('‹…›');
  });
