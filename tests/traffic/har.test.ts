import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { UsageError } from '../support/usage-error.ts';
import type { RecordedExchange } from './exchange.ts';
import { answerBodyOf, exchangeOf, type HarReading, readHar, requestBodyOf, spanOf } from './har.ts';
import { asks, BASE_URL, BEGAN, bytesOf, entryOf, harOf, RECORDS, reads } from './testing/har.ts';

async function read(text: string, more: Partial<HarReading> & { pieces?: number } = {}) {
  const { pieces, ...rest } = more;
  const entries: unknown[] = [];
  const file = await readHar(bytesOf(text, pieces), {
    name: 'a.har',
    onEntry: (entry, number) => entries.push([number, entry]),
    ...rest,
  });
  return { ...file, list: entries };
}

const ENTRIES: object[] = [{ a: 'one, "two" ]}' }, { b: ['é', { c: null }] }, []];
const NUMBERED = ENTRIES.map((entry, at) => [at + 1, entry]);

for (const pieces of [1, 2, 7, 1000])
  test(`a file that comes ${pieces} bytes at a time is read entry by entry`, async () => {
    expect(await read(harOf(ENTRIES), { pieces, blockBytes: 1 })).toEqual({
      creator: 'made by hand',
      entries: 3,
      list: NUMBERED,
    });
  });

test('other members of the log may be anywhere, and a byte order mark is skipped', async () => {
  const log = {
    pages: [{ id: 'p' }],
    entries: ENTRIES,
    comment: 'x',
    creator: { name: 'late' },
    __proto__: {},
  };
  const text = `\ufeff ${JSON.stringify({ before: { log: {} }, log, after: [1] })} \n`;
  expect(await read(text)).toEqual({ creator: 'late', entries: 3, list: NUMBERED });
});

const whole = harOf(ENTRIES);
for (const [what, text, message] of [
  ['an empty file', '', 'it is empty (byte 0, line 1)'],
  ['a page', '<!doctype html>', 'it is a page'],
  ['a list', '[]', 'a.har is not a HAR file: it has no list log.entries.'],
  [
    'an object without a log',
    '{"entries":[]}',
    'a.har is not a HAR file: it has no list log.entries. Export',
  ],
  [
    'a log without entries',
    '{"log":{"version":"1.2"}}',
    'a.har is not a HAR file: it has no list log.entries. Export',
  ],
  [
    'entries that are not a list',
    '{"log":{"entries":{}}}',
    'a.har is not a HAR file: it has no list log.entries. Export',
  ],
  ['a file that is cut off within an entry', whole.slice(0, -30), 'it is cut off'],
  ['a file that is cut off after the entries', whole.slice(0, -1), 'it is not JSON'],
  ['an entry that is not JSON', '{"log":{"entries":[{"a":tru}]}}', 'it is not JSON (byte 19, line 1)'],
  ['entries without a comma', '{"log":{"entries":[{} {}]}}', 'it is not JSON after entry 1'],
  ['text after the end', `${whole}{}`, 'it is not JSON'],
  [
    'entries of something before the log',
    '{"a":{"entries":[{}]},"log":{"entries":[{}]}}',
    'it has another list "entries" before log.entries',
  ],
  [
    'entries of something else than the log',
    '{"log":{"pages":[{"entries":[]}]}}',
    'a.har is not a HAR file: it has no list log.entries. Export',
  ],
  [
    'an entry that is nested too deep',
    harOf([JSON.parse('['.repeat(70) + ']'.repeat(70))]),
    'nested more than 64 levels deep',
  ],
] as const)
  test(`${what} is refused with what is wrong`, async () => {
    const reading = read(text);
    await expect(reading).rejects.toThrow(UsageError);
    await expect(reading).rejects.toThrow(`a.har is not a HAR file: `);
    await expect(reading).rejects.toThrow(message);
  });

const utf16 = Buffer.from(whole, 'utf16le');
for (const [what, bytes, named] of [
  ['a zip archive', Buffer.from('PK\x03\x04\x14'), 'a zip archive. Unpack it'],
  ['gzip', gzipSync(whole), 'compressed by gzip. Unpack it'],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4]), 'compressed. Unpack it'],
  ['UTF-16', utf16, 'text in UTF-16. Save it as UTF-8'],
  ['UTF-16 of another order', Buffer.from(utf16).swap16(), 'text in UTF-16'],
  ['UTF-16 with a mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), 'text in UTF-16'],
  ['pcapng', Buffer.from('0a0d0d0a1c', 'hex'), 'a capture of network packets. Export'],
  ['flows', Buffer.from('4092:9:websocket;0:~,'), 'a file of flows of mitmproxy. Export'],
  ['a page', Buffer.from('\n<!doctype html>'), 'a page or XML. Export'],
] as const)
  test(`a file of ${what} is refused with what it is`, async () => {
    const reading = readHar([bytes] as unknown as AsyncIterable<Uint8Array>, { name: 'a.har', onEntry() {} });
    await expect(reading).rejects.toThrow(`a.har is not a HAR file: it is ${named}`);
  });

