/** Deployments with several mistakes, of which none may hide another. */
import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import { combine, mapForm, mapReplyTo, substituteAnswer } from '../overrides.ts';
import { bytes, json, loginPage, mediaType, status } from '../reply-edits.ts';
import { serveRecords } from '../served-records.ts';
import { mapServed } from '../served-times.ts';

/** A mistake, with what it violates. */
interface Mistake {
  fails: Defect['fails'];
  cannotRun?: Defect['cannotRun'];
  override: Defect['override'];
}

const seen = (expected: string, code = '20[01]') =>
  new RegExp(`^expected ${expected}.*; seen: a form with valid credentials: ${code}\\b`);
const added = (members: string) => seen(`no further field, but there is.*${members}`);
const noToken = seen('the field token');

const oauthResponse: Mistake = {
  fails: { 'MRS-2a': noToken, 'MRS-4.1l': added('access_token') },
  override: mapReplyTo(
    answers.issued,
    json(({ token }) => ({ access_token: token, token_type: 'Bearer', expires_in: 90 })),
  ),
};
const namedJwt: Mistake = {
  fails: { 'MRS-2a': noToken, 'MRS-4.1l': added('jwt') },
  override: mapReplyTo(
    answers.issued,
    json(({ token }) => ({ jwt: token })),
  ),
};
const nested: Mistake = {
  fails: { 'MRS-2a': noToken, 'MRS-4.1l': added('result') },
  override: mapReplyTo(
    answers.issued,
    json((own) => ({ result: own, ok: true })),
  ),
};
const inList: Mistake = {
  fails: { 'MRS-4.1k': seen('a JSON object') },
  cannotRun: ['MRS-2a', 'MRS-4.1l'],
  override: mapReplyTo(
    answers.issued,
    json((own) => [own]),
  ),
};
const asString: Mistake = {
  ...inList,
  override: mapReplyTo(
    answers.issued,
    json(({ token }) => token),
  ),
};
const bare: Mistake = {
  ...inList,
  fails: { 'MRS-4.1k': seen('well-formed JSON') },
  override: combine(
    mapReplyTo(
      answers.issued,
      bytes((old) => Buffer.from(JSON.parse(String(old)).token)),
    ),
    mapReplyTo(answers.issued, mediaType('text/plain')),
  ),
};
const withType: Mistake = {
  fails: { 'MRS-4.1l': added('token_type') },
  override: mapReplyTo(
    answers.issued,
    json((own) => ({ ...own, token_type: 'Bearer' })),
  ),
};
const created: Mistake = {
  fails: { 'MRS-4.1a': seen('status 200', '201') },
  override: mapReplyTo(answers.issued, status(201)),
};
const asHtml: Mistake = {
  fails: { 'MRS-4.1k': seen('a JSON media type') },
  override: mapReplyTo(answers.issued, mediaType('text/html')),
};

const wrongSecret: Mistake = {
  fails: {
    'MRS-4.1i': /^expected no token; seen: .*an empty client_secret: 20[01]\b/,
    'MRS-4.1j': /^expected no token; seen: .*the client_secret .*: 20[01]\b/,
  },
  override: mapForm((form, { secret }) => form.has('client_secret') && form.set('client_secret', secret)),
};
const anyGrant: Mistake = {
  fails: { 'MRS-4.1f': /^expected no token; seen: .*grant_type.*: 20[01]\b/ },
  override: mapForm((form) => form.get('grant_type') && form.set('grant_type', 'client_credentials')),
};
const noClientId: Mistake = {
  fails: { 'MRS-4.1g': /^expected no token; seen: .*client_id: 20[01]\b/ },
  override: mapForm((form, { id }) => form.has('client_id') || form.set('client_id', id)),
};
const expired401: Mistake = {
  fails: { 'MRS-7a': /^expected status 403; seen: the data with the expired token: 401\b/ },
  override: substituteAnswer(answers.expired, answers.unknownToken),
};
const open: Mistake = {
  fails: { 'MRS-1.3': /^expected that the data is not given\b.*; seen: .*the data without a token.*: 200\b/ },
  override: substituteAnswer(answers.missingToken, answers.served),
};
const anyToken: Mistake = {
  fails: {
    'MRS-5.5a': /^expected that the data is not given\b.*; seen: .*never issued: 200\b/,
    'MRS-5.5b': /^expected that the data is not given\b.*; seen: .*altered: 200\b/,
  },
  override: substituteAnswer(answers.unknownToken, answers.served),
};
const textData: Mistake = {
  fails: { 'MRS-4.2b': /^expected a JSON media type; seen: the data with the token: 200\b/ },
  override: mapReplyTo(answers.served, mediaType('text/plain')),
};
const laterPage: Mistake = {
  fails: {
    'MRS-4.2b': /^expected well-formed JSON\b.*; seen: the data with the same token once more: 200\b/,
    'MRS-5.3b': /^expected .*; seen: .*the data with the same token once more: 200\b/,
  },
  override: mapServed((token, read) => token === 1 && read === 3, loginPage),
};

/** A mistake in the token response comes last, since the others are made before it. */
const several = (name: string, summary: string, ...mistakes: Mistake[]): Defect => ({
  name: `several-${name}`,
  summary,
  fails: Object.assign({}, ...mistakes.map(({ fails }) => fails)),
  cannotRun: mistakes.flatMap(({ cannotRun = [] }) => cannotRun),
  override: combine(serveRecords, ...mistakes.map(({ override }) => override)),
});

export const severalMistakeDefects: readonly Defect[] = [
  several('oauth-response', 'answers valid credentials as OAuth does', oauthResponse),
  several(
    'oauth-expired-401',
    'answers valid credentials and an expired token as OAuth does',
    expired401,
    oauthResponse,
  ),
  several(
    'oauth-wrong-secret',
    'answers valid credentials as OAuth does, and any secret is valid',
    wrongSecret,
    oauthResponse,
  ),
  several(
    'oauth-201-expired-401',
    'is an OAuth service that creates tokens',
    expired401,
    created,
    oauthResponse,
  ),
  several('jwt-open', 'calls the token jwt, and gives the data without a token', open, namedJwt),
  several('nested-later-page', 'puts the token under result, and serves a page later', laterPage, nested),
  several(
    'list-any-grant',
    'puts the token response into a list, and accepts any grant_type',
    anyGrant,
    inList,
  ),
  several('string-any-token', 'answers with a JSON string, and accepts any token', anyToken, asString),
  several('bare-no-client-id', 'answers with the bare token, and needs no client_id', noClientId, bare),
  several('201-text-data', 'answers with 201, and gives the data as text', textData, created),
  several(
    'html-type-open',
    'gives token and type as a page, and the data without a token',
    open,
    asHtml,
    withType,
  ),
  several(
    'everything-at-once',
    'makes five mistakes',
    expired401,
    wrongSecret,
    open,
    textData,
    oauthResponse,
  ),
];
