import { expect, test } from 'vitest';
import { endedInWords } from './report.ts';
import { outputOf, type Print, renderAnnotations, usesColor } from './terminal.ts';
import { itemOf, reportWith } from './testing/made-report.ts';
import { refusal } from './text.ts';

const GITHUB = { GITHUB_ACTIONS: 'true' };
const violated = itemOf({ severity: 'security', violation: 'It: is, 100% not so.', advice: 'Make it so.' });
const left = { verdict: 'could-not-run', reason: 'It was down.' } as const;
const START = '::error title=mrs verify MRS-1::It: is, 100%25 not so.';

for (const [what, items, expected] of [
  ['what is wrong and what to do', [violated, itemOf({ verdict: 'passed' })], [`${START} Make it so.`]],
  ['what was seen', [{ ...violated, seen: '200' }], [`${START} Seen: 200. Make it so.`]],
  [
    'a clause, with what GitHub would act on escaped',
    [{ ...violated, clause: 'A:1,2\r\n::error::b' }],
    ['::error title=mrs verify MRS-1%2C A%3A1%2C2\\n%3A%3Aerror%3A%3Ab::It: is, 100%25 not so. Make it so.'],
  ],
  [
    'a reason that several items share',
    [itemOf(left), itemOf({ ...left, id: 'MRS-2' })],
    ['::warning title=mrs verify MRS-1 and 1 more::2 requirements could not be tested. It was down.'],
  ],
] as const)
  test(`annotation has ${what}, for GitHub Actions only`, () => {
    expect(renderAnnotations(reportWith(items), GITHUB)).toEqual(expected);
    expect(renderAnnotations(reportWith(items), {})).toEqual([]);
  });

test('annotation of what a baseline accepts is a notice', () => {
  const accepted = {
    requirement: 'MRS-1',
    verdict: 'failed',
    reason: 'Known.',
    owner: 'ops',
    until: '2030-01-01',
  };
  const baseline = { outcome: 'accepted', accepted: [accepted], faults: [] } as const;
  const lines = renderAnnotations({ ...reportWith([violated]), baseline } as never, GITHUB);
  expect(lines).toEqual([expect.stringMatching(/^::notice /)]);
});

test('annotations begin with the faults of the run and of its baseline, and what is past its day is an error', () => {
  const entry = {
    requirement: 'MRS-1',
    verdict: 'failed',
    reason: 'x',
    owner: 'ops',
    until: '2026-01-01',
  } as const;
  const baseline = { outcome: 'nonconformant', accepted: [entry], faults: [endedInWords(entry)] } as const;
  expect(renderAnnotations({ ...reportWith([violated]), problems: ['It broke.'], baseline }, GITHUB)).toEqual(
    [
      '::error title=mrs verify::It broke.',
      '::error title=mrs verify::The acceptance of MRS-1 ended on 2026-01-01. Have it fixed, or accept it again.',
      expect.stringMatching(
        /^::error title=mrs verify MRS-1::.*It is no longer accepted, since 2026-01-01 was the last day/,
      ),
    ],
  );
});

test('commands of failures are printed only where they are asked for', () => {
  const report = reportWith([itemOf({ command: 'curl x', severity: 'form' })]);
  const shown = (['text', 'commands'] as const).map((print) => outputOf(report, print, { color: false }));
  expect(shown.map((text) => text.includes('\ncurl x\n'))).toEqual([false, true]);
});

for (const [print, expected] of [
  ['quiet', /^(::error .*\n)?report: report\.html\noutcome: nonconformant \(1 failed\)$/],
  ['text', /\n✗ MRS-1 FAILED[\s\S]*\noutcome: nonconformant \(1 failed\)$/],
] as [Print, RegExp][])
  test(`${print} output ends with the outcome`, () => {
    const appearance = { color: false, page: 'report.html' };
    expect(outputOf(reportWith([violated]), print, appearance)).toMatch(expected);
  });

test('output as JSON is the report and nothing else', () => {
  const report = reportWith([violated]);
  expect(JSON.parse(outputOf(report, 'json', { color: true }))).toEqual(report);
});

const terminal = { isTTY: true };
for (const [what, stream, env, expected] of [
  ['a terminal has colours', terminal, {}, true],
  ['a stream that is no terminal has no colours', {}, {}, false],
  ['NO_COLOR removes the colours of a terminal', terminal, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR keeps the colours of a terminal', terminal, { NO_COLOR: '' }, true],
  ['FORCE_COLOR decides before NO_COLOR', {}, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
  ['FORCE_COLOR decides before the stream', terminal, { FORCE_COLOR: '0' }, false],
] as const)
  test(what, () => {
    expect(usesColor(stream, env)).toBe(expected);
  });

for (const print of ['json', 'text'] as const)
  test(`${print} output holds no command of GitHub Actions`, () => {
    const command = "curl --url 'x ##[group]'";
    const text = outputOf(reportWith([itemOf({ seen: 'x ##[group]', command })]), print, { color: false });
    expect(text).not.toContain('##[');
    if (print === 'json') expect(JSON.parse(text).items[0]).toMatchObject({ seen: 'x ##[group]', command });
  });

for (const [what, sentence, shown] of [
  ['a line feed', 'The agent is "a\n::error::b". Change it.', 'The agent is "a\\n::error::b". Change it.'],
  ['a quotation mark and a line feed', 'It is "a"\n ::error::b".', 'It is "a"\n : :error::b".'],
  ['commands of a pipeline', 'It is "##[error]", or ##vso[x].', 'It is "# #[error]", or # #vso[x].'],
  ['a long value', `It is "${'x'.repeat(9999)}", not "y".`, `It is "${'x'.repeat(199)}…", not "y".`],
  ['lines of its own', 'Two problems:\n  one\n  http://[::1]', 'Two problems:\n  one\n  http://[::1]'],
] as const)
  test(`a refusal with ${what} is printed so that nothing obeys it`, () => {
    expect(refusal(sentence)).toBe(shown);
  });
