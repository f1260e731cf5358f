/** What the schema says against single fields of a record, by the rules that they break. */
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { FeedContract, Field } from './contract.ts';
import { escapedToken, quote } from './findings.ts';
import type { RuleId } from './rules.ts';
import { parseUtc } from './time.ts';

type Tell = (rule: RuleId, name: string | undefined, seen: () => string) => void;

export function createFieldFaults({ fields, faultOf }: FeedContract): (record: object, tell: Tell) => void {
  const times = fields.filter(({ isTime }) => isTime);
  return (record, tell) => {
    const fault = faultOf(record);
    if (!fault) {
      // The schema knows the form of a time, and no calendar.
      for (const { name } of times) {
        const value = (record as Record<string, unknown>)[name];
        if (typeof value === 'string' && Number.isNaN(parseUtc(value))) tellTime(name, value, tell);
      }
      return;
    }
    let isTold = false;
    for (const field of fields) isTold = judgeField(field, record as Record<string, unknown>, tell) || isTold;
    if (!isTold) tell('type', undefined, () => `it ${fault.message ?? 'is not what the schema declares'}`);
  };
}

/** Whether something was told of it. */
function judgeField(field: Field, record: Record<string, unknown>, tell: Tell): boolean {
  const { name, isRequired, isTime, isNumber } = field;
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  if (value === undefined && !isRequired) return false;
  if (isRequired && (value === undefined || value === null)) {
    tell(
      'required',
      value === undefined ? undefined : name,
      () => `${name} is ${value === null ? 'null' : 'not there'}`,
    );
    return true;
  }
  if (isTime && typeof value === 'string') {
    if (!Number.isNaN(parseUtc(value)) && !field.faultOf(value)) return false;
    tellTime(name, value, tell);
    return true;
  }
  const fault = field.faultOf(value);
  if (!fault) return false;
  if (isNumber && typeof value === 'string' && DIGITS.test(value))
    tell('digit-string', name, () => `${name} is the text ${quote(value)}; send the number`);
  else if (typeof value === 'number' && !Number.isFinite(value))
    tell('range', name, () => `${name} is a number beyond what clients can hold`);
  else tell(fault.keyword === 'type' ? 'type' : 'range', name, () => inWords(name, value, fault));
  return true;
}

const DIGITS = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i;

function tellTime(name: string, value: string, tell: Tell): void {
  const hasOffset = /[+-]\d{2}:?\d{2}$/.test(value) && value.includes('T');
  const why = hasOffset ? 'which has an offset; send UTC' : 'which is no time in UTC';
  tell('time-format', name, () => `${name} is ${quote(value)}, ${why}`);
}

function inWords(
  name: string,
  value: unknown,
  { keyword, message, params, instancePath }: ErrorObject,
): string {
  const where = `${escapedToken(name)}${instancePath}`;
  if (keyword !== 'type') return `${where} is ${quote(value)}; it ${message ?? 'is out of bounds'}`;
  const due = [params.type].flat().filter((type) => type !== 'null');
  return instancePath === ''
    ? `${name} is ${quote(value)}, where ${due.map((type) => DUE[type] ?? type).join(' or ')} is due`
    : `${where} is no ${due.join(' or ')}`;
}

const DUE: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
};
