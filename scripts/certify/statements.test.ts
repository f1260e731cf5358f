import { PassThrough } from 'node:stream';
import { expect, _baseTest as test } from '@playwright/test';
import { readStatements } from './statements.ts';

/** What is reported of chunks that arrive one by one. */
function reported(...chunks: string[]): number[] {
  const stream = new PassThrough().setEncoding('utf8');
  const seen: number[] = [];
  readStatements(stream, (records) => seen.push(records));
  for (const chunk of chunks) {
    stream.write(chunk);
    stream.read(); // hands it on at once
  }
  return seen;
}

test('lines with a number of records are reported among others, however they are cut', () => {
  expect(reported('{"records": 20}\n{"records":0}\r\n')).toEqual([20, 0]);
  expect(reported('starting\n{"rec', 'ords": 1', '2}', '\ndone {"records": 3}\n')).toEqual([12]);
  expect(reported('{"at": "12:00", "records": 7, "x": [1]}\n')).toEqual([7]);
});

test('a line that is not finished, and one that is too long, are not reported', () => {
  expect(reported('{"records": 20}')).toEqual([]);
  expect(reported(`{"records": 20, "x": "${'y'.repeat(200)}"}\n{"records": 1}\n`)).toEqual([1]);
  expect(reported('x'.repeat(300), '{"records": 3}\n')).toEqual([]);
  expect(reported(`{"records": 20${' '.repeat(300)}`, '}\n', '{"records": 1}\n')).toEqual([1]);
});

test('another number than a whole one from 0 on is not reported', () => {
  const lines = [
    '{"records": -1}',
    '{"records": 1.5}',
    '{"records": "20"}',
    '{"records": null}',
    '{"x": 20}',
    '{',
    '20',
  ];
  expect(reported(`${lines.join('\n')}\n`)).toEqual([]);
});
