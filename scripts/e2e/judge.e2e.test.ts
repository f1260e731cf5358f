/** `mrs judge` as a command: what it prints and writes, and what it never does. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import {
  asks,
  CLIENT_SECRET,
  entryOf,
  harOfCalls,
  type MadeCall,
  RECORDS,
  reactiveTraffic,
  reads,
  tokenNamed,
} from '../../tests/traffic/testing/har.ts';
import { mrs, mrsHere, program } from './testing/mrs.ts';

/** Runs the command on a file of this text, in this process. */
function judge(text: string, folder: string, ...args: string[]) {
  const file = join(folder, 'traffic.har');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, text);
  return mrsHere(['judge', file, ...args, '--report-dir', join(folder, 'reports')]);
}

const reportIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'reports/report.json'), 'utf8'));

const served: MadeCall = {
  at: 170,
  path: '/ods_data/',
  headers: { accept: 'application/json' },
  body: RECORDS,
};

test('the last line is that of an error where a report could not be written', async () => {
  const folder = test.info().outputPath();
  const file = join(folder, 'right.har');
  writeFileSync(file, harOfCalls(...reactiveTraffic()));
  const { code, stdout, stderr } = await mrsHere(['judge', file, '--report-dir', join(folder, 'reports')], {
    env: { GITHUB_STEP_SUMMARY: join(folder, 'none/summary.md') },
  });
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('(ENOENT)') });
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('outcome: error (1 problem with the reports)');
});

test('a file that is cut off leaves no report of an earlier run', async () => {
  const folder = test.info().outputPath();
  const whole = harOfCalls(asks(0, 1), reads(1, 1));
  expect((await judge(whole, folder)).code).toBe(3);
  expect((await judge(whole.slice(0, -20), folder)).code).toBe(2);
  expect(readdirSync(join(folder, 'reports'))).toEqual([]);
});

for (const [what, calls, status, outcome] of [
  ['right', reactiveTraffic(), 0, 'conformant ('],
  ['wrong', [...reactiveTraffic(), served], 1, 'nonconformant'],
  ['short', [asks(0, 1), reads(1, 1)], 3, 'incomplete'],
] as [string, MadeCall[], number, string][])
  test(`traffic that is ${what} ends with ${status}, and its report fits its schema`, async () => {
    const info = test.info();
    const folder = info.outputPath();
    const run = await judge(harOfCalls(...calls), folder);
    expect(run.stderr).toBe('');
    expect(run.stdout).toContain(`\noutcome: ${outcome}`);
    expect(run.code).toBe(status);
    const schema = JSON.parse(readFileSync(join(folder, 'reports/report.schema.json'), 'utf8'));
    const ajv = new Ajv2020({ strict: true, allErrors: true, strictRequired: false, strictTypes: false });
    addFormats.default(ajv);
    const fits = ajv.compile(schema);
    expect(fits(reportIn(folder)) ? [] : fits.errors).toEqual([]);
    expect(readdirSync(join(folder, 'reports')).sort()).toEqual([
      'junit.xml',
      'report.html',
      'report.json',
      'report.schema.json',
      'summary.md',
    ]);
  });

test('standard input is judged like a file', async () => {
  const info = test.info();
  const args = ['judge', '-', '--quiet', '--report-dir', info.outputPath('reports')];
  const run = await mrs(args, { input: harOfCalls(...reactiveTraffic()) });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  expect(reportIn(info.outputPath()).subject.text).toBe('standard input');
});

const COOKIE = 'Qm9ndXNDb29raWVWYWx1ZTE';
const KEY = 'gateway-key-5d1f0c77';
test('no secret of the traffic is printed or written, wherever it was', async () => {
  const info = test.info();
  const secret = encodeURIComponent(CLIENT_SECRET);
  const run = await judge(
    harOfCalls(
      ...reactiveTraffic(),
      reads(170, 3, {
        path: `/ods_data/?key=${KEY}`,
        headers: { cookie: `sid=${COOKIE}`, 'x-api-key': KEY },
      }),
      {
        at: 171,
        path: `/echo/${secret}/${tokenNamed(2)}`,
        headers: { authorization: `Basic ${Buffer.from(`a:${CLIENT_SECRET}`).toString('base64')}` },
      },
      {
        at: 172,
        path: '/ods_data/',
        headers: { authorization: 'Bearer never-issued-9a8b7c6d5e' },
        status: 401,
        body: { [tokenNamed(1)]: COOKIE },
      },
      {
        at: 173,
        path: '/ods_data/',
        headers: { accept: 'application/json' },
        body: { ...RECORDS, note: tokenNamed(1) },
      },
      { at: 174, path: `/${COOKIE}`, answerHeaders: { 'Set-Cookie': `sid=${COOKIE}; Path=/` } },
    ),
    info.outputPath(),
  );
  expect(run.code).toBe(1);
  const folder = join(info.outputPath(), 'reports');
  const written = readdirSync(folder).map((file): [string, string] => [
    file,
    readFileSync(join(folder, file), 'utf8'),
  ]);
  for (const [where, text] of [...written, ['the output', run.stdout + run.stderr]] as [string, string][])
    for (const value of [
      CLIENT_SECRET,
      secret,
      tokenNamed(1),
      tokenNamed(2),
      COOKIE,
      KEY,
      'never-issued-9a8b7c6d5e',
      'obs-4711',
    ])
      expect(text.includes(value) ? `${where} has ${value}` : '').toBe('');
  expect(reportIn(info.outputPath()).problems).toEqual([]);
});

