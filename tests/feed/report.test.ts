import { expect, _baseTest as test } from '@playwright/test';
import { renderTerminal } from '../report/terminal.ts';
import { but, good, later, NOW } from './testing/sample-feed.ts';
import { bad, reportOf, SAMPLES } from './testing/sample-reports.ts';

for (const [what, records, strict, last] of [
  ['without findings is conformant', [good], false, 'conformant (1 record, 0 findings, 0 warnings)'],
  ['with a warning is, too', [but({ extra: 1 })], false, 'conformant (1 record, 0 findings, 1 warning)'],
  ['is not if strict', [but({ extra: 1 })], true, 'nonconformant (1 record, 0 findings, 1 warning)'],
  ['with findings is not', bad, false, 'nonconformant (5 records, 2 findings, 1 warning)'],
  ['without records is conformant', [], false, 'conformant (0 records, 0 findings, 0 warnings)'],
] as const)
  test(`feed ${what}`, async () => {
    const text = renderTerminal(await reportOf([...records], { strict }), { color: false });
    expect(text.split('\n').at(-1)).toBe(`outcome: ${last}`);
    expect(text.includes('The schedule is empty')).toBe(records.length === 0);
  });

test('feed above the limit is incomplete, or nonconformant if what was read is wrong', async () => {
  const records = [good, later(1), later(2)];
  // One record and most of the next: the limit is within a chunk that ends behind that one.
  const length = JSON.stringify({ ods_data: [good] }, null, 1).length;
  for (let bodyBytes = 2 * length - 150; bodyBytes < 2 * length - 30; bodyBytes++) {
    const { outcome, properties, items } = await reportOf(records, { bodyBytes });
    expect([outcome, properties.records, properties.bytes]).toEqual(['incomplete', '1', String(bodyBytes)]);
    expect(items.map(({ id, verdict }) => [id, verdict])).toEqual([['feed-complete', 'could-not-run']]);
  }
  expect((await reportOf(bad, { bodyBytes: 2 * length })).outcome).toBe('nonconformant');
});

test('answer without a body is incomplete, never a pass', () => {
  const reason = 'The answer 204 has no body, so there is no feed to judge.';
  expect(SAMPLES.incomplete).toMatchObject({
    outcome: 'incomplete',
    items: [{ id: 'feed-complete', reason }],
  });
});

test('feed is judged for the given time, or for when it was served', async () => {
  const served = { servedMs: NOW + 3_600_000 };
  expect(await reportOf([good], {}, served)).toMatchObject({ outcome: 'conformant' });
  const report = await reportOf([good], { atMs: undefined }, served);
  expect(report).toMatchObject({
    outcome: 'nonconformant',
    properties: { judgedFor: '2030-01-01T01:00:00' },
    facts: expect.arrayContaining([
      { name: 'Judged for', text: '2030-01-01T01:00:00 UTC, when it was served' },
    ]),
  });
});

test('old copy of a feed is incomplete, unless the moment is given', async () => {
  const stale = { servedMs: NOW, staleMs: 7_200_000 };
  const report = await reportOf([good], { atMs: undefined }, stale);
  expect(report).toMatchObject({ outcome: 'incomplete' });
  expect(report.items.at(-1)?.reason).toMatch(/^The answer was served at .*, 120 minutes before the clock/);
  expect((await reportOf([good], {}, stale)).outcome).toBe('conformant');
});

test('a finding says what it means for clients, and a warning does not', () => {
  expect(SAMPLES.broken.items.map(({ id, severity }) => [id, severity])).toEqual([
    ['digit-string', 'breaks-clients'],
    ['range', 'wrong-data'],
    ['unknown-field', undefined],
    ['feed-complete', undefined],
  ]);
});

test('each place has its line and pointer, in a file by its encoded name', async () => {
  expect(SAMPLES.broken.items[1]?.findings[0]?.location).toMatchObject({
    ...{ uri: 'feed.json', line: 24, pointer: '/ods_data/1/slew_sec' },
  });
  for (const name of ['with space/a%:b?.json', '\ud800'])
    expect((await reportOf([7], {}, { name })).items[0]?.findings[0]?.location?.uri).toMatch(/^[!-~]+$/);
});
