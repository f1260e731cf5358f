/** Deployments that refuse in other ways. The specification does not show the status and body of a refusal. */
import { randomUUID } from 'node:crypto';
import { answers } from '../../contract/answers.ts';
import { type AnswerName, instead, on, REFUSED, served, serveRecords } from '../behaviour.ts';
import { combine, type Override, type Variant, variantsOf } from '../deployment.ts';
import {
  add,
  body,
  type Edit,
  empty,
  give,
  hangUp,
  headers,
  json,
  loginPage,
  noContent,
  reset,
  toLoginPage,
  type,
} from '../edits.ts';
import { first, servedRecords } from '../served.ts';

/** The end of the name, and what the answer is. */
type Rows = readonly (readonly [name: string, answer: string, ...edits: Edit[]])[];

const answering = (
  to: AnswerName | readonly AnswerName[],
  prefix: string,
  summary: string,
  rows: Rows,
): Variant[] =>
  rows.flatMap(([name, answer, ...edits]) =>
    variantsOf({ [`${prefix}-${name}`]: [`answers ${summary} with ${answer}`, on(to, ...edits)] }),
  );

const errorWith200: Rows[number] = ['error-with-200', 'an error and status 200', 200];
const redirect: Rows[number] = ['redirect', 'a redirect to a login page', toLoginPage];
const codes = (...list: number[]): Rows => list.map((code) => [`${code}`, `${code}`, code]);

const byStatus: readonly Variant[] = [
  ...answering('missingToken', 'missing-token', 'a missing token', [
    ...codes(400, 403, 404),
    ['empty', '401 and no body', empty],
    ['login-page', 'a login page and status 200', loginPage],
    redirect,
    errorWith200,
  ]),
  ...answering(['unknownToken', 'malformedToken'], 'unknown-token', 'a token that it never issued', [
    ...codes(400, 403, 404),
    redirect,
    errorWith200,
  ]),
  ...answering('wrongCredentials', 'wrong-credentials', 'wrong client credentials', [
    ...codes(400, 403, 404),
    redirect,
    errorWith200,
  ]),
  ...answering(
    ['invalidRequest', 'unsupportedGrantType'],
    'bad-form',
    'a form that lacks a field or asks for another grant',
    [['401', '401', 401, headers({ 'www-authenticate': 'Basic' })], ...codes(422), errorWith200],
  ),
  ...answering('expired', 'expired', 'an expired token', [
    ['empty', '403 and no body', empty],
    ['html', '403 and a page of HTML', loginPage, 403],
    ['text', '403 and plain text', body('Token expired', 'text/plain')],
    ['problem', '403 and a problem of RFC 9457', type('application/problem+json')],
  ]),
  ...variantsOf({
    'unknown-token-as-expired': [
      'treats a token that it never issued like an expired one',
      instead('unknownToken', 'expired'),
    ],
  }),
];

const links = [
  { rel: 'login', href: '/login', method: 'GET' },
  { rel: 'documentation', href: '/docs/v2/authentication-2031', method: 'GET' },
];
/** Members of the data and of every refusal. */
const about = { service: 'mrs-7.2.1', build: '20310304T021407Z', node: 'mrs-node-0417' };
const constants = { service: 'mitigation requests', version: '7.2.1-4417' };
const framed = { ...about, ...constants, links };
const provider = { provider: 'obs-3041', schema: 'v1.4.2' };
const period = {
  generated_at: '2031-03-04T02:10:00Z',
  valid_until: '2031-03-04T03:10:00Z',
  serial: 731_000_417,
};
const notAuthenticated = { error: 'not_authenticated' };
const unknownOrMissing = { code: 'AUTH-0017', message: 'The token is unknown or missing.' };

/** A record with `text` for each text of the data, and `figure` for each number. */
const blank = (text: string | null, figure: number | null) =>
  Object.fromEntries(
    Object.entries(first).map(([name, value]) => [name, typeof value === 'string' ? text : figure]),
  );

