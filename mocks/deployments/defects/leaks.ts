/** Deployments that refuse a request for data and give the data away in the refusal (clauses 1.3, 5.5 and 5.6). */
import { gzipSync } from 'node:zlib';
import { type AnswerName, on, served, serveRecords } from '../behaviour.ts';
import { combine, type Defect, defect, type Override } from '../deployment.ts';
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
import { asJson, fieldNames, first, ids, numberedRecord, servedRecords, valuesOf } from '../served.ts';

/** What is refused: the requirement that a leak violates, and what the request is, as a regular expression. */
type Refusal = readonly [to: AnswerName, id: string, what: string];

const missing: Refusal = ['missingToken', 'MRS-1.3', 'the data without a token'];
const malformed: Refusal = ['malformedToken', 'MRS-1.3', 'the data with a bearer header without a token'];
const unknown: Refusal = [
  'unknownToken',
  'MRS-5.5a',
  'the data with (a|another|one more) token that was never issued',
];
const expired: Refusal = ['expired', 'MRS-5.6a', 'the data with the expired token'];

/** Gives the data away as the edits make it of the refusal, which has this status. */
function leak(
  name: string,
  [to, id, what]: Refusal,
  code: number,
  how: string,
  edit: Edit,
  data = serveRecords,
) {
  const isNo403 = to === 'expired' && code !== 403;
  return defect(
    `leak-${name}`,
    `refuses ${what.replace(/\(.*?\)/, 'a')} with ${code}, and gives the data away ${how}`,
    {
      fails: {
        [id]: `${what}: ${code}`,
        ...(to === 'unknownToken' && { 'MRS-5.5b': 'the data with the token, one character.*' }),
        ...(isNo403 && { 'MRS-7a': `${what}.*` }),
      },
      // The run takes the token for one that has not expired.
      ...(isNo403 && { cannotRun: ['MRS-5.6b'] }),
      does: [data, on(to, code, edit)],
    },
  );
}

type Leak = readonly [refusal: Refusal, code: number, how: string, edit: Edit, data?: Override];

const leaks = (rows: Readonly<Record<string, Leak>>): Defect[] =>
  Object.entries(rows).map(([name, row]) => leak(name, ...row));

/** Serves records that differ with each call, and puts those of the same source into the refusal of a missing token. */
const changing = (name: string, how: string, source: (nth: number) => unknown): Defect => ({
  ...leak(name, missing, 401, how, []),
  override(parts) {
    let nth = 0;
    return on(
      ['served', 'missingToken'],
      json((own) => ({ ...own, ods_data: source(++nth) })),
    )(parts);
  },
});

/** Records in which the only figures are small ones. */
const WORDS = [
  {
    name: 'Andromeda survey',
    site: 'Pushchino',
    remark: 'Avoid the whole hydrogen window until further notice',
  },
  { name: 'Cygnus monitoring', site: 'Simeiz', remark: 'Transmit below threshold during culmination only' },
];
const SMALL = [
  { id: 17, band: 42 },
  { id: 18, band: 61 },
];
const MANY = Array.from({ length: 6000 }, (_, nth) => ({
  request_id: `mr-${(nth * 7919).toString(16)}`,
  lower_hz: 1_400_000_000 + nth * 3571,
}));

const base64 = (text: string) => Buffer.from(text).toString('base64');
const lines = (line: (one: (typeof servedRecords)[number]) => string) => servedRecords.map(line).join('');
const element = (name: string, content: string | number) => `<${name}>${content}</${name}>`;
const asElements = (one: (typeof servedRecords)[number]) =>
  element('record', fieldNames.map((name) => element(name, one[name])).join(''));
const asRow = (one: (typeof servedRecords)[number]) =>
  element(
    'tr',
    valuesOf(one)
      .map((value) => element('td', value))
      .join(''),
  );
const asYaml = (one: (typeof servedRecords)[number]) =>
  fieldNames.map((name, nth) => `${nth === 0 ? '- ' : '  '}${name}: ${one[name]}\n`).join('');
const escaped = [...asJson].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const csv = `${[fieldNames, ...servedRecords.map(valuesOf)].join('\r\n')}\r\n`;
const inMember = add({ ods_data: servedRecords });

