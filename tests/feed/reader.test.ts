import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { FeedContract } from './feed-contract.ts';
import type { FeedVerdict } from './findings.ts';
import { createFeedReader, jsonFault, type ReaderOptions } from './reader.ts';
import { but, contract, contractWithList, good, later, NOW, summaryOf } from './testing/sample-feed.ts';

type Options = Partial<ReaderOptions> & { chunkBytes?: number; contract?: FeedContract; leftOut?: string };

function read(
  body: string | Uint8Array,
  { chunkBytes = 1000, leftOut, ...options }: Options = {},
): FeedVerdict {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const reader = createFeedReader(options.contract ?? contract, { nowMs: NOW, blockBytes: 1, ...options });
  for (let at = 0; at < bytes.length; at += chunkBytes)
    if (!reader.write(bytes.subarray(at, at + chunkBytes))) break;
  return reader.done(leftOut);
}

const seen = ({ findings }: FeedVerdict) => findings.map(({ rule, places }) => `${rule}: ${places[0]?.seen}`);

/** A body with other members, all kinds of values, faults, and characters of several bytes. */
const MIXED = JSON.stringify(
  {
    meta: { 'a"\\': [[1, { ods_data: 2 }], ']'], empty: {} },
    ods_data: [
      good,
      but({ slew_sec: -1, src_id: 'é€😀 ] } " \\ \u2028' }),
      7,
      later(2, { 'x\n': '\\' }),
      later(1, { version: 'v2' }),
      good,
    ],
    more: null,
  },
  null,
  1,
);
const BODIES: Record<string, string | Uint8Array> = {
  mixed: MIXED,
  compact: JSON.stringify(JSON.parse(MIXED)),
  'cut off': MIXED.slice(0, -200),
  'followed by rubbish': `${MIXED}\n}`,
  'with a byte order mark': `\ufeff${MIXED}`,
  'with NaN': MIXED.replace('"slew_sec": -1', '"slew_sec": NaN'),
  'a bare list': JSON.stringify([good, 1, []]),
  'an error': '{"error": {"code": 503}}',
  'the list twice': '{"ods_data": [1], "ods_data": [{"a": [2]}, 3]}',
  'a word': 'null',
  'no UTF-8': Buffer.concat([
    Buffer.from('{"ods_data": [{"a": "é'),
    Buffer.from([0xc3, 0x28]),
    Buffer.from('"}]}'),
  ]),
};

for (const [name, body] of Object.entries(BODIES))
  test(`${name}: the verdict does not depend on how the bytes are divided`, () => {
    const whole = read(body, { chunkBytes: 1e9, blockBytes: 1e9 });
    for (const chunkBytes of [1, 2, 3, 7, 64, 255, 1021])
      for (const blockBytes of [1, 100, 1000]) expect(read(body, { chunkBytes, blockBytes })).toEqual(whole);
  });