/** Each refuses requests without a valid token with 200, unless its edit says otherwise, and serves `data`. */
const refusing = (
  rows: Record<string, readonly [answer: string, edit: Edit, data?: Override]>,
  subject = 'serves records, and ',
): Variant[] =>
  Object.entries(rows).flatMap(([name, [answer, edit, data = serveRecords]]) =>
    variantsOf({
      [`refusal-${name}`]: [
        `${subject}answers a request without a valid token with ${answer}`,
        data,
        on(REFUSED, 200, edit),
      ],
    }),
  );

/** The data of the contract's example, which has no records. */
const none: Override = () => ({});

/** Refuses with the envelope of its data, with no records or one. */
const envelope = (name: string, what: string, given: object, refusal: object): Variant[] =>
  variantsOf({
    [`envelope-${name}`]: [
      `serves ${what} in an envelope of constants that refusals have too`,
      served(given),
      on([...REFUSED, 'expired'], give(refusal)),
    ],
  });

const byBody: readonly Variant[] = [
  ...envelope('one-constant', 'no records', { ...constants, ods_data: [] }, { ...constants, error: 'no' }),
  ...envelope('constants', 'no records', { ...framed, ods_data: [] }, { ...framed, error: 'no' }),
  ...envelope('null', 'null', { ...framed, ods_data: null }, { ...framed, error: 'no' }),
  ...envelope('nested', 'no records', { meta: framed, result: { items: [] } }, { meta: framed, error: 'no' }),
  ...envelope('same-bytes', 'no records', { ...framed, ods_data: [] }, { ...framed, ods_data: [] }),
  ...envelope('one-record', 'one record', { ...framed, ods_data: [first] }, { ...framed, error: 'no' }),
  ...refusing({
    'not-authenticated': [
      '200 and "not authenticated"',
      give({ authenticated: false, reason: 'not authenticated' }),
    ],
    'null-data': [
      '200, null for the data, and an error',
      give({ data: null, error: { code: 401, message: 'Authentication is required.' } }),
    ],
    'no-records': ['200 and no records', give({ ods_data: [] })],
    'no-records-and-error': ['200, no records, and an error', give({ ods_data: [], ...notAuthenticated })],
    'list-of-errors': [
      '200 and a list of errors',
      give([
        { ...unknownOrMissing, at: '/ods_data/' },
        { code: 'AUTH-0018', message: 'Ask an administrator for a client.', at: '/token/' },
      ]),
    ],
    errors: [
      '200 and an object with a list of errors',
      json(() => ({
        errors: [
          { id: randomUUID(), status: '401', title: 'Unauthorised', begins: new Date(0).toISOString() },
        ],
      })),
    ],
    'empty-object': ['200 and an empty object', give({})],
    'empty-list': ['200 and an empty list', give([])],
    null: ['200 and null', give(null)],
    false: ['200 and false', give(false)],
    'json-sentence': ['200 and a sentence as a JSON string', give('Please authenticate.')],
    links: ['200 and a list of links', give({ authenticated: false, links })],
    'links-in-list': ['200 and links in the place of the records', give({ ods_data: links })],
    'sample-record': [
      '200, an error, and a made-up sample of a record',
      give({
        ...notAuthenticated,
        sample: Object.fromEntries(Object.keys(first).map((name, nth) => [name, `example ${nth}`])),
      }),
    ],
    counts: [
      '200, the number of records and the names of the sites',
      give({
        authenticated: false,
        active: servedRecords.length,
        sites: servedRecords.map(({ site }) => site),
      }),
    ],
    'time-and-id': [
      '200, an error, the time and an id of the request',
      json(() => ({
        ...notAuthenticated,
        timestamp: new Date().toISOString(),
        request_id: randomUUID(),
        path: '/ods_data/',
      })),
    ],
    sentence: ['200 and a sentence', body('Authentication is required.\n', 'text/plain')],
    xml: [
      '200 and XML',
      body(
        '<?xml version="1.0"?>\n<error><code>401</code><message>Authentication is required.</message></error>\n',
        'application/xml',
      ),
    ],
    'not-json': ['200 and an unfinished JSON object', body('{"error":', 'application/json')],
    blank: ['200 and no body', empty],
    204: ['204', noContent],
    205: ['205 and no body', [empty, 205]],
    'same-envelope': [
      '200 and the members that surround the data',
      give({ ...about, ods_data: null, ...notAuthenticated }),
      served({ ...about, ods_data: servedRecords }),
    ],
    'same-times': [
      '200, an error, and the times that surround the data',
      give({ ...period, ...notAuthenticated }),
      served({ ...period, ods_data: servedRecords }),
    ],
    'of-scalars': [
      '200 and an error, where the data is one figure in an envelope that each answer has',
      give({ ...about, ...notAuthenticated }),
      combine(
        served({ active_requests: 48213 }),
        on(
          { to: Object.keys(answers).filter((name) => name !== 'issued') as AnswerName[] },
          json((own) => ({ ...about, ...own })),
        ),
      ),
    ],
    nulled: [
      '200, an error, and null for each figure of the data',
      give({ status: 'error', active: null, window: null }),
      served({ status: 'ok', active: 48213, window: '2031-03-04T02:14:07Z' }),
    ],
    'errors-for-list': [
      '200 and a list of errors, where the data is a list of records',
      give([unknownOrMissing]),
      served(servedRecords),
    ],
    'without-data': [
      '200, no records and an error, where the data is empty',
      give({ ods_data: [], ...notAuthenticated }),
      none,
    ],
    'null-without-data': [
      '200, null for the records and an error, where the data is empty',
      give({ ods_data: null, ...notAuthenticated }),
      none,
    ],
    'reason-without-data': [
      '200 and "not authenticated", where the data is empty',
      give({ authenticated: false, reason: 'not authenticated' }),
      none,
    ],
    'other-without-data': ['200 and a list of links, where the data is empty', give({ links }), none],
    example: [
      '401 and an example of a record, with type names for values',
      [401, add({ example: { ods_data: [blank('string', 0)] } })],
    ],
    'nulled-record': [
      '401 and a record of which each value is null',
      [401, add({ ods_data: [blank(null, null)] })],
    ],
  }),
  ...refusing(
    {
      provider: [
        '200, an error, and what each record names too: the provider and the schema',
        give({ ...provider, ...notAuthenticated }),
        served({ ods_data: servedRecords.map((one) => ({ ...one, ...provider })) }),
      ],
      'string-for-string': [
        '200 and a sentence as a JSON string, where the data is a JSON string',
        give('Please authenticate.'),
        served('MR 48213: avoid 1420.4 MHz until 2031-03-04T05:44Z'),
      ],
    },
    '',
  ),
];

/** What is refused cannot be judged where the refusal is no answer. */
const byConnection: readonly Variant[] = [
  ...variantsOf(
    {
      'wrong-credentials-reset': [
        'resets the connection of a form with wrong credentials',
        on('wrongCredentials', reset),
      ],
    },
    { cannotRun: ['MRS-4.1j'] },
  ),
  ...variantsOf(
    {
      'refusal-reset': [
        'resets the connection of a request without a valid token',
        serveRecords,
        on(REFUSED, reset),
      ],
    },
    { cannotRun: ['MRS-1.3', 'MRS-5.5a', 'MRS-5.5b'] },
  ),
  ...variantsOf({
    'bad-tokens-cut-off': [
      'closes the connection of each bad token after the sixth without an answer',
      serveRecords,
      on({ to: 'unknownToken', from: 7 }, hangUp),
    ],
  }),
];

export const refusalVariants: readonly Variant[] = [...byStatus, ...byBody, ...byConnection];
