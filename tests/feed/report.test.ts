import { expect, test } from 'vitest';
import { good, later, NOW } from './testing/sample-feed.ts';
import { bad, reportOf, SAMPLES, source } from './testing/sample-reports.ts';

test('feed above the limit is incomplete, or nonconformant if what was read is wrong', async () => {
  const records = [good, later(1), later(2)];
  // One record and most of the next: the limit is within a chunk that ends after that one.
  const length = JSON.stringify({ ods_data: [good] }, null, 1).length;
  for (let bodyBytes = 2 * length - 150; bodyBytes < 2 * length - 30; bodyBytes += 7) {
    const { outcome, tally, facts, items } = await reportOf(records, { bodyBytes });
    expect([outcome, tally]).toEqual(['incomplete', '1 record, 0 findings, 0 warnings']);
    expect(facts).toContainEqual({ name: 'Size', text: `${bodyBytes} bytes` });
    expect(items.map(({ id, verdict }) => [id, verdict])).toEqual([['feed-complete', 'could-not-run']]);
  }
  expect((await reportOf(bad, { bodyBytes: 2 * length })).outcome).toBe('nonconformant');
});

test('a feed that is JSON only up to a byte is not said to be read as a whole', async () => {
  const body = `{"ods_data":[${JSON.stringify(good)},{"site_`;
  const report = await reportOf(undefined, {}, source(body));
  expect(report.outcome).toBe('nonconformant');
  expect(report.items.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['not-json', 'failed'],
    ['feed-complete', 'could-not-run'],
  ]);
  expect(report.items[1]?.reason).toBe(
    `Nothing from byte ${body.length} on was judged, since it is not JSON.`,
  );
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

test('each place has its line and pointer, in a file by its encoded name', async () => {
  expect(SAMPLES.broken.items[1]?.findings[0]?.location).toMatchObject({
    ...{ uri: 'feed.json', line: 24, pointer: '/ods_data/1/slew_sec' },
  });
  for (const name of ['with space/a%:b?.json', '\ud800'])
    expect((await reportOf([7], {}, { name })).items[0]?.findings[0]?.location?.uri).toMatch(/^[!-~]+$/);
});
