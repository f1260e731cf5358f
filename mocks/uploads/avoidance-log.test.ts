import { expect, _baseTest as test } from '@playwright/test';
import { readAvoidanceLog } from './avoidance-log.ts';

const NAME = 'VLA_Logs_20260301_to_20260302.csv';
const HEADER = 'utc_time,freq_lower_mhz,freq_upper_mhz,avoidance_type,angular_threshold,sat_id';
const ROW = ['2026-03-01 00:00:10', '10700', '12700.5', 'outer', '10.5', '44713'];
const COLUMNS = HEADER.split(',');
const log = (...rows: (readonly string[])[]) => `${[HEADER, ...rows.map((row) => row.join())].join('\n')}\n`;
/** A row with one value changed. */
const changed = (column: string, value: string) =>
  log(
    ROW,
    ROW.map((old, at) => (COLUMNS[at] === column ? value : old)),
  );

test('every row below the header is a record', () => {
  expect(readAvoidanceLog(log(), NAME)).toEqual({ records: 0 });
  expect(readAvoidanceLog(log(ROW, ROW), NAME)).toEqual({ records: 2 });
  expect(readAvoidanceLog(changed('avoidance_type', 'inner'), NAME)).toEqual({ records: 2 });
  expect(readAvoidanceLog(`\ufeff${log(ROW).replaceAll('\n', '\r\n')}\r\n`, NAME)).toEqual({ records: 1 });
  expect(readAvoidanceLog(changed('avoidance_type', '"outer"'), NAME)).toEqual({ records: 2 });
});

test('the column of the angle may be left out as a whole', () => {
  const without = (row: readonly string[]) => row.filter((_, at) => at !== 4).join();
  expect(readAvoidanceLog([without(COLUMNS), without(ROW)].join('\n'), NAME)).toEqual({ records: 1 });
  expect(faultOf([HEADER, without(ROW)].join('\n'))).toContain(
    'Line 2 has a different number of values than the first.',
  );
});

for (const name of ['VLA.csv', 'GBT_Logs_a_to_b.csv', 'vlba_SC_Logs.csv', 'vlba_MK.csv', 'VLA-1.csv'])
  test(`the file may be named ${name}`, () => {
    expect(readAvoidanceLog(log(ROW), name)).toEqual({ records: 1 });
  });

for (const name of ['vla.csv', 'Logs.csv', 'vlba_XX.csv', 'VLA.txt', 'VLAX.csv', 'vlba_SCX.csv', ''])
  test(`the file may not be named "${name}"`, () => {
    expect(faultOf(log(ROW), name)).toContain('The file name does not begin with VLA, GBT or');
  });

for (const [column, value, problem] of [
  ['utc_time', '2026-03-01T00:00:10', 'Record 2: utc_time is not a UTC time in the form'],
  ['utc_time', '2026-03-01 00:00:10Z', 'Record 2: utc_time is not a UTC time'],
  ['utc_time', '2026-02-30 00:00:10', 'Record 2: utc_time is not a UTC time'],
  ['freq_lower_mhz', '', 'Record 2: freq_lower_mhz or freq_upper_mhz is not a number.'],
  ['freq_lower_mhz', '-1', 'Record 2: freq_lower_mhz or freq_upper_mhz is not a number.'],
  ['freq_upper_mhz', '1e4', 'Record 2: freq_lower_mhz or freq_upper_mhz is not a number.'],
  ['freq_upper_mhz', '12700000000', 'Record 2: freq_upper_mhz is above 1000000, so it is probably in Hz.'],
  ['freq_upper_mhz', '10700', 'Record 2: freq_lower_mhz is not below freq_upper_mhz.'],
  ['avoidance_type', 'Outer', 'Record 2: avoidance_type is neither outer nor inner.'],
  ['angular_threshold', '', 'Record 2: angular_threshold is not an angle from 0 to 180 degrees.'],
  ['angular_threshold', '181', 'Record 2: angular_threshold is not an angle from 0 to 180 degrees.'],
  ['sat_id', '44713.5', 'Record 2: sat_id is not a whole number.'],
  ['sat_id', 'STARLINK-1', 'Record 2: sat_id is not a whole number.'],
] as const)
  test(`${column} may not be "${value}"`, () => {
    expect(faultOf(changed(column, value))).toContain(problem);
  });

for (const [what, text, problem] of [
  ['an empty file', '', 'The first line is not utc_time,freq_lower_mhz,'],
  ['no header', log(ROW).split('\n')[1] ?? '', 'The first line is not utc_time,'],
  ['frequencies in Hz by name', log(ROW).replaceAll('mhz', 'hz'), 'The first line is not utc_time,'],
  ['a row with a value more', log([...ROW, '1']), 'Line 2 has a different number of values than the first.'],
  [
    'an open quotation mark',
    log(['"', ...ROW.slice(1)]),
    'is not valid CSV (RFC 4180). Check its quotation marks.',
  ],
  ['an endless value', log(['x'.repeat(20_000), ...ROW.slice(1)]), 'is not valid CSV (RFC 4180).'],
] as const)
  test(`${what} is reported in a sentence`, () => {
    expect(faultOf(text)).toContain(problem);
  });

function faultOf(text: string, name = NAME): string {
  const read = readAvoidanceLog(text, name);
  return 'problem' in read ? read.problem : `${read.records} records`;
}
