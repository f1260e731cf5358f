import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { headlineOf, type Report, shownOutcome } from '../../report/report.ts';
import { outputPath } from '../../support/testing/output-path.ts';
import { UsageError } from '../../support/usage-error.ts';
import { exitCodes, type Verdict } from '../../support/verdict.ts';
import { type Accepted, applyBaseline, readBaseline } from './baseline.ts';
import { sample as whole } from './testing/sample-reports.ts';

const TODAY = '2026-11-20';
const ID = 'MRS-4.1j';
const IDS = ['MRS-2a', ID, 'MRS-4.2a', 'MRS-4.3a'];
const sample = { ...whole, items: whole.items.filter(({ id }) => IDS.includes(id)) };

const accepting = (requirement: string, more: Partial<Accepted> = {}): Accepted => ({
  ...{ requirement, reason: 'To be fixed.', owner: 'ops', until: TODAY, ...more },
});
const failed = accepting(ID);
const couldNotRun = accepting('MRS-4.2a', { verdict: 'could-not-run' });

function baselineFile(text: string): string {
  const file = outputPath('baseline.yaml');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const spoilt = (change: object) => JSON.stringify([couldNotRun, { ...failed, ...change }]);
const NOT_YAML = 'cannot be read (it is not YAML). Name another.';

for (const [what, text, expected] of [
  ['YAML', `# why\n- {requirement: ${ID}, reason: To be fixed., owner: ops, until: ${TODAY}}`, [failed]],
  ['JSON', JSON.stringify([failed, couldNotRun]), [failed, couldNotRun]],
  ['an empty file', '', []],
  ['without a reason', spoilt({ reason: undefined }), "/1 must have required property 'reason'"],
  ['of an empty owner', spoilt({ owner: '' }), '/1/owner must NOT have fewer than 1 char'],
  ['until no day', spoilt({ until: '2026-02-30' }), 'is not usable: /1/until must match format "date"'],
  ['for a pass', spoilt({ verdict: 'passed' }), '/1/verdict must be equal to one of the allowed values'],
  [
    'for what is not a requirement',
    spoilt({ requirement: 'MRS-7A' }),
    'names MRS-7A, which is not a requirement. The nearest is MRS-7a.',
  ],
  ['with a word too many', spoilt({ untill: TODAY }), '/1 must NOT have additional properties'],
  ['of one entry', JSON.stringify(failed), 'is not usable: it must be array. Fix it there.'],
  ...['- [a', '--- []\n--- []\n'].map((text) => [JSON.stringify(text), text, NOT_YAML] as const),
] as [string, string, Accepted[] | string][])
  test(`a baseline ${what} is ${typeof expected === 'string' ? 'refused with the reason' : 'read'}`, () => {
    const file = baselineFile(text);
    if (typeof expected !== 'string') return expect(readBaseline(file)).toEqual(expected);
    expect(() => readBaseline(file)).toThrow(UsageError);
    expect(() => readBaseline(file)).toThrow(`The baseline ${file} `);
    expect(() => readBaseline(file)).toThrow(expected);
  });

const PAST = `The acceptance of ${ID} ended on 2026-11-19. Have it fixed, or accept it again.`;
const stale = (id: string, seen: string, verdict = 'failed') =>
  `${id} is ${seen} now, and the baseline accepts it as ${verdict}. Take the entry out.`;
const both = [failed, couldNotRun];
const outlived = accepting(ID, { until: '2026-11-19' });
const swapped = [accepting(ID, { verdict: 'could-not-run' }), accepting('MRS-4.2a')];
const SWAPPED = [stale(ID, 'failed', 'could-not-run'), stale('MRS-4.2a', 'could-not-run')];

for (const [what, entries, faults, exitCode, accepted = entries.map(({ requirement }) => requirement)] of [
  ['an empty baseline opens nothing', [], [], 1],
  ['a new failure shuts it', [couldNotRun], [], 1],
  ['what could not run keeps it incomplete', [failed], [], 3],
  ['every deviation is accepted on the last day', both, [], 0],
  ['the day after, it is shut', [outlived, couldNotRun], [PAST], 1],
  [
    'a pass makes an entry stale',
    [...both, accepting('MRS-2a')],
    [stale('MRS-2a', 'passed')],
    1,
    [ID, 'MRS-4.2a'],
  ],
  [
    'so does a requirement that is gone',
    [...both, accepting('MRS-9')],
    [stale('MRS-9', 'absent')],
    ...([1, [ID, 'MRS-4.2a']] as const),
  ],
  ['so does another verdict', swapped, SWAPPED, 1, []],
] as [string, Accepted[], string[], number, string[]?][])
  test(`the gate of a baseline: ${what}`, () => {
    const report = applyBaseline(sample, entries, TODAY);
    expect(report.baseline).toMatchObject({ faults });
    expect(report.baseline?.accepted.map(({ requirement }) => requirement).toSorted()).toEqual(
      accepted.toSorted(),
    );
    expect(exitCodes[shownOutcome(report)]).toBe(exitCode);
    expect(report.items).toEqual(sample.items);
  });

test('a run that broke down stays one, whatever is accepted', () => {
  const broken: Report = { ...sample, outcome: 'error' };
  expect(shownOutcome(applyBaseline(broken, both, TODAY))).toBe('error');
});

test('headline and last line say why where only the baseline shuts the gate', () => {
  const headline = 'All 4 requirements are met';
  const items = sample.items.map((one) => ({ ...one, verdict: 'passed' as const }));
  const met: Report = { ...sample, items, headline, outcome: 'conformant' };
  const headlineWith = (...entries: Accepted[]) => applyBaseline(met, entries, TODAY).headline;
  expect(headlineWith(failed)).toBe(
    `${ID} is passed now, and the baseline accepts it as failed. ${headline}`,
  );
  expect(headlineWith()).toBe(headline);
  const { headline: ended, tally } = applyBaseline(sample, [outlived, couldNotRun], TODAY);
  expect(ended).toContain(
    `The acceptance of ${ID} ended on 2026-11-19. A token is issued for a wrong client_secret`,
  );
  expect(tally).toMatch(/; the baseline is out of date$/);
});

test('a headline names what is new, and says until when the rest is accepted', () => {
  const items = sample.items.map(
    (one) => ({ ...one, verdict: 'failed', violation: `${one.id} fails.` }) as const,
  );
  const failing: Report = { ...sample, items, outcome: 'nonconformant' };
  const broken = { ...failing, headline: `${headlineOf(failing)}. The deployment was slow` };
  const headlineWith = (...entries: Accepted[]) => applyBaseline(broken, entries, TODAY).headline;
  const later = IDS.slice(0, 2).map((id) => accepting(id, { until: '2027-01-01' }));
  expect(headlineWith(...later)).toBe(
    'MRS-4.2a fails, and 1 more violation. Accepted until 2027-01-01: 2 known violations (1 security). The deployment was slow',
  );
  expect(headlineWith(...later, ...IDS.slice(2).map((id) => accepting(id)))).toBe(
    `Accepted until ${TODAY}: 4 known violations (1 security). The deployment was slow`,
  );
});

for (const rest of ['not-applicable', 'could-not-run'] satisfies Verdict[])
  test(`nothing is conformant where all that is not accepted is ${rest}`, () => {
    const verdictOf = (id: string): Verdict => (id === ID ? 'failed' : rest);
    const items = sample.items.map((one) => ({ ...one, verdict: verdictOf(one.id) }));
    const { baseline } = applyBaseline({ ...sample, items }, [failed], TODAY);
    expect(baseline).toMatchObject({ faults: [], outcome: 'incomplete' });
  });
