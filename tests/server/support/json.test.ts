import { expect, _baseTest as test } from '@playwright/test';
import { describeJson, isJsonMediaType, mediaTypeOf, parseJson } from './json.ts';

for (const [text, value] of [
  ['{"token":"abc"}', { token: 'abc' }],
  [' [1, 2]\r\n', [1, 2]],
  ['null', null],
  ['"é"', 'é'],
  ['{"a":1,"a":2}', { a: 2 }],
] as const)
  test(`${JSON.stringify(text)} is JSON`, () => {
    expect(parseJson(Buffer.from(text))).toEqual({ wellFormed: true, value });
  });

for (const [what, body, error] of [
  ['an empty body', Buffer.alloc(0), 'the body is empty'],
  ['HTML', Buffer.from('<html>'), 'it does not parse'],
  ['JSON that is cut off', Buffer.from('{"token":"ab'), 'it does not parse'],
  ['a byte order mark', Buffer.from('\ufeff{}'), 'it does not parse'],
  ['two values', Buffer.from('{}{}'), 'it does not parse'],
  ['NaN', Buffer.from('NaN'), 'it does not parse'],
  ['Latin-1', Buffer.from('"é"', 'latin1'), 'it is not UTF-8'],
  ['UTF-16', Buffer.from('\ufeff{}', 'utf16le'), 'it is not UTF-8'],
] as const)
  test(`${what} is not JSON, and the reason quotes nothing of it`, () => {
    expect(parseJson(body)).toEqual({ wellFormed: false, error });
  });

test('JSON is described by its type', () => {
  const types = ['[1]', '"a"', '1', 'true', 'null'].map((text) => describeJson(parseJson(Buffer.from(text))));
  expect(types).toEqual(
    ['array', 'string', 'number', 'boolean', 'null'].map((type) => ({
      wellFormed: true,
      type,
      empty: type === 'null',
    })),
  );
});

test('an object is described by the names of its members, not by their values', () => {
  const description = describeJson(parseJson(Buffer.from('{"token":"abc","__proto__":1}')));
  const fields = ['token', '__proto__'];
  expect(description).toEqual({ wellFormed: true, type: 'object', empty: false, fields, filled: fields });
});

test('a list is described by the members of its first item', () => {
  const description = describeJson(parseJson(Buffer.from('[{"a":1,"b":null,"c":[],"d":""},{"e":1}]')));
  expect(description).toMatchObject({ type: 'array', fields: ['a', 'b', 'c', 'd'], filled: ['a'] });
});

test('records are identified by their content, wherever their list is', () => {
  const [plain, wrapped, other] = ['[{"a":1},{}]', '{"n":1,"list":[{"a":1}]}', '[{"a":2}]'].map((text) =>
    describeJson(parseJson(Buffer.from(text))),
  );
  expect(plain).toMatchObject({ records: [expect.stringMatching(/^[0-9a-f]{32}$/)] });
  expect(wrapped).toMatchObject({ records: (plain as { records?: string[] }).records });
  expect(other).not.toMatchObject({ records: (plain as { records?: string[] }).records });
});

test('of very many records fifty are recorded', () => {
  const many = Array.from({ length: 1000 }, (_, id) => ({ id }));
  const { records } = describeJson(parseJson(Buffer.from(JSON.stringify(many)))) as { records: string[] };
  expect(records).toHaveLength(50);
});

test('of a very wide object a hundred names are kept', () => {
  const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`f${index}`, index]));
  const description = describeJson(parseJson(Buffer.from(JSON.stringify(wide))));
  expect(description).toMatchObject({ fields: Object.keys(wide).slice(0, 100) });
});

test('text that is not JSON is described with the reason', () => {
  expect(describeJson(parseJson(Buffer.alloc(0)))).toEqual({ wellFormed: false, error: 'the body is empty' });
});

for (const [header, mediaType] of [
  ['application/json', 'application/json'],
  ['Application/JSON; charset=utf-8', 'application/json'],
  [' text/html ', 'text/html'],
  ['application/problem+json;q=1', 'application/problem+json'],
  ['', undefined],
  ['json', undefined],
  ['text/', undefined],
  [undefined, undefined],
] as const)
  test(`the media type of ${JSON.stringify(header)} is ${mediaType}`, () => {
    expect(mediaTypeOf(header)).toBe(mediaType);
  });

for (const mediaType of [
  'application/json',
  'text/json',
  'application/problem+json',
  'application/vnd.a.b+json',
])
  test(`${mediaType} is a JSON media type`, () => {
    expect(isJsonMediaType(mediaType)).toBe(true);
  });

for (const mediaType of [
  undefined,
  '',
  'text/html',
  'application/jsonp',
  'application/json-seq',
  'application/notjson',
  'application/json+xml',
  'x/application/json',
  '+json',
])
  test(`${mediaType} is not a JSON media type`, () => {
    expect(isJsonMediaType(mediaType)).toBe(false);
  });

for (const [what, text, error] of [
  ['nested too deeply', '['.repeat(513), 'it is nested more than 512 levels deep'],
  [
    'an object of too many members',
    `{${Array.from({ length: 200_001 }, (_, nth) => `"${nth}":0`)}}`,
    'an object in it has more than 200000 members',
  ],
  ['too wide', `[${'1,'.repeat(4_000_000)}1]`, 'it holds more than 1000000 values'],
] as const)
  test(`what is ${what} is not parsed`, () => {
    expect(parseJson(Buffer.from(text))).toEqual({ wellFormed: false, error, refused: true });
  });

test('brackets and commas within strings do not count', () => {
  expect(parseJson(Buffer.from(JSON.stringify(['a"b\\', '[{,'.repeat(2000)])))).toMatchObject({
    wellFormed: true,
  });
  expect(parseJson(Buffer.from(`${'['.repeat(512)}${']'.repeat(512)}`))).toMatchObject({ wellFormed: true });
});
