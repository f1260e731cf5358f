/** `mrs certify` from end to end: what it says of a client, and what it leaves behind. */
import { expect, _baseTest as test } from '@playwright/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { all, parse } from '../../tests/report/testing/xml.ts';
import {
  type Certified,
  certify,
  corpus,
  only,
  program,
  reference,
  scenariosIn,
} from './testing/certify-run.ts';

const REPORTS = [
  'evidence.json',
  'junit.xml',
  'report.html',
  'report.json',
  'report.schema.json',
  'summary.md',
];
const brief = only('steady', 'ended-early');

/** A client of the corpus that keeps no good practice once, and says who it is. */
const warned = `console.log('wandering'); process.argv.push('bearer-on-token-request');
  await import(${JSON.stringify(corpus('')[1])});`;

/** Prints what it should not, and sends it where it should not, in every encoding that comes to mind. */
const indiscreet = `
  const { MRS_BASE_URL: url, MRS_CLIENT_ID: client_id, MRS_CLIENT_SECRET: client_secret } = process.env;
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const answer = await fetch(url + '/token/', { method: 'POST', headers: { accept: 'application/json' }, body });
  const { token } = await answer.json();
  // Without a read that is served, a slow client is taken for one that cannot do it.
  await fetch(url + '/ods_data/', { headers: { accept: 'application/json', authorization: 'Bearer ' + token } });
  for (const value of [client_secret, token]) {
    const base64 = Buffer.from(value).toString('base64');
    const all = [value, 'x' + value, encodeURIComponent(value), JSON.stringify({ value }), base64, 'Basic ' +
      Buffer.from(client_id + ':' + value).toString('base64'), value.replace(/./g, (one) => one + '\\u001b[0m')];
    for (const text of all) (console.log(text), console.error('an error of ' + text));
    const headers = { accept: value, 'content-type': value, authorization: value, 'user-agent': value };
    for (const path of ['/' + value, '/ods_data/' + value, '/ods_data/?' + value + '=' + value, '/ods_data/?x=' + base64])
      await fetch(url + path, { headers });
    await fetch(url + '/token/', { method: 'POST', body: new URLSearchParams({ [value]: value }) });
  }
  console.log('all is said');
`;

const binary = `
  process.stdout.write(Buffer.from(Array.from({ length: 1024 }, (_, at) => at % 256)));
  process.stdout.write('\\u001b]0;title\\u0007\\u001b[2J<script>]]>&\\u202e\\nend');
`;

/** A reader of a feed that does not say what it holds. */
const mute =
  'for (;; await new Promise((resolve) => setTimeout(resolve, 100))) await fetch(process.env.MRS_DATA_URL).then((answer) => answer.text(), () => {});';
const feed = ['--profile', 'static-feed', ...only('steady')];

const caught: Record<string, Certified> = {};
const of = (name: string) => caught[name] as Certified;

test.beforeAll(async () => {
  const earlier = ['report.json', 'output/parallel.txt', 'output/mine.txt', 'other.txt'];
  const short = only('steady');
  const runs = {
    reader: () => certify([...brief, '--', ...reference('reactive')], {}, earlier),
    warned: () => certify([...brief, '--', ...program(warned)]),
    strict: () => certify([...brief, '--strict', '--', ...program(warned)]),
    indiscreet: () => certify([...short, '--deadline', '600', '--', ...program(indiscreet)]),
    binary: () => certify([...short, '--', ...program(binary)]),
    leaving: () => certify([...short, '--', 'sh', '-c', 'exit 7']),
    killed: () => certify([...short, '--', 'sh', '-c', 'kill -9 $$']),
    mute: () => certify([...feed, '--', ...program(mute)]),
    careless: () => certify([...feed, '--scenario', 'data-error', '--', ...corpus('reader-default-list')]),
    silent: () => certify([...short, '--deadline', '1', '--', 'sleep', '60']),
  };
  for (const [name, run] of Object.entries(runs)) caught[name] = await run();
});

