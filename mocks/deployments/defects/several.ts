/** Deployments with several mistakes, of which none may hide another. */
import { absent, instead, near, on, serveRecords } from '../behaviour.ts';
import { type Defect, type DefectRow, defect } from '../deployment.ts';
import { add, json, loginPage, text, type } from '../edits.ts';

const VALID = 'a form with valid credentials: 20[01]';
const NOT_LISTED = ['MRS-2a', 'MRS-4.1l'];
const misplaced = (members: string) => ({
  'MRS-2a': VALID,
  'MRS-4.1l': `no further field, but there is.*${members}; seen: ${VALID}`,
});

const oauthResponse: DefectRow = {
  fails: misplaced('access_token.*'),
  does: on(
    'issued',
    json(({ token }) => ({ access_token: token, token_type: 'Bearer', expires_in: 90 })),
  ),
};
const namedJwt: DefectRow = {
  fails: misplaced('jwt'),
  does: on(
    'issued',
    json(({ token }) => ({ jwt: token })),
  ),
};
const nested: DefectRow = {
  fails: misplaced('result.*'),
  does: on(
    'issued',
    json((own) => ({ result: own, ok: true })),
  ),
};
const inList: DefectRow = {
  fails: { 'MRS-4.1k': `a JSON object; seen: ${VALID}` },
  cannotRun: NOT_LISTED,
  does: on(
    'issued',
    json((own) => [own]),
  ),
};
const asString: DefectRow = {
  ...inList,
  does: on(
    'issued',
    json(({ token }) => token),
  ),
};
const bare: DefectRow = {
  ...inList,
  fails: { 'MRS-4.1k': `well-formed JSON; seen: ${VALID}` },
  does: on(
    'issued',
    text((old) => JSON.parse(old).token),
    type('text/plain'),
  ),
};
const withType: DefectRow = {
  fails: { 'MRS-4.1l': `no further field, but there is.*token_type; seen: ${VALID}` },
  does: on('issued', add({ token_type: 'Bearer' })),
};
const created: DefectRow = {
  fails: { 'MRS-4.1a': 'a form with valid credentials: 201' },
  does: on('issued', 201),
};
const asHtml: DefectRow = { fails: { 'MRS-4.1k': VALID }, does: on('issued', type('text/html')) };

const wrongSecret: DefectRow = {
  fails: { 'MRS-4.1i': 'an empty client_secret: 20[01]', 'MRS-4.1j': 'the client_secret .*: 20[01]' },
  does: near('client_secret'),
};
const anyGrant: DefectRow = {
  fails: { 'MRS-4.1f': 'grant_type.*: 20[01]' },
  does: near('grant_type', (value) => value !== ''),
};
const noClientId: DefectRow = { fails: { 'MRS-4.1g': 'client_id: 20[01]' }, does: absent('client_id') };
const expired401: DefectRow = {
  fails: { 'MRS-7a': 'the data with the expired token: 401' },
  does: instead('expired', 'unknownToken'),
};
const open: DefectRow = {
  fails: { 'MRS-1.3': 'the data without a token.*: 200' },
  does: instead('missingToken', 'served'),
};
const anyToken: DefectRow = {
  fails: { 'MRS-5.5a': 'never issued: 200', 'MRS-5.5b': 'altered: 200' },
  does: instead('unknownToken', 'served'),
};
const textData: DefectRow = {
  fails: { 'MRS-4.2b': 'a JSON media type; seen: the data with the token: 200' },
  does: on('served', type('text/plain')),
};
const laterPage: DefectRow = {
  fails: {
    'MRS-4.2b': 'the data with the same token once more: 200',
    'MRS-5.3b': '.*; seen: the data with the same token once more: 200',
  },
  does: on({ reads: (token, read) => token === 1 && read === 3 }, loginPage),
};

const MISTAKES: Readonly<Record<string, readonly [summary: string, ...DefectRow[]]>> = {
  'oauth-response': ['answers valid credentials as OAuth does', oauthResponse],
  'oauth-expired-401': [
    'answers valid credentials and an expired token as OAuth does',
    expired401,
    oauthResponse,
  ],
  'oauth-wrong-secret': [
    'answers valid credentials as OAuth does, and any secret is valid',
    wrongSecret,
    oauthResponse,
  ],
  'oauth-201-expired-401': ['is an OAuth service that creates tokens', expired401, created, oauthResponse],
  'jwt-open': ['calls the token jwt, and gives the data without a token', open, namedJwt],
  'nested-later-page': ['puts the token under result, and serves a page later', laterPage, nested],
  'list-any-grant': ['puts the token response into a list, and accepts any grant_type', anyGrant, inList],
  'string-any-token': ['answers with a JSON string, and accepts any token', anyToken, asString],
  'bare-no-client-id': ['answers with the bare token, and needs no client_id', noClientId, bare],
  '201-text-data': ['answers with 201, and gives the data as text', textData, created],
  'html-type-open': ['gives token and type as a page, and the data without a token', open, asHtml, withType],
  'everything-at-once': [
    ...(['makes five mistakes', expired401, wrongSecret, open, textData, oauthResponse] as const),
  ],
};

/** A mistake in the token response comes last, since the others are made before it. */
export const severalMistakeDefects: readonly Defect[] = Object.entries(MISTAKES).map(
  ([name, [summary, ...mistakes]]) =>
    defect(`several-${name}`, summary, {
      fails: Object.assign({}, ...mistakes.map(({ fails }) => fails)),
      cannotRun: mistakes.flatMap(({ cannotRun = [] }) => cannotRun),
      does: [serveRecords, ...mistakes.flatMap(({ does }) => does)],
    }),
);