const inJson = leaks({
  'error-object': [expired, 403, 'in the error', inMember],
  'one-record': [missing, 200, 'as far as one record goes', give({ ods_data: [first] })],
  'one-record-403': [expired, 403, 'as far as one record goes', add({ next: first })],
  scalars: [unknown, 401, 'as members of the error', add(first)],
  ids: [unknown, 401, 'as a list of identifiers', add({ hidden: ids })],
  sentence: [
    unknown,
    401,
    'in a sentence',
    give({ error: 'invalid_token', message: `Not permitted: ${ids.join(', ')}.` }),
  ],
  'json-in-string': [expired, 403, 'as JSON in a string', add({ last: asJson })],
  'twice-encoded': [
    missing,
    401,
    'as JSON in a string in a string',
    add({ log: JSON.stringify({ line: asJson }) }),
  ],
  'other-member': [unknown, 200, 'under another name', give({ result: { items: servedRecords } })],
  'renamed-fields': [
    missing,
    200,
    'with other names for its fields',
    give(
      servedRecords.map((one) => Object.fromEntries(valuesOf(one).map((value, nth) => [`f${nth}`, value]))),
    ),
  ],
  columns: [
    expired,
    403,
    'as a list of columns and a list of rows',
    give({ error: 'expired', columns: fieldNames, rows: servedRecords.map(valuesOf) }),
  ],
  'by-id': [
    missing,
    401,
    'as members named by identifier',
    add({
      known: Object.fromEntries(servedRecords.map(({ request_id, ...rest }) => [request_id, rest])),
    }),
  ],
  deep: [
    unknown,
    401,
    'twenty levels deep',
    add(Array.from({ length: 20 }).reduce<object>((cause) => ({ cause }), { ods_data: servedRecords })),
  ],
  words: [
    missing,
    200,
    'though its records hold words only',
    give({ ods_data: WORDS }),
    served({ ods_data: WORDS }),
  ],
  'small-numbers': [
    unknown,
    200,
    'though its records hold small numbers only',
    give({ rows: SMALL }),
    served({ ods_data: SMALL }),
  ],
  preview: [
    missing,
    200,
    'as a preview next to an error',
    give({ error: 'unauthorized', message: 'This is a preview.', ods_data: [first] }),
  ],
});

