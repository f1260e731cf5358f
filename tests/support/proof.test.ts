import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { keepProof, type Proof, readProof, suiteDigest } from './proof.ts';

const proof = (digest = suiteDigest()): Proof => ({
  defects: { caught: 3, total: 3 },
  variants: { accepted: 2, total: 2 },
  digest,
});

test('a proof of the present suite is kept, and read again', () => {
  const file = test.info().outputPath('proof.json');
  keepProof(proof(), file);
  expect(readProof(file)).toEqual(proof());
});

test('a proof of another suite is none', () => {
  const file = test.info().outputPath('proof.json');
  keepProof(proof(suiteDigest().replace(/.$/, (last) => (last === '0' ? '1' : '0'))), file);
  expect(existsSync(file)).toBe(true);
  expect(readProof(file)).toBeUndefined();
});

test('a proof that does not hold makes the one before forgotten', () => {
  const file = test.info().outputPath('proof.json');
  keepProof(proof(), file);
  keepProof(undefined, file);
  expect(readProof(file)).toBeUndefined();
});

for (const text of ['', '{', 'null', '[]'])
  test(`a file that holds "${text}" is not a proof`, () => {
    const file = test.info().outputPath('proof.json');
    writeFileSync(file, text);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(readProof(file)).toBeUndefined();
  });
