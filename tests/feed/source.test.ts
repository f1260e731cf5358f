import { createServer, type OutgoingHttpHeaders } from 'node:http';
import { expect, test } from 'vitest';
import { listening } from '../support/testing/listening.ts';
import { readFeed, timesOf } from './source.ts';

const NOW = Date.UTC(2030, 0, 1, 12);
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toUTCString();

for (const [what, date, age, minutesAgo, isStale] of [
  ['now', ago(0), undefined, 0, false],
  ['by a clock that is slow by four minutes', ago(4), undefined, 4, false],
  ['by a clock that is fast', ago(-4), undefined, -4, false],
  ['by a cache that has had it for an hour', ago(60), '3600', 0, false],
  ['by a cache that counts an age into the future', ago(60), '9999999999', 0, false],
  ['by a cache without an age, an hour ago', ago(60), undefined, 60, true],
  ['400 days ago', ago(400 * 24 * 60), '12', 400 * 24 * 60 - 0.2, true],
  ['an hour ago, with an age that is no number', ago(60), 'old', 60, true],
] as const)
  test(`an answer that was served ${what} is ${isStale ? 'stale' : 'current'}`, () => {
    const { servedMs, staleMs } = timesOf(date, age, NOW);
    expect(servedMs).toBe(NOW - minutesAgo * 60_000);
    expect(staleMs).toBe(isStale ? minutesAgo * 60_000 : undefined);
  });

test('an answer without a Date has no time of its own', () => {
  expect(timesOf(undefined, '5', NOW)).toEqual({});
});

/** Opens what a server answers with. */
async function open(status: number, headers: OutgoingHttpHeaders) {
  const server = createServer((_, response) => response.writeHead(status, headers).end('{"ods_data":[]}'));
  await using running = await listening(server);
  const { signal } = new AbortController();
  return await readFeed(`${running.url}/ods.json`, { timeoutSeconds: 5, mostBytes: 1000, signal });
}

test('all Content-Type headers of an answer count', async () => {
  const types = (...sent: string[]) => open(200, { 'content-type': sent });
  expect(await types('application/json', 'text/html')).toMatchObject({
    contentType: 'application/json, text/html',
  });
  expect(await types('application/json', 'application/json')).toMatchObject({
    contentType: 'application/json',
  });
});

test('a redirect to what is no http address is not advised', async () => {
  await expect(open(302, { location: 'file:///etc/passwd' })).rejects.toThrow(
    /answered 302 and points to no http address\. mrs feed follows no redirects\.$/,
  );
});
