/** Entries of a HAR file that are not an exchange over the network: no service answered them. */
import { membersOf } from './har-members.ts';

/** Members by which browsers mark what they took from a cache, such as `_fromCache` and `fromDiskCache`. */
const FROM_CACHE = /^_?from\w*cache$/i;
/** Values of `_fetchType`, as Safari writes it. */
const NETWORK = 'Network Load';

/**
 * Whether an entry was answered from a cache, by a service worker or by the test that recorded it, was redirected within
 * the browser, or was not sent. What a service worker asked the network for has an entry of its own.
 */
export function isOfNetwork(entry: unknown): boolean {
  const { request, response, cache, _fetchType, _wasFulfilled, _wasAborted } = membersOf(entry);
  const answer = membersOf(response);
  if ([entry, request, answer].some(isFromCache) || isFromCacheOfFirefox(cache, answer)) return false;
  if (typeof _fetchType === 'string' && _fetchType !== NETWORK) return false;
  if (answer._fetchedViaServiceWorker === true) return false;
  // Playwright marks what a route has answered or stopped.
  if (_wasFulfilled === true || _wasAborted === true) return false;
  return !isInternalRedirect(answer) && !/BLOCKED_BY/.test(String(answer._error));
}

const isFromCache = (value: unknown): boolean =>
  Object.entries(membersOf(value)).some(([name, member]) => FROM_CACHE.test(name) && Boolean(member));

/** Firefox writes this member only for what came from its cache, and no body was received then. */
const isFromCacheOfFirefox = (cache: unknown, { bodySize }: Record<string, unknown>): boolean =>
  Object.hasOwn(membersOf(cache), 'afterRequest') && !(Number(bodySize) > 0);

/** From http to https without asking, since the host requires it (RFC 6797, 8.3). */
function isInternalRedirect({ status, statusText, headers }: Record<string, unknown>): boolean {
  if (Number(status) !== 307) return false;
  const names = (Array.isArray(headers) ? headers : []).map((header) => String(membersOf(header).name));
  return (
    /^internal redirect$/i.test(String(statusText)) ||
    names.some((name) => /^non-authoritative-reason$/i.test(name))
  );
}
