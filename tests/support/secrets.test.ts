import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSecrets, plainName } from './secrets.ts';

const LINKED = 'Zk3vQ9xT7mB2rW8yP4nL6cJ1hF5dG0sA';
const SECRET = 'k9!Zq+/w= "&<é>\'~';

/** As different programs write them; each is spelt out, so that no encoder is tested by itself. */
const written: Record<string, string> = {
  raw: SECRET,
  'percent-encoded in upper case': "k9!Zq%2B%2Fw%3D%20%22%26%3C%C3%A9%3E'~",
  'percent-encoded in lower case': "k9!Zq%2b%2fw%3d%20%22%26%3c%c3%a9%3e'~",
  'percent-encoded but for the slash': "k9!Zq%2B/w%3D%20%22%26%3C%C3%A9%3E'~",
  'percent-encoded by RFC 3986': 'k9%21Zq%2B%2Fw%3D%20%22%26%3C%C3%A9%3E%27~',
  'form-encoded': 'k9%21Zq%2B%2Fw%3D+%22%26%3C%C3%A9%3E%27%7E',
  'JSON-escaped': 'k9!Zq+/w= \\"&<é>\'~',
  'JSON-escaped with escaped slashes': 'k9!Zq+\\/w= \\"&<é>\'~',
  'JSON-escaped in ASCII': 'k9!Zq+/w= \\"&<\\u00e9>\'~',
  'JSON-escaped for HTML': 'k9!Zq\\u002B/w= \\u0022\\u0026\\u003C\\u00E9\\u003E\\u0027~',
  'HTML-escaped': 'k9!Zq+/w= &quot;&amp;&lt;é&gt;&#39;~',
  'HTML-escaped in hexadecimal': 'k9!Zq&#x2B;/w= &quot;&amp;&lt;&#xE9;&gt;&#x27;~',
  'percent-encoded twice': 'k9%2521Zq%252B%252Fw%253D%2520%2522%2526%253C%25C3%25A9%253E%2527~',
  'JSON in JSON': 'k9!Zq\\\\u002B\\\\/w= \\\\\\"&<é>\'~',
  'numeric entities for letters': `${'&#107;&#57;!&#90;&#113;+/w= &#34;&amp;&lt;&eacute;'.replace('&eacute;', '&#233;')}&gt;&#39;~`,
  hexadecimal: '6b39215a712b2f773d2022263cc3a93e277e',
  'hexadecimal in upper case': '6B39215A712B2F773D2022263CC3A93E277E',
  'in another case': 'K9!ZQ+/W= "&<é>\'~',
  base64: 'azkhWnErL3c9ICImPMOpPid+',
  base64url: 'azkhWnErL3c9ICImPMOpPid-',
};

const knowing = (known: Record<string, string>) => {
  const secrets = createSecrets();
  for (const [value, alias] of Object.entries(known)) secrets.register(value, alias);
  return secrets;
};

for (const [form, text] of Object.entries(written))
  test(`a secret is taken out where it is ${form}`, () => {
    const secrets = knowing({ [SECRET]: 'secret' });
    expect(secrets.redact(`before(${text})after`)).toBe('before(‹secret›)after');
  });

for (const [what, unit] of [
  ['letters', 'q'],
  ['hexadecimal', '6b'],
  ['base64', randomBytes(3000).toString('base64')],
  ['lines', 'a line of what a client prints, 12 of 34\r\n'],
] as const)
  test(`text of two megabytes is searched: ${what}`, () => {
    const text = unit.repeat(2_000_000 / unit.length);
    expect(knowing({ [LINKED]: 'secret' }).redact(text)).toBe(text);
  });

