import { expect, _baseTest as test } from '@playwright/test';
import { MockError } from './contract/mock-error.ts';
import { readOptions } from './options.ts';

test('a fault that a user can fix is printed as its sentence, without a stack', async () => {
  const printed: unknown[] = [];
  const { error } = console;
  console.error = (text: unknown) => void printed.push(text);
  try {
    (await readOptions({})).onFault(
      new MockError('The file ods.json of the records cannot be read: ENOENT.'),
    );
  } finally {
    console.error = error;
  }
  expect(printed).toEqual(['The file ods.json of the records cannot be read: ENOENT.']);
});
