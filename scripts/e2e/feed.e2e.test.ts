/** `mrs feed`: what it reads, prints and writes, and its exit codes. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { _baseTest as base, expect } from '@playwright/test';
import { good } from '../../tests/feed/testing/sample-feed.ts';
import type { Report } from '../../tests/report/report.ts';
import { type Ended, mrs, mrsHere } from './testing/mrs.ts';

const GOOD = JSON.stringify({ ods_data: [good] });
const AT = ['--at', '2030-01-01'];

/** In this process; in its own where it is given standard input. */
function feed(args: string[], input?: string): Promise<Ended> {
  const cwd = test.info().outputPath('here');
  mkdirSync(cwd, { recursive: true });
  return input === undefined ? mrsHere(['feed', ...args], { cwd }) : mrs(['feed', ...args], { cwd, input });
}

/** A file with this feed, for all that needs no standard input. */
function fileOf(text: string): string {
  const file = test.info().outputPath('feed.json');
  mkdirSync(test.info().outputDir, { recursive: true });
  writeFileSync(file, text);
  return file;
}

const lastLine = ({ stdout }: Ended) => stdout.trimEnd().split('\n').at(-1);

const test = base.extend<{ folder: string; serve: (answer: RequestListener) => Promise<string> }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'mrs-feed-'));
    await use(folder);
    rmSync(folder, { recursive: true });
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  serve: async ({}, use) => {
    const servers: ReturnType<typeof createServer>[] = [];
    await use(async (answer) => {
      const server = createServer(answer);
      servers.push(server);
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/ods.json`;
    });
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  },
});

test('a file that keeps every rule: 0; one that does not: 1; a warning under --strict: 1', async ({
  folder,
}) => {
  const file = join(folder, 'feed.json');
  writeFileSync(file, GOOD);
  const ended = await feed([file, ...AT]);
  expect([ended.code, lastLine(ended)]).toEqual([
    0,
    'outcome: conformant (1 record, 0 findings, 0 warnings)',
  ]);
  writeFileSync(file, JSON.stringify({ ods_data: [{ ...good, extra: 1 }] }));
  expect((await feed([file, ...AT])).code).toBe(0);
  expect((await feed([file, ...AT, '--strict'])).code).toBe(1);
  expect((await feed([file, '--at', '2031-01-01T00:00:00Z'])).code).toBe(1);
});

test('standard input is read; nothing at all is no empty schedule', async () => {
  const empty = await feed(['-'], '{"ods_data": []}');
  expect([empty.code, lastLine(empty)]).toEqual([
    0,
    'outcome: conformant (0 records, 0 findings, 0 warnings)',
  ]);
  expect((await feed(['-'], '')).code).toBe(1);
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
    subject: { text: `${url}?…` },
    properties: { records: '1', status: '200', bytes: String(GOOD.length), judgedFor: '2030-01-01T00:00:00' },
    facts: expect.arrayContaining([
      { name: 'Judged for', text: '2030-01-01T00:00:00 UTC, when it was served' },
    ]),
  });
  expect(stdout).not.toContain('hunter2');
  expect(headers).toEqual([undefined, undefined, '/ods.json?key=hunter2']);
});

for (const status of [403, 404, 500, 503])
  test(`an answer ${status} is no empty schedule: 2`, async ({ serve }) => {
    const url = await serve((_, response) => void response.writeHead(status).end('{"ods_data": []}'));
    const { code, stdout, stderr } = await feed([url]);
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringContaining(`answered ${status}. A failed fetch is not an empty`),
    ]);
  });

test('a redirect is not followed, and it is told where it leads', async ({ serve }) => {
  let requests = 0;
  const url = await serve((_, response) => {
    requests++;
    response.writeHead(302, { location: 'https://user:hunter2@example.org/moved?token=hunter2' }).end();
  });
  const { code, stderr } = await feed([url]);
  expect([code, requests]).toEqual([2, 1]);
  expect(stderr).toContain('answered 302 and points to https://example.org/moved: give that address');
  expect(stderr).not.toContain('hunter2');
});

test('an answer 204 is incomplete: 3', async ({ serve }) => {
  const url = await serve((_, response) => void response.writeHead(204).end());
  const ended = await feed([url]);
  expect([ended.code, lastLine(ended)]).toEqual([
    3,
    'outcome: incomplete (0 records, 0 findings, 0 warnings)',
  ]);
});

test('a body beyond the limit is incomplete, also one that unpacks to more: 3', async ({ serve }) => {
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
    response.end(gzipSync(`{"ods_data": [${' '.repeat(5 * 1024 * 1024)}]}`));
  });
  const ended = await feed([url, '--body-limit', '1']);
  expect([ended.code, ended.stdout]).toEqual([
    3,
    expect.stringContaining('larger than 1 MiB. Raise --body-limit.'),
  ]);
});

test('an answer that does not end in time, or ends too early, is an error: 2', async ({ serve }) => {
  const hanging = await serve((_, response) => void response.writeHead(200).write('{"ods_data": ['));
  const late = await feed([hanging, '--timeout', '300ms']);
  expect([late.code, late.stderr]).toEqual([
    2,
    expect.stringContaining('sent no complete response within 0.3 s'),
  ]);
  const breaking = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write('{"ods_data": [', () => response.destroy());
  });
  const early = await feed([breaking]);
  expect([early.code, early.stderr]).toEqual([
    2,
    expect.stringContaining('A failed fetch is not an empty schedule'),
  ]);
  const garbled = await serve(
    (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('{}'),
  );
  expect((await feed([garbled])).code).toBe(2);
});

for (const [what, args, sentence] of [
  ['a URL with a password', ['http://me:hunter2@127.0.0.1/x'], 'contains a user name or a password'],
  ['a URL that is none', ['http://hunter2 x/'], 'is not an http or https URL'],
  ['another scheme', ['ftp://hunter2/x'], 'is not an http or https URL'],
  ['a file that is not there', ['/nowhere/feed.json'], 'cannot be read (ENOENT)'],
  ['a folder', ['/'], 'cannot be read (EISDIR)'],
  ['nothing', [], 'Name a feed'],
  ['two feeds', ['a', 'b'], 'too many arguments'],
  ['another format', ['-', '--format', 'constructor'], '--format is "constructor"'],
  ['no date', ['-', '--at', 'noon'], '--at is "noon"'],
  ['no limit', ['-', '--body-limit', '0'], '--body-limit is "0"'],
  ['no profile', ['-', '--profile', 'ods-recrd'], 'There is no profile "ods-recrd"'],
  ['a profile without records', ['-', '--profile', 'specification'], 'does not describe records'],
  ['no rule', ['--explain', 'overlaps'], 'The nearest is "overlap"'],
] as const)
  test(`${what} is refused with a sentence: 2`, async () => {
    const { code, stdout, stderr } = await feed([...args]);
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(sentence)]);
    expect(stderr).not.toMatch(/hunter2|\n\s+at /);
  });

for (const [contentType, code] of [
  ['application/json', 0],
  ['text/html', 1],
  ['application/octet-stream', 1],
] as const)
  test(`good JSON that is served as ${contentType} exits with ${code}`, async ({ serve }) => {
    const url = await serve((_, response) => {
      response.writeHead(200, { 'content-type': contentType }).end(GOOD);
    });
    expect((await feed([url, ...AT])).code).toBe(code);
  });

test('a rule is explained', async () => {
  const { code, stdout } = await feed(['--explain', 'past']);
  expect([code, stdout]).toEqual([0, expect.stringContaining('No record ended more than 60 s before')]);
});

/** The reports that a run left where it was started. */
function reports(directory = 'reports/feed'): string[] {
  const path = test.info().outputPath('here', directory);
  return existsSync(path) ? readdirSync(path).sort() : [];
}
const ALL = [
  ...['junit.xml', 'report.html', 'report.json'],
  ...['report.sarif', 'report.schema.json', 'summary.md'],
];

test('the reports are in reports/feed, and the page is named before the outcome', async () => {
  const { stdout } = await feed([fileOf(GOOD), ...AT]);
  expect(reports()).toEqual(ALL);
  expect(stdout).toMatch(/\nreport: reports\/feed\/report\.html\noutcome: conformant \(.*\)\n$/);
  const { stdout: quiet } = await feed([fileOf(GOOD), ...AT, '--quiet']);
  expect(quiet).toMatch(/^report: reports\/feed\/report\.html\noutcome: .*\n$/);
});

test('a user who asks for one format gets no file, unless a directory is named', async () => {
  await feed([fileOf(GOOD), ...AT, '--format', 'json']);
  expect(reports()).toEqual([]);
  const { stdout } = await feed([fileOf(GOOD), ...AT, '--format', 'json', '--report-dir', 'mine']);
  expect(JSON.parse(stdout)).toMatchObject({ outcome: 'conformant' });
  expect([reports(), reports('mine')]).toEqual([[], ALL]);
});

test('a feed that cannot be opened leaves the earlier reports', async ({ folder }) => {
  await feed([fileOf(GOOD), ...AT]);
  const { code, stderr } = await feed([join(folder, 'mistyped.json')]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('mistyped.json cannot be read')]);
  expect(reports()).toEqual(ALL);
});

test('a feed to which a link leads is known by any of its paths, and kept', async ({ folder }) => {
  const [file, directory] = ['feed.json', 'reports'].map((name) => join(folder, name));
  writeFileSync(file ?? '', GOOD);
  mkdirSync(directory ?? '');
  symlinkSync(file ?? '', join(directory ?? '', 'report.json'));
  const replaced = await feed([file ?? '', ...AT, '--report-dir', directory ?? '']);
  expect([replaced.code, replaced.stderr]).toEqual([2, expect.stringContaining('would replace the feed')]);
  expect(readFileSync(file ?? '', 'utf8')).toBe(GOOD);
});

test('a feed that the reports would replace is refused, and kept', async ({ folder }) => {
  const file = join(folder, 'report.json');
  writeFileSync(file, GOOD);
  const { code, stderr } = await feed([file, ...AT, '--report-dir', folder]);
  expect([code, stderr]).toEqual([
    2,
    `The reports would replace the feed, ${file}. Name another directory by --report-dir.\n`,
  ]);
  expect(readFileSync(file, 'utf8')).toBe(GOOD);
});

test('where no report can be written, the feed is not read: 2', async ({ folder, serve }) => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  let requests = 0;
  const url = await serve((_, response) => {
    requests++;
    response.end(GOOD);
  });
  const { code, stderr } = await feed([url, '--report-dir', join(file, 'reports')]);
  expect([code, requests]).toEqual([2, 0]);
  expect(stderr).toMatch(
    /^No report can be written to ".*" \(ENOTDIR\)\. Name another directory by --report-dir\.\n$/,
  );
});

test('what a terminal would obey is escaped in JSON, too', async () => {
  const evil = JSON.stringify({
    ods_data: [
      { ...good, version: '\u009b31m\u202e\u2028' },
      { ...good, version: 'x' },
    ],
  });
  const { stdout } = await feed([fileOf(evil), ...AT, '--format', 'json']);
  expect(stdout).not.toMatch(/[^\n -~]/);
  const { items } = JSON.parse(stdout) as Report;
  const version = items.find(({ id }) => id === 'one-version');
  expect(version?.findings[0]?.seen).toContain('\u009b31m\u202e\u2028');
});
