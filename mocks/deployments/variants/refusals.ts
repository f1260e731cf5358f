/** Deployments that refuse in other ways. The specification does not show the status and body of a refusal. */
import { answers } from '../../contract/answers.ts';
import { type AnswerName, BAD_FORM, instead, on, REFUSED, served, serveRecords } from '../behaviour.ts';
import { all, type Override, type Variant, variantsOf } from '../deployment.ts';
import {
  add,
  blockPage,
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

/** Each edit is an answer; the end of the name says which. */
const answering = (
  to: AnswerName | readonly AnswerName[],
  prefix: string,
  subject: string,
  rows: readonly (readonly [answer: string, edit: Edit])[],
): Variant[] =>
  rows.flatMap(([key, edit]) => {
    const [name, answer = name] = key.split(': ');
    return variantsOf({ [`${prefix}-${name}: answers ${subject} with ${answer}`]: () => on(to, edit) });
  });

const CODES = [403, 404].map((code) => [`${code}`, code] as const);
const errorWith200 = ['error-with-200: an error and status 200', 200] as const;
const redirect = ['redirect: a redirect to a login page', toLoginPage] as const;

const byStatus: readonly Variant[] = [
  ...answering('missingToken', 'missing-token', 'a missing token', [
    ...[...CODES, redirect, errorWith200],
    ['empty: 401 and no body', empty],
    ['login-page: a login page and status 200', loginPage],
  ]),
  ...answering(['unknownToken', 'malformedToken'], 'unknown-token', 'a token that it never issued', [
    ...[...CODES, redirect, errorWith200],
  ]),
  ...answering('wrongCredentials', 'wrong-credentials', 'wrong client credentials', [
    ...[...CODES, redirect, errorWith200],
  ]),
  ...answering(
    ['invalidRequest', 'unsupportedGrantType'],
    'bad-form',
    'a form that lacks a field or asks for another grant',
    [['401', [401, headers({ 'www-authenticate': 'Basic' })]], ['422', 422], errorWith200],
  ),
  ...answering('expired', 'expired', 'an expired token', [
    ['empty: 403 and no body', empty],
    ['html: 403 and a page of HTML', [loginPage, 403]],
    ['problem: 403 and a problem of RFC 9457', type('application/problem+json')],
  ]),
  ...variantsOf({
    'refuses-with-one-page: answers all that it refuses with 403 and one page': () =>
      on([...REFUSED, ...BAD_FORM, 'expired'], blockPage),
    'unknown-token-as-expired: treats an unknown token like an expired one': () =>
      instead('unknownToken', 'expired'),
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
const notAuthenticated = { error: 'not_authenticated' };
const unknownOrMissing = { code: 'AUTH-0017', message: 'The token is unknown or missing.' };

const ask = { code: 'AUTH-0018', message: 'Ask an administrator for a client.', at: '/token/' };
const ofProvider = servedRecords.map((one) => ({ ...one, ...provider }));
const framing = json((own) => ({ ...about, ...own }));
const notIssued = (Object.keys(answers) as AnswerName[]).filter((name) => name !== 'issued');

/** A record with `text` for each text of the data, and `figure` for each number. */
const blank = (text: string | null, figure: number | null) =>
  Object.fromEntries(
    Object.entries(first).map(([name, value]) => [name, typeof value === 'string' ? text : figure]),
  );

/** Refuses requests without a valid token with 200, unless its edit says otherwise, and serves `data`. */
const refusing = (edit: Edit, data: Override = serveRecords): Override => all(data, on(REFUSED, 200, edit));

/** The data of the contract's example, which has no records. */
const none: Override = () => ({});

/** What is served, and what is refused, in an envelope of the same constants. */
const ENVELOPES: Record<string, [given: object, refusal: object]> = {
  null: [
    { ...framed, ods_data: null },
    { ...framed, error: 'no' },
  ],
  'same-bytes': [
    { ...framed, ods_data: [] },
    { ...framed, ods_data: [] },
  ],
  'one-record': [
    { ...framed, ods_data: [first] },
    { ...framed, error: 'no' },
  ],
};
const envelopes = Object.entries(ENVELOPES).flatMap(([name, [given, refusal]]) =>
  variantsOf({
    [`envelope-${name}: has an envelope of constants (${name}) that refusals have too`]: () =>
      all(served(given), on([...REFUSED, 'expired'], give(refusal))),
  }),
);

const byBody: readonly Variant[] = [
  ...envelopes,
  ...variantsOf(
    {
      'refusal-null-data: 200, null for the data, and an error': () =>
        refusing(give({ data: null, error: { code: 401, message: 'Authentication is required.' } })),
      'refusal-no-records: 200 and no records': () => refusing(give({ ods_data: [] })),
      'refusal-list-of-errors: 200 and a list of errors': () =>
        refusing(give([{ ...unknownOrMissing, at: '/ods_data/' }, ask])),
      'refusal-sentence: 200 and text': () => refusing(body('Authentication is required.\n', 'text/plain')),
      'refusal-204: 204': () => refusing(noContent),
      'refusal-example: 401 and an example of a record, with type names for values': () =>
        refusing([401, add({ example: { ods_data: [blank('string', 0)] } })]),
      'refusal-same-envelope: 200 and the members that surround the data': () =>
        refusing(
          give({ ...about, ods_data: null, ...notAuthenticated }),
          served({ ...about, ods_data: servedRecords }),
        ),
      'refusal-of-scalars: 200 and an error, where the data is one figure in an envelope that each answer has':
        () =>
          refusing(
            give({ ...about, ...notAuthenticated }),
            all(served({ active_requests: 48213 }), on(notIssued, framing)),
          ),
      'refusal-nulled: 200, an error, and null for each figure of the data': () =>
        refusing(
          give({ status: 'error', active: null, window: null }),
          served({ status: 'ok', active: 48213, window: '2031-03-04T02:14:07Z' }),
        ),
      'refusal-without-data: 200, no records and an error, for no data': () =>
        refusing(give({ ods_data: [], ...notAuthenticated }), none),
      'refusal-provider: 200, an error, and what each record names too: the provider and the schema': () =>
        refusing(give({ ...provider, ...notAuthenticated }), served({ ods_data: ofProvider })),
      'refusal-string-for-string: 200 and a sentence as a JSON string, where the data is a JSON string': () =>
        refusing(give('Please authenticate.'), served('MR 48213: avoid 1420.4 MHz until 2031-03-04T05:44Z')),
    },
    { lead: 'answers a request without a valid token with ' },
  ),
];

export const refusalVariants: readonly Variant[] = [
  ...byStatus,
  ...byBody,
  // What is refused cannot be judged where the refusal is not an answer.
  ...variantsOf(
    {
      'wrong-credentials-reset: resets the connection at wrong credentials': () =>
        on('wrongCredentials', reset),
    },
    { cannotRun: ['MRS-4.1j'] },
  ),
  ...variantsOf(
    {
      'refusal-reset: resets the connection at a missing or bad token': () =>
        all(serveRecords, on(REFUSED, reset)),
    },
    { cannotRun: ['MRS-1.3', 'MRS-5.5a', 'MRS-5.5b'] },
  ),
  ...variantsOf({
    'bad-tokens-cut-off: hangs up on bad tokens after the sixth': () =>
      all(serveRecords, on({ to: 'unknownToken', from: 7 }, hangUp)),
  }),
];
