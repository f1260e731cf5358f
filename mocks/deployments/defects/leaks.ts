/** Deployments that refuse a request for data and give the data away in the refusal (clauses 1.3, 5.5 and 5.6). */
import { gzipSync } from 'node:zlib';
import { on, serveRecords } from '../behaviour.ts';
import { type Defect, defectsOf, UNDECIDED, wrong } from '../deployment.ts';
import { add, body, bytes, type Edit, give, headers, toLoginPage } from '../edits.ts';
import { asJson, byId, first, servedRecords } from '../served.ts';

const VIOLATED = {
  missingToken: 'MRS-1.3',
  malformedToken: 'MRS-1.3',
  unknownToken: 'MRS-5.5a MRS-5.5b',
  expired: 'MRS-5.6a',
};

/** Gives the data away as the edits make it of the refusal. */
const leak = (to: keyof typeof VIOLATED, ...edits: Edit[]) =>
  wrong(VIOLATED[to], [serveRecords, on(to, ...edits)]);

const csv = [Object.keys(first), ...servedRecords.map(Object.values)].map((row) => `${row}\r\n`).join('');
const asForm = `${new URLSearchParams({ error: 'invalid_request', data: asJson })}`;
const inUri = encodeURIComponent(JSON.stringify(first));
const inMember = add({ ods_data: servedRecords });
const zipped: Edit = [bytes((old) => gzipSync(old)), headers({ 'content-encoding': 'gzip' })];

export const leakDefects: readonly Defect[] = defectsOf({
  'data-beside-refusal: refuses a missing token with 401 and the data': () => leak('missingToken', inMember),
  'leak-one-record: gives one record away for a missing token': () =>
    leak('missingToken', 200, give({ ods_data: [first] })),
  'leak-one-record-403: gives one record away for an expired token': () =>
    leak('expired', 403, add({ next: first })),
  'leak-by-id: gives the data away as members named by identifier': () =>
    leak('missingToken', add({ known: byId })),
  'leak-csv: gives the data away as CSV': () => leak('missingToken', 200, body(csv, 'text/csv')),
  'leak-form: gives the data away as a form': () =>
    leak('malformedToken', 400, body(asForm, 'application/x-www-form-urlencoded')),
  'leak-header: gives the data away in a header': () =>
    leak('unknownToken', headers({ 'x-cached-record': JSON.stringify(first) })),
  'leak-base64: gives the data away in base64': () =>
    leak('unknownToken', add({ trace: Buffer.from(asJson).toString('base64') })),
  'leak-gzip: gives the data away in gzip': () => leak('missingToken', inMember, zipped),
  'leak-cookie: gives the data away in a cookie': () =>
    leak('expired', headers({ 'set-cookie': `last=${inUri}; Path=/; HttpOnly` })),
  'leak-location: gives the data away in the address of a redirect': () =>
    leak('missingToken', toLoginPage, headers({ location: `/login?resume=${inUri}` })),
  'busy-leak-expired-token: gives the data away to the first two reads with the expired token, with 503':
    () =>
      wrong(
        'MRS-5.6a',
        [serveRecords, on({ to: 'expired', times: 2 }, 503, give({ ods_data: servedRecords }))],
        UNDECIDED,
      ),
});
