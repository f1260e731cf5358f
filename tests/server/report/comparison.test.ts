import { expect, _baseTest as test } from '@playwright/test';
import { HOSTILE } from '../../report/testing/hostile.ts';
import type { Verdict } from '../../support/outcome.ts';
import { compareReports, renderComparison } from './comparison.ts';
import type { Report } from './report.ts';
import { sample } from './testing/sample-reports.ts';

/** The sample with these verdicts and observations alone. */
function reporting(verdicts: Record<string, Verdict>, observed: Record<string, string | null> = {}): Report {
  const [requirement] = sample.requirements;
  const [point] = sample.openPoints;
  if (!requirement || !point) throw new Error('The sample is empty.');
  return {
    ...sample,
    requirements: Object.entries(verdicts).map(([id, verdict]) => ({ ...requirement, id, verdict })),
    openPoints: Object.entries(observed).map(([id, text]) => ({ ...point, id, observed: text })),
  };
}

const observing = (observed: Record<string, string | null>) => reporting({}, observed);

test('of a report and itself nothing has changed', () => {
  const comparison = compareReports(sample, structuredClone(sample));
  expect(comparison).toEqual({ changes: [], drifts: [] });
  expect(renderComparison(comparison)).toBe('compared: 0 verdicts changed, 0 regressions, 0 drifted');
});

for (const [before, after, isRegression] of [
  ['passed', 'failed', true],
  ['passed', 'could-not-run', true],
  ['passed', 'not-applicable', true],
  ['could-not-run', 'failed', true],
  ['not-applicable', 'failed', true],
  ['failed', 'passed', false],
  ['failed', 'could-not-run', false],
  ['could-not-run', 'passed', false],
  ['not-applicable', 'passed', false],
  ['passed', 'absent', true],
  ['failed', 'absent', false],
  ['absent', 'failed', true],
  ['absent', 'could-not-run', false],
] as const)
  test(`from ${before} to ${after} is ${isRegression ? 'a' : 'no'} regression`, () => {
    const having = (verdict: Verdict | 'absent') =>
      reporting(verdict === 'absent' ? {} : { 'MRS-1': verdict });
    const { changes } = compareReports(having(before), having(after));
    expect(changes).toEqual([{ id: 'MRS-1', before, after, isRegression }]);
  });

test('requirements are matched by id, the earlier report first, whatever their order', () => {
  const before = reporting({ 'MRS-3': 'passed', 'MRS-1': 'passed', 'MRS-2': 'passed' });
  const after = reporting({ 'MRS-9': 'passed', 'MRS-1': 'failed', 'MRS-2': 'passed', 'MRS-3': 'failed' });
  expect(compareReports(before, after).changes.map(({ id }) => id)).toEqual(['MRS-3', 'MRS-1', 'MRS-9']);
});

for (const [what, before, after] of [
  ['says something else', '400', '401'],
  ['is not seen any more', '400', null],
  ['is seen at last', null, '400'],
] as const)
  test(`an observation drifts that ${what}`, () => {
    const comparison = compareReports(observing({ 'MRS-7d': before }), observing({ 'MRS-7d': after }));
    expect(comparison).toEqual({ changes: [], drifts: [{ id: 'MRS-7d', before, after }] });
  });

test('a drift is reported without measured ages', () => {
  const [before, after] = [60, 90].map((seconds) =>
    observing({ 'MRS-8c': `agreed ${seconds} s; refused at the age of ${seconds}.049 s` }),
  );
  expect(compareReports(before ?? sample, after ?? sample).drifts).toEqual([
    { id: 'MRS-8c', before: 'agreed 60 s; refused after it', after: 'agreed 90 s; refused after it' },
  ]);
});

test('an observation that is gone has drifted, if anything was seen', () => {
  const before = observing({ 'MRS-7d': '400', 'MRS-9': null });
  expect(compareReports(before, observing({})).drifts).toEqual([
    { id: 'MRS-7d', before: '400', after: null },
  ]);
});

for (const age of ['60.051', '60', '0.5'])
  test(`a measured age of ${age} s is not drift`, () => {
    const words = (seconds: string) =>
      `agreed 60 s; refused at the age of ${seconds} s; a live token is issued again`;
    const [before, after] = [observing({ 'MRS-5e': words('60.149') }), observing({ 'MRS-5e': words(age) })];
    expect(compareReports(before, after).drifts).toEqual([]);
  });

test('a comparison is rendered with a mark for each change, what was, what is, and a last line of counts', () => {
  const before = reporting({ 'MRS-4.1j': 'passed', 'MRS-2a': 'failed' }, { 'MRS-7d': '400', 'MRS-9': null });
  const after = reporting({ 'MRS-2a': 'passed' }, { 'MRS-7d': null, 'MRS-9': 'a version in the path' });
  expect(renderComparison(compareReports(before, after))).toBe(
    [
      '✗ MRS-4.1j  passed → absent',
      '✓ MRS-2a    failed → passed',
      '· MRS-7d',
      '    was: 400',
      '    now: not seen',
      '· MRS-9',
      '    was: not seen',
      '    now: a version in the path',
      'compared: 2 verdicts changed, 1 regressions, 2 drifted',
    ].join('\n'),
  );
});

test('a long observation is wrapped in 80 columns', () => {
  const comparison = compareReports(observing({ a: 'word '.repeat(50) }), observing({ a: 'x'.repeat(200) }));
  const lines = renderComparison(comparison).split('\n');
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(lines.join('').match(/word/g)).toHaveLength(50);
  expect(lines.slice(1, -1).every((line) => /^ {4}\S/.test(line))).toBe(true);
});

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: an observation brings nothing that a terminal obeys`, () => {
    const told = renderComparison(compareReports(observing({ a: text }), observing({ a: `${text}!` })));
    expect(told).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
    expect(
      told
        .split('\n')
        .slice(1, -1)
        .every((line) => line.startsWith('    ')),
    ).toBe(true);
  });
