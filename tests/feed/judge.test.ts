import { expect, test } from 'vitest';
import { feedContractOf } from './feed-contract.ts';
import {
  but,
  contractWithList,
  document,
  type Fields,
  good,
  judgeBody,
  later,
  summaryOf,
  without,
} from './testing/sample-feed.ts';

const judge = (...records: unknown[]) => judgeBody({ ods_data: records });

/** Rule, class, count and locations of all findings that the records lead to. The corpus has a feed for each rule. */
const WRONG: [what: string, records: unknown[], ...findings: string[]][] = [
  [
    'old records, and what else is wrong with them',
    [
      { ...without('version'), src_ra_j2000_deg: 'x', notes: '' },
      later(1),
      { ...later(2, { version: null, src_end_utc: 5 }), src_radius: 3 },
    ],
    'legacy-schema D 2 /ods_data/0 /ods_data/2',
    'type S 2 /ods_data/0/src_ra_j2000_deg /ods_data/2/src_end_utc',
  ],
  ['an empty record', [{}], 'required S 15 /ods_data/0 /ods_data/0 /ods_data/0'],
  ['records that are not objects', [7, null, [good]], 'type S 3 /ods_data/0 /ods_data/1 /ods_data/2'],
  [
    'unknown fields, each name once',
    [but({ freq_real_hz: [], slew_secs: 1 }), later(1, { freq_real_hz: [] })],
    'unknown-field H 2 /ods_data/0/freq_real_hz /ods_data/0/slew_secs',
  ],
];

for (const [what, records, ...findings] of WRONG)
  test(`the judge reports ${what}`, () => {
    expect(summaryOf(judge(...records).findings)).toEqual(findings);
  });

for (const [what, body, finding] of [
  ['an object in place of the list', { ods_data: { 0: good } }, 'envelope S 1 /ods_data'],
  ['a list that comes from a prototype', JSON.parse('{"__proto__": {"ods_data": []}}'), 'envelope S 1 '],
] as const)
  test(`the judge reports ${what}`, () => {
    expect(summaryOf(judgeBody(body).findings)[0]).toBe(finding);
  });

test('the list can be the body, or deeper in it', () => {
  const bare = judgeBody([but({ slew_sec: -1 })], contractWithList(''));
  expect(summaryOf(bare.findings)).toEqual(['range S 1 /0/slew_sec']);
  const deep = judgeBody({ 'a/b': { c: [but({ slew_sec: -1 })] } }, contractWithList('/a~1b/c'));
  expect(summaryOf(deep.findings)).toEqual(['range S 1 /a~1b/c/0/slew_sec']);
});

test('a member of Object.prototype is not the list', () => {
  const { findings } = judgeBody({}, contractWithList('/toString'));
  expect(summaryOf(findings)).toEqual(['envelope S 1 ']);
});

test('a finding keeps three locations and counts all', () => {
  const { findings } = judge(...Array.from({ length: 1000 }, (_, at) => later(at, { slew_sec: -1 })));
  expect(summaryOf(findings)).toEqual([
    'range S 1000 /ods_data/0/slew_sec /ods_data/1/slew_sec /ods_data/2/slew_sec',
  ]);
});

test('digests depend on values, and only the first one on the order', () => {
  const one = judge(good, later(1));
  const turned = judge(later(1), good);
  expect([turned.setDigest, judge(good, later(1)).digest]).toEqual([one.setDigest, one.digest]);
  expect(turned.digest).not.toBe(one.digest);
  expect(judge(good, good, later(1)).setDigest).not.toBe(one.setDigest);
});

for (const [what, first, second] of [
  ['a subarray of 0 and none', { subarray: 0 }, { subarray: null }],
  ['two sources', { src_id: 'a' }, { src_id: 'b' }],
  ['a start a microsecond later', {}, { src_start_utc: '2030-01-01T00:05:00.000001' }],
  ['two slews', {}, { slew_sec: 43 }],
  ['another digit of a right ascension', {}, { src_ra_j2000_deg: 202.78450000000004 }],
] as const)
  test(`records with ${what} are not duplicates`, () => {
    const rules = judge(but(first), but(second)).findings.map(({ rule }) => rule);
    expect(rules).not.toContain('duplicate');
  });

