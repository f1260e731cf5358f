/** Deployments whose answer to valid credentials is not the token response: at once, or to a later form (sections 2, 4.1). */
import { instead, on, serveRecords } from '../behaviour.ts';
import { type Defect, defectsOf, UNDECIDED, wrong } from '../deployment.ts';
import { add, body, type Edit, empty, give, json, text, type, withMark } from '../edits.ts';
import { status } from '../tokens.ts';

type Fails = Parameters<typeof wrong>[0];

/** Answers valid credentials with what the edits make of the token response. */
const issued = (fails: Fails, ...edits: Edit[]) => wrong(fails, on('issued', ...edits), UNDECIDED);

/** Edits the answer to one form, by its number. */
const later = (nth: number, fails: Fails, ...edits: Edit[]) =>
  wrong(fails, [serveRecords, on({ to: 'issued', nth }, ...edits)], UNDECIDED);

const renamed = json(({ token }) => ({ access_token: token }));

/** Issues tokens of which one does not open the data. */
const dead = (nth: number) =>
  wrong('MRS-4.2a', [
    serveRecords,
    status(({ token, issued, found }) => (token === issued[nth - 1] ? 'unknown' : found.status)),
  ]);

export const tokenResponseDefects: readonly Defect[] = defectsOf({
  'token-null: issues null for a token': () => issued({ 'MRS-2a': 'of type string' }, give({ token: null })),
  'token-in-array: puts the token response into a list': () =>
    issued(
      { 'MRS-4.1k': 'a JSON object' },
      json((own) => [own]),
    ),
  'token-as-html: sends the token response as text/html': () =>
    issued({ 'MRS-4.1k': 'a JSON media type' }, type('text/html; charset=utf-8')),
  'token-bare: answers with the bare token': () =>
    issued(
      { 'MRS-4.1k': 'it does not parse' },
      text((old) => JSON.parse(old).token),
      type('text/plain'),
    ),
  'token-twice: sends the field token twice, of which parsers read one or the other': () =>
    issued(
      { 'MRS-4.1l': 'no member twice, but there is token' },
      text((old) => `{"token":"another-token-of-a-client",${old.slice(1)}`),
    ),
  'token-missing: answers with an empty object': () => issued('MRS-2a', body('{}')),
  'token-empty: gives an empty token': () => issued({ 'MRS-2a': 'not to be empty' }, give({ token: '' })),
  'token-with-line-end: puts the end of a line after the token': () =>
    issued(
      { 'MRS-2a': 'that an Authorization header can carry' },
      json(({ token }) => ({ token: `${token}\n` })),
    ),
  'token-renamed: calls the token access_token': () =>
    issued({ 'MRS-2a': '', 'MRS-4.1l': 'there is access_token' }, renamed),
  'token-with-expires-in: adds expires_in': () =>
    issued({ 'MRS-4.1l': 'there is expires_in' }, add({ expires_in: 900 })),
  'token-blank: answers valid credentials with no body': () =>
    issued({ 'MRS-4.1k': 'the body is empty' }, empty),
  'token-201: answers valid credentials with 201 and the token': () => issued('MRS-4.1a', 201),
  'later-token-scope-third: answers the third form with a scope next to the token': () =>
    later(3, 'MRS-4.1l', add({ scope: 'read' })),
  'later-token-renamed-second: answers the second form with access_token': () =>
    later(2, 'MRS-2a MRS-4.1l', renamed),
  'later-token-renamed-fourth: answers the fourth form with access_token': () =>
    later(4, 'MRS-2a MRS-4.1l', renamed),
  'later-token-201-second: answers the second form with 201 and the token': () => later(2, 'MRS-4.1a', 201),
  'later-token-201-fourth: answers the fourth form with 201 and the token': () => later(4, 'MRS-4.1a', 201),
  'later-token-html-third: answers the third form with a token response as HTML': () =>
    later(3, 'MRS-4.1k', type('text/html')),
  'later-token-bom-second: answers the second form with a byte order mark before the token response': () =>
    later(2, { 'MRS-4.1k': 'well-formed JSON' }, withMark),
  'later-token-blank-fourth: answers the fourth form with 200 and no body': () =>
    later(4, 'MRS-4.1k MRS-4.1m', empty),
  'later-token-empty-third: answers the third form with an empty token': () =>
    later(3, { 'MRS-2a': 'not to be empty', 'MRS-4.1m': '' }, body('{"token":""}')),
  'later-token-error-fourth: answers the fourth form with 500': () =>
    later(4, 'MRS-4.1m', 500, body('{"error":"server_error"}')),
  'later-token-refused-third: answers the third form with 401': () =>
    wrong('MRS-4.1m', [serveRecords, instead({ to: 'issued', nth: 3 }, 'wrongCredentials')]),
  'later-token-serves-once: forgets every token but the first after one call': () =>
    wrong('MRS-5.3b', [
      serveRecords,
      on({ if: ({ token, read }) => token > 1 && read > 1 }, 401, body('{"error":"used"}')),
    ]),
  'later-token-dead-3: issues a third token that does not open the data': () => dead(3),
  'later-token-dead-4: issues a fourth token that does not open the data': () => dead(4),
});