test('a location has the byte and the line where its record begins', () => {
  const { findings } = read(MIXED);
  const place = findings.find(({ rule }) => rule === 'range')?.places[0];
  const before = Buffer.from(MIXED).subarray(0, place?.byte).toString();
  expect(MIXED.slice(before.length)).toMatch(/^\{\n\s+"site_id"/);
  expect(place).toMatchObject({ pointer: '/ods_data/1/slew_sec', line: before.split('\n').length });
});

const one = JSON.stringify(good);

for (const [what, body, expected] of [
  ['spaces', ' \n ', 'not-json: byte 3: it is empty'],
  [
    'half a record',
    `{"ods_data": [${one}, ${one.slice(0, 99)}`,
    `not-json: byte ${115 + one.length}, after 1 record: it is cut off`,
  ],
  ['an unknown escape', '{"ods_data": ["a\\x"]}', 'not-json: byte 14: it is not JSON from here on'],
  ['no end', `{"ods_data": [${one}]`, `not-json: byte ${15 + one.length}, after 1 record: it is cut off`],
  [
    'NaN',
    '{"ods_data": [{"slew_sec": NaN}]}',
    'not-json: byte 27: JSON has no NaN and no infinity; send null, or leave the member out',
  ],
  [
    'None',
    '{"ods_data": [{"slew_sec": None}]}',
    'not-json: byte 27: it is written in Python; JSON has null, true and false',
  ],
  ['single quotes', `{'ods_data': []}`, 'not-json: byte 1: JSON has double quotes, not single ones'],
  ['a comment', '{"ods_data": [] // none\n}', 'not-json: byte 16: JSON has no comments'],
  ['an HTML page', '\n<!DOCTYPE html><p>', 'not-json: byte 1: it is an HTML page'],
  ['XML', '<feed/>', 'not-json: byte 0: it is XML or HTML'],
  ['a member without a name', '{"ods_data": [], }', 'not-json: byte 17: it is not JSON from here on'],
  ['brackets that cross', '{"ods_data": [{"a": [1}, 2]]}', 'not-json: byte 22: it is not JSON from here on'],
  ['a control character', '{"ods_data": ["\n"]}', 'not-json: byte 14: it is not JSON from here on'],
  ['a missing quote', `{"ods_data": [{"a: 1}, {"b": 2}]}`, 'not-json: byte 25: it is not JSON from here on'],
  [
    'UTF-16',
    Buffer.from('{"ods_data": []}', 'utf16le'),
    'not-json: byte 0: it looks like UTF-16, but JSON is UTF-8',
  ],
  ['gzip', gzipSync('{"ods_data": []}'), 'not-json: byte 0: it is compressed with gzip: decompress it first'],
  ['zeros in the place of records', '{"ods_data": [\0\0', 'not-json: byte 14: it has a NUL byte'],
  [
    'zeros after a record',
    `{"ods_data": [${one},\0\0`,
    `not-json: byte ${15 + one.length}, after 1 record: it has a NUL byte`,
  ],
  ['zeros at the end of a text', '{"ods_data": ["ab\0\0', 'not-json: byte 17: it has a NUL byte'],
  ['a zero within a text', '{"ods_data": ["ab\0"]}', 'not-json: byte 17: it has a NUL byte'],
  ['no UTF-8', Buffer.from('{"ods_data": ["\xff"]}', 'latin1'), 'not-json: byte 15: it is not UTF-8 there'],
  ['an error', '{"error": 1, "\\u0061": 2}', 'envelope: it has no member "ods_data"; it has "error", "a"'],
  ['a text for the list', '{"ods_data": "none"}', 'envelope: it is "none"; expected the list of records'],
  [
    'the list twice',
    `{"ods_data": [], "ods_data": [1]}`,
    'duplicate-key: it is present a second time, and readers take one of the two',
  ],
] as [string, string | Uint8Array, string][])
  test(`the reader reports ${what}`, () => {
    expect(seen(read(body))[0]).toBe(expected);
  });

for (const [what, body, list] of [
  ['an empty list', '{"ods_data":[]}', '/ods_data'],
  ['spaces wherever they may be', ` \r\n\t{ "ods_data" : [ ${one} ] } `, '/ods_data'],
  ['a name that is escaped', `{"\\u006fds_data":[${one}]}`, '/ods_data'],
  ['other members around it', `{"a":[[{}]],"b":"]","ods_data":[${one}],"c":{"ods_data":1}}`, '/ods_data'],
  ['a bare list where the profile expects one', `[${one}]`, ''],
  ['a list deeper down', `{"x":{"ods_data":1},"a":{"b":[${one}],"c":0}}`, '/a/b'],
] as const)
  test(`the reader accepts ${what}`, () => {
    expect(read(body, { contract: contractWithList(list) })).toMatchObject({ findings: [], unjudged: [] });
  });

test('an empty list next to other members gets a remark, and one with records does not', () => {
  const remarksOf = (body: string) => read(body).remarks;
  expect(remarksOf('{"ods_data":[],"error":"db down"}')).toEqual([
    'No records, but other members: "error". Check that nothing failed.',
  ]);
  expect(remarksOf(`{"ods_data2":[${one}],"ods_data":[]}`)[0]).toContain('"ods_data2"');
  expect(remarksOf('{"ods_data":[]}')).toEqual([]);
  expect(remarksOf(`{"ods_data":[${one}],"error":null}`)).toEqual([]);
});

test('numbers that are too large, unpaired surrogates and escaped control characters are read', () => {
  const body = `{"ods_data": [${one.replace('42.5', '1e999').replace('near the pole', '\\ud800\\u001b[31m')}]}`;
  expect(summaryOf(read(body).findings)).toEqual([
    'range S 1 /ods_data/0/slew_sec',
    'identifier H 1 /ods_data/0/src_id',
  ]);
});

test('a record that is too large or nested too deeply is reported as not judged', () => {
  const large = read(`{"ods_data": [${one}, "${'x'.repeat(3000)}"]}`, { recordBytes: 2000 });
  expect([large.findings, large.unjudged]).toEqual([
    [],
    [`The value at byte ${16 + one.length} is larger than 2000 bytes: nothing from there on was judged.`],
  ]);
  const deep = read(`{"ods_data": [${'['.repeat(100_000)}`);
  expect([deep.findings, deep.unjudged]).toEqual([
    [],
    ['The value at byte 14 is nested more than 64 levels deep: nothing from there on was judged.'],
  ]);
});

test('a record without an end, because a quote is missing, is reported where it stops being JSON', () => {
  const body = `{"ods_data": [${one.replace('"v1', 'v1')}, ${Array(9).fill(one).join()}]}`;
  expect(seen(read(body, { recordBytes: 2000 }))[0]).toMatch(
    /^not-json: byte \d+: it is not JSON from here on$/,
  );
});

test('records read before a limit are judged, and the rest is reported as left out', () => {
  const { records, findings, unjudged } = read(`{"ods_data": [${one}, {`, { leftOut: 'Too much.' });
  expect({ records, findings, unjudged }).toEqual({ records: 1, findings: [], unjudged: ['Too much.'] });
});

test('a Content-Type of two headers, of which one is not JSON, is a finding', () => {
  expect(seen(read('{"ods_data":[]}', { contentType: 'application/json, text/html' }))).toEqual([
    'media-type: the Content-Type is "application/json, text/html"; expected application/json',
  ]);
});

test('a repeated member is reported by its path, however its name is written', () => {
  const body = '{"ods_data": [{"x": {"b": 1, "\\u0062": 2}, "y": [{"b": 1}, {"b": 1, "b": 1}]}]}';
  const places = read(body).findings.find(({ rule }) => rule === 'duplicate-key')?.places ?? [];
  expect(places.map(({ pointer }) => pointer)).toEqual(['/ods_data/0/x/b', '/ods_data/0/y/1/b']);
});

test('jsonFault agrees with JSON.parse on what is JSON', () => {
  const whole = '{"a": [1, -0.5e+3, true, false, null, "\\u00e9\\n"], "b": {}}';
  expect(jsonFault(Buffer.from(whole))).toBe(undefined);
  const disputed: string[] = [];
  for (let at = 0; at < whole.length; at++)
    for (const sign of ['', 'x', '"', '}', ',', '0', ' ', '\\']) {
      const text = whole.slice(0, at) + sign + whole.slice(at + 1);
      if (isJson(text) !== (jsonFault(Buffer.from(text)) === undefined)) disputed.push(text);
    }
  expect(disputed).toEqual([]);
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