for (const [what, known, text, redacted] of [
  [
    'base64 with its padding and without, in either alphabet, is taken out',
    { 'abcdefab>?': 'secret' },
    'YWJjZGVmYWI+Pw==, YWJjZGVmYWI+Pw, YWJjZGVmYWI-Pw.',
    '‹secret›, ‹secret›, ‹secret›.',
  ],
  [
    'Basic credentials are taken out, where id and secret are registered as one',
    { hunter2: 'client secret', 'station:hunter2': 'client id and secret' },
    'Basic c3RhdGlvbjpodW50ZXIy station:hunter2',
    'Basic ‹client id and secret› ‹client id and secret›',
  ],
  [
    'a secret of one character is taken out where it is a word of its own',
    { s: 'secret' },
    'as is: s, "s"',
    'as is: ‹secret›, "‹secret›"',
  ],
  [
    'a short word is not taken out of other words',
    { error: 'token 1', correcthorse: 'client secret' },
    'errors error_code "error" x_correcthorses',
    'errors error_code "‹token 1›" x_‹client secret›s',
  ],
  [
    'what only looks like an alias is searched',
    { token: 'token 1' },
    'a token, ‹token› ‹other token› and ‹token',
    'a ‹token 1›, ‹‹token 1›› ‹other ‹token 1›› and ‹‹token 1›',
  ],
  [
    'an alias that looks like a replacement pattern is written as it is',
    { hunter2: '$& $1' },
    'hunter2',
    '‹$& $1›',
  ],
  [
    'of two secrets that begin alike the longer one is taken out',
    { token: 'short', 'token-and-more': 'long' },
    'token-and-more token',
    '‹long› ‹short›',
  ],
  ['an empty secret takes nothing out', { '': 'secret' }, 'as it is', 'as it is'],
  ['without a secret nothing is taken out', {}, 'as it is', 'as it is'],
  ['a secret that is no Unicode is taken out', { 'a\ud800b': 'secret' }, '<a\ud800b>', '<‹secret›>'],
  [
    'eight characters of a secret in a row are taken out, and seven are not',
    { abcdefghijklmnop: 'token' },
    '<defghijk> <defghij> <DEFGHIJKL>',
    '<‹token›> <defghij> <‹token›>',
  ],
  [
    'of two secrets that differ only in case, each is replaced by its own alias',
    { 's3cret-Value-9': 'secret', 'S3CRET-vALUE-9': 'the other case' },
    's3cret-Value-9 S3CRET-vALUE-9 S3CRET-VALUE-9 in%2DS3CRET%2DvALUE%2D9',
    '‹secret› ‹the other case› ‹secret› in%2D‹the other case›',
  ],
] as [string, Record<string, string>, string, string][])
  test(what, () => {
    const secrets = knowing(known);
    expect(secrets.redact(text)).toBe(redacted);
    expect(secrets.redact(redacted)).toBe(redacted);
  });

for (const [what, known, text, aliases] of [
  ['a text with a secret', { 'hunter2-hunter2': 'client secret' }, 'a hunter2-hunter2 b', ['client secret']],
  ['what holds a secret in base64', { 'token-token': 'token 1' }, 'dG9rZW4tdG9rZW4', ['token 1']],
  ['what only has an alias', { 'token-token': 'token 1' }, '‹token 1› ‹token-token›', []],
  ['a word of its own', { abcd: 'secret' }, '"abcd"', ['secret']],
  ['a part of another word', { abcd: 'secret', error: 'token 1' }, 'xabcd abcdx errors', []],
  ['a short number', { 2000: 'number' }, '2000', []],
  ['three characters', { abc: 'too short' }, 'abc', []],
  [
    'a long word within another, next to a short one of its own',
    { error: 'token 1', correcthorse: 'client secret' },
    'an error of x_correcthorses',
    ['token 1', 'client secret'],
  ],
] as [string, Record<string, string>, string, string[]][])
  test(`${what} is ${aliases.length > 0 ? 'a leak by its alias' : 'no leak'}`, () => {
    expect(knowing(known).leaks(text)).toEqual(aliases);
  });

test('what has words of ours keeps them, and loses a whole secret, also as the name of a member', () => {
  const secrets = knowing({
    conformant: 'word',
    'requirement-42-x': 'secret',
    thisislongerthananywordofours: 'long',
  });
  expect(
    secrets.seal({
      text: 'conformant requirement requirement-42-x',
      'requirement-42-x': ['thisislongerthananywordofours'],
    }),
  ).toEqual({ text: 'conformant requirement ‹secret›', '‹secret›': ['‹long›'] });
});

for (const [before, after] of [
  ['', '"}'],
  ['abc', ' '],
  ['x', 'y'],
  ['{"x":"', '","y":1}'],
])
  test(`base64 of a secret between ${before} and ${after} is taken out`, () => {
    for (const secret of [
      'Hunter2SuperSecretValue99',
      'Hunter2SuperSecretValue9',
      'Hunter2SuperSecretValue',
    ]) {
      const secrets = knowing({ [secret]: 'secret' });
      const text = Buffer.from(before + secret + after).toString('base64');
      expect(secrets.redact(text)).toContain('‹secret›');
      expect(secrets.leaks(text)).toEqual(['secret']);
    }
  });

