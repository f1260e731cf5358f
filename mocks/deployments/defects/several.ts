/** Deployments with several mistakes, of which none may hide another. */
import { absent, instead, near, on, serveRecords } from '../behaviour.ts';
import { type Defect, defectsOf, type Fails, type Wrong, wrong } from '../deployment.ts';
import { add, type Edit, json, loginPage, text, type } from '../edits.ts';

const VALID = 'a form with valid credentials: 20[01]';
const misplaced = (members: string) => ({
  'MRS-2a': VALID,
  'MRS-4.1l': `no further field, but there is.*${members}; seen: ${VALID}`,
});

/** Mistakes in the token response, which are made last. */
const issued = (fails: Fails, ...edits: Edit[]): Wrong => wrong(fails, on('issued', edits));
const unlisted = (expected: string, ...edits: Edit[]): Wrong => ({
  ...issued({ 'MRS-4.1k': `${expected}; seen: ${VALID}` }, edits),
  cannotRun: ['MRS-2a', 'MRS-4.1l'],
});

const inOauth = json(({ token }) => ({ access_token: token, token_type: 'Bearer', expires_in: 90 }));
const oauthResponse = issued(misplaced('access_token.*'), inOauth);
const namedJwt = issued(
  misplaced('jwt'),
  json(({ token }) => ({ jwt: token })),
);
const nested = issued(
  misplaced('result.*'),
  json((own) => ({ result: own, ok: true })),
);
const inList = unlisted(
  'a JSON object',
  json((own) => [own]),
);
const asString = unlisted(
  'a JSON object',
  json(({ token }) => token),
);
const bare = unlisted(
  'well-formed JSON',
  text((old) => JSON.parse(old).token),
  type('text/plain'),
);
const withType = issued(
  { 'MRS-4.1l': `no further field, but there is.*token_type; seen: ${VALID}` },
  add({ token_type: 'Bearer' }),
);
const created = issued({ 'MRS-4.1a': 'a form with valid credentials: 201' }, 201);
const asHtml = issued({ 'MRS-4.1k': VALID }, type('text/html'));

const wrongSecret = wrong(
  { 'MRS-4.1i': 'an empty client_secret: 20[01]', 'MRS-4.1j': 'the client_secret .*: 20[01]' },
  near('client_secret'),
);
const isFilled = (value: string) => value !== '';
const anyGrant = wrong({ 'MRS-4.1f': 'grant_type.*: 20[01]' }, near('grant_type', isFilled));
const noClientId = wrong({ 'MRS-4.1g': 'client_id: 20[01]' }, absent('client_id'));
const expired401 = wrong(
  { 'MRS-7a': 'the data with the expired token: 401' },
  instead('expired', 'unknownToken'),
);
const open = wrong({ 'MRS-1.3': 'the data without a token.*: 200' }, instead('missingToken', 'served'));
const anyToken = wrong(
  { 'MRS-5.5a': 'never issued: 200', 'MRS-5.5b': 'altered: 200' },
  instead('unknownToken', 'served'),
);
const textData = wrong(
  { 'MRS-4.2b': 'a JSON media type; seen: the data with the token: 200' },
  on('served', type('text/plain')),
);
const ONCE_MORE = 'the data with the same token once more: 200';
const laterPage = wrong(
  { 'MRS-4.2b': ONCE_MORE, 'MRS-5.3b': `.*; seen: ${ONCE_MORE}` },
  on({ reads: (token, read) => token === 1 && read === 3 }, loginPage),
);

/** A mistake in the token response comes last, since the others are made before it. */
const several = (...mistakes: Wrong[]): Wrong =>
  wrong(
    Object.assign({}, ...mistakes.map(({ fails }) => fails)),
    [serveRecords, ...mistakes.map(({ does }) => does)],
    { cannotRun: mistakes.flatMap(({ cannotRun = [] }) => cannotRun) },
  );

export const severalMistakeDefects: readonly Defect[] = defectsOf({
  'several-oauth-response: answers valid credentials as OAuth does': () => several(oauthResponse),
  'several-oauth-expired-401: answers as OAuth does, also an expired token': () =>
    several(expired401, oauthResponse),
  'several-oauth-wrong-secret: answers as OAuth does, and any secret is valid': () =>
    several(wrongSecret, oauthResponse),
  'several-oauth-201-expired-401: is an OAuth service with 201': () =>
    several(expired401, created, oauthResponse),
  'several-jwt-open: calls the token jwt, and gives the data without a token': () => several(open, namedJwt),
  'several-nested-later-page: nests the token, and serves a page later': () => several(laterPage, nested),
  'several-list-any-grant: answers with a list, and accepts any grant_type': () => several(anyGrant, inList),
  'several-string-any-token: answers with a string, and accepts any token': () => several(anyToken, asString),
  'several-bare-no-client-id: gives the bare token, and needs no client_id': () => several(noClientId, bare),
  'several-201-text-data: answers with 201, and gives the data as text': () => several(textData, created),
  'several-html-type-open: labels the token as HTML, and is open': () => several(open, asHtml, withType),
  'several-everything-at-once: makes five mistakes': () =>
    several(expired401, wrongSecret, open, textData, oauthResponse),
});
