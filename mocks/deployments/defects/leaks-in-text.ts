import { gzipSync } from 'node:zlib';
import type { Defect } from '../deployment.ts';
import { body, bytes, type Change, headers, json, mediaType, sequence } from '../reply-edits.ts';
import { fieldNames, servedRecords, valuesOf } from '../served-records.ts';
import { expired, leak, malformed, missing, unknown } from './leak.ts';

const text = (type: string, content: string): Change => sequence(mediaType(type), body(content));

const [first] = servedRecords;
const asJson = JSON.stringify(servedRecords);

const element = (name: string, content: string | number) => `<${name}>${content}</${name}>`;
const asXml = servedRecords
  .map((one) => element('record', fieldNames.map((name) => element(name, one[name])).join('')))
  .join('');
const asTable = servedRecords
  .map((one) =>
    element(
      'tr',
      valuesOf(one)
        .map((value) => element('td', value))
        .join(''),
    ),
  )
  .join('\n');

export const textLeaks: readonly Defect[] = [
  leak(
    'escaped',
    unknown,
    401,
    'with every character escaped',
    body(`{"error":"invalid_token","detail":"${escapedJson(asJson)}"}`),
  ),
  leak(
    'csv',
    missing,
    200,
    'as CSV',
    text('text/csv', `${[fieldNames, ...servedRecords.map(valuesOf)].join('\r\n')}\r\n`),
  ),
  leak(
    'ndjson',
    unknown,
    200,
    'as one line of JSON for each record',
    text('application/x-ndjson', servedRecords.map((one) => `${JSON.stringify(one)}\n`).join('')),
  ),
  leak(
    'xml',
    expired,
    403,
    'as XML',
    text('application/xml', `<?xml version="1.0"?>\n<records>${asXml}</records>\n`),
  ),
  leak(
    'html-table',
    missing,
    200,
    'as a table on the login page',
    text('text/html; charset=utf-8', `<!doctype html><title>Sign in</title><table>${asTable}</table>\n`),
  ),
  leak('jsonp', missing, 200, 'as a script', text('text/javascript', `callback({"ods_data":${asJson}});\n`)),
  leak(
    'yaml',
    expired,
    403,
    'as YAML',
    text(
      'application/yaml',
      servedRecords
        .map((one) =>
          fieldNames.map((name, nth) => `${nth === 0 ? '- ' : '  '}${name}: ${one[name]}\n`).join(''),
        )
        .join(''),
    ),
  ),
  leak(
    'form',
    malformed,
    400,
    'as a form',
    text(
      'application/x-www-form-urlencoded',
      new URLSearchParams({ error: 'invalid_request', data: asJson }).toString(),
    ),
  ),
  leak('header', unknown, 401, 'in a header', headers({ 'x-cached-record': JSON.stringify(first) })),
  leak(
    'header-base64',
    missing,
    401,
    'in base64 in a header',
    headers({ 'x-state': Buffer.from(JSON.stringify(first)).toString('base64') }),
  ),
  leak(
    'base64',
    unknown,
    401,
    'in base64',
    json((error) => ({ ...error, trace: Buffer.from(asJson).toString('base64') })),
  ),
  leak(
    'gzip',
    missing,
    401,
    'compressed',
    sequence(
      json((error) => ({ ...error, ods_data: servedRecords })),
      bytes((old) => gzipSync(old)),
      headers({ 'content-encoding': 'gzip' }),
    ),
  ),
  leak('percent', expired, 403, 'with percent-encoding', text('text/plain', encodeURIComponent(asJson))),
  leak(
    'entities',
    unknown,
    200,
    'as numeric entities of HTML',
    text('text/html', `<pre>${[...asJson].map((one) => `&#${one.charCodeAt(0)};`).join('')}</pre>`),
  ),
  leak(
    'base64-lines',
    missing,
    401,
    'in base64, in lines of 76 characters',
    text('text/plain', Buffer.from(asJson).toString('base64').replace(/.{76}/g, '$&\r\n')),
  ),
  leak(
    'csv-for-expired',
    expired,
    200,
    'as CSV',
    text('text/csv', servedRecords.map((one) => `${valuesOf(one).join(';')}\n`).join('')),
  ),
];

function escapedJson(content: string): string {
  return [...content].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
