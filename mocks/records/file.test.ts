import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { MockError } from '../contract/mock-error.ts';
import { readRecordsFile } from '../records.ts';

let folder: string;
let file: string;
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'records-'));
  file = join(folder, 'ods.json');
});
test.afterEach(() => rmSync(folder, { recursive: true }));

/** Reads the file as often as is asked; time is what is given. */
function reading(text: string) {
  writeFileSync(file, text);
  const faults: string[] = [];
  let now = 0;
  const records = readRecordsFile(
    file,
    ({ message }) => faults.push(message),
    () => now,
  );
  const readAt = (nowMs: number) => {
    now = nowMs;
    return records.body(0).toString();
  };
  return { faults, readAt, records };
}

test('a file is served as it is, the same buffer each time', () => {
  const text = ' { "ods_data" : [1.0, 1e2,\n"ü"] }\n';
  const { readAt, records } = reading(text);
  expect(readAt(0)).toBe(text);
  expect(records.body(0)).toBe(records.body(1e12));
});

test('a change is seen when the file is looked at again, and not before', () => {
  const { readAt, faults } = reading('[1]');
  writeFileSync(file, '[1,2]');
  expect([readAt(99), readAt(100)]).toEqual(['[1]', '[1,2]']);
  writeFileSync(join(folder, 'new.json'), '[3,4]');
  renameSync(join(folder, 'new.json'), file);
  expect([readAt(199), readAt(200)]).toEqual(['[1,2]', '[3,4]']);
  expect(faults).toEqual([]);
});

test('while a file is half written, the last whole one is served and the fault is reported once', () => {
  const { readAt, faults } = reading('[1]');
  writeFileSync(file, '[1,2');
  expect([1000, 2000, 3000].map(readAt)).toEqual(['[1]', '[1]', '[1]']);
  expect(faults).toEqual([
    `The file ${file} of the records is not valid JSON: it ends too early or does not parse. Use a valid file, or a number of records. The mock serves what it read last.`,
  ]);
  writeFileSync(file, '[1,2,');
  expect(readAt(4000)).toBe('[1]');
  expect(faults).toHaveLength(2);
  writeFileSync(file, '[1,2,3]');
  expect(readAt(5000)).toBe('[1,2,3]');
  expect(faults).toHaveLength(2);
});

test('a file that has gone is served on, and read again when it is back', () => {
  const { readAt, faults } = reading('[1]');
  rmSync(file);
  expect([1000, 2000].map(readAt)).toEqual(['[1]', '[1]']);
  expect(faults).toEqual([expect.stringContaining('cannot be read: ENOENT.')]);
  writeFileSync(file, '[2]');
  expect(readAt(3000)).toBe('[2]');
});

for (const [what, bytes, why] of [
  ['no JSON', 'ods_data', 'is not valid JSON'],
  ['empty', '', 'is not valid JSON'],
  ['not UTF-8', Buffer.from('"K\xf6ln"', 'latin1'), 'is not valid JSON'],
] as const)
  test(`a file that is ${what} is refused at the start`, () => {
    writeFileSync(file, bytes);
    expect(() => readRecordsFile(file, () => {})).toThrow(MockError);
    expect(() => readRecordsFile(file, () => {})).toThrow(`The file ${file} of the records ${why}`);
  });

test('a file that is not there is refused at the start, and so is a folder', () => {
  expect(() => readRecordsFile(file, () => {})).toThrow('cannot be read: ENOENT. Check its name.');
  expect(() => readRecordsFile(folder, () => {})).toThrow(
    'cannot be read: it is not a regular file. Check its name.',
  );
});
