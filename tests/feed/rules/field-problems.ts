/** Schema violations of single fields, by the rules that they break. */
import { append } from '@hyperjump/json-pointer';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Field, RecordSchema } from '../feed-contract.ts';
import { quote } from '../findings.ts';
import { parseUtc } from '../time.ts';

/** `name` is the field; undefined for the record as a whole. */
type Report = (rule: string, name: string | undefined, seen: () => string) => void;

export function createFieldCheck({
  fields,
  problemOf,
}: RecordSchema): (record: object, report: Report) => void {
  const times = fields.filter(({ isTime }) => isTime);
  return (record, report) => {
    const values = record as Record<string, unknown>;
    const problem = problemOf(record);
    if (!problem) {
      // The schema checks the form of a time but not the calendar.
      for (const { name } of times) {
        const value = values[name];
        if (typeof value === 'string' && Number.isNaN(parseUtc(value))) reportTime(name, value, report);
      }
      return;
    }
    let isReported = false;
    for (const field of fields) isReported = checkField(field, values, report) || isReported;
    if (!isReported)
      report('type', undefined, () => `it ${problem.message ?? 'is not what the schema declares'}`);
  };
}

/** Returns whether a problem was reported. */
function checkField(field: Field, record: Record<string, unknown>, report: Report): boolean {
  const { name, isRequired, isTime, isNumber } = field;
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  if (value === undefined && !isRequired) return false;
  if (isRequired && (value === undefined || value === null)) {
    const isMissing = value === undefined;
    report('required', isMissing ? undefined : name, () => `${name} is ${isMissing ? 'missing' : 'null'}`);
    return true;
  }
  if (isTime && typeof value === 'string') {
    if (!Number.isNaN(parseUtc(value)) && !field.problemOf(value)) return false;
    reportTime(name, value, report);
    return true;
  }
  const problem = field.problemOf(value);
  if (!problem) return false;
  if (isNumber && typeof value === 'string' && DIGITS.test(value))
    report('digit-string', name, () => `${name} is the string ${quote(value)}; send a number`);
  else if (typeof value === 'number' && !Number.isFinite(value))
    report('range', name, () => `${name} is a number too large for clients to represent`);
  else report(problem.keyword === 'type' ? 'type' : 'range', name, () => problemText(field, value, problem));
  return true;
}

const DIGITS = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

function reportTime(name: string, value: string, report: Report): void {
  const why = TIME_HINTS.find(([form]) => form.test(value))?.[1] ?? 'which is not a time in UTC';
  report('time-format', name, () => `${name} is ${quote(value)}, ${why}`);
}

/** Times that are written in another way, and what to say about them. */
const TIME_HINTS: readonly [form: RegExp, hint: string][] = [
  [/T.*[+-]\d{2}:?\d{2}$/, 'which has an offset; send UTC'],
  [/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}Z?$/, 'which has no seconds'],
  [/^\d{4}-\d{2}-\d{2}$/, 'which has no time of day'],
  [/^\d{4}-\d{2}-\d{2} \d{2}:/, 'which has a blank; write T between date and time'],
  [/^\d{4}-\d{2}-\d{2}[tT].*z$|^\d{4}-\d{2}-\d{2}t/, 'which has small letters; write T and Z'],
  [/T24:/, 'which has the hour 24; write 00:00:00 of the next day'],
  [/T\d{2}:\d{2}:60/, 'which is not the last second of a month, the only one that can be a leap second'],
  [/^\d{9,16}(\.\d+)?$/, 'which counts from 1970; write the date and time'],
  [/^\d{2}-\d{2}-\d{2}[T ]/, 'which has a year of two digits'],
  [/T.*,\d+Z?$/, 'which has a comma; write a point before the fraction'],
  [/T.*\d ?[A-Z]{2,4}$/, 'which names a time zone; write Z, or nothing'],
];

function problemText(
  { name, isTime }: Field,
  value: unknown,
  { keyword, message, params, instancePath }: ErrorObject,
): string {
  const where = `${append(name, '').slice(1)}${instancePath}`;
  if (keyword === 'minimum') return `${where} is ${quote(value)}, below ${params.limit}`;
  if (keyword === 'maximum') return `${where} is ${quote(value)}, above ${params.limit}`;
  if (keyword !== 'type') return `${where} is ${quote(value)}; it ${message ?? 'is out of bounds'}`;
  if (isTime) return `${name} is ${quote(value)}; expected a time as text, such as "2030-01-31T12:00:00"`;
  const expected = [params.type]
    .flat()
    .filter((type) => type !== 'null')
    .map((type) => TYPES[type] ?? type)
    .join(' or ');
  return instancePath === ''
    ? `${name} is ${quote(value)}; expected ${expected}`
    : `${where} is not ${expected}`;
}

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};
