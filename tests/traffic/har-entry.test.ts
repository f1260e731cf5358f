import { gzipSync } from 'node:zlib';
import { expect, _baseTest as test } from '@playwright/test';
import { answerBodyOf, requestBodyOf } from './har-body.ts';
import { exchangeOf } from './har-entry.ts';
import { asks, BASE_URL, BEGAN, entryOf, RECORDS, reads } from './testing/har.ts';

const read = (entry: unknown) => exchangeOf(entry, 3, 'a.har');
/** An entry with other members in its response or request. */
const withContent = (content: object, status = 200) => {
  const entry = entryOf(reads(1, 1, { status })) as { response: object };
  return { ...entry, response: { ...entry.response, content } };
};
const bodyOf = (entry: unknown) => read(entry)?.answer?.readBody()?.toString();

test('an entry becomes an exchange, with its times and without its query', () => {
  const entry = entryOf(reads(1.5, 1, { path: '/ods_data/?page=2&x=%20y', tookMs: 40 }));
  expect(read(entry)).toMatchObject({
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

test('names of headers are in lower case, and the pseudo-headers of HTTP/2 are left out', () => {
  const entry = entryOf(reads(1, 1, { headers: { ':authority': 'mrs.example', Accept: 'a', 'X-Y': 'b' } }));
  const names = read(entry)?.headers.map(([name]) => name);
  expect(names).toEqual(['accept', 'authorization', 'accept', 'x-y']);
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
  ['a text in brackets in its place', { size: 27, text: '[application/json redacted]' }, 200, undefined],
  ['bytes that are not text', { size: 4, text: '\u001f\ufffd\u0008\u0000' }, 200, undefined],
  ['a size in a string', { size: '1000', text: '{"a":' }, 200, undefined],
] as const)
  test(`a body as ${what} is ${expected === undefined ? 'not known' : JSON.stringify(expected)}`, () => {
    expect(bodyOf(withContent(content, status))).toBe(expected);
  });

const encodings = [['content-encoding', 'gzip']] as const;
for (const [what, content, headers, expected] of [
  [
    'gzip in base64',
    { text: gzipSync('{"a":1}').toString('base64'), encoding: 'base64' },
    encodings,
    '{"a":1}',
  ],
  ['JSON that was decoded', { size: 30, text: '{"a":1}' }, encodings, '{"a":1}'],
  ['gzip that was written as text', { text: gzipSync('{"a":1}').toString('latin1') }, encodings, undefined],
  [
    'what does not decode',
    { text: Buffer.from('no gzip').toString('base64'), encoding: 'base64' },
    encodings,
    undefined,
  ],
  ['less than its header states', { size: 5, text: '{"a":' }, [['content-length', '90']] as const, undefined],
  ['nothing, as its header states', { size: 0, text: '' }, [['content-length', '0']] as const, ''],
] as const)
  test(`a body as ${what} is ${expected === undefined ? 'not known' : JSON.stringify(expected)}`, () => {
    expect(answerBodyOf(content, { status: 200, headers })?.toString()).toBe(expected);
  });

test('an answer that did not arrive is a failure', () => {
  const entry = entryOf(reads(1, 1, { status: 0 }));
  expect(read(entry)?.answer).toBeUndefined();
  expect(read(entry)?.failure).toBe('gave no answer that was recorded');
});

test('what a browser took from its cache, or from no server, is not an exchange', () => {
  expect(read(entryOf(reads(1, 1, { more: { _fromCache: 'disk' } })))).toBeUndefined();
  expect(read(entryOf({ at: 1, url: 'data:text/plain,x' }))).toBeUndefined();
});

test('a form is read from its text, and from its fields where there is no text', () => {
  const entry = entryOf(asks(1, 1)) as { request: object };
  expect(read(entry)?.body).toContain('grant_type=client_credentials');
  const postData = {
    mimeType: 'application/x-www-form-urlencoded',
    params: [{ name: 'a', value: 'b' }, { value: 'c' }, 5],
  };
  const inFields = read({ ...entry, request: { ...entry.request, postData } });
  expect(inFields?.params).toEqual([['a', 'b']]);
});

for (const [what, postData, more, expected] of [
  ['was replaced as a whole', { text: '[REDACTED]' }, {}, {}],
  ['was replaced by stars', { text: '***' }, {}, {}],
  ['is an empty text of a body that had a length', { text: '' }, {}, {}],
  ['was empty', { text: '' }, { bodySize: 0 }, { body: '' }],
  [
    'has fields without values',
    { params: [{ name: 'client_id' }] },
    {},
    { params: [['client_id', '‹not kept›']] },
  ],
  [
    'was replaced, with its fields',
    { text: '***', params: [{ name: 'a', value: 'b' }] },
    {},
    { params: [['a', 'b']] },
  ],
  ['is kept as bytes', undefined, { _content: { text: 'YT1i', encoding: 'base64' } }, { body: 'a=b' }],
] as const)
  test(`a form that ${what} is read for what it shows`, () => {
    expect(requestBodyOf({ postData, bodySize: 90, ...more })).toEqual(expected);
  });

test('the type of a form that the recorder noted replaces a header that it left out', () => {
  const entry = entryOf(asks(1, 1)) as { request: { postData: object } };
  const request = { ...entry.request, headers: [{ name: 'accept', value: '*/*' }] };
  const type = 'application/x-www-form-urlencoded';
  const noted = { ...request, postData: { ...request.postData, mimeType: type } };
  expect(read({ ...entry, request: noted })?.headers).toContainEqual(['content-type', type]);
  const plain = { ...request, postData: { ...request.postData, mimeType: 'text/plain' } };
  expect(read({ ...entry, request: plain })?.headers).toEqual([['accept', '*/*']]);
});

for (const [what, headers, lacks] of [
  ['none', [], true],
  [
    'those of a browser before it sends',
    [
      { name: 'User-Agent', value: 'x' },
      { name: 'sec-ch-ua', value: 'y' },
    ],
    true,
  ],
  [
    'a sentence',
    [
      { name: 'accept', value: 'a' },
      { name: 'Provisional headers are shown', value: '' },
    ],
    true,
  ],
  [
    'those of a library',
    [
      { name: 'User-Agent', value: 'x' },
      { name: 'Connection', value: 'close' },
    ],
    undefined,
  ],
] as const)
  test(`of a request with ${what} as its headers, ${lacks ? 'some' : 'none'} were left out`, () => {
    const entry = entryOf(reads(1, 1)) as { request: object };
    expect(read({ ...entry, request: { ...entry.request, headers } })?.lacksHeaders).toBe(lacks);
  });

test('the type of an answer that the recorder noted replaces a header that it left out', () => {
  const typeOf = (headers: object[], mimeType: string) => {
    const entry = entryOf(reads(1, 1)) as { response: object };
    const response = { ...entry.response, headers, content: { text: '[]', mimeType } };
    return read({ ...entry, response })?.answer?.headers;
  };
  expect(typeOf([], 'application/json')).toEqual([['content-type', 'application/json']]);
  expect(typeOf([], 'x-unknown')).toEqual([]);
  const sent = [{ name: 'Content-Type', value: 'text/html' }];
  expect(typeOf(sent, 'application/json')).toEqual([['content-type', 'text/html']]);
});

test('headers in an object, numbers in strings and a method in lower case are read', () => {
  const entry = entryOf(reads(1, 1)) as { request: object; response: object };
  const request = { ...entry.request, method: 'get', headers: { Accept: 'a' } };
  const response = { ...entry.response, status: '200', headers: { 'X-Y': 'b' }, content: {} };
  expect(read({ ...entry, request, response })).toMatchObject({
    method: 'GET',
    headers: [['accept', 'a']],
    answer: { status: 200, headers: [['x-y', 'b']] },
  });
});

for (const [what, entry, message] of [
  ['a number', 5, 'entry 3 has no request with a method and a url'],
  ['one without a request', { startedDateTime: '2030-01-01T00:00:00Z' }, 'has no request'],
  ['one with a bad address', entryOf({ at: 1, url: 'https://[' }), 'has a url that is not an address'],
] as const)
  test(`an entry that is ${what} is refused`, () => {
    expect(() => read(entry)).toThrow(message);
  });

test('members of prototypes are not taken for those of an entry', () => {
  const text = JSON.stringify(entryOf(reads(1, 1, { body: RECORDS }))).replace(
    '{',
    '{"__proto__":{"_fromCache":"disk"},"constructor":{"prototype":{"x":1}},',
  );
  expect(read(JSON.parse(text))?.origin).toBe(new URL(BASE_URL).origin);
  expect(({} as { x?: number }).x).toBeUndefined();
});
