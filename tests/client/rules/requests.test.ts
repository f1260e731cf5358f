import { type Details, testRows } from '../testing/scenes.ts';

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const none = { token: undefined };
const BASIC =
  'in the header of 1 request. The client authenticates by HTTP Basic; let it put the credentials into the form: libraries call that client_secret_post, "body" or include_client_id.';

const details: Details = {
  form: { contentType: FORM },
  charset: { contentType: `${FORM}; charset=utf-8` },
  capitals: { contentType: FORM.toUpperCase() },
  json: { contentType: JSON_TYPE },
  'json-without-fields': { contentType: JSON_TYPE, fields: undefined },
  'no-type': { contentType: undefined },
  'any-type': { accept: '*/*' },
  'no-accept': { accept: undefined },
  'no-secret': { fields: ['grant_type', 'client_id'] },
  'client-id-only': { fields: ['client_id'] },
  'other-grant': { reason: 'unsupported-grant-type' },
  'empty-field': { reason: 'invalid-request' },
  'other-secret': { reason: 'wrong-credentials' },
  'other-scheme': { ...none, authorization: 'malformed' },
  unknown: { ...none, reason: 'unknown-token' },
  'no-header': { ...none, authorization: undefined, reason: 'missing-token' },
  revoked: { reason: 'revoked' },
  head: { method: 'HEAD' },
  'with-token': { authorization: 'bearer' },
  'with-other': { authorization: 'malformed' },
  basic: {
    fields: ['grant_type'],
    authorization: 'malformed',
    misplaced: [{ what: 'client_secret', where: 'header' }],
    reason: 'invalid-request',
  },
  health: { ...none, authorization: undefined, accept: undefined, kind: 'health' },
  other: { ...none, authorization: undefined, accept: undefined, kind: 'other' },
};

testRows(
  `
  form-content-type passed | posts a form                         | a0@form r20
  form-content-type passed | names its charset                    | a0@charset r20
  form-content-type passed | writes the type in capitals          | a0@capitals r20
  form-content-type failed form-fields could-not-run | posts JSON | f0!400@json-without-fields
  form-content-type failed | names no type                        | a0@no-type r20 | | The content type of a token request was none.
  token-accept passed data-accept passed | accepts JSON           | a0 r20 r220
  token-accept failed data-accept passed | asks for any type      | a0@any-type r20 r220
  token-accept passed data-accept failed | reads any type         | a0 r20 r220@any-type
  data-accept failed       | repeats a read without the header    | a0 r20 x3020 a3040 r3060@no-accept r3260 | | was none #5
  form-fields failed       | sends no secret                      | f0!400@no-secret | | without client_secret
  form-fields failed       | sends its id only                    | f0!400@client-id-only | | without grant_type and client_secret
  form-fields failed       | names another grant                  | f0!400@other-grant | | with another grant_type
  form-fields failed       | sends an empty field                 | f0!400@empty-field | | empty, is there twice
  form-fields failed       | sends another secret                 | f0!401@other-secret | | than it was given
  renewal failed form-fields passed | sends it at a renewal       | a0 r20 x3020 f3040!401@other-secret f5040!401@other-secret | | 2 token requests came with other credentials
  bearer-header failed     | sends another scheme                 | a0 r20 r220!401@other-scheme | | that is not Bearer and a token #3
  bearer-header failed     | sends a token of nobody              | a0 r20 r220!401@unknown | | with a token that was never issued #3
  bearer-header failed     | sends no header                      | a0 r20 r220!401@no-header | | without the header #3
  bearer-header passed     | sends a token that was revoked       | a0 r20 r220!401@revoked
  bearer-header passed data-accept passed token-accept passed form-content-type passed | checks the health, and calls another path | a0 r20 r220@health r240@other
  token-request-without-token passed | sends only the form           | a0 r20
  token-request-without-token warned | sends a token with it         | a0@with-token r20 | | 1 token request had an Authorization header. #1
  token-request-without-token warned | sends another header with it  | a0@with-other r20 | | 1 token request had an Authorization header. #1
  form-fields failed       | authenticates by HTTP Basic          | f0!400@basic | | without client_id and client_secret. The client authenticates by HTTP Basic, as OAuth2 libraries do by default: let it put the credentials into the form,
  credentials-place failed | authenticates by HTTP Basic          | f0!400@basic | | ${BASIC}
  token-request-without-token warned | authenticates by HTTP Basic   | f0!400@basic | | let it put the credentials into the form
  data-path could-not-run  | reads by HEAD only                   | a0 r20@head
  data-path passed         | reads by HEAD and GET                | a0 r20@head r40
  token-accept passed form-content-type passed form-fields passed data-accept could-not-run bearer-header could-not-run | never reads | a0
  token-accept could-not-run form-content-type could-not-run form-fields could-not-run data-accept passed bearer-header passed | never asks | r0:1`,
  { details, given: 'agreed=3' },
);

for (const [what, where, own, other] of [
  ['client_secret', 'query', 'credentials-place', 'token-place'],
  ['client_secret', 'header', 'credentials-place', 'token-place'],
  ['client_secret', 'body', 'credentials-place', 'token-place'],
  ['token', 'query', 'token-place', 'credentials-place'],
  ['token', 'path', 'token-place', 'credentials-place'],
] as const)
  testRows(
    `
    ${own} failed ${other} passed | has a ${what} in the ${where} of a read | a0 r20 r220@here | | in the ${where} of 1 request.
    ${own} failed ${other} passed | has a ${what} in the ${where} of a token request | a0@here r20 r220 | | in the ${where} of 1 request.
    ${own} failed ${other} passed | has a ${what} in the ${where} of another call | a0 r420!404@stray | | in the ${where} of 1 request.`,
    {
      details: {
        here: { misplaced: [{ what, where }] },
        stray: { misplaced: [{ what, where }], kind: 'other' },
      },
    },
  );
