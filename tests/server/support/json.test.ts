import { expect, test } from 'vitest';
import { describeJson, mediaTypeOf, parseJson } from './json.ts';

const described = (text: string) => describeJson(parseJson(Buffer.from(text)));

for (const [what, body, parsed] of [
  ...(
    [
      ['{"token":"abc"}', { token: 'abc' }],
      ['"é"', 'é'],
      ['{"a":1,"a":2}', { a: 2 }],
    ] as const
  ).map(([text, value]) => [text, text, { wellFormed: true, value }] as const),
  ...(
    [
      ['an empty body', '', 'the body is empty'],
      ['JSON that is cut off', '{"token":"ab', 'it does not parse'],
      ['a byte order mark', '\ufeff{}', 'it does not parse'],
      ['Latin-1', Buffer.from('"é"', 'latin1'), 'it is not UTF-8'],
    ] as const
  ).map(([what, body, error]) => [what, body, { wellFormed: false, error }] as const),
  ...(
    [
      ['nested too deeply', '['.repeat(513), 'it is nested more than 512 levels deep'],
      [
        'an object of too many members',
        `{${Array.from({ length: 200_001 }, (_, nth) => `"${nth}":0`)}}`,
        'an object in it has more than 200000 members',
      ],
      ['too wide', `[${'1,'.repeat(4_000_000)}1]`, 'it holds more than 1000000 values'],
    ] as const
  ).map(([what, body, error]) => [what, body, { wellFormed: false, error, refused: true }] as const),
] as [string, string | Buffer, object][])
  test(`a body that is ${what} is parsed as ${JSON.stringify(parsed).slice(0, 60)}`, () => {
    expect(parseJson(Buffer.from(body as string))).toEqual(parsed);
  });

test('brackets and commas within strings do not count, and the deepest permitted nesting is parsed', () => {
  for (const text of [JSON.stringify(['a"b\\', '[{,'.repeat(2000)]), `${'['.repeat(512)}${']'.repeat(512)}`])
    expect(parseJson(Buffer.from(text))).toMatchObject({ wellFormed: true });
});

const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`f${index}`, index]));

for (const [text, description] of [
  ...(['[1]', '"a"', '1', 'true', 'null'] as const).map((text, nth) => {
    const type = ['array', 'string', 'number', 'boolean', 'null'][nth];
    return [text, { wellFormed: true, type, empty: type === 'null' }] as const;
  }),
  ['', { wellFormed: false, error: 'the body is empty' }],
  [
    '{"token":"abc","__proto__":1}',
    {
      ...{ wellFormed: true, type: 'object', empty: false },
      ...{ fields: ['token', '__proto__'], filled: ['token', '__proto__'] },
    },
  ],
  [
    '[{"a":1,"b":null,"c":[],"d":""},{"e":1}]',
    {
      ...{ wellFormed: true, type: 'array', empty: false, fields: ['a', 'b', 'c', 'd'], filled: ['a'] },
      recordFields: ['a', 'b', 'c', 'd'],
    },
  ],
] as [string, object][])
  test(`${JSON.stringify(text)} is described by its type and its names, and not by its values`, () => {
    expect(described(text)).toEqual(description);
  });

test('records are those of the largest list that does not describe an answer', () => {
  const text = '{"a":[{"x":1}],"links":[{"l":1},{"l":2},{"l":3}],"in":{"list":[{},{"b":1,"c":2}]}}';
  expect(described(text)).toMatchObject({ recordFields: ['b', 'c'] });
  expect(described('{"links":[{"l":1}],"list":[{}]}')).not.toHaveProperty('recordFields');
});

test('of a very wide object a hundred names are recorded', () => {
  expect(described(JSON.stringify(wide))).toMatchObject({ fields: Object.keys(wide).slice(0, 100) });
});

test('of several headers, the media type is known where they are the same', () => {
  const typesOf = (...values: string[]) => mediaTypeOf(values.map((value) => ['content-type', value]));
  expect(typesOf('application/json', 'application/json')).toBe('application/json');
  expect(typesOf('application/json', 'text/html')).toBeUndefined();
});
