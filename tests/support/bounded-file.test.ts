import { symlinkSync, writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { readBounded } from './bounded-file.ts';

test('a file is read up to the limit, also through a link', () => {
  const file = test.info().outputPath('file');
  const link = test.info().outputPath('link');
  writeFileSync(file, 'x'.repeat(2048));
  symlinkSync(file, link); // As in a volume of Kubernetes.
  expect(readBounded(link, 2048, { followsLink: true })).toHaveLength(2048);
  expect(() => readBounded(file, 2047, { followsLink: true })).toThrow('is larger than');
});
