import { expect, test } from 'vitest';
import { good, NOW } from './testing/sample-feed.ts';
import { reportOf, SAMPLES } from './testing/sample-reports.ts';

test('feed that was not read to its end is incomplete, and no record of it is judged', () => {
  const { outcome, tally, items } = reportOf([], {}, { body: 'The feed is too large.' });
  expect([outcome, tally]).toEqual(['incomplete', '0 records, 0 findings, 0 warnings']);
  expect(items).toMatchObject([
    { id: 'feed-complete', verdict: 'could-not-run', reason: 'The feed is too large.' },
  ]);
});

test('a feed that is JSON only up to a byte is not said to be read as a whole', () => {
  const report = reportOf([], {}, { body: Buffer.from(`{"ods_data":[${JSON.stringify(good)},{"site_`) });
  expect(report.outcome).toBe('nonconformant');
  expect(report.items.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['not-json', 'failed'],
    ['feed-complete', 'could-not-run'],
  ]);
  expect(report.items[1]?.reason).toBe('No record was judged, since the body is not JSON.');
});

test('feed is judged for the given time, or for when it was served', () => {
  const served = { servedMs: NOW + 3_600_000 };
  expect(reportOf([good], {}, served)).toMatchObject({ outcome: 'conformant' });
  const report = reportOf([good], { atMs: undefined }, served);
  expect(report).toMatchObject({
    outcome: 'nonconformant',
    facts: expect.arrayContaining([
      { name: 'Judged for', text: '2030-01-01T01:00:00 UTC, when it was served' },
    ]),
  });
});

test('old copy of a feed is incomplete, unless the moment is given', () => {
  const stale = { servedMs: NOW, staleMs: 7_200_000 };
  const report = reportOf([good], { atMs: undefined }, stale);
  expect(report).toMatchObject({ outcome: 'incomplete' });
  expect(report.items.at(-1)?.reason).toMatch(/^The answer was served at .*, 120 minutes before the clock/);
  expect(reportOf([good], {}, stale).outcome).toBe('conformant');
});

test('each place has its pointer and line', () => {
  expect(SAMPLES.broken.items[1]?.findings[0]?.where).toBe('/ods_data/1/slew_sec, line 34');
});
