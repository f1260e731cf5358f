/** What two reads of one feed show that neither shows by itself. */

import type { FeedVerdict, Finding } from './findings.ts';

/** The findings of `stale` and `unstable-order`, at most one of each. */
export function compareFeeds(first: FeedVerdict, second: FeedVerdict): Finding[] {
  const findings: Finding[] = [];
  const { lastEnded } = second;
  if (lastEnded && lastEnded.endMs >= first.nowMs) {
    const seen = `ended ${lastEnded.seen}, between the two reads, and is still in the feed`;
    findings.push({ rule: 'stale', class: 'D', count: 1, places: [{ pointer: lastEnded.pointer, seen }] });
  }
  if (first.setDigest === second.setDigest && first.digest !== second.digest) {
    const seen = `the same ${second.records} records in another order`;
    findings.push({ rule: 'unstable-order', class: 'H', count: 1, places: [{ pointer: '', seen }] });
  }
  return findings;
}
