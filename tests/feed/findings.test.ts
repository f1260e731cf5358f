import { expect, test } from 'vitest';
import { compareFeeds, RULES } from './findings.ts';
import { but, contract, good, judgeBody, later, NOW, summaryOf } from './testing/sample-feed.ts';

const END = Date.parse('2030-01-01T00:13:57Z');
const read = (nowMs: number, ...records: unknown[]) => judgeBody({ ods_data: records }, contract, nowMs);

test('a record that ended between two reads and is still in the feed is stale', () => {
  const findings = compareFeeds(read(NOW, good, later(1)), read(END + 61_000, good, later(1)));
  expect(summaryOf(findings)).toEqual(['stale D 1 /ods_data/0/src_end_utc']);
  expect(findings[0]?.places[0]?.seen).toContain('ended 2030-01-01T00:13:57');
});

test('a record that is gone, still runs, had ended before, or ended within the minute is not stale', () => {
  expect(compareFeeds(read(NOW, good, later(1)), read(END + 61_000, later(1)))).toEqual([]);
  expect(compareFeeds(read(NOW, good), read(END - 1, good))).toEqual([]);
  expect(compareFeeds(read(END + 10_000, good), read(END + 71_000, good))).toEqual([]);
  expect(compareFeeds(read(NOW, good), read(END + 60_000, good))).toEqual([]);
});

test('the same records in another order are reported, different records are not', () => {
  const other = but({ site_id: 'elsewhere' });
  expect(summaryOf(compareFeeds(read(NOW, good, other), read(NOW, other, good)))).toEqual([
    'unstable-order H 1 ',
  ]);
  expect(compareFeeds(read(NOW, good, other), read(NOW, good, other))).toEqual([]);
  expect(compareFeeds(read(NOW, good, other), read(NOW, other, later(1)))).toEqual([]);
});

for (const rule of RULES)
  test(`${rule.id} explains itself in sentences and links to its source`, () => {
    expect(Object.keys(rule)).toEqual(['id', 'class', 'severity', 'statement', 'why', 'source', 'remedy']);
    expect('SDH').toContain(rule.class);
    expect(['security', 'breaks-clients', 'wrong-data', 'form']).toContain(rule.severity);
    expect(rule.source).toMatch(rule.class === 'H' ? /^(https:\/\/\S+|ours)$/ : /^https:\/\/\S+$/);
    for (const text of [rule.statement, rule.why, rule.remedy]) expect(text).toMatch(/^[A-Z0-9].*\.$/);
  });
