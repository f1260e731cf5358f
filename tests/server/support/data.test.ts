import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { saying as answer, answered } from '../testing/evidence.ts';
import { createDataValues, type Given, givesData, speaksOnlyOfError, unlikeData } from './data.ts';
import { describeJson, parseJson } from './json.ts';

const RECORDS = '[{"id":1,"site":"a"},{"id":2,"site":"b"}]';

const cases: [what: string, good: string, status: number, given: string, verdict: Given][] = [
  ['the same bytes with a refusing status', RECORDS, 403, RECORDS, true],
  ['an empty list where the data is one too', '[]', 200, '[]', true],
  ['an empty list with a refusing status, where the data is one too', '[]', 403, '[]', false],
  ['other records of the same kind', RECORDS, 200, '[{"id":3,"site":"c"}]', true],
  ['a list of something else', RECORDS, 200, '[{"hint":"log in"}]', false],
  ['one of the records', RECORDS, 200, '{"sample":[{"id":2,"site":"b"}]}', true],
  ['the same member, where the data has no records', '{"data":[]}', 200, '{"data":[],"n":1}', 'unclear'],
  ['a refusal, where the data has no records', '{"data":[]}', 200, '{"error":"no token"}', false],
  [
    'records next to an error',
    `{"at":1,"items":${RECORDS}}`,
    200,
    '{"at":2,"error":"no token","items":[{"id":9}]}',
    'unclear',
  ],
  [
    'one record of an envelope, next to a refusal',
    `{"data":${RECORDS},"links":[{"rel":"a"}]}`,
    401,
    '{"error":"no","links":[{"rel":"a"}]}',
    false,
  ],
  ['JSON after a byte order mark', RECORDS, 200, `\ufeff${RECORDS}`, 'unclear'],
  ['JSON with something after it', RECORDS, 200, `${RECORDS};`, 'unclear'],
  ['a page where the data is one', '<table></table>', 200, '<form></form>', true],
  ['what is too deep to be parsed', RECORDS, 200, '['.repeat(600), 'unclear'],
];

for (const [what, good, status, given, verdict] of cases)
  test(`${what}, with ${status}: ${verdict}`, () => {
    const values = { found: 0, of: 0 };
    const one = answer(status, given);
    const counted = { ...one, response: { ...one.response, values } };
    expect(givesData(counted, answer(200, good))).toBe(verdict);
  });

test('a refusal that was not searched whole may hold the data, and one whose values were not counted may hold an example', () => {
  const good = answer(200, RECORDS);
  const one = answer(401, '<p>no</p>');
  const partial = {
    ...one,
    response: { ...one.response, values: { found: 0, of: 8, isPartial: true as const } },
  };
  expect(givesData(partial, good)).toBe('unclear');
  expect(givesData(answer(401, `{"error":"no","example":${RECORDS}}`), good)).toBe('unclear');
});

test('what every answer of a service has does not identify the data', () => {
  const links = '"links":[{"rel":"help"},{"rel":"self"}]';
  const good = answer(200, `{"data":[],${links}}`);
  expect(givesData(answer(401, `{"error":"no token",${links}}`), good)).toBe(false);
});

for (const good of ['{"v":"7.2.1","data":[]}', '{"v":"7.2.1","meta":{"data":null}}', '{"a":{"items":{}}}'])
  test(`what a refusal shares with ${good} is the envelope`, () => {
    expect(givesData(answer(401, good), answer(200, good))).toBe(false);
    expect(givesData(answer(200, good), answer(200, good))).toBe(true);
  });

for (const good of ['{"id":1,"until":null}', '{"id":1,"error":null,"site":"a"}', '"none until 2031"'])
  test(`what a refusal shares with ${good} is the data`, () => {
    expect(givesData(answer(401, good), answer(200, good))).toBe(true);
  });

test('distinctive values of the data are recognised, whatever the status and the form', () => {
  const good = answer(200, RECORDS);
  const csv = (found: number, status = 200) => {
    const one = answer(status, 'id,site\n1,a\n');
    return { ...one, response: { ...one.response, values: { found, of: 8 } } };
  };
  const given = [csv(2), csv(2, 403), csv(1), csv(0)].map((one) => givesData(one, good));
  expect(given).toEqual([true, true, false, false]);
});