test('a client that keeps all is not certified by a part of the scenarios, and all reports say so', () => {
  const { code, stdout, stderr, lastLine, left, files } = of('reader');
  expect([code, stderr, left]).toEqual([3, '', []]);
  expect(lastLine).toMatch(
    /^outcome: incomplete \(\d+ passed, 0 failed, 0 warned, 0 could not run, \d+ not applicable; strategy: reactive\)$/,
  );
  const said = '13 of 15 scenarios were left out';
  expect(stdout).toContain(said);
  for (const name of ['report.html', 'summary.md']) expect(files[name], name).toContain(said);
  for (const name of ['report.json', 'junit.xml'])
    expect(files[name], name).toMatch(/leftOut[^\w]+(value=")?odd-secret/);
});

test('what an earlier run left is gone, and what others left is not', () => {
  const { files, report } = of('reader');
  expect(Object.keys(files).sort()).toEqual([...REPORTS, 'other.txt', 'output/mine.txt'].sort());
  expect(report?.outcome).toBe('incomplete');
});

test('a warning fails a client only with --strict', () => {
  for (const [name, outcome, code] of [
    ['warned', 'incomplete', 3],
    ['strict', 'nonconformant', 1],
  ] as const) {
    const run = of(name);
    expect(run.lastLine).toMatch(
      new RegExp(`^outcome: ${outcome} \\(\\d+ passed, 0 failed, 1 warned, 0 could not run, `),
    );
    expect([run.code, run.stderr, run.report?.outcome]).toEqual([code, '', outcome]);
  }
});

test('the reports of a run are each of their kind, and say what the client printed', () => {
  const { files, report } = of('warned');
  expect(Object.keys(files).sort()).toEqual(
    [...REPORTS, 'output/ended-early.txt', 'output/steady.txt'].sort(),
  );
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  expect(ajv.validate(JSON.parse(files['report.schema.json'] ?? ''), report), ajv.errorsText()).toBe(true);
  expect(scenariosIn(report).map(({ name }) => name)).toEqual(['steady', 'ended-early']);
  expect(JSON.stringify(report?.sections)).toContain('"output":"wandering"');
  expect(files['output/steady.txt']).toBe('wandering\n');
  expect(all(parse(files['junit.xml'] ?? ''), 'testcase')).toHaveLength((report?.items.length ?? 0) + 1); // and that the run is complete
  expect(files['report.html']).toMatch(/^<!doctype html>[\s\S]*wandering[\s\S]*<\/html>\s*$/i);
});

test('neither secret nor token is left behind by a client that prints and sends them everywhere', () => {
  const { code, stdout, stderr, files, report } = of('indiscreet');
  expect(files['output/steady.txt']).toMatch(/‹client_secret›[\s\S]*‹token client-\w+#1›[\s\S]*all is said/);
  // Each of them is in 32 characters of base64url, and so is their base64 in longer ones.
  const words = [stdout, stderr, ...Object.values(files)].join('\n').match(/(?<![\w-])[\w+/-]{32,}/g) ?? [];
  expect(words.filter((word) => /\d/.test(word) && /[A-Z]/.test(word) && /[a-z]/.test(word))).toEqual([]);
  expect(scenariosIn(report)[0]?.calls).toBeGreaterThan(10);
  expect([code, stderr]).toEqual([1, '']);
});

test('what a terminal would obey is in no report, however binary the output was', () => {
  const { code, stdout, files, report } = of('binary');
  const everything = [stdout, ...Object.values(files)].join('\n');
  expect(everything).not.toMatch(/(?!\n|\t)[\p{Cc}\p{Cf}]/u);
  expect(files['output/steady.txt']).toMatch(/\nend$/);
  expect(files['report.html']).not.toContain('<script>');
  expect(() => parse(files['junit.xml'] ?? '')).not.toThrow();
  expect([code, report?.outcome]).toEqual([3, 'incomplete']);
});

test('a reader of a feed that does not say what it holds is never conformant', () => {
  const { code, stdout, lastLine, report } = of('mute');
  expect([code, report?.outcome]).toEqual([3, 'incomplete']);
  expect(scenariosIn(report)).toMatchObject([{ name: 'steady', measure: '– / 20' }]);
  expect(report?.items.find(({ id }) => id === 'reads-records')).toMatchObject({
    verdict: 'could-not-run',
    reason: expect.stringContaining('{"records": 20}'),
  });
  expect(stdout).toContain('– / 20');
  expect(lastLine).toMatch(/^outcome: incomplete \(.* applicable\)$/); // no strategy: there are no tokens
});

test('a reader that takes an error for an empty schedule is reported in each format', () => {
  const { code, files, report } = of('careless');
  expect([code, report?.outcome]).toEqual([1, 'nonconformant']);
  const sentence = 'with status 200, the client holds 0 of 20 records';
  for (const name of ['report.html', 'summary.md', 'junit.xml', 'report.json'])
    expect(files[name], name).toContain(sentence);
  for (const name of ['report.html', 'summary.md', 'junit.xml'])
    expect(files[name], name).not.toMatch(/tokens? (\/|requested|issued|live)|strategy/i);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  expect(ajv.validate(JSON.parse(files['report.schema.json'] ?? ''), report), ajv.errorsText()).toBe(true);
});

for (const [name, result, ended] of [
  ['leaving', 'exited early', 'with exit code 7'],
  ['killed', 'exited early', 'by the signal SIGKILL'],
  ['silent', 'silent', undefined],
] as const)
  test(`where a client is ${name}, the examination is incomplete, and says so`, () => {
    const { code, lastLine, report, left } = of(name);
    expect([code, report?.outcome, left]).toEqual([3, 'incomplete', []]);
    expect(lastLine).toMatch(/^outcome: incomplete \(0 passed, 0 failed, 0 warned, /);
    expect(scenariosIn(report)).toMatchObject([{ name: 'steady', calls: 0, result }]);
    if (ended) expect(JSON.stringify(report?.sections)).toContain(ended);
  });
