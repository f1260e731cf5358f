import { expect } from 'vitest';
import { MockError } from '../contract/mock-error.ts';
import { type MockOptions, startMock } from '../index.ts';

/** Expects that no mock is started with these options, and an error that a user can fix. */
export async function refusesOptions(options: MockOptions, sentence: string | RegExp): Promise<void> {
  const starting = startMock(options);
  await expect(starting).rejects.toThrow(sentence);
  await expect(starting).rejects.toBeInstanceOf(MockError);
}