test('a refusal that has at most half of the values of a single record may speak of the service', () => {
  const given = [
    { found: 2, of: 5, isOfOne: true } as const,
    { found: 3, of: 5, isOfOne: true } as const,
    // One value is no evidence, though the data has no other.
    { found: 1, of: 1 },
  ].map((values) => {
    const one = answer(401, '{"error":"no token"}');
    return givesData({ ...one, response: { ...one.response, values } }, answer(200, RECORDS));
  });
  expect(given).toEqual(['unclear', true, false]);
});

test('a record in a refusal that has no value of the data may be an example', () => {
  const one = answer(401, '{"error":"no","example":{"records":[{"id":7,"site":"site-0417"}]}}');
  const values = { found: 0, of: 8 };
  expect(givesData({ ...one, response: { ...one.response, values } }, answer(200, RECORDS))).toBe('unclear');
});

for (const [what, first, later, expected] of [
  ['records in an envelope that was empty', '{"data":[]}', `{"data":${RECORDS}}`, undefined],
  ['records after no content', '', RECORDS, undefined],
  ['a detail next to no records', `{"data":${RECORDS}}`, '{"data":[],"detail":"None."}', undefined],
  ['an empty list by another name', `{"data":${RECORDS}}`, '{"count":0,"results":[]}', undefined],
  ['partial errors next to an empty list', `{"data":${RECORDS}}`, '{"data":[],"errors":["a"]}', undefined],
  ['records as a detail', `{"data":${RECORDS}}`, `{"code":200,"detail":${RECORDS}}`, undefined],
  ['an error and an empty list', `{"data":${RECORDS}}`, '{"data":[],"error":"a"}', 'the data, not an error'],
  ['errors next to null', `{"data":${RECORDS}}`, '{"data":null,"errors":["a"]}', 'the data, not an error'],
  ['a list of errors', RECORDS, '[{"error":"no"}]', 'the data, not errors'],
  ['an object for a list', RECORDS, '{"hello":1}', 'the members of the first answer: id, site'],
  ['other members', '{"a":1,"b":2}', '{"hello":1}', 'the members of the first answer: a, b'],
] as const)
  test(`${what} in a later success: ${expected ?? 'the data'}`, () => {
    expect(unlikeData(answer(200, later), answer(200, first))).toBe(expected);
  });

const ONE = '{"id":1,"site":"a","reason":"survey"}';
for (const [what, some, others] of [
  ['null and one record', 'null', ONE],
  ['an empty list and a map', '[]', '{"a":{"id":1},"b":{"id":2}}'],
  ['a list and a map', RECORDS, '{"1":{"id":1},"3":{"id":2}}'],
  ['one record and a list in an envelope', `{"data":${ONE}}`, `{"data":[${ONE},${ONE}]}`],
] as const)
  test(`data that changes between ${what} is the data, whichever comes first`, () => {
    const both = [
      unlikeData(answer(200, others), answer(200, some)),
      unlikeData(answer(200, some), answer(200, others)),
    ];
    expect(both).toEqual([undefined, undefined]);
  });

for (const [text, isError] of [
  ['{"error":"no"}', true],
  ['{"status":500,"error":"no"}', true],
  ['{"status":"ok","message":"Nothing is planned."}', false],
  ['{"detail":"no","ods_data":[]}', false],
  ['{"status":"success","code":200,"detail":[{"id":1,"site":"a"}]}', false],
  ['{"detail":[{"loc":["header"],"msg":"no","type":"missing"}]}', true],
  ['{"error":null}', false],
  ['[{"error":"no"}]', false],
] as const)
  test(`${text} ${isError ? 'is' : 'is not'} an error without data`, () => {
    expect(speaksOnlyOfError(describeJson(parseJson(Buffer.from(text))))).toBe(isError);
  });

// The values of the data in another form.

const record = (source: string, begins: string, freq_hz: number, dec_deg: number) => ({
  ...{ site_id: 'VLA', source, begins: `2031-05-01T${begins}`, freq_hz, dec_deg },
});
const SCHEDULE = [
  record('J1331+3030', '10:00:00', 1420405751.5, 30.5092),
  record('J0137+3309', '10:20:00', 1665401840, 33.1597),
];
const DATA = JSON.stringify({ generated: '2031-05-01T09:59:58', ods_data: SCHEDULE });

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
    values.note(id, { headers: own, body: bytes }, parseJson(bytes), id === 'x2');
    return { ...answered(1, 200), id };
  };
  const [read, refusal, check] = [note('x1', data), note('x2', body, headers), note('x3', health)];
  const counted = values.counter({ data: [read], health: [check] })(refusal);
  return counted.response?.values ?? { found: -1, of: -1 };
}

