import { expect, _baseTest as test } from '@playwright/test';
import { readTle } from './tle.ts';

const ISS = [
  'ISS (ZARYA)',
  '1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927',
  '2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537',
];
const VANGUARD = [
  '0 VANGUARD 1',
  '1 00005U 58002B   00179.78495062  .00000023  00000-0  28098-4 0  4753',
  '2 00005  34.2682 348.7242 1859667 331.7664  19.3264 10.82419157413667',
];
const both = [...ISS, ...VANGUARD];
/** The file with one line changed. */
const changed = (nth: number, change: (line: string) => string) =>
  both.map((line, at) => (at === nth ? change(line) : line)).join('\n');

test('every set of three lines is a record', () => {
  expect(readTle(ISS.join('\n'))).toEqual({ records: 1 });
  expect(readTle(`${both.join('\n')}\n`)).toEqual({ records: 2 });
  expect(readTle(`${both.join(' \r\n')}\r\n\r\n`)).toEqual({ records: 2 });
  expect(readTle(Array(300).fill(ISS.join('\n')).join('\n'))).toEqual({ records: 300 });
});

for (const [what, text, problem] of [
  ['an empty file', '\n\n', 'The file is empty. Send a name and two lines for each satellite.'],
  ['a set without a name', both.slice(1).join('\n'), 'Line 1 is a line of elements. Write a line with'],
  ['an empty line for a name', changed(3, () => ''), 'Line 4 is empty. Write the name of a satellite there.'],
  ['a file that ends in a set', both.slice(0, 5).join('\n'), 'The file ends before line 6. Line 2 of the'],
  ['a name alone', 'ISS', 'The file ends before line 2. Line 1 of the elements is expected there.'],
  ['the lines exchanged', [ISS[0], ISS[2], ISS[1]].join('\n'), 'Line 2 does not begin with "1 ". Line 1 of'],
  ['a short line', changed(1, (line) => line.slice(0, -1)), 'Line 2 has 68 columns, not 69.'],
  ['a long line', changed(4, (line) => `${line}0`), 'Line 5 has 70 columns, not 69.'],
  [
    'a digit changed',
    changed(1, (line) => line.replace('98067A', '98068A')),
    'Line 2 ends with the checksum 7',
  ],
  ['a minus lost', changed(1, (line) => line.replace('-.0000', ' .0000')), 'Line 2 ends with the checksum 7'],
  ['no catalogue number', changed(1, (line) => line.replace('25544U', '  X  U')), 'Line 2 has no catalogue'],
  [
    'lines of two satellites',
    [ISS[0], ISS[1], VANGUARD[2]].join('\n'),
    'Lines 2 and 3 are of different satellites. Write both lines of one.',
  ],
] as const)
  test(`${what} is reported in a sentence`, () => {
    const read = readTle(text);
    expect('problem' in read ? read.problem : read).toContain(problem);
  });
