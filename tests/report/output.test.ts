import { expect, _baseTest as test } from '@playwright/test';
import { renderAnnotations, withoutCommands } from './annotations.ts';
import { markup } from './markup.ts';
import type { Item, ReportModel } from './model.ts';
import { outputOf } from './output.ts';

const item = (fields: Partial<Item>): Item => ({
  id: 'MRS-1',
  anchor: 'MRS-1',
  className: '1',
  statement: 'It is so.',
  verdict: 'failed',
  facts: [],
  findings: [],
  ...fields,
});

const modelWith = (...list: Item[]): ReportModel => ({
  kind: 'Report',
  topic: 'Topic',
  command: 'mrs verify',
  subject: { name: 'Deployment', text: 'https://mrs.example' },
  outcome: 'nonconformant',
  headline: '1 of 1 requirement is violated',
  next: 'Fix it.',
  remarks: [],
  counts: [],
  tally: '1 failed',
  facts: [],
  properties: {},
  items: { title: 'Requirements', about: '', noun: 'requirement', list },
  problems: [],
  own: { sections: [], footer: markup``, markdown: { last: [] } },
});

const violated = item({ severity: 'security', violation: 'It: is, 100% not so.', advice: 'Make it so.' });

test('annotation names the item, what is wrong and what to do, with what GitHub would act on escaped', () => {
  const model = modelWith(violated, item({ id: 'MRS-2', verdict: 'passed' }));
  expect(renderAnnotations(model, { GITHUB_ACTIONS: 'true' })).toEqual([
    '::error title=mrs verify MRS-1::It: is, 100%25 not so. Make it so.',
  ]);
  const hostile = modelWith(item({ ...violated, violation: 'a\r\n::error::b' }));
  expect(renderAnnotations(hostile, { GITHUB_ACTIONS: 'true' }).join('').split('\n')).toHaveLength(1);
});

test('annotation of a violation has what was seen', () => {
  const model = modelWith(item({ ...violated, summary: 'Seen: 200.' }));
  expect(renderAnnotations(model, { GITHUB_ACTIONS: 'true' })).toEqual([
    '::error title=mrs verify MRS-1::It: is, 100%25 not so. Seen: 200. Make it so.',
  ]);
});

test('annotations are only for GitHub Actions', () => {
  expect(renderAnnotations(modelWith(violated), {})).toEqual([]);
});

test('reason that several items share is one annotation', () => {
  const left = { verdict: 'could-not-run', reason: 'It was down.' } as const;
  const model = modelWith(item(left), item({ ...left, id: 'MRS-2' }));
  expect(renderAnnotations(model, { GITHUB_ACTIONS: 'true' })).toEqual([
    '::warning title=mrs verify::2 requirements could not be tested. It was down.',
  ]);
});

const printed = { report: { outcome: 'nonconformant' }, model: modelWith(violated), text: 'all of it' };

test('quiet output is the report to open and the outcome', () => {
  expect(
    outputOf({ ...printed, page: 'reports/report.html' }, 'quiet', false)
      .split('\n')
      .slice(-2),
  ).toEqual(['report: reports/report.html', 'outcome: nonconformant (1 failed)']);
});

test('output as JSON is the report and nothing else', () => {
  expect(JSON.parse(outputOf(printed, 'json', true))).toEqual(printed.report);
});

test('output as text is the whole report', () => {
  expect(outputOf(printed, 'text', false).split('\n').at(-1)).toBe('all of it');
});

test('text of a deployment is not a command to the runner of GitHub Actions', () => {
  const text = 'seen: a\n::error::taken\n \t::set-output name=a::b\nx ##[set-env name=a]b\nand a::b';
  expect(withoutCommands(text, { GITHUB_ACTIONS: 'true' })).toBe(
    'seen: a\n: :error::taken\n \t: :set-output name=a::b\nx # #[set-env name=a]b\nand a::b',
  );
  expect(withoutCommands(text, {})).toBe(text);
});