for (const [what, text] of [
  [
    'records with new times',
    JSON.stringify(SCHEDULE.map((one) => ({ ...one, begins: '2031-06-02T01:02:03' }))),
  ],
  ['XML', '<r><source>J1331+3030</source><f>1420405751.5</f></r>'],
  ['a table of HTML', '<table><tr><td>J1331+3030<td>1420405751.5</table>'],
  ['JSONP', `show(${JSON.stringify(SCHEDULE)})`],
  ['JSON in a string of JSON', JSON.stringify({ text: JSON.stringify(SCHEDULE) })],
  ['percent-encoding', encodeURIComponent('J1331+3030 1420405751.5')],
  ['hexadecimal', Buffer.from(DATA).toString('hex')],
  ['entities of HTML', [...DATA].map((one) => `&#${one.charCodeAt(0)};`).join('')],
  ['UTF-16', Buffer.from(DATA, 'utf16le')],
  ['UTF-16 with the other byte order', Buffer.from(DATA, 'utf16le').swap16()],
  ['a text after many other words', `${manyWords(30_000)} ${DATA}`],
  ['words that end with signs', 'J1331+3030-. 1420405751.5:_'],
  // In time that grows with the square of their length, each of these words would take hours.
  ...['-', '+', '_', ':.'].map(
    (signs) => [`a text after a word with many ${signs}`, `1${signs.repeat(100_000)}x ${DATA}`] as const,
  ),
] as const)
  test(`${what} is recognised by its values`, () => {
    expect(found(text).found).toBeGreaterThanOrEqual(2);
  });

for (const [form, share, written, write] of [
  ['page in UTF-16', 0.1, DATA, (text: string) => Buffer.from(text, 'utf16le')],
  ['page', 0.5, [...DATA].map((one) => `&#${one.charCodeAt(0)};`).join(''), (text: string) => text],
  ['file of gzip', 0.9, Buffer.from(DATA).toString('base64'), (text: string) => gzipSync(text)],
] as const)
  test(`a ${form} of 512 KiB with the data at ${share * 100} % is recognised, and without it is not`, () => {
    const line = '<p class="note-1">You are not allowed to see this page.</p>\n';
    const pageWith = (text: string) => {
      const before = line.repeat((share * 512 * 1024) / line.length);
      return write(before + text + line.repeat(((1 - share) * 512 * 1024) / line.length));
    };
    expect(found(pageWith(written)).found).toBeGreaterThanOrEqual(2);
    expect(found(pageWith('')).found).toBe(0);
  });

test('a word that two pieces of a large refusal share is recognised', () => {
  const PIECE_BYTES = 128 * 1024;
  const text = `${' '.repeat(PIECE_BYTES - 5)}J1331+3030 ${' '.repeat(PIECE_BYTES - 17)}1420405751.5 ${' '.repeat(PIECE_BYTES)}`;
  expect(found(text).found).toBe(2);
});

test('a header is recognised by its values, joined', () => {
  expect(found('', { headers: [['x-data', '"J1331+3030_1665401840"']] }).found).toBe(2);
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

test('a value that all records share is not distinctive', () => {
  const data = JSON.stringify(SCHEDULE.map((record) => ({ ...record, dish: 'antenna-25m' })));
  expect(found('{"dish":"antenna-25m"}', { data })).toEqual({ found: 0, of: 8 });
});

test('the values of a single record are marked as such', () => {
  const data = JSON.stringify({ generated: '2031-05-01T09:59:58', ods_data: SCHEDULE.slice(1) });
  expect(found(data, { data })).toEqual({ found: 4, of: 4, isOfOne: true });
});

test('other words do not become values of the data by their hashes', () => {
  // Of each pair, the hash by FNV-1a with 32 bits is the same.
  const data = JSON.stringify([{ source: 'J75988' }, { source: 'J75989' }, { source: 'J75982' }]);
  expect(found('J285402 J285403 J285408', { data })).toEqual({ found: 0, of: 3 });
});

test('the records at each end represent a long list', () => {
  const data = JSON.stringify(Array.from({ length: 3000 }, (_, nth) => ({ source: `J${10_000 + nth}` })));
  expect(found('J10000 J11500 J12999', { data })).toEqual({ found: 2, of: 1000 });
});

function manyWords(count: number): string {
  return Array.from({ length: count }, (_, nth) => `w${nth + 10_000}`).join(' ');
}
