/** Deployments that serve the data at first, and something else later. */
import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import { combine, mapReplyTo } from '../overrides.ts';
import {
  body,
  bytes,
  type Change,
  empty,
  json,
  loginPage,
  mediaType,
  sequence,
  status,
} from '../reply-edits.ts';
import { servedRecords, serveRecords } from '../served-records.ts';
import { mapServed, type When } from '../served-times.ts';

/** A request for data, with the requirement that the data answers it. */
interface Moment {
  id: string;
  what: string;
  when: When;
}

const second: Moment = {
  id: 'MRS-5.3b',
  what: 'the data with the same token again',
  when: (token, read) => token === 1 && read === 2,
};
const third: Moment = {
  id: 'MRS-5.3b',
  what: 'the data with the same token once more',
  when: (token, read) => token === 1 && read === 3,
};
const late: Moment = {
  id: 'MRS-5.3b',
  what: 'the data with the token shortly before it expires',
  when: (token, read) => token === 1 && read === 4,
};
const fresh: Moment = {
  id: 'MRS-5.6b',
  what: 'the data with the new token',
  when: (token) => token === 2,
};
const newest: Moment = {
  id: 'MRS-4.2a',
  what: 'the data with the newest token',
  when: (token) => token === 3,
};

const notJson = ({ what }: Moment) => new RegExp(`^expected well-formed JSON\\b.*; seen: ${what}: 200\\b`);

const later = (
  name: string,
  moment: Moment,
  summary: string,
  fails: Defect['fails'],
  change: Change,
): Defect => ({
  name: `later-${name}`,
  summary: `answers ${moment.what} with ${summary}`,
  fails,
  override: combine(serveRecords, mapServed(moment.when, change)),
});

/** Well-formed, and not the data. */
const otherThan = (name: string, moment: Moment, summary: string, change: Change) =>
  later(name, moment, summary, notData(moment), change);

/** No content is data too, though it is not JSON. */
const withoutContent = (name: string, moment: Moment, summary: string, change: Change) =>
  later(name, moment, summary, { 'MRS-4.2b': notJson(moment) }, change);

const malformed = (name: string, moment: Moment, summary: string, change: Change) =>
  later(name, moment, summary, { 'MRS-4.2b': notJson(moment), ...notData(moment) }, change);

const notData = ({ id, what }: Moment) => ({ [id]: new RegExp(`^expected .*; seen: .*${what}: 200\\b`) });

const page = (name: string, moment: Moment): Defect => ({
  ...otherThan(name, moment, 'a login page', loginPage),
  fails: {
    ...otherThan(name, moment, '', loginPage).fails,
    'MRS-4.2b': notJson(moment),
  },
});

const labelled = (name: string, moment: Moment, type: string | undefined) =>
  later(
    name,
    moment,
    `the data ${type ? `as ${type}` : 'without a media type'}`,
    { 'MRS-4.2b': new RegExp(`^expected a JSON media type; seen: ${moment.what}: 200\\b`) },
    mediaType(type),
  );

/** Has no records, as `nothing`, but for this moment. */
const withNothingBefore = (
  nothing: unknown,
  moment: Moment,
  summary: string,
  value: () => unknown,
): Defect => ({
  name: `later-message-after-${Array.isArray(nothing) ? 'list' : nothing === null ? 'null' : 'object'}`,
  summary: `has no data, and answers ${moment.what} with ${summary}`,
  fails: notData(moment),
  override: combine(
    mapReplyTo(
      answers.served,
      json(() => nothing),
    ),
    mapServed(moment.when, json(value)),
  ),
});

const error: Change = json(() => ({ error: 'backend_unavailable', message: 'Try again later.' }));

export const laterDataDefects: readonly Defect[] = [
  page('page-second', second),
  page('page-late', late),
  page('page-fresh', fresh),
  page('page-newest', newest),
  otherThan('error-third', third, 'an error and status 200', error),
  otherThan('error-fresh', fresh, 'an error and status 200', error),
  otherThan('error-newest', newest, 'an error and status 200', error),
  ...[null, [], {}].map((nothing) =>
    withNothingBefore(nothing, third, 'a message in the place of the data', () => ({
      message: 'Try again later.',
      retry_after: 30,
    })),
  ),
  otherThan('string-fresh', fresh, 'a string', body('"The schedule is being computed."')),
  otherThan(
    'string-second',
    second,
    'the data as JSON in a string',
    bytes((old) => Buffer.from(JSON.stringify(String(old)))),
  ),
  otherThan('true-third', third, 'true', body('true')),
  otherThan(
    'status-late',
    late,
    'the status of the service',
    json(() => ({ status: 'healthy' })),
  ),
  otherThan(
    'null-and-error-fresh',
    fresh,
    'null for the data, and an error',
    json(() => ({ ods_data: null, error: 'backend_unavailable' })),
  ),
  otherThan(
    'none-and-error-third',
    third,
    'no records, and an error',
    json(() => ({ ods_data: [], error: 'backend_unavailable' })),
  ),
  later(
    'queued-second',
    second,
    '202 and a promise',
    { 'MRS-5.3b': /^expected .*; seen: .*the data with the same token again: 202\b/ },
    sequence(
      status(202),
      json(() => ({ status: 'queued', position: 4 })),
    ),
  ),
  {
    name: 'error-always',
    summary: 'answers each request for data with an error and status 200',
    fails: Object.fromEntries(
      ['MRS-4.2a', 'MRS-5.3b', 'MRS-5.6b'].map((id) => [
        id,
        /^expected the data, not an error; seen: .*: 200\b/,
      ]),
    ),
    override: mapReplyTo(answers.served, error),
  },
  malformed(
    'truncated-second',
    second,
    'the data, cut off',
    bytes((old) => old.subarray(0, -2)),
  ),
  withoutContent('empty-third', third, 'status 200 and no body', sequence(status(200), body(''))),
  malformed(
    'nan-late',
    late,
    'NaN in the data',
    bytes((old) => Buffer.from(String(old).replace('22.01446', 'NaN'))),
  ),
  malformed(
    'bom-fresh',
    fresh,
    'a byte order mark before the data',
    bytes((old) => Buffer.concat([Buffer.from('\ufeff'), old])),
  ),
  malformed(
    'truncated-newest',
    newest,
    'the data, cut off',
    bytes((old) => old.subarray(0, old.length / 2)),
  ),
  withoutContent('blank-newest', newest, 'status 200, and neither a body nor a media type', empty),
  labelled('text-second', second, 'text/plain'),
  labelled('html-late', late, 'text/html; charset=utf-8'),
  labelled('bytes-fresh', fresh, 'application/octet-stream'),
  labelled('nothing-newest', newest, undefined),
  {
    name: 'later-errors-for-list-late',
    summary: 'gives a list of records, and a list of errors shortly before the token expires',
    fails: { 'MRS-5.3b': new RegExp(`^expected the data, not errors; seen: ${late.what}: 200\\b`) },
    override: combine(
      mapReplyTo(
        answers.served,
        json(() => servedRecords),
      ),
      mapServed(
        late.when,
        json(() => [{ error: 'backend_unavailable', message: 'Try again later.' }]),
      ),
    ),
  },
];
