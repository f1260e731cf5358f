/** Deployments that serve something else than the data with a valid token: at once, or at a later read (sections 4.2, 5.3). */
import { instead, move, on, served, serveRecords } from '../behaviour.ts';
import { type Defect, defect, type Fails, type Override } from '../deployment.ts';
import {
  body,
  cutInHalf,
  cutOff,
  type Edit,
  empty,
  give,
  headers,
  loginPage,
  text,
  type,
  withMark,
} from '../edits.ts';
import { servedRecords } from '../served.ts';
import { withoutData } from './token-requests.ts';

const THE_DATA = 'the data with the token';

/** Refuses a valid token. */
const refusing = (name: string, summary: string, code: number, does: Override): Defect =>
  defect(name, summary, { fails: { 'MRS-4.2a': `${THE_DATA}: ${code}` }, cannotRun: withoutData, does });

/** Each row serves what its edits make of the data, which is not JSON for a reason. */
const unlike = (rows: Record<string, [summary: string, reason: string, ...edits: Edit[]]>): Defect[] =>
  Object.entries(rows).map(([name, [summary, reason, ...edits]]) =>
    defect(name, summary, { fails: { 'MRS-4.2b': reason }, does: on('served', ...edits) }),
  );
const malformed = (why: string) => `well-formed JSON, but ${why}; seen: ${THE_DATA}: 200`;
const UNPARSED = malformed('it does not parse');

const atOnce: readonly Defect[] = [
  refusing('data-403', 'refuses the data to every client with 403', 403, instead('served', 'expired')),
  refusing(
    'data-404',
    'answers with 404 where the data should be',
    404,
    move('readData', (operation) => ({ ...operation, path: '/data/' })),
  ),
  refusing(
    'data-path-redirects',
    'redirects /ods_data/ to /ods_data',
    307,
    on('served', 307, headers({ location: '../ods_data' }), empty),
  ),
  refusing('data-500', 'fails with 500 when it serves the data', 500, on('served', 500)),
  ...unlike({
    'data-html': ['gives the data as a page of HTML', UNPARSED, loginPage],
    'data-as-text': [
      'gives the data as text/plain',
      `a JSON media type; seen: ${THE_DATA}: 200, text/plain`,
      type('text/plain'),
    ],
    'data-as-nothing': [
      'gives the data without a media type',
      'a JSON media type; seen: : 200, a body without a media type',
      type(),
    ],
    'data-truncated': ['cuts the data off', UNPARSED, cutOff],
    'data-lines': [
      'gives the data as several JSON texts, one on each line',
      UNPARSED,
      body('{"id":1}\n{"id":2}\n'),
    ],
    'data-with-bom': ['puts a byte order mark before the data', UNPARSED, withMark],
    'data-latin-1': [
      'gives the data in Latin-1',
      malformed('it is not UTF-8'),
      body(Buffer.from('{"name":"K\xf6ln"}', 'latin1')),
    ],
    'data-empty': [
      'answers with 200 and no body where the data should be',
      malformed('the body is empty'),
      empty,
    ],
  }),
  defect('data-third-read-500', 'fails with 500 on every third request with a valid token', {
    fails: {
      'MRS-4.2a': 'the data with the (new|newest|fourth) token: 500',
      'MRS-5.3b': 'the data with the same token once more: 500',
    },
    does: [serveRecords, on({ to: 'served', every: 3 }, 500)],
  }),
];

const ERROR = { error: 'backend_unavailable', message: 'Try again later.' };
const error = give(ERROR);

/** Requests for data, each with the requirement that the data answers it, and which token it carries how often. */
const MOMENTS = {
  second: ['MRS-5.3b', 'the data with the same token again', 1, 2],
  third: ['MRS-5.3b', 'the data with the same token once more', 1, 3],
  late: ['MRS-5.3b', 'the data with the token shortly before it expires', 1, 4],
  fresh: ['MRS-5.6b', 'the data with the new token', 2, undefined],
  newest: ['MRS-4.2a', 'the data with the newest token', 3, undefined],
} as const;
type MomentName = keyof typeof MOMENTS;

const at = (name: MomentName, ...edits: Edit[]) => {
  const [, , tokenNumber, readNumber] = MOMENTS[name];
  return on({ reads: (token, read) => token === tokenNumber && read === (readNumber ?? read) }, ...edits);
};