// Each compared every whole secret with every part of one, or every place of a text with the whole of a secret.
for (const [what, token, text] of [
  ['a token of one letter', 'a'.repeat(3000), 'a'.repeat(200_000)],
  ['a token that repeats two letters', 'ab'.repeat(30_000), 'ab'.repeat(100_000)],
  ['a token that ends differently', `${'a'.repeat(3000)}b`, 'a'.repeat(200_000)],
  ['a token of backslashes in its own text', '\\'.repeat(20_000), '\\'.repeat(40_000)],
  ['a token in each of many links', LINKED, `https://mrs.example/?access=${LINKED}&n=1 `.repeat(4_000)],
] as const)
  test(`${what} is searched for in linear time`, () => {
    const secrets = knowing({ [token]: 'token 1' });
    const redacted = secrets.redact(text);
    expect(redacted).toContain('‹token 1›');
    expect(redacted).not.toContain(token.slice(0, 8));
    expect(secrets.leaks(redacted)).toEqual([]);
    expect(secrets.leaks(text)).toEqual(['token 1']);
  });

test('a secret in JSON in JSON in JSON is found, and percent-encoded three times', () => {
  const secret = 'Ab"c\\d/é+0123 xyz';
  const secrets = knowing({ [secret]: 'token 1' });
  const thrice = (encode: (text: string) => string) => encode(encode(encode(secret)));
  for (const text of [thrice(JSON.stringify), thrice(encodeURIComponent)]) {
    expect(secrets.leaks(text)).toEqual(['token 1']);
    expect(secrets.redact(text)).not.toContain('0123');
  }
});

for (const secret of ['.*', '^a|b$', '(a', '[a-z]+', 'a\\d{2}', '$&', '?'])
  test(`the secret ${secret} is not used as a pattern`, () => {
    const secrets = knowing({ [secret]: 'secret' });
    expect(secrets.redact(`<${secret}>`)).toBe('<‹secret›>');
    expect(secrets.redact('xyz aa12 42')).toBe('xyz aa12 42');
  });

test('a secret that is registered later is taken out too, and its first alias stays', () => {
  const secrets = knowing({ one: 'first' });
  expect(secrets.redact('one two')).toBe('‹first› two');
  secrets.register('two', 'second');
  secrets.register('one', 'third');
  expect(secrets.redact('one two')).toBe('‹first› ‹second›');
});

test('every string in nested objects and arrays is searched, and what was given is not changed', () => {
  const secrets = knowing({ hunter2: 'secret' });
  const value = { headers: [['x-echo', 'is hunter2']], deep: { deeper: [{ text: 'hunter2!' }] } };
  expect(secrets.redact(value)).toEqual({
    headers: [['x-echo', 'is ‹secret›']],
    deep: { deeper: [{ text: '‹secret›!' }] },
  });
  expect(JSON.stringify(value)).toContain('is hunter2');
});

test('keys, numbers, booleans, null and the value itself stay as they are', () => {
  const secrets = createSecrets();
  for (const secret of ['1', 'true', 'null', 'status']) secrets.register(secret, 'secret');
  const value = { status: 201, whole: 1, yes: true, none: null, nothing: undefined, list: [1, null] };
  expect(secrets.redact(value)).toStrictEqual({ ...value });
  expect(value.status).toBe(201);
});

test('where an excerpt ends within a secret that became known later, its beginning is taken out', () => {
  const secrets = createSecrets();
  const early = secrets.excerpt(`${'x'.repeat(20)}abcdefghijklmnop`, 30);
  expect(early).toBe(`${'x'.repeat(20)}abcdefghij`);
  secrets.register('abcdefghijklmnop', 'token');
  expect(secrets.excerpt(early, early.length)).toBe(`${'x'.repeat(20)}‹token›`);
});

test('a word of fewer than six characters at the end of an excerpt is not taken for the beginning of a secret', () => {
  const secrets = knowing({ abcdefghijklmnop: 'token' });
  expect(secrets.excerpt('xyz abcde', 9)).toBe('xyz abcde');
});

test('part of a value that is secret only as a whole is kept', () => {
  const secrets = createSecrets();
  secrets.register('hunter2', 'client secret');
  secrets.register('station-one:hunter2', 'client id and secret', { whole: true });
  expect(secrets.redact('station-one')).toBe('station-one');
  expect(secrets.redact('station-one:hunter2')).toBe('‹client id and secret›');
});