const inText = leaks({
  escaped: [
    unknown,
    401,
    'with every character escaped',
    body(`{"error":"invalid_token","detail":"${escaped}"}`),
  ],
  csv: [missing, 200, 'as CSV', body(csv, 'text/csv')],
  ndjson: [
    unknown,
    200,
    'as one line of JSON for each record',
    body(
      lines((one) => `${JSON.stringify(one)}\n`),
      'application/x-ndjson',
    ),
  ],
  xml: [
    expired,
    403,
    'as XML',
    body(`<?xml version="1.0"?>\n<records>${lines(asElements)}</records>\n`, 'application/xml'),
  ],
  'html-table': [
    missing,
    200,
    'as a table on the login page',
    body(
      `<!doctype html><title>Sign in</title><table>${servedRecords.map(asRow).join('\n')}</table>\n`,
      'text/html; charset=utf-8',
    ),
  ],
  jsonp: [missing, 200, 'as a script', body(`callback({"ods_data":${asJson}});\n`, 'text/javascript')],
  yaml: [expired, 403, 'as YAML', body(lines(asYaml), 'application/yaml')],
  form: [
    malformed,
    400,
    'as a form',
    body(
      `${new URLSearchParams({ error: 'invalid_request', data: asJson })}`,
      'application/x-www-form-urlencoded',
    ),
  ],
  header: [unknown, 401, 'in a header', headers({ 'x-cached-record': JSON.stringify(first) })],
  'header-base64': [
    missing,
    401,
    'in base64 in a header',
    headers({ 'x-state': base64(JSON.stringify(first)) }),
  ],
  base64: [unknown, 401, 'in base64', add({ trace: base64(asJson) })],
  gzip: [
    missing,
    401,
    'compressed',
    [inMember, bytes((old) => gzipSync(old)), headers({ 'content-encoding': 'gzip' })],
  ],
  percent: [expired, 403, 'with percent-encoding', body(encodeURIComponent(asJson), 'text/plain')],
  entities: [
    unknown,
    200,
    'as numeric entities of HTML',
    body(`<pre>${[...asJson].map((one) => `&#${one.charCodeAt(0)};`).join('')}</pre>`, 'text/html'),
  ],
  'base64-lines': [
    missing,
    401,
    'in base64, in lines of 76 characters',
    body(base64(asJson).replace(/.{76}/g, '$&\r\n'), 'text/plain'),
  ],
  'csv-for-expired': [
    expired,
    200,
    'as CSV',
    body(
      lines((one) => `${valuesOf(one).join(';')}\n`),
      'text/csv',
    ),
  ],
});

const inHiding = leaks({
  'last-records': [
    missing,
    401,
    'as far as the last of many records go',
    add({ recent: MANY.slice(-3).map(({ request_id }) => request_id) }),
    served({ ods_data: MANY }),
  ],
  'in-health-too': [
    missing,
    401,
    'there and in its health check',
    inMember,
    combine(serveRecords, on('healthy', inMember)),
  ],
  cookie: [
    expired,
    403,
    'in a cookie',
    headers({ 'set-cookie': `last=${encodeURIComponent(JSON.stringify(first))}; Path=/; HttpOnly` }),
  ],
  location: [
    missing,
    302,
    'in the address of a redirect',
    [toLoginPage, headers({ location: `/login?resume=${encodeURIComponent(JSON.stringify(first))}` })],
  ],
  'utf-16': [expired, 403, 'in UTF-16', body(Buffer.from(asJson, 'utf16le'), 'text/plain; charset=utf-16le')],
  hexadecimal: [missing, 401, 'in hexadecimal', add({ dump: Buffer.from(asJson).toString('hex') })],
  'gzip-file': [missing, 200, 'as a compressed file', body(gzipSync(asJson), 'application/gzip')],
  'after-two-mebibytes': [
    missing,
    200,
    'after two mebibytes of markup',
    body(`<!-- ${'x'.repeat(2 ** 21)} --><table>${lines(asRow)}</table>`, 'text/html'),
  ],
  reason: [
    missing,
    401,
    'in the reason phrase',
    withBody(
      raw((response) => {
        response.statusMessage = `Not for ${ids.join(' and ')}`;
      }),
    ),
  ],
  'early-hints': [
    missing,
    401,
    'in an interim response',
    withBody(raw((response) => response.writeEarlyHints({ link: ids.map((id) => `</${id}>; rel=preload`) }))),
  ],
  trailer: [missing, 401, 'in a trailer', trailers({ 'x-cached': asJson })],
  etag: [unknown, 401, 'in an entity tag', headers({ etag: `"${ids.join('.')}"` })],
  'twice-base64': [missing, 401, 'in base64 of base64', add({ dump: base64(base64(asJson)) })],
  'grouped-digits': [
    missing,
    401,
    'as numbers with commas between their digits',
    add({ bands: servedRecords.map(({ lower_hz }) => lower_hz.toLocaleString('en')) }),
  ],
});

/** Answers the first two reads with 503 and the data. */
const busy = (name: string, [to, id, what]: Refusal): Defect =>
  defect(
    `busy-leak-${name}`,
    `answers the first two reads ${what.replace('the data ', '')} with 503 and the data, and later ones as stated`,
    {
      fails: { [id]: `${what}( again)?: 503` },
      mayNotRun: true,
      does: [serveRecords, on({ to, upTo: 2 }, 503, give({ ods_data: servedRecords }))],
    },
  );

export const leakDefects: readonly Defect[] = [
  ...inJson,
  changing('stamped', 'with a new number in each record', (nth) =>
    servedRecords.map((one, at) => ({ ...one, serial: 731_000_000 + 3 * nth + at })),
  ),
  changing('sliding', 'as it is at that moment', (nth) =>
    [0, 1, 2, 3].map((ahead) => numberedRecord(41_000 + nth + ahead)),
  ),
  ...inText,
  ...inHiding,
  busy('missing-token', missing),
  busy('expired-token', expired),
];
