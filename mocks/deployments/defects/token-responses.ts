/** Deployments whose answer to valid credentials is not the token response: at once, or to a later form (sections 2, 4.1). */
import { instead, on, serveRecords, status } from '../behaviour.ts';
import { type Defect, defectsOf, type Fails, type Wrong, wrong } from '../deployment.ts';
import { add, body, bytes, cutOff, type Edit, empty, give, json, text, type, withMark } from '../edits.ts';
import { withoutData, withoutToken } from './token-requests.ts';

/** One of the answers is not an object, so its members cannot be judged. */
const unread = ['MRS-2a', 'MRS-4.1l'];
/** Without a token, there is nothing to compare an Authorization header with. */
const noToken = ['MRS-4.1b', ...withoutToken];

type Seen = (seen: string) => Fails;

/** Answers valid credentials with what the edits make of the token response. */
const issued = (fails: Seen, edit: Edit, cannotRun: readonly string[] = []): Wrong =>
  wrong(fails('a form with valid credentials: 200'), on('issued', edit), { cannotRun });

const token = (expected: string) => (seen: string) => ({ 'MRS-2a': `${expected}; seen: ${seen}` });
const ofType = token('the field token to be of type string');
const unsendable = token('a token that an Authorization header can carry, but it holds ".n"');
const added = (name: string) => (seen: string) => ({
  'MRS-4.1l': `no further field, but there is ${name}; seen: ${seen}`,
});
const misplaced = (name: string) => (seen: string) => ({ 'MRS-2a': seen, ...added(name)(seen) });
const labelled = (seen: string) => ({ 'MRS-4.1k': seen });
const unparsed = (seen: string) => ({
  'MRS-4.1k': `well-formed JSON, but it (does not parse|is not UTF-8); seen: ${seen}`,
});

const FORMS: Record<string, string> = {
  second: 'the form with the same credentials again',
  third: 'the form with the same credentials once more',
  fourth: 'the form with the same credentials a fourth time',
};
const NUMBERS = ['first', 'second', 'third', 'fourth'];

/** Edits the answer to one form. */
const later = (ordinal: string, fails: Seen, ...edits: Edit[]): Wrong => ({
  ...wrong(fails(`${FORMS[ordinal]}: 200`), [
    serveRecords,
    on({ to: 'issued', nth: NUMBERS.indexOf(ordinal) + 1 }, ...edits),
  ]),
  lead: `answers ${FORMS[ordinal]} with `,
});

const more = added('.*');
const renamed = misplaced('.*');
const withoutObject = (seen: string) => ({ 'MRS-4.1k': `well-formed JSON; seen: ${seen}` });
const refused = (code: number) => (seen: string) => ({ 'MRS-4.1m': seen.replace(/200$/, `${code}`) });
const refusedUnread = (seen: string) => ({ ...withoutObject(seen), ...refused(200)(seen) });
const refusedWithout = (expected: string) => (seen: string) => ({
  ...token(expected)(seen),
  'MRS-4.1m': seen,
});
const created = (seen: string) => ({ 'MRS-4.1a': seen.replace(/200$/, '201') });
const noField = (seen: string) => ({ 'MRS-2a': seen });
const blank = (seen: string) => ({ 'MRS-4.1k': `well-formed JSON, but the body is empty; seen: ${seen}` });
const twice = text((old) => `{"token":"another-token-of-a-client",${old.slice(1)}`);
const asCapital = json(({ token }) => ({ Token: token }));
const asAccessToken = json(({ token }) => ({ access_token: token }));

/** Issues tokens of which one does not open the data. */
const dead = (nth: number, what: string): Wrong =>
  wrong({ 'MRS-4.2a': `${what}: 401` }, [
    serveRecords,
    status(({ token, issued, found }) => (token === issued[nth - 1] ? 'unknown' : found.status)),
  ]);

