/** Deployments whose answer to valid credentials is not the token response: at once, or to a later form (sections 2, 4.1). */
import { instead, on, serveRecords, status } from '../behaviour.ts';
import { type Defect, type DefectRow, defect, type Fails } from '../deployment.ts';
import {
  add,
  body,
  bytes,
  cutOff,
  type Edit,
  empty,
  give,
  json,
  noContent,
  text,
  type,
  withMark,
} from '../edits.ts';
import { withoutToken } from './token-requests.ts';

/** One of the answers is not an object, so its members cannot be judged. */
const unread = ['MRS-2a', 'MRS-4.1l'];
/** Without a token, there is nothing to compare an Authorization header with. */
const noToken = ['MRS-4.1b', ...withoutToken];

type Rows = Record<string, [summary: string, ...edits: Edit[]]>;

/** Each row answers valid credentials with its edits. */
const answering = (rows: Rows, fails: (seen: string) => Fails, cannotRun: readonly string[] = []): Defect[] =>
  Object.entries(rows).map(([name, [summary, ...edits]]) => {
    const row: DefectRow = {
      fails: fails('a form with valid credentials: 200'),
      does: on('issued', ...edits),
    };
    return defect(name, summary, { ...row, ...(cannotRun.length > 0 && { cannotRun }) });
  });

const field = (expected: string) => (seen: string) => ({
  'MRS-2a': `the field token ${expected}; seen: ${seen}`,
});
const ofType = field('to be of type string');
const added = (name: string) => (seen: string) => ({
  'MRS-4.1l': `no further field, but there is ${name}; seen: ${seen}`,
});
const misplaced = (name: string) => (seen: string) => ({ 'MRS-2a': seen, ...added(name)(seen) });
const labelled = (seen: string) => ({ 'MRS-4.1k': seen });
const unparsed = (seen: string) => ({
  'MRS-4.1k': `well-formed JSON, but it (does not parse|is not UTF-8); seen: ${seen}`,
});

const atOnce: readonly Defect[] = [
  ...answering(
    {
      'token-twice': [
        'sends the field token twice, of which parsers read one or the other',
        text((old) => `{"token":"another-token-of-a-client",${old.slice(1)}`),
      ],
    },
    (seen) => ({ 'MRS-4.1l': `no member twice, but there is token; seen: ${seen}` }),
  ),
  ...[201, 202].map((code) =>
    defect(`token-${code}`, `answers valid credentials with ${code} and the token`, {
      fails: { 'MRS-4.1a': `a form with valid credentials: ${code}` },
      does: on('issued', code),
    }),
  ),
  ...answering(
    { 'token-missing': ['answers valid credentials with an empty object', body('{}')] },
    (seen) => ({ 'MRS-2a': seen }),
    noToken,
  ),
  ...answering(
    { 'token-empty': ['issues an empty token', give({ token: '' })] },
    field('not to be empty'),
    noToken,
  ),
  ...answering(
    {
      'token-null': ['issues null for a token', give({ token: null })],
      'token-number': ['issues a number for a token', give({ token: 1234567890 })],
    },
    ofType,
    noToken,
  ),
  ...answering(
    {
      'token-array': ['issues a list that holds the token', json(({ token }) => ({ token: [token] }))],
      'token-object': [
        'issues an object that holds the token',
        json(({ token }) => ({ token: { value: token } })),
      ],
    },
    ofType,
  ),
  ...answering(
    { 'token-renamed': ['calls the token access_token', json(({ token }) => ({ access_token: token }))] },
    misplaced('access_token'),
  ),
  ...answering(
    { 'token-capitalised': ['calls the token Token', json(({ token }) => ({ Token: token }))] },
    misplaced('Token'),
  ),
  ...answering(
    { 'token-nested': ['puts the token response under data', json((data) => ({ data }))] },
    misplaced('data'),
  ),
  ...Object.entries({ expires_in: 900, token_type: 'Bearer', scope: 'read' }).flatMap(([name, value]) =>
    answering(
      {
        [`token-with-${name.replace('_', '-')}`]: [
          `has the field ${name} in addition to token`,
          add({ [name]: value }),
        ],
      },
      added(name),
    ),
  ),
  ...answering(
    {
      'token-in-array': ['puts the token response into a list', json((own) => [own])],
      'token-as-string': ['answers with the token as a JSON string', json(({ token }) => token)],
    },
    (seen) => ({ 'MRS-4.1k': `a JSON object; seen: ${seen}` }),
    unread,
  ),
  ...answering(
    {
      'token-as-html': [
        'sends the token response as text/html; charset=utf-8',
        type('text/html; charset=utf-8'),
      ],
      'token-as-text': ['sends the token response as text/plain', type('text/plain')],
      'token-as-form': [
        'sends the token response as application/x-www-form-urlencoded',
        type('application/x-www-form-urlencoded'),
      ],
      'token-as-nothing': ['sends the token response without a media type', type()],
    },
    labelled,
  ),
  ...answering(
    {
      'token-bare': ['answers with the bare token', text((old) => JSON.parse(old).token), type('text/plain')],
      'token-with-bom': ['puts a byte order mark before the token response', withMark], // Some readers ignore it.
    },
    unparsed,
    unread,
  ),
  ...answering(
    {
      'token-truncated': ['cuts the token response off', cutOff],
      'token-utf-16': [
        'sends the token response in UTF-16',
        bytes((old) => Buffer.from(String(old), 'utf16le')),
      ],
    },
    unparsed,
    [...unread, ...noToken],
  ),
  ...answering(
    { 'token-blank': ['answers valid credentials with 200 and no body', empty] },
    (seen) => ({ 'MRS-4.1k': `well-formed JSON, but the body is empty; seen: ${seen}` }),
    [...unread, ...noToken],
  ),
  defect('token-204', 'answers valid credentials with 204', {
    fails: {
      'MRS-4.1a': 'a form with valid credentials: 204',
      'MRS-4.1k': 'well-formed JSON, but the body is empty; seen: a form with valid credentials: 204',
    },
    cannotRun: [...unread, ...noToken],
    does: on('issued', noContent),
  }),
];

