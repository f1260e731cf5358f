import { gzipSync } from 'node:zlib';
import { expect, _baseTest as test } from '@playwright/test';
import type { Observed, Probe } from '../support/evidence.ts';
import { parseJson } from '../support/json.ts';
import { answered, blankEvidence } from '../testing/evidence.ts';
import { createDataValues } from './data-values.ts';

const record = (source: string, begins: string, freq_hz: number, dec_deg: number) => ({
  ...{ site_id: 'VLA', source, begins: `2031-05-01T${begins}`, freq_hz, dec_deg },
});
const RECORDS = [
  record('J1331+3030', '10:00:00', 1420405751.5, 30.5092),
  record('J0137+3309', '10:20:00', 1665401840, 33.1597),
];
const DATA = JSON.stringify({ generated: '2031-05-01T09:59:58', ods_data: RECORDS });

/** How many values of the data an answer to a request without a token holds. */
function found(
  body: string | Buffer,
  {
    headers,
    health = '',
    data = DATA,
  }: { headers?: [string, string][]; health?: string; data?: string } = {},
): { found: number; of: number } {
  const values = createDataValues();
  const note = (id: string, body: string | Buffer, own: [string, string][] = []) => {
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    values.note(id, { status: 200, headers: own, body: bytes }, parseJson(bytes));
    return { ...answered(1, 200), id };
  };
  const blank = blankEvidence();
  const observed: Observed = {
    ...blank,
    probes: { 'data.first': note('x1', data), 'data.withoutToken': note('x2', body, headers) },
    health: [{ plain: note('x3', health) }],
  };
  return valuesOf(values.count(observed).probes['data.withoutToken'] as Probe);
}

for (const [what, text] of [
  ['one of the records', JSON.stringify({ sample: RECORDS[1] })],
  [
    'records with new times',
    JSON.stringify(RECORDS.map((one) => ({ ...one, begins: '2031-06-02T01:02:03' }))),
  ],
  ['CSV', 'source,freq\nJ1331+3030,1420405751.5\n'],
  ['CSV with other digits', 'source,freq\nJ1331+3030,1420405751.500\n'],
  ['XML', '<r><source>J1331+3030</source><f>1420405751.5</f></r>'],
  ['a table of HTML', '<table><tr><td>J1331+3030<td>1420405751.5</table>'],
  ['JSONP', `show(${JSON.stringify(RECORDS)})`],
  ['JSON in a string of JSON', JSON.stringify({ text: JSON.stringify(RECORDS) })],
  ['percent-encoding', encodeURIComponent('J1331+3030 1420405751.5')],
  ['a file of gzip', gzipSync(DATA)],
  ['UTF-16', Buffer.from(DATA, 'utf16le')],
  ['UTF-16 with the other byte order', Buffer.from(DATA, 'utf16le').swap16()],
  ['the end of a large text', `${' '.repeat(600_000)}${DATA}`],
  ['a text after many other words', `${manyWords(30_000)} ${DATA}`],
] as const)
  test(`${what} is recognised by its values`, () => {
    expect(found(text).found).toBeGreaterThanOrEqual(2);
  });

for (const [what, value] of [
  ['as they are', 'J1331+3030 1420405751.5'],
  ['in base64', Buffer.from('J1331+3030,1420405751.5').toString('base64')],
  ['joined', '"J1331+3030_1665401840"'],
] as const)
  test(`a header is recognised by its values, ${what}`, () => {
    expect(found('', { headers: [['x-data', value]] }).found).toBe(2);
  });

for (const [what, text] of [
  ['an error', '{"error":"invalid_token","status":401,"at":"2031-05-01T09:59:58"}'],
  ['the names of the members', '{"site_id":"","source":"","begins":"","freq_hz":0,"dec_deg":0}'],
  ['the site', '{"message":"Access to VLA is refused"}'],
] as const)
  test(`${what} has no value of the data`, () => {
    expect(found(text)).toEqual({ found: 0, of: 8 });
  });

test('a value that a health check shows too is not one of the data', () => {
  expect(found(DATA, { health: 'next: 2031-05-01T10:00:00' }).of).toBe(7);
});

test('a health check that shows most of the data leaves its values distinctive', () => {
  expect(found(DATA, { health: DATA })).toEqual({ found: 8, of: 8 });
});

test('a value that all records share is not distinctive', () => {
  const data = JSON.stringify(RECORDS.map((record) => ({ ...record, dish: 'antenna-25m' })));
  expect(found('{"dish":"antenna-25m"}', { data })).toEqual({ found: 0, of: 8 });
});

test('data with no other values than times has no distinctive value', () => {
  const data = JSON.stringify(RECORDS.map(({ begins }) => ({ begins })));
  expect(found(data, { data })).toEqual({ found: 0, of: 0 });
});

test('the records at each end stand for a long list', () => {
  const data = JSON.stringify(Array.from({ length: 3000 }, (_, nth) => ({ source: `J${10_000 + nth}` })));
  expect(found('J10000 J11500 J12999', { data })).toEqual({ found: 2, of: 1000 });
});

function manyWords(count: number): string {
  return Array.from({ length: count }, (_, nth) => `w${nth + 10_000}`).join(' ');
}

const valuesOf = (probe: Probe) => ('id' in probe && probe.response?.values) || { found: -1, of: -1 };
