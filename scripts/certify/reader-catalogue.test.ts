import { expect, _baseTest as test } from '@playwright/test';
import { readerScenarios } from './reader-catalogue.ts';

const named = (name: string) => readerScenarios.find((one) => one.name === name);

test('a scenario for readers plays what the mock has under its name, with the number of records that is judged', () => {
  expect(named('data-500')).toMatchObject({ served: 20, mock: { records: 20 } });
  expect(named('data-500')?.mock).not.toHaveProperty('variant');
  expect(named('data-500')?.script(2)).toMatchObject([
    { from: 3, times: 3, do: { answer: { status: 500 } } },
  ]);
  expect(named('data-emptied')?.served).toBe(0);
  expect(named('rec-several-bands')).toMatchObject({
    served: 40,
    mock: { records: 20, variant: 'rec-several-bands' },
  });
  // The mock also has a permitted deployment of this name.
  expect(named('data-array')).toMatchObject({ mock: { records: 20 } });
  expect(named('data-array')?.script(2)).toHaveLength(1);
});