const FORMS: Record<string, string> = {
  second: 'the form with the same credentials again',
  third: 'the form with the same credentials once more',
  fourth: 'the form with the same credentials a fourth time',
};
const NUMBERS = ['first', 'second', 'third', 'fourth'];

/** Each row edits the answer to one form, which the end of its name says. */
const later = (
  rows: Record<string, [summary: string, fails: (seen: string) => Fails, ...edits: Edit[]]>,
  cannotRun?: readonly string[],
): Defect[] =>
  Object.entries(rows).map(([name, [summary, fails, ...edits]]) => {
    const ordinal = name.replace(/.*-/, '');
    const nth = NUMBERS.indexOf(ordinal) + 1;
    return defect(`later-token-${name}`, `answers ${FORMS[ordinal]} with ${summary}`, {
      fails: fails(`${FORMS[ordinal]}: 200`),
      ...(cannotRun && { cannotRun }),
      does: [serveRecords, on({ to: 'issued', nth }, ...edits)],
    });
  });

const more = added('.*');
const renamed = misplaced('.*');
const withoutObject = (seen: string) => ({ 'MRS-4.1k': `well-formed JSON; seen: ${seen}` });
const refused = (code: number) => (seen: string) => ({ 'MRS-4.1m': seen.replace(/200$/, `${code}`) });
const refusedWithout = (expected: string) => (seen: string) => ({
  'MRS-2a': `${expected}; seen: ${seen}`,
  'MRS-4.1m': seen,
});
const created = (seen: string) => ({ 'MRS-4.1a': seen.replace(/200$/, '201') });
const asAccessToken = json(({ token }) => ({ access_token: token }));

/** Issues tokens of which one does not open the data. */
const dead = (nth: number, what: string): Defect =>
  defect(
    `later-token-dead-${nth}`,
    `issues a token with ${FORMS[NUMBERS[nth - 1] ?? '']} that does not open the data`,
    {
      fails: { 'MRS-4.2a': `${what}: 401` },
      does: [
        serveRecords,
        status(({ token, issued, found }) => (token === issued[nth - 1] ? 'unknown' : found.status)),
      ],
    },
  );

const afterwards: readonly Defect[] = [
  ...later({
    'lifetime-second': ['a lifetime next to the token', more, add({ expires_in: 900 })],
    'scope-third': ['a scope next to the token', more, add({ scope: 'read' })],
    'notice-fourth': ['a notice next to the token', more, add({ notice: 'Renew less often.' })],
    'renamed-second': ['the token as access_token', renamed, asAccessToken],
    'renamed-fourth': ['the token as access_token', renamed, asAccessToken],
    '201-second': ['201 and the token', created, 201],
    '201-fourth': ['201 and the token', created, 201],
    'html-third': ['the token response as text/html', labelled, type('text/html')],
    'text-fourth': ['the token response as text/plain', labelled, type('text/plain')],
  }),
  ...later(
    {
      'bom-second': ['a byte order mark before the token response', withoutObject, withMark],
      'truncated-third': [
        'a token response that is cut off',
        (seen) => ({ ...withoutObject(seen), ...refused(200)(seen) }),
        cutOff,
      ],
      'blank-fourth': [
        '200 and no body',
        (seen) => ({ ...withoutObject(seen), ...refused(200)(seen) }),
        empty,
      ],
    },
    unread,
  ),
  ...later({
    'missing-fourth': ['an empty object', refusedWithout('the field token'), body('{}')],
    'empty-third': [
      'an empty token',
      refusedWithout('the field token not to be empty'),
      body('{"token":""}'),
    ],
    'error-fourth': ['500', refused(500), 500, body('{"error":"server_error"}')],
  }),
  defect(
    'later-token-refused-third',
    `refuses ${FORMS.third} with 401, and issues a token for each other form`,
    {
      fails: { 'MRS-4.1m': `${FORMS.third}: 401` },
      does: [serveRecords, instead({ to: 'issued', nth: 3 }, 'wrongCredentials')],
    },
  ),
  dead(3, 'the data with the newest token'),
  dead(4, 'the data with the fourth token'),
  defect('later-token-serves-once', 'forgets every token but the first after one call', {
    fails: { 'MRS-5.3b': 'the data with the new token again: 401' },
    does: [
      serveRecords,
      on({ reads: (token, read) => token > 1 && read > 1 }, 401, body('{"error":"used"}')),
    ],
  }),
];

export const tokenResponseDefects: readonly Defect[] = [...atOnce, ...afterwards];