test('a value that is larger than the limit is refused while it is read', async () => {
  let sent = 0;
  async function* endless() {
    yield Buffer.from('{"log":{"entries":[{"a":"');
    for (;;) {
      sent++;
      yield Buffer.alloc(1024, 'x');
    }
  }
  const reading = readHar(endless(), {
    name: 'a.har',
    onEntry() {},
    valueBytes: 64 * 1024,
    blockBytes: 1024,
  });
  await expect(reading).rejects.toThrow(
    'the value after entry 0 is larger than 0.0625 MiB. Remove the bodies of other hosts',
  );
  expect(sent).toBeLessThan(200);
});

const exchangeIn = (entry: unknown) => exchangeOf(entry, 3) as RecordedExchange | undefined;
/** An entry with other members in its response or request. */
const withContent = (content: object, status = 200) => {
  const entry = entryOf(reads(1, 1, { status }));
  return { ...entry, response: { ...entry.response, content } };
};
const bodyOf = (entry: unknown) => exchangeIn(entry)?.answer?.readBody()?.toString();

test('an entry becomes an exchange: with its times, without its query, with headers in lower case but those of HTTP/2', () => {
  const headers = { ':authority': 'mrs.example', Accept: 'a', 'X-Y': 'b' };
  const entry = entryOf(reads(1.5, 1, { path: '/ods_data/?page=2&x=%20y', tookMs: 40, headers }));
  const names = exchangeIn(entry)?.headers.map(([name]) => name);
  expect(names).toEqual(['accept', 'authorization', 'accept', 'x-y', 'host']);
  expect(exchangeIn(entry)).toMatchObject({
    entry: 3,
    startMs: BEGAN + 1500,
    endMs: BEGAN + 1540,
    method: 'GET',
    origin: 'https://mrs.example',
    path: '/api/ods_data/',
    query: [
      ['page', '2'],
      ['x', ' y'],
    ],
    answer: { status: 200 },
  });
});

for (const [what, content, status, expected] of [
  ['a text', { size: 2, text: '{}' }, 200, '{}'],
  ['base64', { size: 4, text: 'w6kK', encoding: 'base64' }, 200, undefined],
  ['base64 of the whole', { size: 3, text: 'w6kK', encoding: 'base64' }, 200, 'é\n'],
  ['a text that was cut', { size: 1000, text: '{"a":' }, 200, undefined],
  ['a text in which a value was replaced', { size: 50, text: '{"token":"‹1›"}' }, 200, '{"token":"‹1›"}'],
  ['no text', { size: 1000, mimeType: 'application/json' }, 200, undefined],
  ['no text where there is no content', { size: 0 }, 204, ''],
  ['no text where the size is not known', { size: -1 }, 200, undefined],
  ['a text that is not a string', { size: 1, text: 5 }, 200, undefined],
  ['an empty text of a success', { size: 0, text: '' }, 200, undefined],
  ['an empty text of a refusal', { size: 0, text: '' }, 403, ''],
  ['base64 in capitals and lines', { size: 3, text: 'w6\r\nkK', encoding: 'BASE64' }, 200, 'é\n'],
  ['a text in another encoding', { size: 3, text: 'w6kK', encoding: 'uu' }, 200, undefined],
  ['a text that is marked as cut', { size: 5, text: '{"a":', _truncated: true }, 200, undefined],
  ['a text with a note that it was cut', { size: 5, text: '{"a":', comment: 'Truncated' }, 200, undefined],
  ['a text that ends by saying so', { text: '{"a":... (truncated)' }, 200, undefined],
  ['a text of exactly 1 KiB', { size: 1024, text: `{"a":"${'x'.repeat(1018)}` }, 200, undefined],
  ['a text in the place of a body', { size: 24, text: '<body is not available>' }, 200, undefined],
  ['a word of a recorder in its place', { size: 8, text: 'withheld' }, 200, undefined],
  ['a text in brackets in its place', { size: 27, text: '[application/json redacted]' }, 200, undefined],
  ['bytes that are not text', { size: 4, text: '\u001f\ufffd\u0008\u0000' }, 200, undefined],
  ['a size in a string', { size: '1000', text: '{"a":' }, 200, undefined],
] as const)
  test(`a body as ${what} is ${expected === undefined ? 'not known' : JSON.stringify(expected)}`, () => {
    expect(bodyOf(withContent(content, status))).toBe(expected);
  });

