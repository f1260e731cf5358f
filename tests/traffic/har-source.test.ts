import { expect, _baseTest as test } from '@playwright/test';
import { exchangeOf } from './har-entry.ts';
import { entryOf, reads } from './testing/har.ts';

interface Made {
  request: object;
  response: { headers: object[] };
}

/** A read with other members in its entry and its response. */
const exchangeWith = (more: object, response: object = {}) => {
  const entry = entryOf(reads(1, 1, { more })) as Made;
  return exchangeOf({ ...entry, response: { ...entry.response, ...response } }, 1, 'a.har');
};

for (const [what, more, response] of [
  ['Chromium read from its disk', { _fromCache: 'disk' }, {}],
  ['a browser marks in its response', {}, { fromDiskCache: true }],
  ['Safari read from its memory', { _fetchType: 'Memory Cache' }, {}],
  ['Safari had from a service worker', { _fetchType: 'Service Worker' }, {}],
  ['Chromium had from a service worker', {}, { _fetchedViaServiceWorker: true }],
  ['Firefox had in its cache', { cache: { afterRequest: null } }, { bodySize: 0 }],
  ['a route of Playwright answered', { _wasFulfilled: true }, {}],
  ['a route of Playwright stopped', { _wasAborted: true }, { status: -1 }],
  ['a browser redirected within itself', {}, { status: 307, statusText: 'Internal Redirect' }],
  [
    'a browser redirected by HSTS',
    {},
    { status: 307, headers: [{ name: 'Non-Authoritative-Reason', value: 'HSTS' }] },
  ],
  ['an extension blocked', {}, { status: 0, _error: 'net::ERR_BLOCKED_BY_CLIENT' }],
] as const)
  test(`what ${what} is not an exchange with the service`, () => {
    expect(exchangeWith(more, response)).toBeUndefined();
  });

for (const [what, more, response] of [
  [
    'says that no cache was used',
    { _fromCache: null },
    { fromDiskCache: false, _fetchedViaServiceWorker: false },
  ],
  ['of Safari came over the network', { _fetchType: 'Network Load' }, {}],
  ['has notes on a cache, and a body that was received', { cache: { afterRequest: {} } }, { bodySize: 20 }],
  ['was redirected by the service', {}, { status: 307, statusText: 'Temporary Redirect' }],
] as const)
  test(`an entry that ${what} is an exchange with the service`, () => {
    expect(exchangeWith(more, response)?.path).toBe('/api/ods_data/');
  });
