import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { outputPath } from '../support/testing/output-path.ts';
import { UsageError } from '../support/usage-error.ts';
import { renderJunit } from './junit.ts';
import { anchorOf, headlineOf, itemsInOrder, nextOf, type Report, readReport, troublesOf } from './report.ts';
import { HOSTILE, poisoned } from './testing/hostile.ts';
import { itemOf, reportWith } from './testing/made-report.ts';

const report = reportWith([itemOf({ severity: 'form', seen: '200' })]);

function reportFile(text: string): string {
  const file = outputPath('report.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function complaint(file: string): string {
  try {
    readReport(file);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'none';
}

test('a report is read as it was written, hostile text and all', () => {
  const hostile = poisoned(report, Object.values(HOSTILE).join(''));
  for (const one of [report, hostile]) expect(readReport(reportFile(JSON.stringify(one)))).toEqual(one);
});

for (const [what, text] of [
  ['an empty file', ''],
  ['HTML', '<html></html>'],
  ['a report that is cut off', JSON.stringify(report).slice(0, -1)],
] as const)
  test(`${what} is not JSON`, () => {
    const file = reportFile(text);
    expect(complaint(file)).toBe(`${file} cannot be read as a report (it is not JSON). Name a report.json.`);
  });

test('a report that is missing or a directory is refused with the reason', () => {
  const directory = dirname(reportFile(''));
  for (const [file, code] of [
    [directory, 'EISDIR'],
    [`${directory}/none.json`, 'ENOENT'],
  ] as const)
    expect(complaint(file)).toBe(`${file} cannot be read (${code}). Name a file you can read.`);
});

const BASELINE = { accepted: [], faults: [] } as const;
for (const [what, fields, next] of [
  ['was interrupted', { outcome: 'incomplete', reason: 'interrupted' }, /^Run again, to the end/],
  [
    'was interrupted, and whose violations a baseline accepts',
    { baseline: { ...BASELINE, outcome: 'incomplete' } },
    /^Run again, to the end/,
  ],
  ['saw a violation before it was interrupted', {}, /^Send this report to the operator/],
  ['is accepted', { baseline: { ...BASELINE, outcome: 'accepted' } }, /^Have the accepted/],
] as [string, Partial<Report>, RegExp][])
  test(`the next step after a run that ${what} follows from its outcome`, () => {
    expect(nextOf({ ...report, properties: { interrupted: 'true' }, ...fields })).toMatch(next);
  });

const judging = (fields: object) => ({ ...report, items: [{ ...itemOf(), ...fields }] });
const oneOf = 'must be equal to one of the allowed values';

for (const [what, value, fault] of [
  ['null', null, 'it must be object'],
  ['a report of before', { ...report, schemaVersion: 1 }, '/schemaVersion must be equal to constant'],
  ['a report of more', { ...report, more: 1 }, 'it must NOT have additional properties'],
  ['an unknown outcome', { ...report, outcome: 'fine' }, `/outcome ${oneOf}`],
  ['a verdict of another name', judging({ verdict: 'skipped' }), `/items/0/verdict ${oneOf}`],
  ['a negative count', { ...report, counts: [{ value: -1, word: '' }] }, '/counts/0/value must be >= 0'],
] as const)
  test(`${what} is refused, with the location of the fault`, () => {
    const file = reportFile(JSON.stringify(value));
    expect(complaint(file)).toBe(
      `${file} is not a report: ${fault}. Name a report.json of this version of mrs.`,
    );
  });

test('failures are read first, the gravest before others, then warnings and what was not judged', () => {
  const reason = 'It was down.';
  const items = [
    itemOf({ id: 'passed', verdict: 'passed' }),
    itemOf({ id: 'left', verdict: 'could-not-run', reason }),
    itemOf({ id: 'warned', verdict: 'warned' }),
    itemOf({ id: 'left-too', verdict: 'could-not-run', reason }),
    itemOf({ id: 'form', severity: 'form' }),
    itemOf({ id: 'security', severity: 'security' }),
  ];
  const ids = ['security', 'form', 'warned', 'left', 'left-too', 'passed'];
  expect(itemsInOrder({ items }).map(({ id }) => id)).toEqual(ids);
  expect(troublesOf(reportWith(items)).map((one) => one.items.map(({ id }) => id))).toEqual([
    ...[['security'], ['form'], ['warned'], ['left', 'left-too']],
  ]);
});

test('headline has the gravest violation, and the card a line for each mistake', () => {
  const cause = 'The token is in the field access_token, and not in token.';
  const advice = 'Rename access_token to token.';
  const items = [
    itemOf({ id: 'MRS-4', severity: 'form', cause, advice, violation: 'It has more fields.', seen: '200' }),
    itemOf({ id: 'MRS-3', severity: 'form', violation: 'It is odd.', seen: '200' }),
    itemOf({
      id: 'MRS-2',
      severity: 'breaks-clients',
      cause,
      advice,
      violation: 'It has no token.',
      seen: '200',
    }),
  ];
  expect(headlineOf(reportWith(items))).toBe(`${cause.slice(0, -1)}, and 1 more violation`);
  expect(troublesOf(reportWith(items)).map(({ short, name }) => [short, name])).toEqual([
    [`${cause} ${advice}`, 'MRS-2, MRS-4'],
    ['It is odd.', 'MRS-3'],
  ]);
});

test('a test case in JUnit is known by what was judged and by its id, whatever the words are', () => {
  const items = [
    itemOf({ id: 'range', statement: 'Reworded.' }),
    itemOf({ id: 'range', verdict: 'warned' }),
    itemOf({ id: 'old', verdict: 'warned' }),
  ];
  const subject = { name: 'Feed', text: 'https://a.example:8080/x' };
  const cases = [
    ...renderJunit(reportWith(items, { judge: 'feed', subject })).matchAll(/<testcase ([^>]*)>/g),
  ];
  expect(cases.map(([, attributes]) => attributes)).toEqual(
    ['range', 'range (warning)', 'old'].map((name) => `classname="mrs.feed.a-example-8080-x" name="${name}"`),
  );
});

for (const [judge, properties, next] of [
  ['verify', {}, /^Send this report to the operator of the service and run again after the fix\.$/],
  ['certify', {}, /^Change the client as the findings say and run again after the fix\.$/],
  ['judge', { server: 'nonconformant' }, /^Send .* the service and record again after the fix\.$/],
  ['judge', { server: 'conformant', client: 'nonconformant' }, /^Change the client .* and record again/],
] as const)
  test(`the next step after ${judge} ${JSON.stringify(properties)} is for who can mend it`, () => {
    expect(nextOf({ ...report, judge, properties })).toMatch(next);
  });

test('a sentence that ends with a question has no second mark', () => {
  const items = [itemOf({ seen: 'is this in gigahertz?' })];
  expect(troublesOf(reportWith(items)).map(({ sentence }) => sentence)).toEqual(['is this in gigahertz?']);
});

test('ids that differ only in special characters have different anchors', () => {
  expect(anchorOf('a/b')).not.toBe(anchorOf('a b'));
  expect(anchorOf('MRS-4.1j')).toBe('MRS-4.1j');
});
