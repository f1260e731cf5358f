/** `mrs feed`: what it reads, prints and writes, and its exit codes. */
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { test as base, expect } from 'vitest';
import { good } from '../../tests/feed/testing/sample-feed.ts';
import { type Left, leftIn, mrs, newFolder, run, startMrs } from './testing/mrs.ts';

const GOOD = JSON.stringify({ ods_data: [good] });
const AT = ['--at', '2030-01-01'];

const feed = (args: readonly string[], cwd = newFolder()): Promise<Left> => run(['feed', ...args], { cwd });

/** The command on a file with this feed. */
function feedOf(text: string, ...args: string[]): Promise<Left> {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'feed.json'), text);
  return feed(['feed.json', ...args], cwd);
}

const test = base.extend<{ serve: (answer: RequestListener) => Promise<string> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from this pattern.
  serve: async ({}, use) => {
    const servers: ReturnType<typeof createServer>[] = [];
    await use(async (answer) => {
      const server = createServer(answer);
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ods.json`;
    });
    for (const server of servers) server.close().closeAllConnections();
  },
});

const EXTRA = JSON.stringify({ ods_data: [{ ...good, extra: 1 }] });
for (const [what, text, args, code, tally] of [
  ['keeps every rule', GOOD, AT, 0, 'conformant (1 record, 0 findings, 0 warnings)'],
  ['has a warning', EXTRA, AT, 0, 'conformant (1 record, 0 findings, 1 warning)'],
  ['has a warning under --strict', EXTRA, [...AT, '--strict'], 1, 'nonconformant (1 record, 0 findings, 1 w'],
  ['is of the past', GOOD, ['--at', '2031-01-01T00:00:00Z'], 1, 'nonconformant (1 record, 1 finding'],
] as const)
  test(`a feed that ${what} ends with ${code}`, async () => {
    const ended = await feedOf(text, ...args);
    expect([ended.code, ended.lastLine]).toEqual([code, expect.stringContaining(`outcome: ${tally}`)]);
  });

test('standard input is read, and nothing at all is not an empty schedule', async () => {
  const given = (input: string) => mrs(['feed', '-'], { cwd: newFolder(), input });
  expect((await given('{"ods_data": []}')).code).toBe(0);
  const { code, stdout, stderr } = await given('');
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(
    'Standard input is not a feed: it is empty. A failed fetch is not an empty schedule',
  );
});

/** What is fetched in place of a feed, and what it looks like. */
const STRANGERS: readonly [what: string, body: string | Buffer, looks: string][] = [
  ['the body of a 401', '{"detail": "Not authenticated"}', 'it has no member "ods_data"; it has "detail"'],
  ['a login page', '\n<!DOCTYPE html><form action="/login">', 'it is an HTML page'],
  ['a page with records in it', `<html><script>${GOOD}</script>`, 'it is an HTML page'],
  ['a line of a log', '[2030-01-01 00:00:00] error', 'it begins with "[2030-01-01 00:00:00] error"'],
  [
    'an OpenAPI document with a record as example',
    JSON.stringify({ openapi: '3.1.0', paths: {}, components: { examples: { one: { value: good } } } }),
    'it has "openapi", "paths", "components"',
  ],
  ['a compressed feed', gzipSync(GOOD), 'it is compressed with gzip: decompress it first'],
];
for (const [nth, [what, body, looks]] of STRANGERS.entries())
  test(`${what} is not a feed`, async ({ serve }) => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'feed.json'), body);
    const url = await serve((_, response) => response.writeHead(200).end(body));
    const where = nth % 2 === 0 ? 'feed.json' : url;
    const { code, stdout, stderr, files } = await feed([where], cwd);
    expect([code, stdout, Object.keys(files)]).toEqual([2, '', ['feed.json']]);
    expect(stderr).toContain(`${where} is not a feed: ${looks.startsWith('it has "') ? '' : looks}`);
    expect(stderr).toContain(`${looks}. A failed fetch is not an empty schedule`);
  });

test('a URL is read without credentials, decoded, and judged for the time of its Date', async ({ serve }) => {
  const headers: unknown[] = [];
  const url = await serve((request, response) => {
    headers.push(request.headers.authorization, request.headers.cookie, request.url);
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      date: 'Tue, 01 Jan 2030 00:00:00 GMT',
    });
    response.end(gzipSync(GOOD));
  });
  const { code, stdout } = await feed([`${url}?key=hunter2`, '--format', 'json']);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    outcome: 'conformant',
    subject: { text: `${url}?…` },
    facts: expect.arrayContaining([
      { name: 'Size', text: `${GOOD.length} bytes` },
      { name: 'Judged for', text: '2030-01-01T00:00:00 UTC, when it was served' },
    ]),
  });
  expect(stdout).not.toContain('hunter2');
  expect(headers).toEqual([undefined, undefined, '/ods.json?key=hunter2']);
});

/** In a query as it is written, with what it decodes to. */
const KEYS = [
  ['key=Key9911aaBBzz77', 'Key9911aaBBzz77'],
  ['as=nonconformant-digit-string&key=Key9911aaBBzz77', 'Key9911aaBBzz77'],
] as const;
for (const [at, [query, key]] of KEYS.entries())
  test(`the key in ?${query} is in no output`, async ({ serve }) => {
    const written = query.slice(query.lastIndexOf('=') + 1);
    const shown = [
      { ...good, version: key },
      { ...good, version: written, [key]: 1 },
    ];
    const url = await serve((_, response) => {
      const headers = { 'content-type': 'application/json', date: 'Tue, 01 Jan 2030 00:00:00 GMT' };
      response.writeHead(200, headers).end(JSON.stringify({ ods_data: shown }));
    });
    const where = `${url}?${query}`;
    const cwd = newFolder();
    const ended = await (at % 2 === 0
      ? run(['feed', where], { cwd })
      : run(['feed'], { cwd, env: { MRS_FEED: where } }));
    expect([ended.code, ended.stderr]).toEqual([1, '']);
    const all = JSON.stringify([ended.stdout, ended.files]);
    expect(all).toContain('key of the URL');
    for (const one of [key, written, key.replaceAll('/', '~1')]) expect(all).not.toContain(one);
  });

test('the key of MRS_FEED is in no message of an error', async ({ serve }) => {
  const url = await serve((_, response) => response.writeHead(302, { location: '/Key9911aaBBzz77' }).end());
  const { code, stderr } = await run(['feed'], {
    ...{ cwd: newFolder(), env: { MRS_FEED: `${url}?key=Key9911aaBBzz77` } },
  });
  expect([code, stderr]).toEqual([2, expect.stringContaining('/‹key of the URL›: give that address')]);
});

const MOVED = 'https://user:hunter2@example.org/moved?token=hunter2';
/** Answers of a server, and what is made of them: the exit code, and what is printed. */
const ANSWERS: readonly [what: string, answer: RequestListener, code: number, says: string][] = [
  [
    'an answer 503',
    (_, response) => response.writeHead(503).end('{"ods_data": []}'),
    ...([2, 'answered 503. A failed fetch is not an empty'] as const),
  ],
  [
    'a redirect, which is not followed,',
    (_, response) => response.writeHead(302, { location: MOVED }).end(),
    ...([2, 'answered 302 and points to https://example.org/moved: give that address'] as const),
  ],
  [
    'an answer 204',
    (_, response) => response.writeHead(204).end(),
    ...([3, '\noutcome: incomplete (0 records, 0 findings, 0 warnings)'] as const),
  ],
  [
    'a body that unpacks to more than the limit',
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
      response.end(gzipSync(`{"ods_data": [${' '.repeat(5 * 1024 * 1024)}]}`));
    },
    ...([3, 'larger than 1 MiB. Raise --body-limit.'] as const),
  ],
  [
    'an answer that ends too early',
    (_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"ods_data": [', () => response.destroy());
    },
    ...([2, 'A failed fetch is not an empty schedule'] as const),
  ],
];

for (const [what, answer, code, says] of ANSWERS)
  test(`${what} ends with ${code}`, async ({ serve }) => {
    let requests = 0;
    const url = await serve((request, response) => {
      requests++;
      answer(request, response);
    });
    const ended = await feed([url, '--body-limit', '1']);
    expect([ended.code, requests]).toEqual([code, 1]);
    expect(code === 2 ? ended.stderr : ended.stdout).toContain(says);
    expect(code === 2 ? ended.stdout : ended.stderr).toBe('');
    expect(ended.stderr).not.toContain('hunter2');
  });

const TYPED = { 'content-type': 'application/json' };

test('a body that does not end in time is incomplete', async ({ serve }) => {
  const url = await serve((_, response) => void response.writeHead(200, TYPED).write(GOOD.slice(0, -2)));
  const { code, report } = await feed([url, ...AT, '--timeout', '2s']);
  expect([code, report?.outcome]).toEqual([3, 'incomplete']);
  expect(report?.items.at(-1)?.reason).toMatch(
    /^Ended by --timeout after \d+ s: the feed was not read to its end, and not judged\.$/,
  );
});

test('a feed that is interrupted before it answers leaves a report that says so', async ({ serve }) => {
  const cwd = newFolder();
  let end = () => {};
  const url = await serve(() => end());
  const { child, ended } = startMrs(['feed', url], { cwd });
  end = () => void child.kill('SIGTERM');
  const { code, report } = leftIn(cwd, await ended);
  expect([code, report?.items.length]).toEqual([3, 1]);
  expect(report?.items[0]?.reason).toMatch(/^Interrupted after /);
});

const REPORTS = [...['junit.xml', 'report.html', 'report.json', 'summary.md']];

test('reports are in reports/feed, and are gone where a later feed cannot be opened', async () => {
  const cwd = newFolder();
  writeFileSync(join(cwd, 'feed.json'), GOOD);
  const first = await feed(['feed.json', ...AT], cwd);
  expect(first.stdout).toMatch(/\nreport: reports\/feed\/report\.html\noutcome: conformant \(.*\)\n$/);
  expect((await feed(['feed.json', ...AT, '--quiet'], cwd)).stdout).toMatch(
    /^report: reports\/feed\/report\.html\noutcome: .*\n$/,
  );
  rmSync(join(cwd, 'feed.json'));
  const { code, files } = await feed(['feed.json'], cwd);
  expect([code, Object.keys(files)]).toEqual([2, []]);
  const { files: mine } = await feedOf(GOOD, ...AT, '--report-dir', 'mine');
  expect(Object.keys(mine)).toEqual(['feed.json', ...REPORTS.map((name) => `mine/${name}`)]);
});

test('what a terminal would obey is escaped in JSON, too', async () => {
  const versions = ['\u009b31m\u202e\u2028', 'x'];
  const evil = JSON.stringify({ ods_data: versions.map((version) => ({ ...good, version })) });
  const { stdout } = await feedOf(evil, ...AT, '--format', 'json');
  expect(stdout).not.toMatch(/[\x7f-\x9f\u202e\u2028]/);
  const version = JSON.parse(stdout).items.find(({ id }: { id: string }) => id === 'one-version');
  expect(version?.findings[0]?.seen).toContain('\u009b31m\u202e\u2028');
});
