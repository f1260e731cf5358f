import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { HOSTILE } from '../../report/testing/hostile.ts';
import { UsageError } from '../../support/usage-error.ts';

import { type JudgedRequirement, type Report, readReport } from './report.ts';
import { sample } from './testing/sample-reports.ts';

function reportFile(text: string): string {
  const file = test.info().outputPath('report.json');
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

const judging = (difference: Partial<JudgedRequirement>): Report => ({
  ...sample,
  requirements: sample.requirements.slice(0, 1).map((one) => ({ ...one, ...difference })),
});

const { exchanges, target } = sample;
const [answered, unanswered] = exchanges;
const { outcome: _, ...withoutOutcome } = sample;
const { failure: __, ...withoutEither } = unanswered ?? {};
const nothing = { seen: '', exchanges: [] };

test('a report is read as it was written', () => {
  expect(readReport(reportFile(JSON.stringify(sample, null, 2)))).toEqual(sample);
});

test('a report that holds hostile text is a report', () => {
  const observed = Object.values(HOSTILE).join('');
  const report = { ...sample, openPoints: sample.openPoints.map((point) => ({ ...point, observed })) };
  expect(readReport(reportFile(JSON.stringify(report)))).toEqual(report);
});

for (const [what, text] of [
  ['an empty file', ''],
  ['HTML', '<html></html>'],
  ['a report that is cut off', JSON.stringify(sample).slice(0, -1)],
  ['YAML', 'outcome: conformant'],
] as const)
  test(`${what} is not JSON`, () => {
    const file = reportFile(text);
    expect(complaint(file)).toBe(
      `${file} cannot be read as a report (it is not JSON). Name a report.json of mrs verify.`,
    );
  });

test('a report that is missing or a directory is refused with the reason', () => {
  const directory = dirname(reportFile(''));
  for (const [file, code] of [
    [directory, 'EISDIR'],
    [`${directory}/none.json`, 'ENOENT'],
  ])
    expect(complaint(file ?? '')).toBe(
      `${file} cannot be read as a report (${code}). Name a report.json of mrs verify.`,
    );
});

for (const [what, value, fault] of [
  ['null', null, 'it must be object'],
  ['a list', [sample], 'it must be object'],
  ['an empty object', {}, "it must have required property 'schemaVersion'"],
  ['a report of another schema', { ...sample, schemaVersion: 2 }, '/schemaVersion must be equal to constant'],
  ['a report without an outcome', withoutOutcome, "it must have required property 'outcome'"],
  ['a report of more', { ...sample, more: 1 }, 'it must NOT have additional properties'],
  [
    'an unknown outcome',
    { ...sample, outcome: 'fine' },
    '/outcome must be equal to one of the allowed values',
  ],
  [
    'a target with a secret',
    { ...sample, target: { ...target, secret: 's' } },
    '/target must NOT have additional properties',
  ],
  ['a moment that is none', { ...sample, startedAt: 'today' }, '/startedAt must match format "date-time"'],
  ['a negative count', { ...sample, requests: -1 }, '/requests must be >= 0'],
  [
    'an id of another kind',
    judging({ id: 'MRS-1\u001b[2J' }),
    '/requirements/0/id must match pattern "^MRS-\\d+(\\.\\d+)*[a-z]?(@[a-z0-9-]+)?$"',
  ],
  [
    'a verdict that rests on nothing',
    judging({ evidence: nothing }),
    '/requirements/0/evidence/seen must NOT have fewer than 1 characters',
  ],
  [
    'a failure of no expectation',
    judging({ verdict: 'failed' }),
    "/requirements/0/evidence must have required property 'expected'",
  ],
  [
    'a reason that is missing',
    judging({ verdict: 'could-not-run', evidence: nothing }),
    "/requirements/0/evidence must have required property 'reason'",
  ],
  [
    'an exchange of neither answer nor failure',
    { ...sample, exchanges: [withoutEither] },
    "/exchanges/0 must have required property 'response'",
  ],
  [
    'an exchange of both',
    { ...sample, exchanges: [{ ...answered, failure: 'x' }] },
    '/exchanges/0 must match exactly one schema in oneOf',
  ],
] as const)
  test(`${what} is refused, with the location of the fault`, () => {
    const file = reportFile(JSON.stringify(value));
    expect(complaint(file)).toBe(`${file} is not a report: ${fault}. Name a report.json of mrs verify.`);
  });
