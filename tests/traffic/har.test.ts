import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { UsageError } from '../support/usage-error.ts';
import type { RecordedExchange } from './exchange.ts';
import { exchangeOf, readHar, spanOf } from './har.ts';
import { BASE_URL, entryOf, harOf, RECORDS, reads } from './testing/har.ts';

function read(text: string | Buffer) {
  const list: unknown[] = [];
  const file = readHar(Buffer.from(text), 'a.har', (entry, number) => list.push([number, entry]));
  return { ...file, list };
}

const ENTRIES: object[] = [{ a: 'one, "two" ]}' }, { b: ['é', { c: null }] }, []];
const NUMBERED = ENTRIES.map((entry, at) => [at + 1, entry]);

test('other members of the log may be anywhere, and a byte order mark is skipped', () => {
  const log = {
    pages: [{ id: 'p' }],
    entries: ENTRIES,
    comment: 'x',
    creator: { name: 'late' },
    __proto__: {},
  };
  const text = `\ufeff ${JSON.stringify({ before: { log: {} }, log, after: [1] })} \n`;
  expect(read(text)).toEqual({ creator: 'late', entries: 3, list: NUMBERED });
});

const whole = harOf(ENTRIES);
for (const [what, text, message] of [
  ['an empty file', '', 'it is empty. Export'],
  ['a list', '[]', 'a.har is not a HAR file: it has no list log.entries.'],
  ['an object without a log', '{"entries":[]}', 'its first list "entries" is not log.entries. Export'],
  [
    'a log without entries',
    '{"log":{"version":"1.2"}}',
    'a.har is not a HAR file: it has no list log.entries. Export',
  ],
  [
    'entries that are not a list',
    '{"log":{"entries":{}}}',
    'a.har is not a HAR file: it has no list log.entries. Export',
  ],
  ['a file that is cut off within an entry', whole.slice(0, -30), 'it is cut off'],
  ['a file that is cut off after the entries', whole.slice(0, -1), 'it is not JSON'],
  ['an entry that is not JSON', '{"log":{"entries":[{"a":tru}]}}', 'it is not JSON (byte 19, after entry 0)'],
  ['entries without a comma', '{"log":{"entries":[{} {}]}}', 'it is not JSON (byte 19, after entry 0)'],
  ['text after the end', `${whole}{}`, 'it is not JSON'],
  [
    'entries of something before the log',
    '{"a":{"entries":[{}]},"log":{"entries":[{}]}}',
    'its first list "entries" is not log.entries. Export',
  ],
  [
    'entries of something else than the log',
    '{"log":{"pages":[{"entries":[]}]}}',
    'its first list "entries" is not log.entries. Export',
  ],
] as const)
  test(`${what} is refused with what is wrong`, () => {
    const reading = () => read(text);
    expect(reading).toThrow(UsageError);
    expect(reading).toThrow(`a.har is not a HAR file: `);
    expect(reading).toThrow(message);
  });

const utf16 = Buffer.from(whole, 'utf16le');
for (const [what, bytes, named] of [
  ['a zip archive', Buffer.from('PK\x03\x04\x14'), 'a zip archive. Unpack it'],
  ['gzip', gzipSync(whole), 'compressed by gzip. Unpack it'],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 4]), 'compressed. Unpack it'],
  ['UTF-16', utf16, 'text in UTF-16. Save it as UTF-8'],
  ['UTF-16 of another order', Buffer.from(utf16).swap16(), 'text in UTF-16'],
  ['pcapng', Buffer.from('0a0d0d0a1c', 'hex'), 'a capture of network packets. Export'],
  ['flows', Buffer.from('4092:9:websocket;0:~,'), 'a file of flows of mitmproxy. Export'],
] as const)
  test(`a file of ${what} is refused with what it is`, () => {
    expect(() => read(bytes)).toThrow(`a.har is not a HAR file: it is ${named}`);
  });

test('an entry that is larger than the limit is refused', () => {
  const large = Buffer.concat([
    Buffer.from('{"log":{"entries":[{},{"a":"'),
    Buffer.alloc(65 * 1024 * 1024, 'x'),
    Buffer.from('"}]}}'),
  ]);
  expect(() => read(large)).toThrow(
    'the value after entry 1 is larger than 64 MiB. Remove the bodies of other',
  );
});