test('what came from outside does not come alive in a terminal', async () => {
  const info = test.info();
  const form = { grant_type: 'client_credentials', client_id: 'a\u001b[31m\u202e', client_secret: 'x y z 1' };
  const run = await judge(
    harOfCalls(asks(0, 1, { form }), reads(1, 1), reads(2, 1, { path: '/%1b[2J\u202e' })),
    info.outputPath(),
  );
  expect(run.code).toBe(3);
  expect(['\u001b', '\u202e'].filter((sign) => run.stdout.includes(sign))).toEqual([]);
  const page = readFileSync(join(info.outputPath(), 'reports/report.html'), 'utf8');
  expect(['\u001b', '\u202e'].filter((sign) => page.includes(sign))).toEqual([]);
});

for (const [what, text, args, message] of [
  ['a file that is not a HAR file', '{"log":{}}', [], 'is not a HAR file: its log has no list "entries"'],
  ['a file that is cut off', harOfCalls(...reactiveTraffic()).slice(0, -40), [], 'it is cut off'],
  [
    'a file without the service',
    harOfCalls(asks(0, 1)),
    ['--base-url', 'https://other.example'],
    'give --base-url https://mrs.example/api',
  ],
  [
    'a file with two services',
    harOfCalls(asks(0, 1), asks(1, 2, { url: 'https://b.example/token/' })),
    [],
    'several services: https://mrs.example/api, https://b.example',
  ],
  [
    'an invalid base URL',
    '{}',
    ['--base-url', 'mrs.example'],
    '--base-url is not a URL that begins with http',
  ],
  ['an invalid lifetime', '{}', ['--token-lifetime', 'soon'], '--token-lifetime is "soon"'],
  ['an invalid health path', '{}', ['--health-paths', 'health'], '--health-paths holds "health"'],
] as [string, string, string[], string][])
  test(`${what} is refused with 2, and nothing is written`, async () => {
    const info = test.info();
    const run = await judge(text, info.outputPath(), ...args);
    expect(run.stderr).toContain(message);
    expect(run.code).toBe(2);
    expect(run.stdout).toBe('');
    expect(readdirSync(info.outputPath(), { recursive: true })).not.toContain('reports/report.json');
  });

test('a recording that is larger than the heap is judged', async () => {
  const info = test.info();
  const file = join(info.outputPath(), 'large.har');
  const calls = [asks(0, 1), ...Array.from({ length: 160 }, (_, nth) => reads(nth + 1, 1))];
  writeFileSync(file, '{"log":{"creator":{"name":"made by hand"},"entries":[');
  for (const [nth, call] of calls.entries()) {
    const padding = `${nth} `.padEnd(512 * 1024, ' .');
    const body = call.path === '/token/' ? call.body : { ods_data: [{ id: `obs-${nth}`, padding }] };
    appendFileSync(file, `${nth > 0 ? ',' : ''}${JSON.stringify(entryOf({ ...call, body }))}`);
  }
  appendFileSync(file, ']}}');
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--max-old-space-size=64', program, 'judge', file, '--report-dir', join(info.outputPath(), 'reports')],
    { encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(status).toBe(3);
  const { facts } = reportIn(info.outputPath());
  expect(facts).toContainEqual({
    name: 'Entries',
    text: '161 of 161 entries judged; recorded by made by hand',
  });
});

test('a file that is not there is refused with 2', async () => {
  const info = test.info();
  const { code, stderr } = await mrsHere(['judge', info.outputPath('none.har')]);
  expect(stderr).toContain('none.har cannot be read (ENOENT). Name a HAR file, or - for standard input.');
  expect(code).toBe(2);
});

test('a report in which the file is would be replaced, and is refused', async () => {
  const info = test.info();
  const file = join(info.outputPath(), 'report.json');
  writeFileSync(file, harOfCalls(asks(0, 1)));
  const { code, stderr } = await mrsHere(['judge', file, '--report-dir', info.outputPath()]);
  expect(stderr).toContain('The reports would replace');
  expect(code).toBe(2);
});
