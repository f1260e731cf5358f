import { writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { differences, readVerdicts, verdictsOf, writeVerdicts } from './verdicts.ts';

const judged = [
  { id: 'MRS-2a', verdict: 'passed' },
  { id: 'MRS-1.3', verdict: 'failed' },
  { id: 'MRS-4.1b', verdict: 'passed' },
  { id: 'MRS-7a', verdict: 'could-not-run' },
  { id: 'MRS-5.5a', verdict: 'failed' },
];

test('verdicts name each id that did not pass, and count those that did', () => {
  expect(verdictsOf('nonconformant', judged)).toBe(
    'nonconformant: 2 passed; could-not-run MRS-7a; failed MRS-1.3 MRS-5.5a',
  );
});

test('verdicts are read as they were written, in the order of their names', () => {
  const file = test.info().outputPath('verdicts.json');
  writeVerdicts(
    file,
    new Map([
      ['feed b', 'conformant'],
      ['deployment a', 'conformant: 23 passed'],
    ]),
  );
  expect([...readVerdicts(file)]).toEqual([
    ['deployment a', 'conformant: 23 passed'],
    ['feed b', 'conformant'],
  ]);
});

test('a file that is missing or damaged is a usage error with its name', () => {
  const file = test.info().outputPath('verdicts.json');
  expect(() => readVerdicts(file)).toThrow(`${file} cannot be read as verdicts`);
  writeFileSync(file, '{');
  expect(() => readVerdicts(file)).toThrow('Write it with --write-verdicts.');
});

test('a changed verdict, a new name and, of a whole proof, a missing one are differences', () => {
  const stored = new Map([
    ['feed a', 'conformant'],
    ['feed b', 'conformant'],
    ['feed c', 'conformant'],
  ]);
  const seen = new Map([
    ['feed a', 'conformant'],
    ['feed b', 'nonconformant: failed x'],
    ['feed d', 'conformant'],
  ]);
  const changed = [
    'feed b: the verdicts differ. Before: conformant. Now: nonconformant: failed x.',
    'feed d: it has no verdicts in the file, and now has: conformant.',
  ];
  expect(differences(stored, seen, false)).toEqual(changed);
  expect(differences(stored, seen, true)).toEqual([
    ...changed,
    'feed c: it has verdicts in the file, and was not judged.',
  ]);
});
