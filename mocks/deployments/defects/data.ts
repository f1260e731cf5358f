/** Deployments that serve something else than the data with a valid token: at once, or at a later read (sections 4.2, 5.3). */
import { move, on, served, serveRecords } from '../behaviour.ts';
import { type Defect, defectsOf, type Fails, type Override, type Wrong, wrong } from '../deployment.ts';
import { body, type Edit, empty, give, loginPage, text, type, withMark } from '../edits.ts';
import { servedRecords } from '../served.ts';
import { withoutData } from './token-requests.ts';

const THE_DATA = 'the data with the token';

/** Refuses a valid token. */
const refusing = (code: number, does: Override): Wrong =>
  wrong({ 'MRS-4.2a': `${THE_DATA}: ${code}` }, does, { cannotRun: withoutData });

/** Serves what the edits make of the data, which is not JSON for a reason. */
const unlike = (reason: string, ...edits: Edit[]): Wrong =>
  wrong({ 'MRS-4.2b': reason }, on('served', edits));

const malformed = (why: string) => `well-formed JSON, but ${why}; seen: ${THE_DATA}: 200`;
const UNPARSED = malformed('it does not parse');

const NOT_ERROR = 'the data, not an error; seen: .*: 200';
const ERROR = { error: 'backend_unavailable', message: 'Try again later.' };
const error = give(ERROR);

const withNaN = text((old) => old.replace('22.01446', 'NaN'));
const inString = text((old) => JSON.stringify(old));

/** Requests for data, each with the requirement that the data answers it, and which token it carries how often. */
const MOMENTS = {
  second: ['MRS-5.3b', 'the data with the same token again', 1, 2],
  third: ['MRS-5.3b', 'the data with the same token once more', 1, 3],
  late: ['MRS-5.3b', 'the data with the token shortly before it expires', 1, 6],
  fresh: ['MRS-5.6b', 'the data with the new token', 2, undefined],
  newest: ['MRS-4.2a', 'the data with the newest token', 3, undefined],
} as const;
type MomentName = keyof typeof MOMENTS;

const at = (name: MomentName, ...edits: Edit[]) => {
  const [, , tokenNumber, readNumber] = MOMENTS[name];
  return on({ if: ({ token, read }) => token === tokenNumber && read === (readNumber ?? read) }, ...edits);
};

/** What is wrong with the answer: well-formed, and not the data; not JSON, though no content is data too; both; its type. */
const WRONG: Record<string, (id: string, what: string) => Fails> = {
  other: (id, what) => ({ [id]: `.*; seen: ${what}: 200` }),
  blank: (_, what) => ({ 'MRS-4.2b': `${what}: 200` }),
  broken: (id, what) => ({ [id]: `.*; seen: ${what}: 200`, 'MRS-4.2b': `${what}: 200` }),
  label: (_, what) => ({ 'MRS-4.2b': `a JSON media type; seen: ${what}: 200` }),
};

/** Serves something else at one moment. */
const later = (moment: MomentName, how: keyof typeof WRONG, ...edits: Edit[]): Wrong => {
  const [id, what] = MOMENTS[moment];
  return {
    ...wrong(WRONG[how]?.(id, what) ?? {}, [serveRecords, at(moment, ...edits)]),
    lead: `answers ${what} with `,
  };
};

export const dataDefects: readonly Defect[] = defectsOf({
  'data-404: answers with 404 where the data should be': () => refusing(404, move('readData', '/data/')),
  'data-500: fails with 500 when it serves the data': () => refusing(500, on('served', 500)),
  'data-html: gives the data as a page of HTML': () => unlike(UNPARSED, loginPage),
  'data-as-text: gives the data as text/plain': () =>
    unlike(`a JSON media type; seen: ${THE_DATA}: 200, text/plain`, type('text/plain')),
  'data-latin-1: gives data in Latin-1': () =>
    unlike(malformed('it is not UTF-8'), body(Buffer.from('{"name":"K\xf6ln"}', 'latin1'))),
  'data-empty: gives 200 and no body instead of data': () => unlike(malformed('the body is empty'), empty),
  'first-reads-401: learns of each token only after a read with it': () =>
    wrong(
      { 'MRS-4.2a': `${THE_DATA}: 401`, 'MRS-5.6b': 'the data with the new token: 401' },
      [on({ if: ({ read }) => read === 1 }, 401)],
      { cannotRun: ['MRS-7a'] },
    ),
  'later-page-second: a login page': () => later('second', 'broken', loginPage),
  'later-page-newest: a login page': () => later('newest', 'broken', loginPage),
  'later-nan-late: NaN in the data': () => later('late', 'broken', withNaN),
  'later-bom-fresh: a byte order mark before the data': () => later('fresh', 'broken', withMark),
  'later-error-third: an error and status 200': () => later('third', 'other', error),
  'later-error-fresh: an error and status 200': () => later('fresh', 'other', error),
  'later-error-newest: an error and status 200': () => later('newest', 'other', error),
  'later-string-second: the data as JSON in a string': () => later('second', 'other', inString),
  'later-empty-third: status 200 and no body': () => later('third', 'blank', 200, body('')),
  'later-blank-newest: status 200 without body and media type': () => later('newest', 'blank', empty),
  'later-text-second: the data as text/plain': () => later('second', 'label', type('text/plain')),
  'later-html-late: the data as text/html': () => later('late', 'label', type('text/html; charset=utf-8')),
  'later-bytes-fresh: the data as bytes': () => later('fresh', 'label', type('application/octet-stream')),
  'later-nothing-newest: the data without a media type': () => later('newest', 'label', type()),
  'error-always: answers each request for data with an error and status 200': () =>
    wrong({ 'MRS-4.2a': NOT_ERROR, 'MRS-5.3b': NOT_ERROR, 'MRS-5.6b': NOT_ERROR }, on('served', error)),
  'later-errors-for-list-late: gives a list of records, and a list of errors shortly before the token expires':
    () =>
      wrong({ 'MRS-5.3b': `the data, not errors; seen: ${MOMENTS.late[1]}: 200` }, [
        served(servedRecords),
        at('late', give([ERROR])),
      ]),
});
