/** Deployments that mean harm: each run ends by itself, with a verdict that is right, and nothing comes alive. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { expect, _baseTest as test } from '@playwright/test';
import { type Answer, json, startDeployment, type Traits } from './testing/deployment.ts';
import { judgeAll } from './testing/judge-all.ts';
import { failedIn, itemIn, judge, verifyHere } from './testing/verify-run.ts';

const brief = { MRS_TIMEOUT: '500ms' };
const flow = (stream: Readable, headers = {}): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/json', ...headers },
  stream,
});
const text = (body: string): Answer => ({ ...json(200, null), body });

function* endlessly(text: string): Generator<string> {
  for (;;) yield text;
}

async function* drop(text: string): AsyncGenerator<string> {
  for (;;) {
    yield text;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What a deployment that is right otherwise sends as its data. */
const data: Record<string, () => Answer> = {
  'a body without an end': () => flow(Readable.from(endlessly('[1234567,'.repeat(1000)))),
  'one character at a time, without an end': () => flow(Readable.from(drop(' '))),
  'a bomb of zeros in gzip': () =>
    flow(Readable.from(endlessly('\0'.repeat(65_536))).pipe(createGzip()), { 'content-encoding': 'gzip' }),
  'JSON that is nested a million deep': () => text('['.repeat(1e6) + ']'.repeat(1e6)),
  'JSON of two million values': () => text(`[${'{},'.repeat(2e6)}0]`),
  'a thousand headers': () => ({
    ...json(200, {}),
    headers: Object.fromEntries(Array.from({ length: 1000 }, (_, nth) => [`x-${nth}`, 'y'.repeat(100)])),
  }),
};

test('data that has no measure leaves the run incomplete, and nothing is held against the deployment', async () => {
  const reports = await judgeAll(
    Object.values(data).map((answer) => ({ traits: { data: answer }, env: brief })),
  );
  for (const [nth, what] of Object.keys(data).entries()) {
    const report = reports[nth];
    expect(report, what).toMatchObject({ outcome: 'incomplete', problems: [] });
    expect(failedIn(report), what).toEqual([]);
    expect(itemIn(report, 'MRS-4.1a'), what).toMatchObject({ verdict: 'passed' });
  }
});

test('the whole of a run on a bomb ends by itself', async () => {
  const run = await judge({ health: data['a bomb of zeros in gzip'] as () => Answer }, brief);
  expect(run, run.stdout).toMatchObject({
    code: 3,
    stderr: '',
    report: { outcome: 'incomplete', problems: [] },
  });
});

test('redirects, to itself or elsewhere, take neither credentials nor tokens along', async () => {
  await using other = await startDeployment();
  const away = `${other.url}/token/`;
  const of = (status: number, location: string) => () => ({ status, headers: { location } });
  const reports = await judgeAll(
    [302, 308].flatMap((status) => [
      { traits: { refusedForm: of(status, '/token/') } },
      { traits: { refusedForm: of(status, away) } },
      { traits: { send: of(status, away) } },
    ]),
  );
  expect(reports.map(({ outcome }) => outcome)).toEqual([
    ...['conformant', 'conformant', 'incomplete'],
    ...['conformant', 'conformant', 'incomplete'],
  ]);
  expect(other.calls).toEqual([]);
});

/** What each kind of reader would act on. */
const ALIVE =
  '<script>alert(1)</script><img src=x onerror=alert(1)>]]>&bad;\u001b]0;t\u0007\u001b[2J\r\n::error::x\n=cmd|1!A0\n|a|b|\n![x](http://x)';

test('text that wants to come alive does so in none of the reports', async () => {
  const traits: Partial<Traits> = {
    data: () => json(200, { [ALIVE]: ALIVE }),
    refusedToken: ({ kind }) => ({
      status: kind === 'expired' ? 403 : 401,
      headers: { 'content-type': 'text/html; a="<script>"', 'x-a': '=cmd|1!A0<script>' },
      body: ALIVE,
    }),
    health: () => json(200, { [ALIVE]: 1 }),
  };
  const run = await judge(traits, {}, verifyHere);
  expect(run, run.stdout).toMatchObject({ code: 0, stderr: '', report: { outcome: 'conformant' } });
  const files = ['report.html', 'junit.xml', 'summary.md', 'report.json'].map((name) =>
    readFileSync(join(run.directory, name), 'utf8'),
  );
  for (const text of [run.stdout, ...files]) expect(text).not.toMatch(/(?!\n)\p{Cc}/u);
  const [page = '', junit = '', summary = ''] = files;
  // What the page holds as data does not run.
  const live = page.replace(/^<script type="application\/json" id="[\w-]+">[^<]*<\/script>$/gm, '');
  for (const text of [live, junit]) expect(text).not.toMatch(/<script|<img/);
  expect(run.stdout).not.toMatch(/^::/m);
  expect(summary).not.toMatch(/!\[x\]|^=cmd/m);
});
