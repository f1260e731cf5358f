import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { judgeFeed } from '../../tests/feed/judge.ts';
import { contract } from '../../tests/feed/testing/sample-feed.ts';
import { type FeedResults, feedGoals, renderFeed } from './feed.ts';
import { FEED_STARTS_MS, writeFeed } from './feed-file.ts';

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
  const { records, findings } = judgeFeed(body, contract, { nowMs: FEED_STARTS_MS });
  expect([records, findings]).toEqual([5000, []]);
});

test('a goal that is just reached is met, and beyond it is missed', () => {
  expect(feedGoals(measured(15, 512)).met).toEqual([true, true]);
  expect(feedGoals(measured(15.1, 513)).met).toEqual([false, false]);
});

test('the goals are printed on separate lines', () => {
  expect(renderFeed(measured(10, 200)).split('\n').slice(-2)).toEqual([
    '✓ met     speed ≥ 1/3 × JSON.parse             0.50',
    '✓ met     memory ≤ 512 MiB                     200 MiB',
  ]);
  expect(renderFeed(measured(20, 600))).toContain('✗ missed  memory');
});
