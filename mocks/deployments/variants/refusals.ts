/** Deployments that refuse in other ways. The specification does not show the status and body of a refusal. */
import { BAD_FORM, instead, on, REFUSED, served, serveRecords } from '../behaviour.ts';
import { all, type Deployment, type Override, UNDECIDED, variantsOf } from '../deployment.ts';
import {
  add,
  blockPage,
  body,
  type Edit,
  empty,
  give,
  headers,
  loginPage,
  noContent,
  reset,
  toLoginPage,
  type,
} from '../edits.ts';
import { first, servedRecords } from '../served.ts';

/** Members of the data and of every refusal. */
const about = { service: 'mrs-7.2.1', build: '20310304T021407Z', node: 'mrs-node-0417' };
const notAuthenticated = { error: 'not_authenticated' };
const unknownOrMissing = { code: 'AUTH-0017', message: 'The token is unknown or missing.', at: '/ods_data/' };
const ask = { code: 'AUTH-0018', message: 'Ask an administrator for a client.', at: '/token/' };

/** A record with the name of its type for each value. */
const example = Object.fromEntries(
  Object.entries(first).map(([name, value]) => [name, typeof value === 'string' ? 'string' : 0]),
);

/** Refuses requests without a valid token with 200, unless its edit says otherwise, and serves `data`. */
const refusing = (edit: Edit, data: Override = serveRecords): Override => all(data, on(REFUSED, 200, edit));

export const refusalVariants: readonly Deployment[] = [
  ...variantsOf({
    'missing-token-403: answers a missing token with 403': () => on('missingToken', 403),
    'missing-token-404: answers a missing token with 404': () => on('missingToken', 404),
    'missing-token-redirect: answers a missing token with a redirect to a login page': () =>
      on('missingToken', toLoginPage),
    'missing-token-error-with-200: answers a missing token with an error and status 200': () =>
      on('missingToken', 200),
    'missing-token-empty: answers a missing token with 401 and no body': () => on('missingToken', empty),
    'missing-token-login-page: answers a missing token with a login page and status 200': () =>
      on('missingToken', loginPage),
    'unknown-token-403: answers a token that it never issued with 403': () =>
      on(['unknownToken', 'malformedToken'], 403),
    'unknown-token-redirect: answers a token that it never issued with a redirect to a login page': () =>
      on(['unknownToken', 'malformedToken'], toLoginPage),
    'unknown-token-error-with-200: answers a token that it never issued with an error and status 200': () =>
      on(['unknownToken', 'malformedToken'], 200),
    'unknown-token-as-expired: treats an unknown token like an expired one': () =>
      instead('unknownToken', 'expired'),
    'wrong-credentials-403: answers wrong client credentials with 403': () => on('wrongCredentials', 403),
    'wrong-credentials-error-with-200: answers wrong client credentials with an error and status 200': () =>
      on('wrongCredentials', 200),
    'bad-form-401: answers a form that lacks a field or asks for another grant with 401': () =>
      on(['invalidRequest', 'unsupportedGrantType'], 401, headers({ 'www-authenticate': 'Basic' })),
    'bad-form-422: answers a form that lacks a field or asks for another grant with 422': () =>
      on(['invalidRequest', 'unsupportedGrantType'], 422),
    'expired-empty: answers an expired token with 403 and no body': () => on('expired', empty),
    'expired-html: answers an expired token with 403 and a page of HTML': () => on('expired', loginPage, 403),
    'expired-problem: answers an expired token with 403 and a problem of RFC 9457': () =>
      on('expired', type('application/problem+json')),
    'refuses-with-one-page: answers all that it refuses with 403 and one page': () =>
      on([...REFUSED, ...BAD_FORM, 'expired'], blockPage),
    'envelope-same-bytes: has an envelope of constants, which refusals have too, and no records': () =>
      all(served({ ...about, ods_data: [] }), on([...REFUSED, 'expired'], give({ ...about, ods_data: [] }))),
  }),
  ...variantsOf(
    {
      'refusal-no-records: 200 and no records': () => refusing(give({ ods_data: [] })),
      'refusal-list-of-errors: 200 and a list of errors': () => refusing(give([unknownOrMissing, ask])),
      'refusal-sentence: 200 and text': () => refusing(body('Authentication is required.\n', 'text/plain')),
      'refusal-204: 204': () => refusing(noContent),
      'refusal-example: 401 and an example of a record, with type names for values': () =>
        refusing([401, add({ example: { ods_data: [example] } })]),
      'refusal-same-envelope: 200 and the members that surround the data': () =>
        refusing(
          give({ ...about, ods_data: null, ...notAuthenticated }),
          served({ ...about, ods_data: servedRecords }),
        ),
    },
    { lead: 'answers a request without a valid token with ' },
  ),
  // What is refused cannot be judged where the refusal is not an answer.
  ...variantsOf(
    {
      'wrong-credentials-reset: resets the connection at wrong credentials': () =>
        on('wrongCredentials', reset),
      'refusal-reset: resets the connection at a missing or bad token': () =>
        all(serveRecords, on(REFUSED, reset)),
    },
    UNDECIDED,
  ),
];
