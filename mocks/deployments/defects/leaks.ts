/** Deployments that refuse a request for data and give the data away in the refusal (clauses 1.3, 5.5 and 5.6). */
import { gzipSync } from 'node:zlib';
import { type AnswerName, on, serveRecords } from '../behaviour.ts';
import { all, type Defect, defectsOf, type Override, type Wrong, wrong } from '../deployment.ts';
import {
  add,
  body,
  bytes,
  type Edit,
  give,
  headers,
  json,
  raw,
  toLoginPage,
  trailers,
  withBody,
} from '../edits.ts';
import { asJson, fieldNames, first, ids, servedRecords, valuesOf } from '../served.ts';

/** What is refused: the requirement that a leak violates, and what the request is, as a regular expression. */
type Refusal = readonly [to: AnswerName, id: string, what: string];

const missing: Refusal = ['missingToken', 'MRS-1.3', 'the data without a token'];
const malformed: Refusal = [
  'malformedToken',
  'MRS-1.3',
  'the data with Authorization: Bearer, without a token',
];
const unknown: Refusal = [
  'unknownToken',
  'MRS-5.5a',
  'the data with (a|another|one more) token that was never issued',
];
const expired: Refusal = ['expired', 'MRS-5.6a', 'the data with the expired token'];

/** Gives the data away as the edit makes it of the refusal, which has this status. */
const leak = ([to, id, what]: Refusal, code: number, edit: Edit, data: Override = serveRecords): Wrong => ({
  ...wrong(
    {
      [id]: `${what}: ${code}`,
      ...(to === 'unknownToken' && { 'MRS-5.5b': 'the data with the token, one character.*' }),
    },
    [data, on(to, code, edit)],
  ),
  lead: `refuses ${what.replace(/\([^()]*\)/, 'a')} with ${code}, and gives the data away `,
});

/** Serves records with a new number at each call, and puts them into the refusal of a missing token. */
const changing: Wrong = {
  ...leak(missing, 401, []),
  does: on(
    ['served', 'missingToken'],
    json((own, { nth }) => ({
      ...own,
      ods_data: servedRecords.map((one, at) => ({ ...one, serial: 731_000_000 + 3 * nth + at })),
    })),
  ),
};

/** Answers the first two reads with 503 and the data. */
const busy = ([to, id, what]: Refusal, edits: Edit = []): Wrong =>
  wrong(
    { [id]: `${what}( again)?: 503` },
    [serveRecords, on({ to, upTo: 2 }, 503, give({ ods_data: servedRecords }), edits)],
    { mayNotRun: true },
  );

const asRow = (one: (typeof servedRecords)[number]) =>
  `<tr>${valuesOf(one)
    .map((value) => `<td>${value}</td>`)
    .join('')}</tr>`;
const csv = `${[fieldNames, ...servedRecords.map(valuesOf)].join('\r\n')}\r\n`;
const asForm = `${new URLSearchParams({ error: 'invalid_request', data: asJson })}`;
const inUri = encodeURIComponent(JSON.stringify(first));
const known = Object.fromEntries(servedRecords.map(({ request_id, ...rest }) => [request_id, rest]));
const preload = ids.map((id) => `</${id}>; rel=preload`);
const hints = raw((response) => response.writeEarlyHints({ link: preload }));
const zipped = bytes((old) => gzipSync(old));
const inMember = add({ ods_data: servedRecords });

export const leakDefects: readonly Defect[] = defectsOf({
  'leak-one-record: as far as one record goes': () => leak(missing, 200, give({ ods_data: [first] })),
  'leak-one-record-403: as far as one record goes': () => leak(expired, 403, add({ next: first })),
  'leak-by-id: as members named by identifier': () => leak(missing, 401, add({ known })),
  'leak-csv: as CSV': () => leak(missing, 200, body(csv, 'text/csv')),
  'leak-form: as a form': () => leak(malformed, 400, body(asForm, 'application/x-www-form-urlencoded')),
  'leak-header: in a header': () => leak(unknown, 401, headers({ 'x-cached-record': JSON.stringify(first) })),
  'leak-base64: in base64': () => leak(unknown, 401, add({ trace: Buffer.from(asJson).toString('base64') })),
  'leak-gzip: in gzip': () => leak(missing, 401, [inMember, zipped, headers({ 'content-encoding': 'gzip' })]),
  'leak-in-health-too: there and in its health check': () =>
    leak(missing, 401, inMember, all(serveRecords, on('healthy', inMember))),
  'leak-cookie: in a cookie': () =>
    leak(expired, 403, headers({ 'set-cookie': `last=${inUri}; Path=/; HttpOnly` })),
  'leak-location: in the address of a redirect': () =>
    leak(missing, 302, [toLoginPage, headers({ location: `/login?resume=${inUri}` })]),
  'leak-gzip-file: as a gzip file': () => leak(missing, 200, body(gzipSync(asJson), 'application/gzip')),
  'leak-after-two-mebibytes: after two mebibytes of markup': () =>
    leak(
      missing,
      200,
      body(`<!-- ${'x'.repeat(2 ** 21)} --><table>${servedRecords.map(asRow).join('')}</table>`, 'text/html'),
    ),
  'leak-early-hints: in an interim response': () => leak(missing, 401, withBody(hints)),
  'leak-trailer: in a trailer': () => leak(missing, 401, trailers({ 'x-cached': asJson })),
  'leak-stamped: with a new number in each record': () => changing,
  'busy-leak-asks-to-wait: leaks to the first two reads without a token, with 503 and Retry-After': () =>
    busy(missing, headers({ 'retry-after': '1' })),
  'busy-leak-expired-token: leaks to the first two reads with the expired token, with 503': () =>
    busy(expired),
});
