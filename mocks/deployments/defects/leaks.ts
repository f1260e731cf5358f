/** Deployments that refuse a request for data and give the data away in the refusal (clauses 1.3, 5.5 and 5.6). */
import { gzipSync } from 'node:zlib';
import { type AnswerName, on, served, serveRecords } from '../behaviour.ts';
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

/** Gives the data away as the edit makes it of the refusal, which has this status. */
function leak([to, id, what]: Refusal, code: number, edit: Edit, data: Override = serveRecords): Wrong {
  const isNo403 = to === 'expired' && code !== 403;
  const fails = {
    [id]: `${what}: ${code}`,
    ...(to === 'unknownToken' && { 'MRS-5.5b': 'the data with the token, one character.*' }),
    ...(isNo403 && { 'MRS-7a': `${what}.*` }),
  };
  return {
    // The run takes the token for one that has not expired.
    ...wrong(fails, [data, on(to, code, edit)], isNo403 ? { cannotRun: ['MRS-5.6b'] } : {}),
    lead: `refuses ${what.replace(/\([^()]*\)/, 'a')} with ${code}, and gives the data away `,
  };
}

/** Serves records that differ with each call, and puts those of the same source into the refusal of a missing token. */
const changing = (source: (nth: number) => unknown): Wrong => ({
  ...leak(missing, 401, []),
  does: on(
    ['served', 'missingToken'],
    json((own, { nth }) => ({ ...own, ods_data: source(nth) })),
  ),
});

/** Answers the first two reads with 503 and the data. */
const busy = ([to, id, what]: Refusal, edits: Edit = []): Wrong =>
  wrong(
    { [id]: `${what}( again)?: 503` },
    [serveRecords, on({ to, upTo: 2 }, 503, give({ ods_data: servedRecords }), edits)],
    { mayNotRun: true },
  );

