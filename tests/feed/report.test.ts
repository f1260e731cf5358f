import { expect, test } from 'vitest';
import { good, later, NOW } from './testing/sample-feed.ts';
import { reportOf, SAMPLES, source } from './testing/sample-reports.ts';

test('feed above the limit is incomplete', async () => {
  const records = [good, later(1)];
  const { length } = JSON.stringify({ ods_data: records }, null, 1);
  const { outcome, tally, items } = await reportOf(records, { bodyBytes: length - 1 });
  expect([outcome, tally]).toEqual(['incomplete', '0 records, 0 findings, 0 warnings']);
  expect(items.map(({ id, verdict }) => [id, verdict])).toEqual([['feed-complete', 'could-not-run']]);
  expect((await reportOf(records, { bodyBytes: length })).outcome).toBe('conformant');
});

test('a feed that is JSON only up to a byte is not said to be read as a whole', async () => {
  const body = `{"ods_data":[${JSON.stringify(good)},{"site_`;
  const report = await reportOf(undefined, {}, source(body));
  expect(report.outcome).toBe('nonconformant');
  expect(report.items.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['not-json', 'failed'],
    ['feed-complete', 'could-not-run'],
  ]);
  expect(report.items[1]?.reason).toBe('No record was judged, since the body is not JSON.');
});

test('feed is judged for the given time, or for when it was served', async () => {
  const served = { servedMs: NOW + 3_600_000 };
  expect(await reportOf([good], {}, served)).toMatchObject({ outcome: 'conformant' });
  const report = await reportOf([good], { atMs: undefined }, served);
  expect(report).toMatchObject({
    outcome: 'nonconformant',
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

test('each place has its pointer and line', () => {
  expect(SAMPLES.broken.items[1]?.findings[0]?.where).toBe('/ods_data/1/slew_sec, line 34');
});
