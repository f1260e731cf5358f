/** Defects that only a request finds which is seldom sent. */
import { answers } from '../../contract/answers.ts';
import type { Defect, Override } from '../deployment.ts';
import { combine, mapForm, mapReplyTo, substituteSome, wrapTokens } from '../overrides.ts';
import { body, headers, json, sequence, status } from '../reply-edits.ts';
import { servedRecords, serveRecords } from '../served-records.ts';
import { mapServed } from '../served-times.ts';

const noToken = /^expected no token; seen: .*: [24]\d\d\b/;
const given = /^expected that the data is not given\b.*; seen: .*: 200\b/;
const other = /^expected .*; seen: .*: 200\b/;
const refused = /^expected a 2xx status; seen: .*: 401\b/;

const form = (name: string, id: string, summary: string, change: Parameters<typeof mapForm>[0]): Defect => ({
  name,
  summary,
  fails: { [id]: noToken },
  override: mapForm(change),
});

/** Accepts a token if `isNear` to one that was issued. */
const nearToken = (
  name: string,
  summary: string,
  isNear: (token: string, issued: string) => boolean,
): Defect => ({
  name,
  summary,
  fails: { 'MRS-5.5b': given },
  override: combine(
    serveRecords,
    wrapTokens((tokens) => {
      const known: string[] = [];
      return {
        issue(options) {
          const token = tokens.issue(options);
          known.unshift(token);
          return token;
        },
        find: (token) => tokens.find(known.find((issued) => isNear(token, issued)) ?? token),
      };
    }),
  ),
});

/** Puts a token into the refusal of another grant. */
const tokenInRefusal = (name: string, summary: string, put: (token: string) => Override): Defect => ({
  name,
  summary,
  fails: { 'MRS-4.1f': noToken },
  override(parts) {
    const [client] = parts.state.clients.list();
    return client ? put(parts.tokens.issue({ client, lifetimeSeconds: 3600 }))(parts) : {};
  },
});

const dead = (nth: number): Defect => ({
  name: `later-token-dead-${nth}`,
  summary: `issues a token number ${nth} that does not open the data`,
  fails: { 'MRS-4.2a': refused },
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
});

export const rareDefects: readonly Defect[] = [
  form('grant-type-jwt-bearer', 'MRS-4.1f', 'issues a token for the grant_type of RFC 7523', (fields) => {
    if (fields.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer')
      fields.set('grant_type', 'client_credentials');
  }),
  form(
    'client-id-suffix-only',
    'MRS-4.1h',
    'compares only the last characters of an id',
    (fields, { id }) => {
      if (fields.get('client_id')?.endsWith(id.slice(1))) fields.set('client_id', id);
    },
  ),
  nearToken(
    'token-without-first',
    'accepts a token without its first character',
    (token, issued) => issued.slice(1) === token,
  ),
  nearToken('token-with-prefix', 'accepts a token with characters before it', (token, issued) =>
    token.endsWith(issued),
  ),
  tokenInRefusal(
    'token-in-refusal-nested',
    'refuses a form with another grant_type, with a token under debug/issued',
    (token) =>
      mapReplyTo(
        answers.unsupportedGrantType,
        json((error) => ({ ...error, debug: { issued: token } })),
      ),
  ),
  tokenInRefusal(
    'token-in-refusal-cookie',
    'refuses a form with another grant_type, with a token in a cookie',
    (token) => mapReplyTo(answers.unsupportedGrantType, headers({ 'set-cookie': `token=${token}` })),
  ),
  dead(4),
  {
    name: 'later-token-serves-once',
    summary: 'forgets every token but the first after one call',
    fails: { 'MRS-5.3b': refused },
    override: combine(
      serveRecords,
      mapServed((token, read) => token > 1 && read > 1, sequence(status(401), body('{"error":"used"}'))),
    ),
  },
  {
    name: 'later-envelope-newest',
    summary: 'answers the data with the newest token with another envelope',
    fails: { 'MRS-4.2a': other },
    override: combine(
      serveRecords,
      mapServed(
        (token) => token === 3,
        json(() => ({ payload: { records: servedRecords } })),
      ),
    ),
  },
  {
    name: 'later-errors-for-list-late',
    summary: 'gives a list of records, and a list of errors shortly before the token expires',
    fails: { 'MRS-5.3b': other },
    override: combine(
      mapReplyTo(
        answers.served,
        json(() => servedRecords),
      ),
      mapServed(
        (token, read) => token === 1 && read === 4,
        json(() => [{ error: 'backend_unavailable', message: 'Try again later.' }]),
      ),
    ),
  },
  {
    name: 'every-fifth-missing-token',
    summary: 'gives the data to every fifth request without a token',
    fails: { 'MRS-1.3': given },
    override: combine(
      serveRecords,
      substituteSome(answers.missingToken, answers.served, (nth) => nth % 5 === 0),
    ),
  },
];
