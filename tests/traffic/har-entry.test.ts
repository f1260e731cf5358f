import { expect, _baseTest as test } from '@playwright/test';
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
] as const)
  test(`a body as ${what} is ${expected === undefined ? 'not known' : JSON.stringify(expected)}`, () => {
    expect(bodyOf(withContent(content, status))).toBe(expected);
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

for (const [what, entry, message] of [
  ['a number', 5, 'entry 3 has no request with a method and a url'],
  ['one without a request', { startedDateTime: '2030-01-01T00:00:00Z' }, 'has no request'],
  ['one without a time', { ...entryOf(reads(1, 1)), startedDateTime: 'soon' }, 'has no startedDateTime'],
  [
    'one with a number as its time',
    { ...entryOf(reads(1, 1)), startedDateTime: 5 },
    'has no startedDateTime',
  ],
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
