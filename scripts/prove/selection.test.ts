/** What a proof selects, how it shows it, and the file that it is compared with. */
import { writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { isBinding, ledger } from '../../tests/support/requirements.ts';
import { pointOf, type Selection, selectNamed, selectSample, subjectsIn } from './selection.ts';
import { differences, readVerdicts, verdictsOf, writeVerdicts } from './verdicts.ts';

test('every defect violates known requirements, and a profile’s where it has one', () => {
  const known = new Set(ledger.filter(isBinding).map(({ id }) => id));
  const { wrong, permitted } = selectNamed([]).deployments;
  for (const { name, fails } of wrong) expect(Object.keys(fails), name).not.toEqual([]);
  const named = [
    ...wrong.map(({ fails }) => Object.keys(fails)),
    ...[...wrong, ...permitted].map((one) => one.cannotRun),
  ];
  expect(named.flatMap((ids) => ids ?? []).filter((id) => !known.has(id) && !id.includes('@'))).toEqual([]);
});

test('a sample fails each requirement that the whole proof fails, with few defects and some of each kind', () => {
  const points = ({ deployments }: Selection) =>
    [...new Set(deployments.wrong.flatMap(({ fails }) => Object.keys(fails).map(pointOf)))].toSorted();
  const [whole, sample] = [selectNamed([]), selectSample()];
  expect(points(sample)).toEqual(points(whole));
  expect(points(sample)).toEqual(expect.arrayContaining(ledger.filter(isBinding).map(({ id }) => id)));
  expect(sample.deployments.wrong.length).toBeLessThan(whole.deployments.wrong.length / 3);
  expect(sample.deployments.permitted.length).toBeGreaterThan(3);
  const { clients, readers, feeds } = sample;
  const counts = [clients, readers, feeds].map(({ wrong, permitted }) => [wrong.length, permitted.length]);
  expect(counts).toEqual([
    [3, 1],
    [1, 1],
    [4, 3],
  ]);
});

test('no two subjects of the proof have the same name', () => {
  const { scope: _, ...kinds } = selectNamed([]);
  const names = Object.values(kinds)
    .flatMap(subjectsIn)
    .map(({ name }) => name);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test('verdicts name each id that did not pass', () => {
  const judged = Object.entries({ a: 'passed', b: 'failed', c: 'passed', d: 'could-not-run', e: 'failed' });
  const rows = judged.map(([id, verdict]) => ({ id, verdict }));
  expect(verdictsOf('nonconformant', rows)).toBe('nonconformant: could-not-run d; failed b e');
});

test('verdicts are read as they were written, and what differs is said', () => {
  const file = test.info().outputPath('verdicts.json');
  expect(() => readVerdicts(file)).toThrow(`${file} cannot be read as verdicts`);
  writeFileSync(file, '{');
  expect(() => readVerdicts(file)).toThrow('Write it with --write-verdicts.');
  const seen = new Map(Object.entries({ 'feed b': 'conformant', 'feed a': 'conformant: 23 passed' }));
  writeVerdicts(file, seen);
  const stored = readVerdicts(file);
  expect([...stored.keys()]).toEqual(['feed a', 'feed b']);
  expect(differences(stored, seen, true)).toEqual([]);
  const now = new Map(Object.entries({ 'feed b': 'nonconformant: failed x', 'feed d': 'conformant' }));
  const changed = [
    'feed b: the verdicts differ. Before: conformant. Now: nonconformant: failed x.',
    'feed d: the verdicts differ. Before: none. Now: conformant.',
  ];
  expect(differences(stored, now, false)).toEqual(changed);
  const missing = 'feed a: the verdicts differ. Before: conformant: 23 passed. Now: none.';
  expect(differences(stored, now, true)).toEqual([...changed, missing]);
});
