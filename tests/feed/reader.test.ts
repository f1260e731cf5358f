import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { FeedVerdict } from './findings.ts';
import { judgeFeed } from './reader.ts';
import { contract, contractWithList, good, NOW, summaryOf } from './testing/sample-feed.ts';

const read = (body: string | Buffer, contentType?: string, by = contract): FeedVerdict =>
  judgeFeed(Buffer.from(body), by, { nowMs: NOW, contentType });

const seen = ({ findings }: FeedVerdict) => findings.map(({ rule, places }) => `${rule}: ${places[0]?.seen}`);

const one = JSON.stringify(good);

for (const [what, body, expected] of [
  ['spaces', ' \n ', 'not-json: byte 3: it is empty'],
  [
    'half a record',
    `{"ods_data": [${one}, ${one.slice(0, 99)}`,
    `not-json: byte ${115 + one.length}: it is cut off`,
  ],
  ['an unknown escape', '{"ods_data": ["a\\x"]}', 'not-json: byte 14: it is not JSON from here on'],
  ['no end', `{"ods_data": [${one}]`, `not-json: byte ${15 + one.length}: it is cut off`],
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
  ['a fault after letters of two bytes', '{"ö": [é]}', 'not-json: byte 8: it is not JSON from here on'],
  ['brackets that cross', '{"ods_data": [{"a": [1}, 2]]}', 'not-json: byte 22: it is not JSON from here on'],
  ['a control character', '{"ods_data": ["\n"]}', 'not-json: byte 14: it is not JSON from here on'],
  [
    'UTF-16',
    Buffer.from('{"ods_data": []}', 'utf16le'),
    'not-json: byte 0: it looks like UTF-16, but JSON is UTF-8',
  ],
  ['gzip', gzipSync('{"ods_data": []}'), 'not-json: byte 0: it is compressed with gzip: decompress it first'],
  ['zeros in the place of records', '{"ods_data": [\0\0', 'not-json: byte 14: it has a NUL byte'],
  ['zeros at the end of a text', '{"ods_data": ["ab\0\0', 'not-json: byte 17: it has a NUL byte'],
  ['a zero within a text', '{"ods_data": ["ab\0"]}', 'not-json: byte 17: it has a NUL byte'],
  [
    'no UTF-8',
    Buffer.from('{"ods_data": ["\xff"]}', 'latin1'),
    'not-json: byte 15: invalid UTF-8 starts here',
  ],
  ['an error', '{"error": 1, "\\u0061": 2}', 'envelope: it has no member "ods_data"; it has "error", "a"'],
  ['a text for the list', '{"ods_data": "none"}', 'envelope: it is "none"; expected the list of records'],
  [
    'the list twice',
    `{"ods_data": [], "ods_data": []}`,
    'duplicate-key: it is present a second time, and readers take one of the two',
  ],
] as [string, string | Buffer, string][])
  test(`the reader reports ${what}`, () => {
    expect(seen(read(body))).toEqual([expected]);
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
    expect(read(body, undefined, contractWithList(list))).toMatchObject({ findings: [], unjudged: [] });
  });

test('a place has the line of its field, or of its record', () => {
  const records = [good, { ...good, slew_sec: -1 }, 7];
  const body = `\ufeff${JSON.stringify({ meta: ['slew_sec'], ods_data: records }, null, 1)}`;
  const lines = body.split('\n');
  const { findings } = read(body);
  const placeOf = (wanted: string) => findings.find(({ rule }) => rule === wanted)?.places[0];
  expect(placeOf('range')).toMatchObject({
    ...{
      pointer: '/ods_data/1/slew_sec',
      line: lines.findIndex((line) => line.includes('"slew_sec": -1')) + 1,
    },
  });
  expect(placeOf('type')).toMatchObject({ pointer: '/ods_data/2', line: lines.indexOf('  7') + 1 });
  expect(placeOf('not-json')).toMatchObject({ pointer: '', line: 1 });
  expect(read('{\n"ods_data": [\nNaN]}').findings[0]?.places[0]).toMatchObject({ line: 3 });
});

test('records of a bare list are judged, and have their own places', () => {
  const { findings, records } = read(JSON.stringify([{ ...good, slew_sec: -1 }]));
  expect([records, summaryOf(findings)]).toEqual([1, ['envelope S 1 ', 'range S 1 /0/slew_sec']]);
});

test('an empty list next to other members gets a remark, and one with records does not', () => {
  const remarksOf = (body: string) => read(body).remarks;
  expect(remarksOf('{"ods_data":[],"error":"db down"}')).toEqual([
    'No records, but other members: "error". Check that nothing failed.',
  ]);
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

test('a body that is nested too deeply is not judged', () => {
  const [open, close] = ['[', ']'].map((sign) => sign.repeat(100_000));
  expect(read(`{"ods_data": ${open}${close}}`)).toMatchObject({
    ...{ findings: [], unjudged: ['The body is nested more than 64 levels deep: no record was judged.'] },
  });
  expect(seen(read(`{"ods_data": ${open}`))).toEqual(['not-json: byte 100013: it is cut off']);
});

test('a Content-Type of two headers, of which one is not JSON, is a finding', () => {
  expect(seen(read('{"ods_data":[]}', 'application/json, text/html'))).toEqual([
    'media-type: the Content-Type is "application/json, text/html"; expected application/json',
  ]);
});

test('a repeated member is reported by its path, however its name is written', () => {
  const body = '{"ods_data": [{"x": {"b": 1, "\\u0062": 2}, "y": [{"b": 1}, {"b": 1, "b": 1}]}]}';
  const places = read(body).findings.find(({ rule }) => rule === 'duplicate-key')?.places ?? [];
  expect(places.map(({ pointer }) => pointer)).toEqual(['/ods_data/0/x/b', '/ods_data/0/y/1/b']);
});
