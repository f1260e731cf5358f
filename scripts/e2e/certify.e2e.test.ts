/** `mrs certify` from end to end: how it starts a client, what it says of it, what it leaves behind, and how it ends. */
import { expect, test } from 'vitest';
import { parse } from '../../tests/report/testing/xml.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { scenarios } from '../certify/scenarios.ts';
import {
  certify,
  corpus,
  only,
  program,
  reference,
  scenariosIn,
  startCertify,
} from './testing/certify-run.ts';
import { isAlive, pidsIn, untilGone } from './testing/processes.ts';

const ALL = scenarios.length;
const REPORTS = [...['evidence.json', 'junit.xml', 'report.html', 'report.json', 'summary.md']];
const steady = only('steady');

test('a program that cannot be started exits with code 2 and leaves nothing', async () => {
  const { code, stdout, stderr, files, left } = await certify(['--', 'no-such-program']);
  expect(stderr).toMatch(/^"no-such-program" could not be started \(ENOENT\)\. Give the program .*\n$/);
  expect({ code, stdout, files, left }).toEqual({
    ...{ code: 2, stdout: `Examining the client, ${ALL} of ${ALL} scenarios\n`, files: {}, left: [] },
  });
});

test('a program that does not start is reported once, with its exit code and the error that it printed', async () => {
  const { code, stdout, report } = await certify(['--', ...program('await import("./no-such-file.mjs");')]);
  expect([code, scenariosIn(report).map(({ result }) => result)]).toEqual([
    ...[3, Array(2).fill('ended by itself with exit code 1')],
  ]);
  for (const sentence of [
    `The other ${ALL - 2} of ${ALL} scenarios were not played, since the client does not start.`,
    `The client ended by itself in 2 of ${ALL} scenarios, first in steady with exit code 1, before its first call.`,
  ])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(sentence);
  expect(stdout.match(/Cannot find module/g)).toHaveLength(1);
});

test('options after the program are passed to it, with the environment except variables of another deployment', async () => {
  const shows = program(`
    const { NODE_OPTIONS, PATH, MRS_READERS, ...env } = process.env;
    console.log(process.argv.slice(2).join(' '));
    console.log(NODE_OPTIONS, MRS_READERS, PATH.length > 0, env.NO_PROXY);
    console.log(Object.entries(env).filter(([, value]) => value === 'of-another').join() || 'nothing');
  `);
  const other = ['MRS_EXPIRED_TOKEN', 'MRS_MOCK_CONTROL_KEY', 'MRS_CLIENT_SECRET', 'MRS_BASE_URL'];
  const args = [...steady, '--', ...shows, '--strict', '--list', '{x}'];
  const { code, files } = await certify(args, {
    ...Object.fromEntries(other.map((name) => [name, 'of-another'])),
    ...{ NODE_OPTIONS: '--no-deprecation', MRS_READERS: '5', NO_PROXY: 'intern.example' },
  });
  expect(files['output/steady.txt']).toBe(
    '--strict --list {x}\n--no-deprecation 5 true intern.example,127.0.0.1,localhost\nnothing\n',
  );
  expect(code).toBe(3);
});

test('a client that keeps every rule in a part of the scenarios is incomplete, and reports of before are gone', async () => {
  const earlier = ['report.json', 'output/parallel.txt', 'output/mine.txt', 'other.txt'];
  const args = [...only('steady', 'ended-early'), '--', ...reference('reactive')];
  const { code, stdout, stderr, lastLine, left, files } = await certify(args, {}, earlier);
  expect([code, stderr, left]).toEqual([3, '', []]);
  expect(lastLine).toMatch(
    /^outcome: incomplete \(\d+ passed, 0 failed, 0 warned, 0 could not run, \d+ not applicable; strategy: reactive\)$/,
  );
  const sentence = `${ALL - 2} of ${ALL} scenarios left out`;
  for (const text of [stdout, files['report.html'], files['summary.md']]) expect(text).toContain(sentence);
  for (const name of ['report.json', 'junit.xml']) expect(files[name], name).toMatch(/left out: odd-secret/);
  expect(Object.keys(files).sort()).toEqual([...REPORTS, 'other.txt', 'output/mine.txt'].sort());
});

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
  console.log('the end');
