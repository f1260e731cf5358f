import { expect, test } from '@playwright/test';
import type { Exchange, Observed, Probe } from '../support/evidence.ts';
import { parseJson } from '../support/json.ts';
import { blankEvidence } from '../testing/blank-evidence.ts';
import { createDataValues } from './data-values.ts';

const RECORDS = [
  {
    site_id: 'VLA',
    source: 'J1331+3030',
    begins: '2031-05-01T10:00:00',
    freq_hz: 1420405751.5,
    dec_deg: 30.5092,
  },
  {
    site_id: 'VLA',
    source: 'J0137+3309',
    begins: '2031-05-01T10:20:00',
    freq_hz: 1665401840,
    dec_deg: 33.1597,
  },
];
const DATA = JSON.stringify({ generated: '2031-05-01T09:59:58', ods_data: RECORDS });

/** How many values of the data an answer to a request without a token holds. */
function found(text: string, headers: [string, string][] = [], health = ''): { found: number; of: number } {
  const values = createDataValues();
  const note = (id: string, body: string, own: [string, string][] = []) => {
    const bytes = Buffer.from(body);
    values.note(id, { status: 200, headers: own, body: bytes }, parseJson(bytes));
    return exchange(id);
  };
  const blank = blankEvidence();
  const observed: Observed = {
    ...blank,
    data: { ...blank.data, first: note('x1', DATA), withoutToken: note('x2', text, headers) },
    health: [{ plain: note('x3', health) }],
  };
  return valuesOf(values.count(observed).data.withoutToken);
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
] as const)
  test(`${what} is recognised by its values`, () => {
    expect(found(text).found).toBeGreaterThanOrEqual(2);
  });

test('a header is recognised by its values, also in base64', () => {
  expect(found('', [['x-data', 'J1331+3030 1420405751.5']]).found).toBe(2);
  const base64 = Buffer.from('J1331+3030,1420405751.5').toString('base64');
  expect(found('', [['x-data', base64]]).found).toBe(2);
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
  expect(found(DATA, [], 'next: 2031-05-01T10:00:00').of).toBe(7);
});

function exchange(id: string): Exchange {
  const response = {
    status: 200,
    headers: [],
    bodyBytes: 9,
    digest: id,
    excerpt: '',
    json: { wellFormed: false, error: '' },
  };
  const request = { method: 'GET', path: '/ods_data/', headers: [] };
  return {
    id,
    what: 'a request',
    request,
    sentAtMs: 0,
    durationMs: 0,
    response: { ...response, json: { wellFormed: false, error: '' } },
  };
}

const valuesOf = (probe: Probe) => ('id' in probe && probe.response?.values) || { found: -1, of: -1 };
