/** `mrs judge` as a command: on recorded traffic, and on what it wrote before. */
import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOSTILE } from '../../tests/report/testing/hostile.ts';
import {
  asks,
  CLIENT_SECRET,
  entryOf,
  FORM,
  harOfCalls,
  type MadeCall,
  RECORDS,
  reactiveTraffic,
  reads,
  tokenNamed,
} from '../../tests/traffic/testing/har.ts';
import { corpus, only } from './testing/certify-run.ts';
import { expectNowhere, type Left, leftIn, mrs, newFolder, program, run } from './testing/mrs.ts';

/** Runs the command on a file of this text, in this process. */
function judge(text: string, cwd = newFolder()): Promise<Left> {
  writeFileSync(join(cwd, 'traffic.har'), text);
  return run(['judge', 'traffic.har', '--report-dir', 'reports'], { cwd });
}

const withoutToken: MadeCall = {
  at: 170,
  path: '/ods_data/',
  headers: { accept: 'application/json' },
  body: RECORDS,
};
const short = [asks(0, 1), reads(1, 1)];

for (const [what, calls, code, outcome] of [
  ['wrong', [...reactiveTraffic(), withoutToken], 1, 'nonconformant'],
  ['short', short, 3, 'incomplete'],
] as [string, MadeCall[], number, string][])
  test(`traffic that is ${what} ends with ${code}`, async () => {
    const ended = await judge(harOfCalls(...calls));
    expect([ended.code, ended.stderr]).toEqual([code, '']);
    expect(ended.lastLine).toContain(`outcome: ${outcome}`);
    expect(Object.keys(ended.files)).toEqual([
      ...['junit.xml', 'report.html', 'report.json', 'summary.md'].map((name) => `reports/${name}`),
      'traffic.har',
    ]);
  });

test('standard input is judged like a file', async () => {
  const cwd = newFolder();
  const input = harOfCalls(...reactiveTraffic());
  const { code, stderr, report } = leftIn(cwd, await mrs(['judge', '-', '--quiet'], { cwd, input }));
  expect([code, stderr, report?.subject.text]).toEqual([0, '', 'Standard input']);
});

const COOKIE = 'Qm9ndXNDb29raWVWYWx1ZTE';
const KEY = 'gateway-key-5d1f0c77';
test('no secret of the traffic is printed or written, wherever it was', async () => {
  const secret = encodeURIComponent(CLIENT_SECRET);
  const basic = Buffer.from(`a:${CLIENT_SECRET}`).toString('base64');
  const unknown = 'never-issued-9a8b7c6d5e';
  const accept = { accept: 'application/json' };
  const { code, report, ...left } = await judge(
    harOfCalls(
      ...reactiveTraffic(),
      reads(170, 3, {
        path: `/ods_data/?key=${KEY}`,
        headers: { cookie: `sid=${COOKIE}`, 'x-api-key': KEY },
      }),
      { at: 171, path: `/echo/${secret}/${tokenNamed(2)}`, headers: { authorization: `Basic ${basic}` } },
      {
        ...{ at: 172, path: '/ods_data/', headers: { authorization: `Bearer ${unknown}` }, status: 401 },
        body: { [tokenNamed(1)]: COOKIE },
      },
      { at: 173, path: '/ods_data/', headers: accept, body: { ...RECORDS, note: tokenNamed(1) } },
      { at: 174, path: `/${COOKIE}`, answerHeaders: { 'Set-Cookie': `sid=${COOKIE}; Path=/` } },
    ),
  );
  expect([code, report?.problems]).toEqual([1, []]);
  const { 'traffic.har': _, ...files } = left.files;
  const tokens = [tokenNamed(1), tokenNamed(2), unknown];
  expectNowhere({ code, ...left, files }, [CLIENT_SECRET, secret, ...tokens, COOKIE, KEY, 'obs-4711']);
});

test('text of a recording comes alive in no terminal and no report', async () => {
  const said = Object.values(HOSTILE).map((one) => one.toWellFormed());
  const wrong = said.map((one, nth) =>
    reads(170 + nth, 3, { path: `/ods_data/${one}`, headers: { accept: one }, body: one, method: one }),
  );
  const { files, ...ended } = await judge(
    harOfCalls(...reactiveTraffic(), ...wrong, { ...withoutToken, body: said }),
  );
  expect([ended.code, ended.report?.problems]).toEqual([1, []]);
  const { 'traffic.har': _, ...reports } = files;
  for (const [name, text] of Object.entries({ ...reports, ...ended }))
    expect(text, name).not.toEqual(expect.stringMatching(/(?![\n\t])[\p{Cc}\p{Cf}]/u));
  expect(reports['reports/report.html']).not.toMatch(/<script>document|<img src=x/);
});

test('a secret that is a word of the report is hidden in what came from outside, and stays in our sentences', async () => {
  const form = { ...FORM, client_secret: 'request' };
  const headers = { accept: 'text/requests' };
  const { code, stdout, report } = await judge(
    harOfCalls(
      asks(0, 1, { form, headers }),
      reads(1, 1),
      reads(2, 1, { path: '/request/ods_data', status: 404 }),
    ),
  );
  expect([code, report?.problems]).toEqual([1, []]);
  expect(stdout).toContain('GET /‹client secret›/ods_data');
  expect(stdout).toContain('The accept header of a token request was');
});

