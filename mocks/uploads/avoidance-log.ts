/** A log of when a satellite avoided a telescope with its beams, and at which frequencies: a CSV file. */
import { parse } from 'csv-parse/sync';
import type { UploadResult } from './tle.ts';

const COLUMNS = [
  'utc_time',
  'freq_lower_mhz',
  'freq_upper_mhz',
  'avoidance_type',
  'angular_threshold',
  'sat_id',
];
/** The column that may be left out. */
const OPTIONAL = 'angular_threshold';
const NAME = /^(VLA|GBT|vlba_(SC|HN|NL|FD|LA|PT|KP|OV|BR|MK))(?![A-Za-z]).*\.csv$/;
/** A terahertz: a higher value is probably in Hz. */
const MOST_MHZ = 1e6;

/** Times are in UTC and frequencies in MHz, unlike those of a mitigation request. */
export function readAvoidanceLog(text: string, fileName: string): UploadResult {
  if (!NAME.test(fileName))
    return {
      problem:
        'The file name does not begin with VLA, GBT or vlba_<STATION> and end with .csv. ' +
        'Use a name such as VLA_Logs_20260301_to_20260302.csv.',
    };
  const rows = rowsOf(text);
  if ('problem' in rows) return rows;
  const [header, ...records] = rows.rows;
  const columns = [COLUMNS, COLUMNS.filter((name) => name !== OPTIONAL)];
  const own = columns.find((names) => names.join() === header?.join());
  if (!own)
    return {
      problem: `The first line is not ${COLUMNS.join()} (${OPTIONAL} is optional). Write these column names.`,
    };
  for (const [nth, record] of records.entries()) {
    const problem = rowProblem(Object.fromEntries(own.map((name, at) => [name, record[at] ?? ''])));
    if (problem) return { problem: `Record ${nth + 1}: ${problem}` };
  }
  return { records: records.length };
}

function rowsOf(text: string): { rows: string[][] } | { problem: string } {
  try {
    return { rows: parse(text, { bom: true, skipEmptyLines: true, maxRecordSize: 10_000 }) };
  } catch (error) {
    const { lines, code } = error as { lines?: number; code?: string };
    if (code === 'CSV_RECORD_INCONSISTENT_FIELDS_LENGTH' || code === 'CSV_RECORD_INCONSISTENT_COLUMNS')
      return {
        problem: `Line ${lines} has a different number of values than the first. Write one value per column.`,
      };
    return { problem: `Line ${lines ?? 1} is not valid CSV (RFC 4180). Check its quotation marks.` };
  }
}

function rowProblem(row: Record<string, string>): string | undefined {
  const { utc_time = '', avoidance_type = '', sat_id = '', angular_threshold: threshold } = row;
  if (!isTime(utc_time))
    return 'utc_time is not a UTC time in the form YYYY-MM-DD HH:MM:SS. Write it without a time zone.';
  const [lower, upper] = [numberIn(row.freq_lower_mhz), numberIn(row.freq_upper_mhz)];
  if (!(lower >= 0) || !(upper >= 0))
    return 'freq_lower_mhz or freq_upper_mhz is not a number. Write both in MHz, such as 10700.';
  if (upper > MOST_MHZ)
    return `freq_upper_mhz is above ${MOST_MHZ}, so it is probably in Hz. Write it in MHz.`;
  if (lower >= upper) return 'freq_lower_mhz is not below freq_upper_mhz. Write the lower frequency first.';
  if (avoidance_type !== 'outer' && avoidance_type !== 'inner')
    return 'avoidance_type is neither outer nor inner. Write one of them.';
  if (threshold !== undefined && !(numberIn(threshold) >= 0 && numberIn(threshold) <= 180))
    return 'angular_threshold is not an angle from 0 to 180 degrees. Write one, or leave out the whole column.';
  if (!/^\d{1,9}$/.test(sat_id))
    return 'sat_id is not a whole number. Write the catalogue number of the satellite.';
  return undefined;
}

/** NaN for anything but a plain decimal number. */
const numberIn = (text = ''): number => (/^\d+(\.\d*)?$/.test(text) ? Number(text) : Number.NaN);

function isTime(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return false;
  const date = new Date(`${text.replace(' ', 'T')}Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text.replace(' ', 'T'));
}
