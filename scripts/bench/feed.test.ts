import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { judgeFeed as findingsIn } from '../../tests/feed/judge.ts';
import { contract } from '../../tests/feed/testing/sample-feed.ts';
import { FEED_STARTS_MS, type FeedResults, judgeFeed, writeFeed } from './feed.ts';

const MIB = 1024 * 1024;
const measured = (seconds: number, peakMib: number): FeedResults => {
  const turns = (one: number, peakBytes: number) => Array(3).fill({ records: 9, seconds: one, peakBytes });
  return { records: 9, bytes: 490 * MIB, judge: turns(seconds, peakMib * MIB), parse: turns(5, 900 * MIB) };
};

test('the feed that is measured keeps every rule', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mrs-bench-'));
  writeFeed(join(folder, 'feed.json'), 5000);
  const body = JSON.parse(readFileSync(join(folder, 'feed.json'), 'utf8'));
  rmSync(folder, { recursive: true });
  const { records, findings } = findingsIn(body, contract, { nowMs: FEED_STARTS_MS });
  expect([records, findings]).toEqual([5000, []]);
});

test('a goal that is just reached is met, and beyond it is missed', () => {
  const goalsOf = (results: FeedResults) => judgeFeed(results).text.split('\n').slice(-2);
  expect(goalsOf(measured(15, 512))).toEqual([
    '✓ met     speed ≥ 1/3 × JSON.parse             0.33',
    '✓ met     memory ≤ 512 MiB                     512 MiB',
  ]);
  expect(goalsOf(measured(15.1, 513)).map((line) => line.slice(0, 8))).toEqual(['✗ missed', '✗ missed']);
});