for (const [form, write] of Object.entries({
  'as it is': (text: string) => text,
  'in base64': (text: string) => Buffer.from(text).toString('base64'),
  'percent-encoded': (text: string) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
}))
  test(`no part of a token of 60 kB, written ${form}, is left in an excerpt`, () => {
    const piece = (_: unknown, nth: number) => createHash('sha512').update(`${nth}`).digest('base64url');
    const token = Array.from({ length: 700 }, piece).join('');
    const secrets = knowing({ [token]: 'token 1' });
    const excerpt = secrets.excerpt(`{"echo":"${write(token)}","more":"${'y'.repeat(9000)}"}`, 8000);
    expect(excerpt.slice(0, 18)).toBe('{"echo":"‹token 1›');
    expect(excerpt.slice(18)).toMatch(/^[",:morey]*$/);
  });

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
const encodings: Record<string, (text: string) => string> = {
  raw: (text) => text,
  percent: encodeURIComponent,
  'percent, all': (text) => Buffer.from(text).toString('hex').replace(/../g, '%$&'),
  form: (text) => new URLSearchParams([['', text]]).toString().slice(1),
  JSON: inJson,
  'JSON, ASCII': (text) =>
    Array.from(
      { length: text.length },
      (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  entities: (text) => Array.from(text, (character) => `&#${character.codePointAt(0)};`).join(''),
  'upper case': (text) => text.replace(/[a-z]/g, (letter) => letter.toUpperCase()),
};
const undoable = fc.constantFrom(...Object.keys(encodings));
const value = fc.string({ unit: 'grapheme-ascii', minLength: 12, maxLength: 60 });

test('a secret in one encoding within another is never left in a text', () => {
  fc.assert(
    fc.property(
      value,
      undoable,
      undoable,
      fc.string(),
      fc.string(),
      (secret, inner, outer, before, after) => {
        // Of a secret that looks encoded itself and needs an escape besides, only runs are found.
        const looksEncoded = /%[\da-f]{2}|&(#|\w+;)|\\/i.test(secret);
        fc.pre(!(looksEncoded && /["\\<>'&]/.test(secret)));
        const secrets = knowing({ [secret]: 'secret' });
        const hidden = encodings[outer]?.(encodings[inner]?.(secret) ?? '') ?? '';
        expect(secrets.redact(`${before}${hidden}${after}`)).not.toContain(hidden);
        expect(secrets.leaks(`${before}${hidden}${after}`)).toEqual(['secret']);
      },
    ),
    // The end of the secret and what follows it look like percent-encoding together.
    { numRuns: 200, examples: [['         " %', 'JSON', 'raw', '', '00']] },
  );
});

test('a text without eight characters of a secret stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const secrets = knowing({ '‡‡‡‡‡‡‡‡‡‡‡‡': 'secret' });
      expect(secrets.redact(text)).toBe(text);
    }),
    { numRuns: 40 },
  );
});

test('a part of a secret with spaces is taken out of a form', () => {
  const secrets = knowing({ 'correct horse battery staple': 'phrase' });
  const text = 'client_secret=rrect+horse+battery+sta';
  expect(secrets.redact(text)).not.toContain('horse');
  expect(secrets.redact('client_secret=rrect horse battery sta')).not.toContain('horse');
});

for (const name of ['grant_type', 'filter[start]', '$top', 'page2', 'min_frequency_1', 'x-api-key', ''])
  test(`"${name}" is shown as a name`, () => {
    expect(plainName(name)).toBe(name);
  });

for (const name of ['a7c1d94be2', 'x[a7c1d94be2]', '{"client_secret":"x"}', 'two words', 'a'.repeat(41)])
  test(`"${name}" is not shown as a name`, () => {
    expect(plainName(name)).toBe('‹…›');
  });

/** How many characters were looked at while this number of tokens was searched for in a text that holds each of them. */
function comparisonsOf(count: number): number {
  const secrets = createSecrets();
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const tokens = Array.from({ length: count }, (_, nth) => {
    const claims = {
      iss: 'https://login.mrs.example/realms/observatories'.repeat(6),
      sub: 'station',
      iat: 1_790_000_000 + nth * 60,
    };
    return `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}.${createHash('sha256').update(`${nth}`).digest('base64url')}`;
  });
  for (const [nth, token] of tokens.entries()) secrets.register(token, `token ${nth}`);
  const { charCodeAt } = String.prototype;
  let compared = 0;
  try {
    String.prototype.charCodeAt = function (...given) {
      compared++;
      return charCodeAt.apply(this, given);
    };
    expect(secrets.redact(tokens.join(' '))).toBe(tokens.map((_, nth) => `‹token ${nth}›`).join(' '));
  } finally {
    String.prototype.charCodeAt = charCodeAt;
  }
  return compared;
}

test('the work of a redaction grows with the number of tokens, and not with its square', () => {
  const [some, twice] = [comparisonsOf(200), comparisonsOf(400)];
  expect(some).toBeGreaterThan(200);
  expect(twice / some).toBeLessThan(2.5);
});
