/** Deployments whose answer to valid credentials is not the token response. */

import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import { mapReplyTo } from '../overrides.ts';
import {
  body,
  bytes,
  type Change,
  empty,
  json,
  mediaType,
  noContent,
  sequence,
  status,
} from '../reply-edits.ts';
import { withoutToken } from './consequences.ts';

/** Without a token, there is nothing to compare an Authorization header with. */
const noToken = ['MRS-4.1b', ...withoutToken];
const seen = (expected: string, code = 200) =>
  new RegExp(`^expected ${expected}(; .*)?; seen: a form with valid credentials: ${code}\\b`);

const wrongStatus = (code: 201 | 202): Defect => ({
  name: `token-${code}`,
  summary: `answers valid credentials with ${code} and the token`,
  fails: { 'MRS-4.1a': seen('status 200', code) },
  override: mapReplyTo(answers.issued, status(code)),
});

const wrongToken = (name: string, summary: string, value: unknown, expected: string): Defect => ({
  name: `token-${name}`,
  summary,
  fails: { 'MRS-2a': seen(`the field token ${expected}`) },
  cannotRun: noToken,
  override: mapReplyTo(
    answers.issued,
    json(() => ({ token: value })),
  ),
});

/** The token can be found nevertheless. */
const held = (name: string, summary: string, holder: (token: unknown) => unknown): Defect => ({
  name: `token-${name}`,
  summary,
  fails: { 'MRS-2a': seen('the field token to be of type string') },
  override: mapReplyTo(
    answers.issued,
    json(({ token }) => ({ token: holder(token) })),
  ),
});

const wrongPlace = (name: string, summary: string, field: string, change: Parameters<typeof json>[0]) => ({
  name: `token-${name}`,
  summary,
  fails: {
    'MRS-2a': seen('the field token'),
    'MRS-4.1l': seen(`no further field, but there is ${field}`),
  },
  override: mapReplyTo(answers.issued, json(change)),
});

const extraField = (name: string, field: string, value: unknown): Defect => ({
  name: `token-with-${name}`,
  summary: `has the field ${field} in addition to token`,
  fails: { 'MRS-4.1l': seen(`no further field, but there is ${field}`) },
  override: mapReplyTo(
    answers.issued,
    json((fields) => ({ ...fields, [field]: value })),
  ),
});

const wrongMediaType = (name: string, type: string | undefined): Defect => ({
  name: `token-as-${name}`,
  summary: `sends the token response ${type ? `as ${type}` : 'without a media type'}`,
  fails: { 'MRS-4.1k': seen('a JSON media type') },
  override: mapReplyTo(answers.issued, mediaType(type)),
});

const notJson = (name: string, summary: string, change: Change, why: string, code = 200): Defect => ({
  name: `token-${name}`,
  summary,
  fails: {
    'MRS-4.1k': seen(`well-formed JSON, but ${why}`, code),
    ...(code !== 200 && { 'MRS-4.1a': seen('status 200', code) }),
  },
  cannotRun: ['MRS-2a', 'MRS-4.1l', ...noToken],
  override: mapReplyTo(answers.issued, change),
});

const notObject = (name: string, summary: string, change: Parameters<typeof json>[0]): Defect => ({
  name: `token-${name}`,
  summary,
  fails: { 'MRS-4.1k': seen('a JSON object') },
  cannotRun: ['MRS-2a', 'MRS-4.1l'],
  override: mapReplyTo(answers.issued, json(change)),
});

export const tokenResponseDefects: Defect[] = [
  {
    name: 'token-twice',
    summary: 'sends the field token twice, of which parsers read one or the other',
    fails: { 'MRS-4.1l': seen('no member twice, but there is token') },
    override: mapReplyTo(
      answers.issued,
      bytes((old) => Buffer.from(`{"token":"another-token-of-a-client",${old.toString().slice(1)}`)),
    ),
  },
  wrongStatus(201),
  wrongStatus(202),
  {
    name: 'token-missing',
    summary: 'answers valid credentials with an empty object',
    fails: { 'MRS-2a': seen('the field token') },
    cannotRun: noToken,
    override: mapReplyTo(answers.issued, body('{}')),
  },
  wrongToken('empty', 'issues an empty token', '', 'not to be empty'),
  wrongToken('null', 'issues null for a token', null, 'to be of type string'),
  wrongToken('number', 'issues a number for a token', 1234567890, 'to be of type string'),
  held('array', 'issues a list that holds the token', (token) => [token]),
  held('object', 'issues an object that holds the token', (token) => ({ value: token })),
  wrongPlace('renamed', 'calls the token access_token', 'access_token', ({ token }) => ({
    access_token: token,
  })),
  wrongPlace('capitalised', 'calls the token Token', 'Token', ({ token }) => ({ Token: token })),
  wrongPlace('nested', 'puts the token response under data', 'data', (fields) => ({ data: fields })),
  extraField('expires-in', 'expires_in', 900),
  extraField('token-type', 'token_type', 'Bearer'),
  extraField('scope', 'scope', 'read'),
  notObject('in-array', 'puts the token response into a list', (fields) => [fields]),
  notObject('as-string', 'answers with the token as a JSON string', ({ token }) => token),
  wrongMediaType('html', 'text/html; charset=utf-8'),
  wrongMediaType('text', 'text/plain'),
  wrongMediaType('form', 'application/x-www-form-urlencoded'),
  wrongMediaType('nothing', undefined),
  {
    ...notJson(
      'bare',
      'answers with the bare token',
      sequence(bare, mediaType('text/plain')),
      'it does not parse',
    ),
    cannotRun: ['MRS-2a', 'MRS-4.1l'],
  },
  notJson('truncated', 'cuts the token response off', bytes(cut), 'it does not parse'),
  {
    ...notJson(
      'with-bom',
      'puts a byte order mark before the token response',
      bytes(mark),
      'it does not parse',
    ),
    cannotRun: ['MRS-2a', 'MRS-4.1l'], // A reader that ignores the mark still finds the token.
  },
  notJson('utf-16', 'sends the token response in UTF-16', bytes(widen), 'it (does not parse|is not UTF-8)'),
  notJson('blank', 'answers valid credentials with 200 and no body', empty, 'the body is empty'),
  notJson('204', 'answers valid credentials with 204', noContent, 'the body is empty', 204),
];

function bare(reply: Parameters<Change>[0]) {
  return body(JSON.parse(reply.bytes.toString()).token)(reply);
}

function cut(old: Buffer) {
  return old.subarray(0, -2);
}

function mark(old: Buffer) {
  return Buffer.concat([Buffer.from('\ufeff'), old]);
}

function widen(old: Buffer) {
  return Buffer.from(old.toString(), 'utf16le');
}