test('a recording that is larger than the heap is judged', async () => {
  const cwd = newFolder();
  const file = join(cwd, 'large.har');
  const calls = [asks(0, 1), ...Array.from({ length: 160 }, (_, nth) => reads(nth + 1, 1))];
  writeFileSync(file, '{"log":{"creator":{"name":"made by hand"},"entries":[');
  for (const [nth, call] of calls.entries()) {
    const padding = `${nth} `.padEnd(512 * 1024, ' .');
    const body = call.path === '/token/' ? call.body : { ods_data: [{ id: `obs-${nth}`, padding }] };
    appendFileSync(file, `${nth > 0 ? ',' : ''}${JSON.stringify(entryOf({ ...call, body }))}`);
  }
  appendFileSync(file, ']}}');
  const limited = ['--max-old-space-size=64', program, 'judge', 'large.har'];
  const { status, stderr } = spawnSync(process.execPath, limited, { cwd, encoding: 'utf8' });
  expect([status, stderr]).toEqual([3, '']);
  const { facts } = JSON.parse(readFileSync(join(cwd, 'reports/judge/report.json'), 'utf8'));
  const text = '161 of 161 entries judged; recorded by made by hand';
  expect(facts).toContainEqual({ name: 'Entries', text });
});

const COMMANDS: Record<string, string[]> = {
  verify: ['verify', '--quiet', '--report-dir', 'first'],
  certify: [
    ...['certify', '--quiet', ...only('steady'), '--report-dir', 'first'],
    ...['--', ...corpus('new-token-every-third-call')],
  ],
};

/** The reports of each command, which are written once. */
const written = new Map<string, Left>();

/** What one of the commands left, in a folder of the test. */
async function write(command: string): Promise<Left> {
  const first =
    written.get(command) ?? (await run(COMMANDS[command] ?? [], { env: { MRS_POLL_INTERVAL: '0.05' } }));
  written.set(command, first);
  const folder = newFolder();
  cpSync(first.folder, folder, { recursive: true });
  return { ...first, folder };
}

async function again(cwd: string, file: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const ended = await run(['judge', file, '--report-dir', 'second', ...args], { cwd, env });
  return { ...ended, report: JSON.parse(ended.files['second/report.json'] ?? '{}') };
}

for (const command of Object.keys(COMMANDS))
  test(`page of mrs ${command} is judged again to the same verdicts`, async () => {
    const first = await write(command);
    const { report, lastLine } = await again(first.folder, 'first/report.html');
    expect(report.items).toEqual(first.report?.items);
    expect([report.outcome, report.remarks[0]]).toEqual([
      first.report?.outcome,
      expect.stringContaining('The verdicts in the data of the page follow from its evidence.'),
    ]);
    expect(lastLine).toMatch(/judged again\)$/);
  });

for (const [command, file] of [
  ['verify', 'evidence.har'],
  ['certify', 'evidence.json'],
] as const)
  test(`${file} of mrs ${command} is judged as the run was, whatever its name and form`, async () => {
    const first = await write(command);
    const { format, log, ...rest } = JSON.parse(first.files[`first/${file}`] ?? '');
    const last = log && { log: { version: log.version, entries: log.entries, ...log } };
    writeFileSync(join(first.folder, 'saved'), JSON.stringify({ ...rest, ...last, format }, null, 1));
    expect((await again(first.folder, 'saved')).report.items).toEqual(first.report?.items);
  });

test('a secret of the environment is taken out of the evidence of others', async () => {
  const { folder, files } = await write('verify');
  const har = files['first/evidence.har'] ?? '';
  writeFileSync(join(folder, 'other.har'), har.replaceAll('"text":"', '"text":"hunter2-hunter2 '));
  const {
    code,
    files: all,
    ...ended
  } = await again(folder, 'other.har', [], {
    MRS_CLIENT_SECRET: 'hunter2-hunter2',
  });
  const { 'other.har': _, ...written } = all;
  expect(code).toBe(0);
  expectNowhere({ code, ...ended, files: written }, ['hunter2']);
});

test('options of recordings are refused for the evidence of a run', async () => {
  const { folder } = await write('verify');
  const { code, stderr } = await again(folder, 'first/evidence.har', ['--token-lifetime', '90']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('--token-lifetime is for recordings')]);
});

const DISAGREES = 'The page does not agree with its evidence';
for (const [from, to, code, says] of [
  ['"startedDateTime":', '"startedDateTimes":', 2, 'The evidence in page.html was changed: '],
  ['id="mrs-evidence"', 'id="other"', 2, 'page.html does not hold the evidence of a report. '],
  [
    /("id":"MRS-7a".*?"verdict":)"passed"/,
    '$1"failed"',
    ...([0, `${DISAGREES}: MRS-7a is passed by its evidence, and failed in the page.`] as const),
  ],
  [
    '"outcome":"conformant"',
    '"outcome":"incomplete"',
    ...([0, `${DISAGREES}: the outcome is conformant by its evidence, and incomplete in the page.`] as const),
  ],
] as const)
  test(`page with ${to} in the place of ${from} is noticed: ${says}`, async () => {
    const { folder, files } = await write('verify');
    const page = files['first/report.html'] ?? '';
    expect(page).toMatch(from);
    writeFileSync(join(folder, 'page.html'), page.replace(from, to));
    const ended = await again(folder, 'page.html');
    expect([ended.code === 2, ended.report.remarks?.[0] ?? ended.stderr]).toEqual([
      ...[code === 2, expect.stringContaining(says)],
    ]);
  });