/** Records in which the only figures are small ones. */
const WORDS = [
  { name: 'Andromeda survey', site: 'Pushchino', remark: 'Avoid the hydrogen window until further notice' },
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
  element('tr', fieldNames.map((name) => element('td', one[name])).join(''));
const asYaml = (one: (typeof servedRecords)[number]) =>
  fieldNames.map((name, nth) => `${nth === 0 ? '- ' : '  '}${name}: ${one[name]}\n`).join('');
const escaped = [...asJson].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
const csv = `${[fieldNames, ...servedRecords.map(valuesOf)].join('\r\n')}\r\n`;
const ndjson = lines((one) => `${JSON.stringify(one)}\n`);
const semicolons = lines((one) => `${valuesOf(one).join(';')}\n`);
const xml = `<?xml version="1.0"?>\n<records>${lines(asElements)}</records>\n`;
const table = `<!doctype html><title>Sign in</title><table>${servedRecords.map(asRow).join('\n')}</table>\n`;
const filler = `<!-- ${'x'.repeat(2 ** 18)} -->`;
const entities = [...asJson].map((one) => `&#${one.charCodeAt(0)};`).join('');
const asForm = `${new URLSearchParams({ error: 'invalid_request', data: asJson })}`;
const inUri = encodeURIComponent(JSON.stringify(first));
const renamed = servedRecords.map((one) =>
  Object.fromEntries(valuesOf(one).map((value, nth) => [`f${nth}`, value])),
);
const known = Object.fromEntries(servedRecords.map(({ request_id, ...rest }) => [request_id, rest]));
const deep = Array.from({ length: 20 }).reduce<object>((cause) => ({ cause }), { ods_data: servedRecords });
const lastIds = MANY.slice(-3).map(({ request_id }) => request_id);
const bands = servedRecords.map(({ lower_hz }) => lower_hz.toLocaleString('en'));
const preload = ids.map((id) => `</${id}>; rel=preload`);
const reason = raw((response) => {
  response.statusMessage = `Not for ${ids.join(' and ')}`;
});
const hints = raw((response) => response.writeEarlyHints({ link: preload }));
const zipped = bytes((old) => gzipSync(old));
const inMember = add({ ods_data: servedRecords });

export const leakDefects: readonly Defect[] = defectsOf({
  'leak-error-object: in the error': () => leak(expired, 403, inMember),
  'leak-one-record: as far as one record goes': () => leak(missing, 200, give({ ods_data: [first] })),
  'leak-one-record-403: as far as one record goes': () => leak(expired, 403, add({ next: first })),
  'leak-scalars: as members of the error': () => leak(unknown, 401, add(first)),
  'leak-ids: as a list of identifiers': () => leak(unknown, 401, add({ hidden: ids })),
  'leak-sentence: in a sentence': () =>
    leak(unknown, 401, give({ error: 'invalid_token', message: `Not permitted: ${ids.join(', ')}.` })),
  'leak-json-in-string: as JSON in a string': () => leak(expired, 403, add({ last: asJson })),
  'leak-twice-encoded: as JSON twice': () =>
    leak(missing, 401, add({ log: JSON.stringify({ line: asJson }) })),
  'leak-other-member: by another name': () => leak(unknown, 200, give({ result: { items: servedRecords } })),
  'leak-renamed-fields: with other names for its fields': () => leak(missing, 200, give(renamed)),
  'leak-columns: as a list of columns and a list of rows': () =>
    leak(expired, 403, give({ error: 'expired', columns: fieldNames, rows: servedRecords.map(valuesOf) })),
  'leak-by-id: as members named by identifier': () => leak(missing, 401, add({ known })),
  'leak-deep: twenty levels deep': () => leak(unknown, 401, add(deep)),
  'leak-words: though its records hold words only': () =>
    leak(missing, 200, give({ ods_data: WORDS }), served({ ods_data: WORDS })),
  'leak-small-numbers: though its records hold small numbers only': () =>
    leak(unknown, 200, give({ rows: SMALL }), served({ ods_data: SMALL })),
  'leak-preview: as a preview next to an error': () =>
    leak(missing, 200, give({ error: 'unauthorized', message: 'This is a preview.', ods_data: [first] })),
  'leak-escaped: escaped': () => leak(unknown, 401, body(`{"error":"invalid_token","detail":"${escaped}"}`)),
  'leak-csv: as CSV': () => leak(missing, 200, body(csv, 'text/csv')),
  'leak-ndjson: as lines of JSON': () => leak(unknown, 200, body(ndjson, 'application/x-ndjson')),
  'leak-xml: as XML': () => leak(expired, 403, body(xml, 'application/xml')),
  'leak-html-table: as a table of HTML': () => leak(missing, 200, body(table, 'text/html; charset=utf-8')),
  'leak-jsonp: as JSONP': () =>
    leak(missing, 200, body(`callback({"ods_data":${asJson}});\n`, 'text/javascript')),
  'leak-yaml: as YAML': () => leak(expired, 403, body(lines(asYaml), 'application/yaml')),
  'leak-form: as a form': () => leak(malformed, 400, body(asForm, 'application/x-www-form-urlencoded')),
  'leak-header: in a header': () => leak(unknown, 401, headers({ 'x-cached-record': JSON.stringify(first) })),
  'leak-header-base64: in base64 in a header': () =>
    leak(missing, 401, headers({ 'x-state': base64(JSON.stringify(first)) })),
  'leak-base64: in base64': () => leak(unknown, 401, add({ trace: base64(asJson) })),
  'leak-gzip: in gzip': () => leak(missing, 401, [inMember, zipped, headers({ 'content-encoding': 'gzip' })]),
  'leak-percent: percent-encoded': () => leak(expired, 403, body(encodeURIComponent(asJson), 'text/plain')),
  'leak-entities: as entities of HTML': () => leak(unknown, 200, body(`<pre>${entities}</pre>`, 'text/html')),
  'leak-base64-lines: in base64, in lines of 76 characters': () =>
    leak(missing, 401, body(base64(asJson).replace(/.{76}/g, '$&\r\n'), 'text/plain')),
  'leak-csv-for-expired: as CSV': () => leak(expired, 200, body(semicolons, 'text/csv')),
  'leak-last-records: as far as the last of many records go': () =>
    leak(missing, 401, add({ recent: lastIds }), served({ ods_data: MANY })),
  'leak-in-health-too: there and in its health check': () =>
    leak(missing, 401, inMember, all(serveRecords, on('healthy', inMember))),
  'leak-cookie: in a cookie': () =>
    leak(expired, 403, headers({ 'set-cookie': `last=${inUri}; Path=/; HttpOnly` })),
  'leak-location: in the address of a redirect': () =>
    leak(missing, 302, [toLoginPage, headers({ location: `/login?resume=${inUri}` })]),
  'leak-utf-16: in UTF-16': () =>
    leak(expired, 403, body(Buffer.from(asJson, 'utf16le'), 'text/plain; charset=utf-16le')),
  'leak-hexadecimal: in hex': () => leak(missing, 401, add({ dump: Buffer.from(asJson).toString('hex') })),
  'leak-gzip-file: as a gzip file': () => leak(missing, 200, body(gzipSync(asJson), 'application/gzip')),
  'leak-after-two-mebibytes: after two mebibytes of markup': () =>
    leak(missing, 200, body(`<!-- ${'x'.repeat(2 ** 21)} --><table>${lines(asRow)}</table>`, 'text/html')),
  'leak-in-large-page: in the middle of a large page': () =>
    leak(missing, 401, body(`${filler}<table>${lines(asRow)}</table>${filler}`, 'text/html')),
  'leak-reason: in the reason phrase': () => leak(missing, 401, withBody(reason)),
  'leak-early-hints: in an interim response': () => leak(missing, 401, withBody(hints)),
  'leak-trailer: in a trailer': () => leak(missing, 401, trailers({ 'x-cached': asJson })),
  'leak-etag: in an entity tag': () => leak(unknown, 401, headers({ etag: `"${ids.join('.')}"` })),
  'leak-twice-base64: in base64 of base64': () => leak(missing, 401, add({ dump: base64(base64(asJson)) })),
  'leak-grouped-digits: as numbers with grouped digits': () => leak(missing, 401, add({ bands })),
  'leak-stamped: with a new number in each record': () =>
    changing((nth) => servedRecords.map((one, at) => ({ ...one, serial: 731_000_000 + 3 * nth + at }))),
  'leak-sliding: as it is at that moment': () =>
    changing((nth) => [0, 1, 2, 3].map((ahead) => numberedRecord(41_000 + nth + ahead))),
  'busy-leak-missing-token: leaks to the first two reads without a token, with 503': () => busy(missing),
  'busy-leak-asks-to-wait: leaks to the first two reads without a token, with 503 and Retry-After': () =>
    busy(missing, headers({ 'retry-after': '1' })),
  'busy-leak-expired-token: leaks to the first two reads with the expired token, with 503': () =>
    busy(expired),
});
