/** Deployments that serve something else than the data with a valid token: at once, or at a later read (sections 4.2, 5.3). */
import { move, on, serveRecords } from '../behaviour.ts';
import { type Defect, defectsOf, UNDECIDED, wrong } from '../deployment.ts';
import { body, type Edit, empty, give, loginPage, text, type, withMark } from '../edits.ts';

/** Serves what the edits make of the data, which is not JSON for a reason. */
const unlike = (reason: string, ...edits: Edit[]) => wrong({ 'MRS-4.2b': reason }, on('served', edits));

const error = give({ error: 'backend_unavailable', message: 'Try again later.' });

/** Of requests for data: which token it carries, and how often. */
const MOMENTS = {
  second: [1, 2],
  third: [1, 3],
  late: [1, 6],
  fresh: [2, undefined],
  newest: [3, undefined],
} as const;

/** Serves something else at one moment. */
const later = (moment: keyof typeof MOMENTS, fails: string, ...edits: Edit[]) => {
  const [nth, times] = MOMENTS[moment];
  const when = { if: ({ token = 0, read = 0 }) => token === nth && read === (times ?? read) };
  return wrong(fails, [serveRecords, on(when, ...edits)]);
};

export const dataDefects: readonly Defect[] = defectsOf({
  'data-404: answers with 404 where the data should be': () =>
    wrong('MRS-4.2a', move('readData', { path: '/data/' }), UNDECIDED),
  'data-500: fails with 500 when it serves the data': () => wrong('MRS-4.2a', on('served', 500), UNDECIDED),
  'data-html: gives the data as a page of HTML': () => unlike('it does not parse', loginPage),
  'data-as-text: gives the data as text/plain': () => unlike('a JSON media type', type('text/plain')),
  'data-latin-1: gives data in Latin-1': () =>
    unlike('it is not UTF-8', body(Buffer.from('{"name":"K\xf6ln"}', 'latin1'))),
  'data-empty: gives 200 and no body instead of data': () => unlike('the body is empty', empty),
  'first-reads-401: learns of each token only after a read with it': () =>
    wrong('MRS-4.2a MRS-5.6b', on({ if: ({ read }) => read === 1 }, 401), UNDECIDED),
  'later-page-second: answers the second read with a login page': () =>
    later('second', 'MRS-4.2b MRS-5.3b', loginPage),
  'later-page-newest: answers the read with the third token with a login page': () =>
    later('newest', 'MRS-4.2a MRS-4.2b', loginPage),
  'later-nan-late: serves NaN in the data shortly before the token expires': () =>
    later(
      'late',
      'MRS-4.2b MRS-5.3b',
      text((old) => old.replace('22.01446', 'NaN')),
    ),
  'later-bom-fresh: serves a byte order mark before the data for the second token': () =>
    later('fresh', 'MRS-4.2b MRS-5.6b', withMark),
  'later-error-third: answers the third read with an error and status 200': () =>
    later('third', 'MRS-5.3b', error),
  'later-error-newest: answers the read with the third token with an error and status 200': () =>
    later('newest', 'MRS-4.2a', error),
  'later-string-second: answers the second read with the data as JSON in a string': () =>
    later(
      'second',
      'MRS-5.3b',
      text((old) => JSON.stringify(old)),
    ),
  'later-empty-third: answers the third read with 200 and no body': () =>
    later('third', 'MRS-4.2b', 200, body('')),
  'error-always: answers each request for data with an error and status 200': () =>
    wrong('MRS-4.2a MRS-5.3b MRS-5.6b', on('served', error)),
});
