/** What a report on a fleet shows of an entry, with or without a run. */
import { isUrl } from '../../tests/feed/feed-url.ts';
import type { Entry } from '../../tests/fleet/inventory.ts';
import type { ExpectedDeployment } from '../../tests/fleet/records.ts';

/** `shard` counts from 1. */
export function expectedOf(entry: Entry, shard?: number): ExpectedDeployment {
  const { name, feed, labels = [], contact } = entry;
  return {
    name,
    kind: feed === undefined ? 'service' : 'feed',
    address: addressOf(entry),
    labels,
    ...(contact !== undefined && { contact }),
    ...(shard !== undefined && { shard }),
  };
}

/** Of a URL, only what precedes its query, without a user: the rest may be a secret. */
export function addressOf({ baseUrl, feed = '' }: Pick<Entry, 'baseUrl' | 'feed'>): string {
  if (baseUrl === undefined && !isUrl(feed)) return feed;
  const address = baseUrl ?? feed;
  if (!URL.canParse(address)) return 'an invalid URL';
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}
