/** Deployments that answer valid credentials correctly at first, and not later. */
import { answers } from '../../contract/answers.ts';
import type { Defect } from '../deployment.ts';
import { combine, mapSomeRepliesTo, substituteSome, wrapTokens } from '../overrides.ts';
import { body, bytes, type Change, empty, json, mediaType, sequence, status } from '../reply-edits.ts';
import { serveRecords } from '../served-records.ts';
import { mapServed } from '../served-times.ts';

const SECOND = 'the form with the same credentials again';
const THIRD = 'the form with the same credentials once more';
const FOURTH = 'the form with the same credentials a fourth time';
const FORMS = ['a form with valid credentials', SECOND, THIRD, FOURTH];

const seen = (expected: string, form: string, code = 200) =>
  new RegExp(`^expected ${expected}.*; seen: .*${form}: ${code}\\b`);

/** Changes the answer to one of the forms, which are counted from 1. */
const later = (
  name: string,
  nth: number,
  summary: string,
  fails: (form: string) => Defect['fails'],
  change: Change,
  cannotRun?: Defect['cannotRun'],
): Defect => {
  const form = FORMS[nth - 1] ?? '';
  return {
    name: `later-${name}`,
    summary: `answers ${form} with ${summary}`,
    fails: fails(form),
    ...(cannotRun && { cannotRun }),
    override: combine(
      serveRecords,
      mapSomeRepliesTo(answers.issued, change, (one) => one === nth),
    ),
  };
};

const added = (form: string) => ({
  'MRS-4.1l': seen('no further field, but there is', form),
});
const misnamed = (form: string) => ({
  'MRS-2a': seen('the field token', form),
  ...added(form),
});
const labelled = (form: string) => ({ 'MRS-4.1k': seen('a JSON media type', form) });
/** One of the answers is not an object, so its members cannot be judged. */
const unread = ['MRS-2a', 'MRS-4.1l'];
const refused = (code: number) => (form: string) => ({
  'MRS-4.1m': seen('a token for the same credentials', form, code),
});

export const laterTokenDefects: readonly Defect[] = [
  later(
    'token-lifetime-second',
    2,
    'a lifetime next to the token',
    added,
    json((own) => ({ ...own, expires_in: 900 })),
  ),
  later(
    'token-scope-third',
    3,
    'a scope next to the token',
    added,
    json((own) => ({ ...own, scope: 'read' })),
  ),
  later(
    'token-notice-fourth',
    4,
    'a notice next to the token',
    added,
    json((own) => ({ ...own, notice: 'Renew less often.' })),
  ),
  later(
    'token-renamed-second',
    2,
    'the token as access_token',
    misnamed,
    json(({ token }) => ({ access_token: token })),
  ),
  later(
    'token-renamed-fourth',
    4,
    'the token as access_token',
    misnamed,
    json(({ token }) => ({ access_token: token })),
  ),
  later(
    'token-201-second',
    2,
    '201 and the token',
    (form) => ({ 'MRS-4.1a': seen('status 200', form, 201) }),
    status(201),
  ),
  later(
    'token-201-fourth',
    4,
    '201 and the token',
    (form) => ({ 'MRS-4.1a': seen('status 200', form, 201) }),
    status(201),
  ),
  later('token-html-third', 3, 'the token response as text/html', labelled, mediaType('text/html')),
  later('token-text-fourth', 4, 'the token response as text/plain', labelled, mediaType('text/plain')),
  later(
    'token-bom-second',
    2,
    'a byte order mark before the token response',
    (form) => ({ 'MRS-4.1k': seen('well-formed JSON', form) }),
    bytes((old) => Buffer.concat([Buffer.from('\ufeff'), old])),
    unread,
  ),
  later(
    'token-truncated-third',
    3,
    'a token response that is cut off',
    (form) => ({ 'MRS-4.1k': seen('well-formed JSON', form), ...refused(200)(form) }),
    bytes((old) => old.subarray(0, -2)),
    unread,
  ),
  later(
    'token-blank-fourth',
    4,
    '200 and no body',
    (form) => ({ 'MRS-4.1k': seen('well-formed JSON', form), ...refused(200)(form) }),
    empty,
    unread,
  ),
  later(
    'token-missing-fourth',
    4,
    'an empty object',
    (form) => ({
      'MRS-2a': seen('the field token', form),
      ...refused(200)(form),
    }),
    body('{}'),
  ),
  later(
    'token-empty-third',
    3,
    'an empty token',
    (form) => ({
      'MRS-2a': seen('the field token not to be empty', form),
      ...refused(200)(form),
    }),
    body('{"token":""}'),
  ),
  later(
    'token-error-fourth',
    4,
    '500',
    refused(500),
    sequence(status(500), body('{"error":"server_error"}')),
  ),
  {
    name: 'later-token-refused-third',
    summary: `refuses ${THIRD} with 401, and issues a token for each other form`,
    fails: refused(401)(THIRD),
    override: combine(
      serveRecords,
      substituteSome(answers.issued, answers.wrongCredentials, (nth) => nth === 3),
    ),
  },
  dead(3, 'the data with the newest token'),
  dead(4, 'the data with the fourth token'),
  {
    name: 'later-token-serves-once',
    summary: 'forgets every token but the first after one call',
    fails: { 'MRS-5.3b': /^expected a 2xx status; seen: the data with the new token again: 401\b/ },
    override: combine(
      serveRecords,
      mapServed((token, read) => token > 1 && read > 1, sequence(status(401), body('{"error":"used"}'))),
    ),
  },
];

function dead(nth: number, what: string): Defect {
  return {
    name: `later-token-dead-${nth}`,
    summary: `issues a token with ${FORMS[nth - 1]} that does not open the data`,
    fails: { 'MRS-4.2a': new RegExp(`^expected a 2xx status; seen: .*${what}: 401\\b`) },
    override: combine(
      serveRecords,
      wrapTokens((tokens) => {
        const issued: string[] = [];
        return {
          issue(options) {
            const token = tokens.issue(options);
            issued.push(token);
            return token;
          },
          find: (token) => (token === issued[nth - 1] ? { status: 'unknown' } : tokens.find(token)),
        };
      }),
    ),
  };
}
