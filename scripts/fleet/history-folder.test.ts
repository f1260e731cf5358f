import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { verdictFile } from '../../tests/fleet/history.ts';
import { fleetOf } from '../../tests/fleet/report/testing/sample-fleets.ts';
import { createPublisher } from '../../tests/report/publish.ts';
import { createSecrets } from '../../tests/support/secrets.ts';
import { keepRun, readHistory } from './history-folder.ts';

const publisher = createPublisher(createSecrets());
const night = (day: number) => fleetOf([{ name: 'a' }], day);

function folderOf(files: Readonly<Record<string, string>> = {}): string {
  const folder = test.info().outputPath('history');
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

test('run is kept once, however often it is reported on', () => {
  const folder = folderOf();
  keepRun(folder, night(1), publisher);
  keepRun(folder, night(1), publisher);
  keepRun(folder, night(2), publisher);
  expect(readdirSync(folder)).toHaveLength(2);
});

test('run is compared with those before it, and not with itself or a later one', () => {
  const folder = folderOf();
  for (const day of [1, 2, 3]) keepRun(folder, night(day), publisher);
  const { past } = readHistory(folder, night(2));
  expect(past.map(({ at }) => at)).toEqual(['2030-01-02T02:00:00.000Z']);
});

test('at most 400 runs are kept, and files of others are left alone', () => {
  const names = Array.from({ length: 410 }, (_, at) =>
    verdictFile(night(at - 500)).name.replace(/-[0-9a-f]{12}/, `-${String(at).padStart(12, '0')}`),
  );
  const folder = folderOf({ 'notes.json': '', ...Object.fromEntries(names.map((name) => [name, '{}'])) });
  keepRun(folder, night(1), publisher);
  const left = readdirSync(folder).toSorted();
  expect(left).toHaveLength(401);
  expect(left).toEqual(expect.arrayContaining(['notes.json', verdictFile(night(1)).name]));
  expect(left).not.toContain(names.toSorted()[0]);
});

test('file that is not a verdict file is left out, and named', () => {
  const name = '2029-01-01T00-00-00.000Z-0123456789ab.json';
  expect(readHistory(folderOf({ [name]: '{}' }), night(1))).toEqual({
    past: [],
    remarks: [`The verdict file ${name} cannot be read, and was left out.`],
  });
});