const JSON_TEXT = '{"a":1}';
const base64 = (body: Buffer | string) => ({
  text: Buffer.from(body).toString('base64'),
  encoding: 'base64',
});
for (const [what, content, header, expected] of [
  ['gzip in base64', base64(gzipSync(JSON_TEXT)), 'content-encoding: gzip', undefined],
  ['JSON that was decoded', { size: 30, text: JSON_TEXT }, 'content-encoding: gzip', JSON_TEXT],
  ['gzip as text', { text: gzipSync(JSON_TEXT).toString('latin1') }, 'content-encoding: gzip', undefined],
  ['less than its header states', { size: 5, text: '{"a":' }, 'content-length: 90', undefined],
  ['nothing, as its header states', { size: 0, text: '' }, 'content-length: 0', ''],
] as const)
  test(`a body as ${what} is ${expected === undefined ? 'not known' : JSON.stringify(expected)}`, () => {
    const headers = [header.split(': ') as [string, string]];
    expect(answerBodyOf(content, { status: 200, headers })?.toString()).toBe(expected);
  });

test('an answer that did not arrive is a failure', () => {
  const entry = entryOf(reads(1, 1, { status: 0 }));
  expect(exchangeIn(entry)?.answer).toBeUndefined();
  expect(exchangeIn(entry)?.failure).toBe('gave no answer that was recorded');
});

const FIELDS = { params: [{ name: 'a', value: 'b' }] };
for (const [what, body, expected] of [
  ['was replaced as a whole', { postData: { text: '[REDACTED]' } }, {}],
  ['was replaced by stars', { postData: { text: '***' } }, {}],
  ['was replaced by a word', { postData: { text: 'redacted' } }, {}],
  ['is an empty text of a body that had a length', { postData: { text: '' } }, {}],
  ['was empty', { postData: { text: '' }, bodySize: 0 }, { body: '' }],
  ['has fields without values', { postData: { params: [{ name: 'a' }] } }, { params: [['a', '‹not kept›']] }],
  ['was replaced, with its fields', { postData: { text: '***', ...FIELDS } }, { params: [['a', 'b']] }],
  ['has fields that are none', { postData: { params: [{ value: 'c' }, 5] } }, {}],
  ['is a text', { postData: { text: 'a=b', ...FIELDS } }, { body: 'a=b' }],
  ['is in base64', { postData: { text: 'YT1i', encoding: 'base64' } }, { body: 'a=b' }],
  ['is in another file', { postData: { text: '', _file: '1.dat' }, bodySize: 0 }, {}],
  ['is in an unknown encoding', { postData: { text: 'YT1i', encoding: 'uu' } }, {}],
  ['is bytes that were kept as text', { postData: { text: '\u001f\ufffd' } }, {}],
] as const)
  test(`a form that ${what} is read for what it shows`, () => {
    const { postData, bodySize = 90 } = body as { postData: object; bodySize?: number };
    expect(requestBodyOf(postData, bodySize)).toEqual(expected);
  });

for (const [noted, sent, expected] of [
  ['application/x-www-form-urlencoded', [], 'application/x-www-form-urlencoded'],
  ['text/plain', [], undefined],
  ['application/x-www-form-urlencoded', ['text/csv'], 'text/csv'],
] as const)
  test(`a form noted as ${noted} that was sent as ${sent[0] ?? 'nothing'} has the type ${expected}`, () => {
    const { request, ...entry } = entryOf(asks(1, 1));
    const headers = sent.map((value) => ({ name: 'Content-Type', value }));
    const postData = { ...request.postData, mimeType: noted };
    const { headers: read = [] } = exchangeIn({ ...entry, request: { ...request, headers, postData } }) ?? {};
    expect(new Map(read).get('content-type')).toBe(expected);
  });

