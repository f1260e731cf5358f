import { expect, _baseTest as test } from '@playwright/test';
import { SAMPLES as FEEDS } from '../feed/report/testing/sample-reports.ts';
import { SAMPLES } from '../server/report/testing/sample-reports.ts';
import { type Judged, judgedOf } from './judged.ts';

const sample = SAMPLES.unproved;
const passed = (id: string) => ({ ...sample.requirements[0], id, verdict: 'passed' });

for (const [what, report, verdicts] of [
  ['conformant with a failure', { ...sample, outcome: 'conformant' }, 'nonconformant'],
  ['conformant without a requirement', { ...sample, outcome: 'conformant', requirements: [] }, 'incomplete'],
  ['conformant, and has a problem', { ...sample, outcome: 'conformant', problems: ['It broke.'] }, 'error'],
  ['nonconformant without a failure', { ...sample, requirements: [passed('MRS-1.3')] }, 'conformant'],
  ['of a feed with a finding', { ...FEEDS.broken, outcome: 'conformant' }, 'nonconformant'],
  ['of a feed that was not read to its end', { ...FEEDS.incomplete, outcome: 'conformant' }, 'incomplete'],
] as const)
  test(`report that is ${what} contradicts itself`, () => {
    expect(judgedOf(report)).toBe(
      `report.json states the outcome ${report.outcome}, and its verdicts come to ${verdicts}.`,
    );
  });

test('report that agrees with its verdicts is read', () => {
  for (const report of [sample, ...Object.values(FEEDS)])
    expect(judgedOf(report)).toMatchObject({ outcome: report.outcome });
});

test('moment of a report is read as one of UTC, and an implausible one is refused', () => {
  const read = (startedAt: string) => judgedOf({ ...sample, startedAt });
  expect((read('2026-11-22\n12:00:00+02:00') as Judged).startedAt).toBe('2026-11-22T10:00:00.000Z');
  for (const moment of ['1970-01-01T00:00:00Z', '9999-12-31T00:00:00Z'])
    expect(read(moment)).toBe(
      `report.json states that the run began at ${moment}. Set the clock of the machine, and run it again.`,
    );
});
