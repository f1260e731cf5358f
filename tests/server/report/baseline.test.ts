import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { type Report, shownOutcome } from '../../report/report.ts';
import { HOSTILE, poisoned } from '../../report/testing/hostile.ts';
import { UsageError } from '../../support/usage-error.ts';
import { exitCodes, type Verdict } from '../../support/verdict.ts';
import { type Accepted, applyBaseline, readBaseline, renderBaseline } from './baseline.ts';
import { sample as whole } from './testing/sample-reports.ts';

const TODAY = '2026-11-20';
const IDS = ['MRS-2a', 'MRS-4.1j', 'MRS-4.2a', 'MRS-4.3a'];
const sample = { ...whole, items: whole.items.filter(({ id }) => IDS.includes(id)) };

const accepting = (requirement: string, more: Partial<Accepted> = {}): Accepted => ({
  requirement,
  reason: 'To be fixed.',
  owner: 'ops',
  until: TODAY,
  ...more,
});
const failed = accepting('MRS-4.1j');
const couldNotRun = accepting('MRS-4.2a', { verdict: 'could-not-run' });

function baselineFile(text: string): string {
  const file = test.info().outputPath('baseline.yaml');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

function complaint(file: string): string {
  try {
    readBaseline(file);
  } catch (error) {
    if (error instanceof UsageError) return error.message;
    throw error;
  }
  return 'none';
}

for (const [what, text, entries] of [
  ['YAML', `# why\n- {requirement: MRS-4.1j, reason: To be fixed., owner: ops, until: ${TODAY}}`, [failed]],
  ['JSON', JSON.stringify([failed, couldNotRun]), [failed, couldNotRun]],
  ['an empty list', '[]', []],
  ['an empty file', '', []],
] as const)
  test(`a baseline can be ${what}`, () => {
    expect(readBaseline(baselineFile(text))).toEqual(entries);
  });

for (const [what, difference, fault] of [
  ...['requirement', 'reason', 'owner', 'until'].map(
    (name) => [`without ${name}`, { [name]: undefined }, ` must have required property '${name}'`] as const,
  ),
  ...['requirement', 'reason', 'owner'].map(
    (name) =>
      [`of an empty ${name}`, { [name]: '' }, `/${name} must NOT have fewer than 1 characters`] as const,
  ),
  ['until no day', { until: '2026-02-30' }, '/until must match format "date"'],
  ['for a pass', { verdict: 'passed' }, '/verdict must be equal to one of the allowed values'],
  ['with a word too many', { untill: TODAY }, ' must NOT have additional properties'],
] as const)
  test(`a baseline ${what} is not usable`, () => {
    const file = baselineFile(JSON.stringify([couldNotRun, { ...failed, ...difference }]));
    expect(complaint(file)).toBe(`The baseline ${file} is not usable: /1${fault}. Fix it there.`);
  });

test('a baseline that is not a list is rejected', () => {
  const file = baselineFile(JSON.stringify(failed));
  expect(complaint(file)).toBe(`The baseline ${file} is not usable: it must be array. Fix it there.`);
});

test('a baseline that is missing or a directory is refused with the reason', () => {
  const directory = dirname(baselineFile(''));
  for (const [file, code] of [
    [directory, 'EISDIR'],
    [`${directory}/none.yaml`, 'ENOENT'],
  ])
    expect(complaint(file ?? '')).toBe(
      `The baseline ${file} cannot be read (${code}). Name another, or write it anew.`,
    );
});

for (const text of ['- [a', '"unclosed', '- a: b: c', '*alias', '--- []\n--- []\n'])
  test(`${JSON.stringify(text)} is not a baseline, since it is not YAML`, () => {
    const file = baselineFile(text);
    expect(complaint(file)).toBe(
      `The baseline ${file} cannot be read (it is not YAML). Name another, or write it anew.`,
    );
  });

const PAST = 'The baseline accepted MRS-4.1j until 2026-11-19. Have it fixed, or accept it again.';
const stale = (id: string, seen: string, verdict = 'failed') =>
  `The baseline accepts ${verdict} for ${id}, which is ${seen} now. Take the entry out.`;
const ID = 'MRS-4.1j';
const both = [failed, couldNotRun];
const outlived = accepting(ID, { until: '2026-11-19' });
const swapped = [accepting(ID, { verdict: 'could-not-run' }), accepting('MRS-4.2a')];
const SWAPPED = [stale(ID, 'failed', 'could-not-run'), stale('MRS-4.2a', 'could-not-run')];

for (const [what, entries, faults, exitCode] of [
  ['an empty baseline opens nothing', [], [], 1],
  ['a new failure shuts it', [couldNotRun], [], 1],
  ['what could not run keeps it incomplete', [failed], [], 3],
  ['every deviation is accepted on the last day', both, [], 0],
  ['the day after, it is shut', [outlived, couldNotRun], [PAST], 1],
  ['a pass makes an entry stale', [...both, accepting('MRS-2a')], [stale('MRS-2a', 'passed')], 1],
  ['so does a requirement that is gone', [...both, accepting('MRS-9')], [stale('MRS-9', 'absent')], 1],
  ['so does another verdict', swapped, SWAPPED, 1],
] as [string, Accepted[], string[], number][])
  test(`the gate of a baseline: ${what}`, () => {
    const report = applyBaseline(sample, entries, TODAY);
    expect(report.baseline).toMatchObject({ faults });
    expect(exitCodes[shownOutcome(report)]).toBe(exitCode);
    expect(report.items).toEqual(sample.items);
  });

test('what is accepted is named, and nothing that another verdict or no verdict was given on', () => {
  const accepted = (entries: Accepted[]) =>
    applyBaseline(sample, entries, TODAY).baseline?.accepted.map(({ requirement }) => requirement);
  expect(accepted([couldNotRun, failed, accepting('MRS-2a'), accepting('MRS-9')])).toEqual([ID, 'MRS-4.2a']);
  expect(accepted(swapped)).toEqual([]);
});

test('a run that broke down stays one, whatever is accepted', () => {
  const broken: Report = { ...sample, outcome: 'error' };
  expect(shownOutcome(applyBaseline(broken, both, TODAY))).toBe('error');
});

for (const rest of ['not-applicable', 'could-not-run'] satisfies Verdict[])
  test(`nothing is conformant where all that is not accepted is ${rest}`, () => {
    const verdictOf = (id: string): Verdict => (id === ID ? 'failed' : rest);
    const items = sample.items.map((one) => ({ ...one, verdict: verdictOf(one.id) }));
    const { baseline } = applyBaseline({ ...sample, items }, [failed], TODAY);
    expect(baseline).toMatchObject({ faults: [], outcome: 'incomplete' });
  });

test('every deviation of a report is rendered with what was seen, for a reason to be put in its place', () => {
  expect(readBaseline(baselineFile(renderBaseline(sample, 'ops', TODAY)))).toEqual([
    {
      ...failed,
      verdict: 'failed',
      reason: 'expected no token; seen: a form with a wrong client_secret: 200, application/json',
    },
    { ...couldNotRun, reason: 'No answer came.' },
  ]);
});

test('a baseline in JSON is JSON, and read as the same', () => {
  const text = renderBaseline(sample, 'ops', TODAY, 'json');
  expect(JSON.parse(text)).toEqual(readBaseline(baselineFile(renderBaseline(sample, 'ops', TODAY))));
});

test('without a deviation an empty list is rendered', () => {
  expect(renderBaseline({ ...sample, items: [] }, 'ops', TODAY)).toBe('[]\n');
});

for (const [name, text] of Object.entries(HOSTILE))
  test(`hostile ${name}: what is rendered is read again, and accepts no more than it says`, () => {
    const report = poisoned(sample, text);
    const entries = readBaseline(baselineFile(renderBaseline(report, text, TODAY)));
    expect(entries.map(({ owner }) => owner)).toEqual([text, text]);
    expect(applyBaseline(report, entries, TODAY).baseline).toMatchObject({ faults: [], outcome: 'accepted' });
  });