for (const [noted, sent, expected] of [
  ['application/json', [], 'application/json'],
  ['x-unknown', [], undefined],
  ['application/json', ['text/html'], 'text/html'],
] as const)
  test(`an answer noted as ${noted} that was sent as ${sent[0] ?? 'nothing'} has the type ${expected}`, () => {
    const { response, ...entry } = entryOf(reads(1, 1));
    const headers = sent.map((value) => ({ name: 'Content-Type', value }));
    const content = { text: '[]', mimeType: noted };
    const { answer } = exchangeIn({ ...entry, response: { ...response, headers, content } }) ?? {};
    expect(new Map(answer?.headers).get('content-type')).toBe(expected);
  });

const MARKED = { encoding: 'base64', text: Buffer.from('grant_type=client_credentials').toString('base64') };
/** What a request of HTTP/1.1 has at least, besides what is here. */
const HOST = ['host'];
for (const [what, more, lacks] of [
  ['no headers', { headers: [] }, ['headers']],
  ['the headers of a browser before it sends', { headers: ['User-Agent', 'sec-ch-ua'] }, ['headers']],
  ['a sentence as a header', { headers: [...HOST, 'Provisional headers are shown'] }, ['headers']],
  ['no Host', { headers: ['accept', 'authorization'] }, ['headers']],
  ['no Host, in HTTP/2', { headers: ['accept'], httpVersion: 'HTTP/2.0' }, undefined],
  [':authority', { headers: [':authority', 'accept'], httpVersion: 'h2' }, undefined],
  ['an Accept that was replaced', { headers: HOST, accept: '[REDACTED]' }, ['headers']],
  ['a content type that was emptied', { headers: HOST, 'content-type': '' }, ['headers']],
  [
    'a form, and neither Content-Length nor Transfer-Encoding',
    { headers: HOST, postData: { text: 'a=b' } },
    ['headers'],
  ],
  [
    'a noted form without its content type',
    {
      headers: [...HOST, 'content-length'],
      postData: { text: 'a=b', mimeType: 'application/x-www-form-urlencoded' },
    },
    ['headers'],
  ],
  ['a form', { headers: [...HOST, 'transfer-encoding'], postData: { text: 'a=b' }, bodySize: 3 }, undefined],
  ['a form in base64', { headers: [...HOST, 'transfer-encoding'], postData: MARKED }, undefined],
  ['a form in another file', { headers: HOST, postData: { text: '', _file: '1.dat' } }, ['form']],
  ['a form in an unknown encoding', { headers: HOST, postData: { text: 'a', encoding: 'uu' } }, ['form']],
  ['a form that is not there', { headers: HOST, bodySize: 90 }, ['form']],
  [
    'a form that was cut',
    { headers: [...HOST, 'transfer-encoding'], postData: { text: 'a=b' }, bodySize: 9 },
    ['form'],
  ],
  [
    'a form that is marked as cut',
    { headers: [...HOST, 'transfer-encoding'], postData: { text: 'a=b', comment: 'truncated' } },
    ['form'],
  ],
  [
    'the fields of a form',
    {
      headers: [...HOST, 'transfer-encoding'],
      postData: { text: '', params: [{ name: 'a', value: 'b' }] },
      bodySize: 3,
    },
    undefined,
  ],
  ['an empty form and no length', { headers: HOST, postData: { text: '' }, bodySize: 0 }, ['form']],
  ['a Host and nothing else', { headers: HOST }, undefined],
] as const)
  test(`a request with ${what} lacks ${lacks?.join() ?? 'nothing'}`, () => {
    const {
      headers,
      accept,
      'content-type': type,
      ...given
    } = more as Record<string, unknown> & { headers: string[] };
    const all = [...headers.map((name) => ({ name, value: 'x' }))];
    for (const [name, value] of Object.entries({ accept, 'content-type': type }))
      if (value !== undefined) all.push({ name, value: String(value) });
    const entry = entryOf(reads(1, 1));
    const request = { ...entry.request, ...given, headers: all };
    expect(exchangeIn({ ...entry, request })?.lacks).toEqual(lacks);
  });

test('an answer without any header lacks its headers', () => {
  const entry = entryOf(reads(1, 1));
  const response = { ...entry.response, headers: [] };
  expect(exchangeIn({ ...entry, response })?.lacks).toEqual(['headers of the answer']);
});

test('a query and a cookie that the recorder has only in a list of their own are read', () => {
  const entry = entryOf(reads(1, 1));
  const lists = { queryString: [{ name: 'Page', value: '2' }], cookies: [{ name: 'id', value: '7' }] };
  const read = exchangeIn({ ...entry, request: { ...entry.request, ...lists } });
  expect(read?.query).toEqual([['Page', '2']]);
  expect(new Map(read?.headers).get('cookie')).toBe('id=7');
});

