/** Rules about single fields of a record: what the schema says, and what only looks like a value. */
import type { Field, RecordSchema } from '../feed-contract.ts';
import { quote } from '../findings.ts';
import { formatUtc, parseUtc } from '../time.ts';
import type { JsonRecord, RecordContext } from './record.ts';
import type { Interval } from './times.ts';

type Report = RecordContext['report'];

/** Schema violations of single fields, by the rules that they break. */
export function checkSchema(record: JsonRecord, schema: RecordSchema, report: Report): void {
  const problem = schema.problemOf(record);
  const problemOf = problem ? schema.problemOfFields : () => undefined;
  let isReported = false;
  // The schema checks the form of a time but not the calendar.
  for (const field of schema.fields)
    if (problem || field.isTime) isReported = checkField(field, record, problemOf, report) || isReported;
  if (problem && !isReported)
    report('type', undefined, `it ${problem.message ?? 'is not what the schema declares'}`);
}

/** Returns whether a problem was reported. */
function checkField(
  { name, isRequired, isTime, isNumber }: Field,
  record: JsonRecord,
  problemOf: RecordSchema['problemOf'],
  report: Report,
): boolean {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  if (value === undefined && !isRequired) return false;
  const problem = problemOf({ [name]: value });
  if (isTime && typeof value === 'string') {
    if (!problem && !Number.isNaN(parseUtc(value))) return false;
    const hint = /^[^T]*T.*[+-]\d{2}:?\d{2}$/.test(value) ? ', which has an offset; send UTC' : '';
    report('time-format', name, `${name} is ${quote(value)}${hint || ', which is not a time in UTC'}`);
  } else if (isRequired && value === undefined) report('required', undefined, `${name} is missing`);
  else if (isRequired && value === null) report('required', name, `${name} is null`);
  else if (!problem) return false;
  else if (isNumber && typeof value === 'string' && DIGITS.test(value))
    report('digit-string', name, `${name} is the string ${quote(value)}; send a number`);
  else if (typeof value === 'number' && !Number.isFinite(value))
    report('range', name, `${name} is a number too large for clients to represent`);
  else {
    const [, , ...below] = problem.instancePath.split('/');
    const where = below.length === 0 ? `${name} is ${quote(value)}` : `in ${name}, ${below.join('/')}`;
    report(problem.keyword === 'type' ? 'type' : 'range', name, `${where}; it ${problem.message}`);
  }
  return true;
}

/** A number as text. */
export const DIGITS = /^\s*[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?\s*$/i;

/**
 * Bounds of a number: outside of `possible` it is a finding, outside of `usual` a warning. What a schema bounds is left to
 * it; 0 is what a sender writes who does not know a diameter.
 */
const BOUNDS: readonly [name: string, unit: string, usual: [number, number], possible: [number, number]][] = [
  // The largest dish is 500 m wide, the largest ring 576 m.
  ['dish_diameter_m', ' m', [0.3, 600], [0, 1000]],
  // The shore of the Dead Sea and the summit of Mount Everest.
  ['site_el_m', ' m', [-450, 6000], [-450, 9000]],
  // The whole sky is within 180 degrees; in arcseconds, most sources are wider than that.
  ['src_radius', ' degrees', [0, 10], [0, 180]],
  ['src_radius_deg', ' degrees', [0, 10], [0, 180]],
];

const DAY_MS = 86_400_000;
const YEAR_MS = 365.25 * DAY_MS;
/** Schedules are known days ahead; a year ahead, the year is mistyped. */
const FAR_AHEAD_MS = 330 * DAY_MS;

/** Rules about what values can be. `schema` is undefined for a legacy record, which has null where a value does not apply. */
export function checkValues(
  record: JsonRecord,
  schema: RecordSchema | undefined,
  interval: Interval | undefined,
  nowMs: number,
  report: Report,
): void {
  for (const [name, ruleClass] of IDENTIFIERS) {
    const value = record[name];
    const what = typeof value === 'string' ? identifierProblem(value) : undefined;
    if (what !== undefined) report('identifier', name, `${name} is ${quote(value)}, ${what}`, ruleClass);
  }
  for (const { name, isRequired } of schema?.fields ?? [])
    if (!isRequired && record[name] === null) report('null-optional', name, `${name} is null`);
  for (const [name, unit, usual, possible] of BOUNDS) {
    const value = record[name];
    // The schema has reported what is infinite, and what is below zero where that may not be.
    if (typeof value !== 'number' || !Number.isFinite(value) || (value < 0 && possible[0] === 0)) continue;
    if ((value >= usual[0] && value <= usual[1]) || (value === 0 && name === 'dish_diameter_m')) continue;
    const isPossible = value >= possible[0] && value <= possible[1];
    const [low, high] = isPossible ? usual : possible;
    const seen = `${name} is ${value}${unit}, which is not between ${low} and ${high}`;
    report('plausible-value', name, seen, isPossible ? 'H' : 'S');
  }
  if (interval) checkInterval(record, interval, nowMs, report);
}

function checkInterval(
  record: JsonRecord,
  { startMs, endMs }: Interval,
  nowMs: number,
  report: Report,
): void {
  const ahead = startMs - nowMs;
  if (ahead > FAR_AHEAD_MS) {
    const seen = `it starts ${formatUtc(startMs)}, ${Math.floor(ahead / DAY_MS)} days after the feed was served`;
    report('plausible-value', 'src_start_utc', seen, ahead > 10 * YEAR_MS ? 'S' : 'H');
  }
  const length = endMs - startMs;
  if (length > 2 * DAY_MS) {
    const seen = `the record lasts ${Math.floor(length / DAY_MS)} days`;
    report('plausible-value', 'src_end_utc', seen, length > YEAR_MS / 2 ? 'S' : 'H');
  }
  const { slew_sec: slew, corr_integ_time_sec: integration } = record;
  // Whole microseconds: the difference of two moments is not exact.
  const seconds = Math.round(length * 1000) / 1e6;
  if (typeof slew === 'number' && slew >= seconds && Number.isFinite(slew))
    report('slew-time', 'slew_sec', `slew_sec is ${slew} s, but the record lasts ${seconds} s`);
  if (typeof integration === 'number' && integration > seconds) {
    const seen = `corr_integ_time_sec is ${integration} s, but the record lasts ${seconds} s`;
    report('integration-time', 'corr_integ_time_sec', seen);
  }
}

const IDENTIFIERS = [
  ['site_id', 'S'],
  ['src_id', 'H'],
] as const;

/** What is wrong with an identifier; undefined if nothing is. */
function identifierProblem(text: string): string | undefined {
  if (PLAIN.test(text)) return NULLS.test(text) ? 'which is the text of a missing value' : undefined;
  const bare = text.trim();
  if (bare === '') return 'which is empty';
  const unseen = UNSEEN.exec(text)?.[0]?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  if (unseen !== undefined) return `which has the invisible character U+${unseen}`;
  if (text.includes('\ufffd') || !text.isWellFormed())
    return 'which is damaged: it was read in another encoding, or cut within a character';
  return bare === text ? undefined : 'which has blanks around it';
}

/** Printable ASCII, without a blank at either end. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;

/** What programs write in place of a value that they do not have. */
const NULLS = /^(None|null|NULL|undefined|NaN)$/;

/**
 * Control characters, line separators, and what shows nothing. Joiners are not among them, which some scripts need, nor what
 * makes a picture of the character before it.
 */
const UNSEEN =
  /(?![\u200c\u200d]|(?<=\p{Extended_Pictographic})\ufe0f)[\p{Cc}\u2028\u2029\p{Default_Ignorable_Code_Point}]/u;