`;

test('neither secret nor token is left behind by a client that prints and sends them everywhere', async () => {
  const args = [...steady, '--deadline', '600', '--', ...program(indiscreet)];
  const { code, stdout, stderr, files, report } = await certify(args);
  expect(files['output/steady.txt']).toMatch(/‹client_secret›[\s\S]*‹token client-\w+#1›[\s\S]*the end/);
  // Each of them is in 32 characters of base64url, and so is their base64 in longer ones.
  const words = [stdout, stderr, ...Object.values(files)].join('\n').match(/(?<![\w-])[\w+/-]{32,}/g) ?? [];
  expect(words.filter((word) => /\d/.test(word) && /[A-Z]/.test(word) && /[a-z]/.test(word))).toEqual([]);
  expect(scenariosIn(report)[0]?.calls).toBeGreaterThan(10);
  expect([code, stderr]).toEqual([1, '']);
});

test('a warning fails a client under --strict', async () => {
  const unconditional = program(`for (;; await new Promise((resolve) => setTimeout(resolve, 100)))
    await fetch(process.env.MRS_DATA_URL).then((answer) => answer.text(), () => {});`);
  const args = ['--profile', 'static-feed', ...steady, '--deadline', '600', '--strict'];
  const { code, lastLine } = await certify([...args, '--', ...unconditional]);
  expect([code, lastLine]).toEqual([
    1,
    expect.stringMatching(/^outcome: nonconformant .* 0 failed, 1 warned/),
  ]);
});

test('what a terminal would obey is in no report, however binary the output was', async () => {
  const binary = program(`
    process.stdout.write(Buffer.from(Array.from({ length: 1024 }, (_, at) => at % 256)));
    process.stdout.write('\\u001b]0;title\\u0007\\u001b[2J<script>]]>&\\u202e\\nend');
  `);
  const { code, stdout, files, report } = await certify([...steady, '--', ...binary]);
  expect([stdout, ...Object.values(files)].join('\n')).not.toMatch(/(?!\n|\t)[\p{Cc}\p{Cf}]/u);
  expect(files['output/steady.txt']).toMatch(/\nend$/);
  expect(files['report.html']).not.toContain('<script>');
  expect(() => parse(files['junit.xml'] ?? '')).not.toThrow();
  expect([code, report?.outcome]).toEqual([3, 'incomplete']);
});

test('a reader of a feed is judged by what it says it holds, and is never conformant without that', async () => {
  const reads = `for (;; await new Promise((resolve) => setTimeout(resolve, 100)))
    await fetch(process.env.MRS_DATA_URL).then((answer) => answer.text(), () => {});`;
  const feed = ['--profile', 'static-feed'];
  const mute = await certify([...feed, ...steady, '--', ...program(reads)]);
  expect([mute.code, mute.report?.outcome]).toEqual([3, 'incomplete']);
  expect(scenariosIn(mute.report)).toMatchObject([{ name: 'steady', measure: '– / 20' }]);
  expect(mute.report?.items.find(({ id }) => id === 'reads-records')).toMatchObject({
    verdict: 'could-not-run',
    reason: expect.stringContaining('{"records": 20}'),
  });
  expect(mute.lastLine).toMatch(/^outcome: incomplete \(.* applicable\)$/); // no strategy: there are no tokens

  const args = [...feed, ...only('data-error'), '--', ...corpus('reader-default-list')];
  const { code, files } = await certify(args);
  const sentence = 'with status 200, the client holds 1 of 20 records';
  for (const name of ['report.html', 'summary.md', 'junit.xml', 'report.json'])
    expect(files[name], name).toContain(sentence);
  for (const name of ['report.html', 'summary.md', 'junit.xml'])
    expect(files[name], name).not.toMatch(/tokens? (\/|requested|issued|live)|strategy/i);
  expect(code).toBe(1);
});

for (const [command, result, ended] of [
  [['sh', '-c', 'kill -9 $$'], 'ended by itself by the signal SIGKILL', 'by the signal SIGKILL'],
  [['sleep', '60'], 'never called', ''],
] as const)
  test(`a client that ${ended ? `ends ${ended}` : 'never calls'} makes the examination incomplete`, async () => {
    const { code, lastLine, report, left } = await certify([...steady, '--deadline', '1', '--', ...command]);
    expect([code, report?.outcome, left]).toEqual([3, 'incomplete', []]);
    expect(lastLine).toMatch(/^outcome: incomplete \(0 passed, 0 failed, 0 warned, /);
    expect(scenariosIn(report)).toMatchObject([{ name: 'steady', calls: 0, result }]);
    expect(JSON.stringify(report?.sections)).toContain(ended);
  });

/** Writes the id of its process to a file, and goes on. */
const telling = (file: string, then: string) =>
  program(`import { appendFileSync } from 'node:fs';
    const tell = () => appendFileSync(${JSON.stringify(file)}, process.pid + '\\n');
    ${then}`);

const fileOfPids = () => outputPath('pids');

test('on SIGTERM what was seen is reported, the rest is left out, and the client is gone', async () => {
  const file = fileOfPids();
  const reads = `const real = globalThis.fetch; let read = 0;
      globalThis.fetch = async (...all) => {
        const answer = await real(...all);
        if (++read < 3) return answer;
        if (read === 3) tell();
        return new Promise((resolve) => setTimeout(resolve, 60_000)); // It has seen enough.
      };
      await import(${JSON.stringify(reference('reactive')[1])});`;
  const args = [...only('expires', 'parallel'), '--at-once', '1', '--', ...telling(file, reads)];
  const { mrs, ended } = startCertify(args);
  const [client = 0] = await pidsIn(file);
  mrs.kill('SIGTERM');
  const { code, stdout, report, left, lastLine } = await ended;
  expect(isAlive(client)).toBe(false);
  expect(scenariosIn(report)).toMatchObject([{ name: 'expires', result: 'interrupted' }]);
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/Interrupted after \d+ s by Ctrl-C or a signal, and not by/);
  expect(scenariosIn(report)[0]?.calls).toBeGreaterThanOrEqual(3);
  expect(lastLine).toMatch(/^outcome: incomplete /);
  expect([code, left]).toEqual([3, []]);
});

test('when it is killed itself, its clients go with it, and what they have started', async () => {
  const file = fileOfPids();
  const child = `const { spawn } = await import('node:child_process');
    process.on('SIGTERM', () => {});
    appendFileSync(${JSON.stringify(file)}, spawn('sleep', ['60']).pid + '\\n');
    tell(); setInterval(() => {}, 1000);`;
  const { mrs, ended } = startCertify([...only('steady', 'expires'), '--', ...telling(file, child)]);
  const pids = await pidsIn(file, 4);
  mrs.kill('SIGKILL');
  await ended;
  await Promise.all(pids.map(untilGone));
});