for (const [what, entry, message] of [
  ['a number', 5, 'Entry 3 has no request with a method and a url'],
  ['one without a request', { startedDateTime: '2030-01-01T00:00:00Z' }, 'has no request'],
  ['one with a bad address', entryOf({ at: 1, url: 'https://[' }), 'has a url without a host: https://['],
] as const)
  test(`of an entry that is ${what}, what is wrong is returned`, () => {
    expect(exchangeIn(entry)).toContain(message);
  });

test('members of prototypes are not taken for those of an entry', () => {
  const text = JSON.stringify(entryOf(reads(1, 1, { body: RECORDS }))).replace(
    '{',
    '{"__proto__":{"_fromCache":"disk"},"constructor":{"prototype":{"x":1}},',
  );
  expect(exchangeIn(JSON.parse(text))?.origin).toBe(new URL(BASE_URL).origin);
  expect(({} as { x?: number }).x).toBeUndefined();
});

/** By an entry and its response: whether it is an exchange with the service. */
for (const [what, isOne, more, answer] of [
  ['what Chromium read from its disk', false, { _fromCache: 'disk' }, {}],
  ['what a browser marks in its response', false, {}, { fromDiskCache: true }],
  ['what Safari read from its memory', false, { _fetchType: 'Memory Cache' }, {}],
  ['what Safari had from a service worker', false, { _fetchType: 'Service Worker' }, {}],
  ['what Chromium had from a service worker', false, {}, { _fetchedViaServiceWorker: true }],
  ['what Firefox had in its cache', false, { cache: { afterRequest: null } }, { bodySize: 0 }],
  ['what a route of Playwright answered', false, { _wasFulfilled: true }, {}],
  ['what a route of Playwright stopped', false, { _wasAborted: true }, { status: -1 }],
  ['a redirect within a browser', false, {}, { status: 307, statusText: 'Internal Redirect' }],
  [
    'a redirect by HSTS',
    false,
    {},
    { status: 307, headers: [{ name: 'Non-Authoritative-Reason', value: '' }] },
  ],
  ['what an extension blocked', false, {}, { status: 0, _error: 'net::ERR_BLOCKED_BY_CLIENT' }],
  [
    'one without a cache',
    true,
    { _fromCache: null },
    { fromDiskCache: false, _fetchedViaServiceWorker: false },
  ],
  ['one of Safari over the network', true, { _fetchType: 'Network Load' }, {}],
  ['one with notes on a cache, and a body', true, { cache: { afterRequest: {} } }, { bodySize: 20 }],
  ['a redirect by the service', true, {}, { status: 307, statusText: 'Temporary Redirect' }],
] as const)
  test(`${what} is ${isOne ? 'an' : 'no'} exchange with the service`, () => {
    const entry = entryOf(reads(1, 1, { more }));
    const exchange = exchangeIn({ ...entry, response: { ...entry.response, ...answer } });
    expect(exchange?.path).toBe(isOne ? '/api/ods_data/' : undefined);
  });

const AT = Date.parse('2030-01-31T12:00:00.250Z');

for (const [startedDateTime, startMs] of [
  ['2030-01-31T12:00:00.250Z', AT],
  ['2030-01-31T13:00:00.2500000+01:00', AT],
  ...[undefined, null, '', 'Invalid date', '1970-01-01T00:00:00Z', AT, -1, {}].map(
    (one) => [one, Number.NaN] as const,
  ),
] as const)
  test(`a begin as ${JSON.stringify(startedDateTime)} is ${startMs === AT ? 'read' : 'not known'}`, () => {
    expect(spanOf({ startedDateTime, time: 20 })).toEqual({ startMs, endMs: startMs + 20 });
  });

test('a begin without a time zone is UTC, wherever the file is judged', () => {
  const zone = process.env.TZ;
  process.env.TZ = 'America/New_York';
  const { startMs } = spanOf({ startedDateTime: '2030-01-31T12:00:00.25' });
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  expect(startMs).toBe(AT);
});

for (const [what, more, took] of [
  ['a string', { time: '12.5' }, 12.5],
  ['-1, with phases', { time: -1, timings: { blocked: -1, connect: 3, ssl: 2, wait: 18, receive: 1 } }, 22],
  ['-1, with no phase', { time: -1, timings: { wait: -1 } }, 0],
  ['nothing', {}, 0],
] as const)
  test(`how long it took is read from ${what}`, () => {
    const { startMs, endMs } = spanOf({ startedDateTime: '2030-01-31T12:00:00.250Z', ...more });
    expect(endMs - startMs).toBe(took);
  });
