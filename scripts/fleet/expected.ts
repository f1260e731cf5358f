/** What a report on a fleet shows of an entry, with or without a run. */
import type { Entry } from '../../tests/fleet/inventory.ts';
import type { ExpectedDeployment } from '../../tests/fleet/records.ts';

/** `shard` counts from 1. Of a URL, only what precedes its query: it may hold a key. */
export function expectedOf(
  { name, baseUrl, feed = '', labels = [], contact }: Entry,
  shard?: number,
): ExpectedDeployment {
  return {
    name,
    kind: baseUrl === undefined ? 'feed' : 'service',
    address: (baseUrl ?? feed).replace(/[?#].*$/s, ''),
    labels,
    ...(contact !== undefined && { contact }),
    ...(shard !== undefined && { shard }),
  };
}