test('a duplicate is found among records in conflict', () => {
  const other = but({ slew_sec: 0, src_dec_j2000_deg: 60 });
  expect(summaryOf(judge(good, other, { ...other }).findings)).toEqual([
    'duplicate D 1 /ods_data/2',
    'overlap H 1 /ods_data/1',
  ]);
});

test('a record of very many members is judged as any other', () => {
  const many = Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`m${at}`, at]));
  expect(summaryOf(judge({ ...good, ...many }, { ...many, ...good }).findings)).toEqual([
    'duplicate D 1 /ods_data/1',
    expect.stringMatching(/^unknown-field H 200000 /),
  ]);
});

test('names and values of Object.prototype cause no error', () => {
  const hostile = JSON.parse(
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": null}, "hasOwnProperty": 1, "toString": 2, ' +
      '"subarray": {"toString": 1, "valueOf": 1}, "site_id": "constructor", "version": "__proto__"}',
  );
  const { findings } = judge(hostile, { ...good, version: 'toString' });
  expect(findings.map(({ rule }) => rule)).toEqual([
    'required',
    'type',
    'unknown-field',
    'one-version',
    'unknown-version',
  ]);
  expect(({} as Fields).polluted).toBe(undefined);
});

const LONG = 400_000;
for (const [what, name, text, rule] of [
  ['digits and a letter', 'freq_lower_hz', `${'1'.repeat(LONG)}x`, 'type'],
  ['digits without end', 'site_el_m', '1'.repeat(LONG), 'digit-string'],
  ['digits of an exponent, and a letter', 'slew_sec', `1e${'1'.repeat(LONG)}x`, 'type'],
  ['the letter T', 'src_start_utc', 'T'.repeat(LONG), 'time-format'],
  [
    'digits of a fraction, and a letter',
    'src_end_utc',
    `2030-01-01T00:00:00.${'5'.repeat(LONG)}x`,
    'time-format',
  ],
] as const)
  test(`${LONG} characters of ${what} in ${name} take no more time than their number`, () => {
    const rules = judge(but({ [name]: text })).findings.map((one) => one.rule);
    expect(rules).toContain(rule);
  });

test('the verdict stays small, whatever a feed holds', () => {
  const names = Array.from({ length: 3000 }, (_, at) =>
    later(at, { site_id: `s${at}`, version: `v${at}`, [`x${at}`]: at, src_id: 'x'.repeat(500) }),
  );
  const long = 'y'.repeat(100_000);
  const verdict = judge(
    but({ site_id: long, version: long, [long]: 1 }),
    ...names,
    but({ slew_sec: 'x'.repeat(300_000) }),
  );
  expect(JSON.stringify(verdict).length).toBeLessThan(5000);
  expect(JSON.parse(JSON.stringify(verdict))).toEqual(verdict);
});

test('overlaps of many simultaneous records are compared up to a limit, with a remark', () => {
  const many = Array.from({ length: 400 }, (_, at) =>
    but({ freq_lower_hz: 1e9 + at * 1000, freq_upper_hz: 1e9 + at * 1000 + 1000 }),
  );
  const { findings, unjudged } = judge(...many);
  expect(findings).toEqual([]);
  expect(unjudged).toEqual([expect.stringMatching(/^More records run at once/)]);
});

test('a document without x-records has no feed contract', () => {
  expect(feedContractOf({ openapi: '3.1.0' })).toBe(undefined);
});

for (const [what, records, message] of [
  ['an invalid pointer', { list: 'ods_data', schema: 'MitigationRequest' }, /x-records\/list is "ods_data"/],
  ['a list that is not a string', { list: 5, schema: 'MitigationRequest' }, /x-records\/list is 5/],
  ['an unknown schema', { list: '', schema: 'Nothing' }, /"Nothing", but .* declares no properties/],
] as const)
  test(`x-records with ${what} is refused with a sentence`, () => {
    expect(() => feedContractOf({ ...document, 'x-records': records })).toThrow(message);
  });
