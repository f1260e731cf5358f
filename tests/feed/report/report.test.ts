import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import stringWidth from 'string-width';
import { renderJunit } from '../../report/junit.ts';
import { renderPage } from '../../report/page.ts';
import { renderSarif } from '../../report/sarif.ts';
import { readSchema } from '../../report/schema.ts';
import { testRenderings } from '../../report/testing/renderings.ts';
import { RULES } from '../rules.ts';
import type { FeedSource } from '../source.ts';
import { but, contract, good, later, NOW } from '../testing/sample-feed.ts';
import { modelOf } from './model.ts';
import { type FeedReport, lastLine, reportOn } from './report.ts';
import { renderRule, renderText } from './terminal.ts';
import { CHOSEN, SAMPLES } from './testing/sample-reports.ts';

const OPTIONS = {
  profile: { name: 'ods-record', title: 'Records' },
  atMs: NOW,
  strict: false,
  bodyBytes: 1e6,
};

function source(body: string | undefined, fields: Partial<FeedSource> = {}): FeedSource {
  async function* bytes() {
    for (let at = 0; at < (body ?? '').length; at += 100) yield Buffer.from((body ?? '').slice(at, at + 100));
  }
  return {
    kind: 'file',
    name: 'feed.json',
    close: async () => {},
    ...(body !== undefined && { bytes: bytes() }),
    ...fields,
  };
}

const reportOf = (
  records: unknown[],
  options: object = {},
  fields: Partial<FeedSource> = {},
): Promise<FeedReport> =>
  reportOn(source(JSON.stringify({ ods_data: records }, null, 1), fields), contract, {
    ...OPTIONS,
    ...options,
  });

const bad = [
  but({ slew_sec: '1', extra: 1 }),
  ...[1, 2, 3, 4].map((hours) => later(hours, { slew_sec: -1 })),
];
const isReport = new Ajv2020({ allErrors: true }).compile(JSON.parse(readSchema('feed')));

testRenderings({ samples: SAMPLES, victim: SAMPLES.broken, chosen: CHOSEN, modelOf, terminalOf: renderText });

test('feed without findings is conformant, with warnings too unless strict', async () => {
  const warned = [but({ extra: 1 })];
  expect(lastLine(await reportOf([good]))).toBe('outcome: conformant (1 records, 0 findings, 0 warnings)');
  expect(lastLine(await reportOf(warned))).toBe('outcome: conformant (1 records, 0 findings, 1 warnings)');
  expect(lastLine(await reportOf(warned, { strict: true }))).toBe(
    'outcome: nonconformant (1 records, 0 findings, 1 warnings)',
  );
  expect(lastLine(await reportOf(bad))).toBe('outcome: nonconformant (5 records, 2 findings, 1 warnings)');
});

test('empty list is a conformant, empty schedule', async () => {
  const text = renderText(await reportOf([]), { color: false });
  expect(text).toContain('The schedule is empty');
  expect(text.split('\n').at(-1)).toBe('outcome: conformant (0 records, 0 findings, 0 warnings)');
});

test('feed above the limit is incomplete, or nonconformant if what was read is wrong', async () => {
  const records = [good, later(1), later(2)];
  // One record and most of the next: the limit is within a chunk that ends behind that one.
  const length = JSON.stringify({ ods_data: [good] }, null, 1).length;
  for (let bodyBytes = 2 * length - 150; bodyBytes < 2 * length - 30; bodyBytes++) {
    const { outcome, records: read, source: from, findings } = await reportOf(records, { bodyBytes });
    expect([outcome, read, from.bytes, findings]).toEqual(['incomplete', 1, bodyBytes, []]);
  }
  expect((await reportOf(bad, { bodyBytes: 2 * length })).outcome).toBe('nonconformant');
});

test('answer without a body is incomplete', async () => {
  const report = await reportOn(source(undefined, { kind: 'url', status: 204 }), contract, OPTIONS);
  expect([report.outcome, report.findings]).toEqual(['incomplete', []]);
  expect(report.unjudged).toEqual(['The answer 204 has no body, so there is no feed to judge.']);
});

