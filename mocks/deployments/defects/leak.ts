/** A deployment that refuses a request for data and gives the data away in the refusal. */
import { type Answer, answers } from '../../contract/answers.ts';
import type { Defect, Override } from '../deployment.ts';
import { combine, mapReplyTo } from '../overrides.ts';
import { type Change, json, sequence, status } from '../reply-edits.ts';
import { serveRecords } from '../served-records.ts';

/** What is refused, with the requirement that a leak violates. */
export interface Refusal {
  to: readonly Answer[];
  id: string;
  /** A regular expression of what the request is. */
  what: string;
}

export const missing: Refusal = {
  to: [answers.missingToken],
  id: 'MRS-1.3',
  what: 'the data without a token',
};
export const malformed: Refusal = {
  to: [answers.malformedToken],
  id: 'MRS-1.3',
  what: 'the data with a bearer header without a token',
};
export const unknown: Refusal = {
  to: [answers.unknownToken],
  id: 'MRS-5.5a',
  what: 'the data with (a|another|one more) token that was never issued',
};
export const expired: Refusal = {
  to: [answers.expired],
  id: 'MRS-5.6a',
  what: 'the data with the expired token',
};

/** Gives the data away as `change` makes it of the refusal, with the status `code`. */
export function leak(
  name: string,
  { to, id, what }: Refusal,
  code: number,
  summary: string,
  change: Change,
  data: Override = serveRecords,
): Defect {
  const given = new RegExp(`^expected that the data is not given\\b.*; seen: ${what}: ${code}\\b`);
  const isAltered = id === 'MRS-5.5a' && {
    'MRS-5.5b': /^expected that the data is not given\b.*; seen: the data with the token, one character/,
  };
  const isNo403 = id === 'MRS-5.6a' &&
    code !== 403 && { 'MRS-7a': /^expected status 403; seen: the data with the expired token/ };
  return {
    name: `leak-${name}`,
    summary: `refuses ${what.replace(/\(.*?\)/, 'a')} with ${code}, and gives the data away ${summary}`,
    fails: { [id]: given, ...isAltered, ...isNo403 },
    // The run takes the token for one that has not expired.
    ...(isNo403 && { cannotRun: ['MRS-5.6b'] }),
    override: combine(data, mapReplyTo(to, sequence(status(code), change))),
  };
}

/** Serves these records instead. */
export const serve = (records: unknown): Override =>
  mapReplyTo(
    answers.served,
    json(() => ({ ods_data: records })),
  );
