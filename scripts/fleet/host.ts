/** The host that an entry is sent to: it has one budget of requests, however many deployments it serves. */
import { isUrl } from '../../tests/feed/feed-url.ts';
import type { Entry } from '../../tests/fleet/inventory.ts';
import { isLoopback } from '../../tests/support/loopback.ts';

/** Undefined for a file. On this machine, which has no budget, each port is a host of its own. */
export function hostOf({ baseUrl, feed = '' }: Pick<Entry, 'baseUrl' | 'feed'>): string | undefined {
  const address = baseUrl ?? feed;
  if (!isUrl(address) || !URL.canParse(address)) return undefined;
  const { hostname, host } = new URL(address);
  return isLoopback(address) ? host : hostname;
}