export const tokenResponseDefects: readonly Defect[] = defectsOf({
  'token-null: issues null for a token': () => issued(ofType, give({ token: null }), noToken),
  'token-array: issues a list that holds the token': () =>
    issued(
      ofType,
      json(({ token }) => ({ token: [token] })),
    ),
  'token-in-array: puts the token response into a list': () =>
    issued(
      (seen) => ({ 'MRS-4.1k': `a JSON object; seen: ${seen}` }),
      json((own) => [own]),
      unread,
    ),
  'token-as-html: sends the token response as text/html': () =>
    issued(labelled, type('text/html; charset=utf-8')),
  'token-bare: answers with the bare token': () =>
    issued(unparsed, [text((old) => JSON.parse(old).token), type('text/plain')], unread),
  'token-utf-16: sends the response in UTF-16': () =>
    issued(
      unparsed,
      bytes((old) => Buffer.from(String(old), 'utf16le')),
      [...unread, ...noToken],
    ),
  'token-twice: sends the field token twice, of which parsers read one or the other': () =>
    issued((seen) => ({ 'MRS-4.1l': `no member twice, but there is token; seen: ${seen}` }), twice),
  'token-missing: answers with an empty object': () => issued(noField, body('{}'), noToken),
  'token-empty: gives an empty token': () =>
    issued(token('the field token not to be empty'), give({ token: '' }), noToken),
  'token-with-line-end: puts the end of a line after the token': () =>
    issued(
      unsendable,
      json(({ token }) => ({ token: `${token}\n` })),
    ),
  'token-with-line-break: breaks the token into two lines': () =>
    issued(
      unsendable,
      text((old) => old.replace(/(?<=:".{20})/, '\\n')),
      ['MRS-4.2a', ...withoutData],
    ),
  'token-renamed: calls the token access_token': () => issued(misplaced('access_token'), asAccessToken),
  'token-capitalised: calls the token Token': () => issued(misplaced('Token'), asCapital),
  'token-with-expires-in: adds expires_in': () => issued(added('expires_in'), add({ expires_in: 900 })),
  'token-blank: answers valid credentials with no body': () => issued(blank, empty, [...unread, ...noToken]),
  'token-201: answers valid credentials with 201 and the token': () =>
    wrong({ 'MRS-4.1a': 'a form with valid credentials: 201' }, on('issued', 201)),
  'later-token-lifetime-second: a lifetime too': () => later('second', more, add({ expires_in: 900 })),
  'later-token-scope-third: a scope next to the token': () => later('third', more, add({ scope: 'read' })),
  'later-token-notice-fourth: a notice too': () =>
    later('fourth', more, add({ notice: 'Renew less often.' })),
  'later-token-renamed-second: the token as access_token': () => later('second', renamed, asAccessToken),
  'later-token-renamed-fourth: the token as access_token': () => later('fourth', renamed, asAccessToken),
  'later-token-201-second: 201 and the token': () => later('second', created, 201),
  'later-token-201-fourth: 201 and the token': () => later('fourth', created, 201),
  'later-token-html-third: a token response as HTML': () => later('third', labelled, type('text/html')),
  'later-token-text-fourth: the response as text/plain': () => later('fourth', labelled, type('text/plain')),
  'later-token-bom-second: a byte order mark before the token response': () => ({
    ...later('second', withoutObject, withMark),
    cannotRun: unread,
  }),
  'later-token-truncated-third: a token response that is cut off': () => ({
    ...later('third', refusedUnread, cutOff),
    cannotRun: unread,
  }),
  'later-token-blank-fourth: 200 and no body': () => ({
    ...later('fourth', refusedUnread, empty),
    cannotRun: unread,
  }),
  'later-token-missing-fourth: an empty object': () =>
    later('fourth', refusedWithout('the field token'), body('{}')),
  'later-token-empty-third: an empty token': () =>
    later('third', refusedWithout('the field token not to be empty'), body('{"token":""}')),
  'later-token-error-fourth: 500': () => later('fourth', refused(500), 500, body('{"error":"server_error"}')),
  [`later-token-refused-third: refuses ${FORMS.third} with 401, and issues a token for each other form`]:
    () =>
      wrong({ 'MRS-4.1m': `${FORMS.third}: 401` }, [
        serveRecords,
        instead({ to: 'issued', nth: 3 }, 'wrongCredentials'),
      ]),
  'later-token-serves-once: forgets every token but the first after one call': () =>
    wrong({ 'MRS-5.3b': 'the data with the new token again: 401' }, [
      serveRecords,
      on({ if: ({ token, read }) => token > 1 && read > 1 }, 401, body('{"error":"used"}')),
    ]),
  [`later-token-dead-3: issues a token with ${FORMS.third} that does not open the data`]: () =>
    dead(3, 'the data with the newest token'),
  [`later-token-dead-4: issues a token with ${FORMS.fourth} that does not open the data`]: () =>
    dead(4, 'the data with the fourth token'),
});