/** What is wrong with the answer: well-formed, and not the data; not JSON, though no content is data too; both; its type. */
const WRONG: Record<string, (id: string, what: string) => Fails> = {
  other: (id, what) => ({ [id]: `.*; seen: ${what}: 200` }),
  blank: (_, what) => ({ 'MRS-4.2b': `${what}: 200` }),
  broken: (id, what) => ({ [id]: `.*; seen: ${what}: 200`, 'MRS-4.2b': `${what}: 200` }),
  label: (_, what) => ({ 'MRS-4.2b': `a JSON media type; seen: ${what}: 200` }),
};

/** Each row serves something else at one moment, which the end of its name says. */
const later = (
  how: keyof typeof WRONG,
  rows: Record<string, [summary: string, ...edits: Edit[]]>,
): Defect[] =>
  Object.entries(rows).map(([name, [summary, ...edits]]) => {
    const moment = name.replace(/.*-/, '') as MomentName;
    const [id, what] = MOMENTS[moment];
    return defect(`later-${name}`, `answers ${what} with ${summary}`, {
      fails: WRONG[how]?.(id, what) ?? {},
      does: [serveRecords, at(moment, ...edits)],
    });
  });

const afterwards: readonly Defect[] = [
  ...later('broken', {
    'page-second': ['a login page', loginPage],
    'page-late': ['a login page', loginPage],
    'page-fresh': ['a login page', loginPage],
    'page-newest': ['a login page', loginPage],
    'truncated-second': ['the data, cut off', cutOff],
    'nan-late': ['NaN in the data', text((old) => old.replace('22.01446', 'NaN'))],
    'bom-fresh': ['a byte order mark before the data', withMark],
    'truncated-newest': ['the data, cut off', cutInHalf],
  }),
  ...later('other', {
    'error-third': ['an error and status 200', error],
    'error-fresh': ['an error and status 200', error],
    'error-newest': ['an error and status 200', error],
    'string-fresh': ['a string', body('"The schedule is being computed."')],
    'string-second': ['the data as JSON in a string', text((old) => JSON.stringify(old))],
    'true-third': ['true', body('true')],
    'status-late': ['the status of the service', give({ status: 'healthy' })],
    'null-and-error-fresh': ['null for the data, and an error', give({ ods_data: null, error: ERROR.error })],
    'none-and-error-third': ['no records, and an error', give({ ods_data: [], error: ERROR.error })],
  }),
  ...later('blank', {
    'empty-third': ['status 200 and no body', 200, body('')],
    'blank-newest': ['status 200, and neither a body nor a media type', empty],
  }),
  ...later('label', {
    'text-second': ['the data as text/plain', type('text/plain')],
    'html-late': ['the data as text/html; charset=utf-8', type('text/html; charset=utf-8')],
    'bytes-fresh': ['the data as application/octet-stream', type('application/octet-stream')],
    'nothing-newest': ['the data without a media type', type()],
  }),
  ...Object.entries({ null: null, list: [], object: {} }).map(([name, nothing]) =>
    defect(
      `later-message-after-${name}`,
      `has no data, and answers ${MOMENTS.third[1]} with a message in the place of the data`,
      {
        fails: { 'MRS-5.3b': `.*; seen: ${MOMENTS.third[1]}: 200` },
        does: [served(nothing), at('third', give({ message: 'Try again later.', retry_after: 30 }))],
      },
    ),
  ),
  defect('later-queued-second', `answers ${MOMENTS.second[1]} with 202 and a promise`, {
    fails: { 'MRS-5.3b': `.*; seen: ${MOMENTS.second[1]}: 202` },
    does: [serveRecords, at('second', 202, give({ status: 'queued', position: 4 }))],
  }),
  defect('error-always', 'answers each request for data with an error and status 200', {
    fails: Object.fromEntries(
      ['MRS-4.2a', 'MRS-5.3b', 'MRS-5.6b'].map((id) => [id, 'the data, not an error; seen: .*: 200']),
    ),
    does: on('served', error),
  }),
  defect(
    'later-errors-for-list-late',
    'gives a list of records, and a list of errors shortly before the token expires',
    {
      fails: { 'MRS-5.3b': `the data, not errors; seen: ${MOMENTS.late[1]}: 200` },
      does: [served(servedRecords), at('late', give([ERROR]))],
    },
  ),
];

export const dataDefects: readonly Defect[] = [...atOnce, ...afterwards];