const exchangeIn = (entry: unknown) => exchangeOf(entry, 3) as RecordedExchange | undefined;
test('members of prototypes are not taken for those of an entry', () => {
  const text = JSON.stringify(entryOf(reads(1, 1, { body: RECORDS }))).replace(
    '{',
    '{"__proto__":{"_fromCache":"disk"},"constructor":{"prototype":{"x":1}},',
  );
  expect(exchangeIn(JSON.parse(text))?.origin).toBe(new URL(BASE_URL).origin);
  expect(({} as { x?: number }).x).toBeUndefined();
});

/** By an entry and its response: whether it is an exchange with the service. */
for (const [what, isOne, more, answer] of [
  ['what Chromium read from its disk', false, { _fromCache: 'disk' }, {}],
  ['what a browser marks in its response', false, {}, { fromDiskCache: true }],
  ['what Safari read from its memory', false, { _fetchType: 'Memory Cache' }, {}],
  ['what Safari had from a service worker', false, { _fetchType: 'Service Worker' }, {}],
  ['what Chromium had from a service worker', false, {}, { _fetchedViaServiceWorker: true }],
  ['what Firefox had in its cache', false, { cache: { afterRequest: null } }, { bodySize: 0 }],
  ['what a route of Playwright answered', false, { _wasFulfilled: true }, {}],
  ['what a route of Playwright stopped', false, { _wasAborted: true }, { status: -1 }],
  ['a redirect within a browser', false, {}, { status: 307, statusText: 'Internal Redirect' }],
  [
    'a redirect by HSTS',
    false,
    {},
    { status: 307, headers: [{ name: 'Non-Authoritative-Reason', value: '' }] },
  ],
  ['what an extension blocked', false, {}, { status: 0, _error: 'net::ERR_BLOCKED_BY_CLIENT' }],
  [
    'one without a cache',
    true,
    { _fromCache: null },
    { fromDiskCache: false, _fetchedViaServiceWorker: false },
  ],
  ['one of Safari over the network', true, { _fetchType: 'Network Load' }, {}],
  ['one with notes on a cache, and a body', true, { cache: { afterRequest: {} } }, { bodySize: 20 }],
  ['a redirect by the service', true, {}, { status: 307, statusText: 'Temporary Redirect' }],
] as const)
  test(`${what} is ${isOne ? 'an' : 'no'} exchange with the service`, () => {
    const entry = entryOf(reads(1, 1, { more }));
    const exchange = exchangeIn({ ...entry, response: { ...entry.response, ...answer } });
    expect(exchange?.path).toBe(isOne ? '/api/ods_data/' : undefined);
  });

const AT = Date.parse('2030-01-31T12:00:00.250Z');

for (const [startedDateTime, sentMs] of [
  ['2030-01-31T12:00:00.250Z', AT],
  ['2030-01-31T13:00:00.2500000+01:00', AT],
  ...[undefined, null, '', 'Invalid date', '1970-01-01T00:00:00Z', AT, -1, {}].map(
    (one) => [one, Number.NaN] as const,
  ),
] as const)
  test(`a begin as ${JSON.stringify(startedDateTime)} is ${sentMs === AT ? 'read' : 'not known'}`, () => {
    expect(spanOf({ startedDateTime, time: 20 })).toEqual({ sentMs, answeredMs: sentMs + 20 });
  });

test('a begin without a time zone is UTC, wherever the file is judged', () => {
  const zone = process.env.TZ;
  process.env.TZ = 'America/New_York';
  const { sentMs } = spanOf({ startedDateTime: '2030-01-31T12:00:00.25' });
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
  expect(sentMs).toBe(AT);
});

for (const [what, more, took] of [
  ['a string', { time: '12.5' }, 12.5],
  ['-1, with phases', { time: -1, timings: { blocked: -1, connect: 3, ssl: 2, wait: 18, receive: 1 } }, 22],
] as const)
  test(`how long it took is read from ${what}`, () => {
    const { sentMs, answeredMs } = spanOf({ startedDateTime: '2030-01-31T12:00:00.250Z', ...more });
    expect(answeredMs - sentMs).toBe(took);
  });