test('feed is judged for the given time, or for when it was served', async () => {
  const served = { servedMs: NOW + 3_600_000 };
  expect(await reportOf([good], {}, served)).toMatchObject({ outcome: 'conformant', timeFrom: 'option' });
  const report = await reportOf([good], { atMs: undefined }, served);
  expect(report).toMatchObject({
    outcome: 'nonconformant',
    timeFrom: 'date-header',
    judgedFor: '2030-01-01T01:00:00',
  });
});

test('report is valid by its schema', async () => {
  for (const report of [
    await reportOf([good]),
    await reportOf([]),
    await reportOf(bad),
    await reportOf([but({ slew_sec: 1 }), 7]),
  ]) {
    isReport(JSON.parse(JSON.stringify(report)));
    expect(isReport.errors ?? []).toEqual([]);
  }
  expect(isReport({ ...(await reportOf(bad)), secret: 1 })).toBe(false);
});

test('a finding says what it means for clients, and a warning does not', async () => {
  const { findings } = await reportOf(bad);
  expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([
    ['digit-string', 'breaks-clients'],
    ['range', 'wrong-data'],
    ['unknown-field', undefined],
  ]);
});

test('a sentence that ends with a question has no second mark', async () => {
  const report = await reportOf([but({ freq_lower_hz: 1.4, freq_upper_hz: 1.5 })]);
  const troubles = modelOf(report).items.list.map(({ trouble = '' }) => trouble);
  expect(troubles.filter((trouble) => trouble.includes('?'))).toEqual([
    expect.stringMatching(/is this in gigahertz\?$/),
  ]);
});

test('terminal text shows a rule with its first three places and what to do', async () => {
  expect(renderText(await reportOf(bad), { color: false })).toContain(`
✗ range FAILED, wrong data: Each value is within the bounds that the schema
  declares.
  · /ods_data/1/slew_sec, line 24: slew_sec is -1, below 0 (1 of 4)
  · /ods_data/2/slew_sec, line 44: slew_sec is -1, below 0 (2 of 4)
  · /ods_data/3/slew_sec, line 64: slew_sec is -1, below 0 (3 of 4)
  · 1 more place
  → Correct the value; a common cause is a unit other than the one in the name
    of the field.

! unknown-field warned: `);
});

test('rule is explained in 80 columns, with its source', () => {
  for (const rule of RULES) {
    const [source = '', ...others] = renderRule(rule).split('\n').reverse();
    expect(source).toBe(`  Source: ${rule.source}`);
    for (const line of others) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  }
});

test('SARIF locates each place by line and pointer, in a file by its encoded name', async () => {
  const [{ results, tool }] = JSON.parse(renderSarif(modelOf(await reportOf(bad)))).runs;
  expect(results.map(({ level }: { level: string }) => level)).toEqual([
    ...Array(4).fill('error'),
    'warning',
  ]);
  expect(results[1]).toMatchObject({
    ruleId: 'range',
    message: { text: 'slew_sec is -1, below 0 (1 of 4)' },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: 'feed.json' }, region: { startLine: 24 } },
        logicalLocations: [{ fullyQualifiedName: '/ods_data/1/slew_sec' }],
      },
    ],
  });
  for (const { helpUri } of tool.driver.rules) expect(helpUri).toMatch(/^[!-~]+$/);
  for (const name of ['with space/a%:b?.json', '\ud800']) {
    const [run] = JSON.parse(renderSarif(modelOf(await reportOf([7], {}, { name })))).runs;
    expect(run.results[0].locations[0].physicalLocation.artifactLocation.uri).toMatch(/^[!-~]+$/);
  }
});

test('incomplete feed is skipped in JUnit and an error in SARIF, never a pass', async () => {
  const model = modelOf(await reportOn(source(undefined, { kind: 'url', status: 204 }), contract, OPTIONS));
  expect(renderJunit(model)).toContain('<skipped message="could not run: The answer 204 has no body');
  const [{ invocations }] = JSON.parse(renderSarif(model)).runs;
  expect(invocations[0]).toMatchObject({ executionSuccessful: false, exitCode: 3 });
  expect(renderPage(model)).toContain('The answer 204 has no body');
});
