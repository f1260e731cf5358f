/** `mrs watch`: what it prints, logs and reports, how it ends, and what a later watch remembers. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { good } from '../../tests/feed/testing/sample-feed.ts';
import { listening } from '../../tests/support/testing/listening.ts';
import { expectNowhere, leftIn, newFolder, run, startMrs } from './testing/mrs.ts';

/** A record from some minutes ago to some minutes from now. */
function record(from: number, to: number, fields: object = {}): object {
  const time = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().slice(0, 19);
  return { ...good, src_start_utc: time(from), src_end_utc: time(to), ...fields };
}
const R = record(-30, 600, { src_id: 'r \u001b[31m##[error]' });
const A = record(300, 600, { src_id: 'a' });

type Answer = readonly object[] | number;

/** Serves these answers, one after the other. `onLast` is called with the last one, which is not sent. */
async function serve(answers: readonly Answer[], onLast = () => {}) {
  let requests = 0;
  const server = await listening(
    createServer((_, response: ServerResponse) => {
      const answer = answers[requests++];
      if (answer === undefined) return onLast();
      if (typeof answer === 'number') return void response.writeHead(answer).end();
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ ods_data: answer }));
    }),
  );
  return { url: `${server.url}/ods.json`, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const linesOf = (text: string): Record<string, unknown>[] =>
  text.split('\n').flatMap((line) => (/^\{.*\}$/.test(line) ? [JSON.parse(line)] : []));

test('a watch that is interrupted leaves a report, and a later one goes on from its log', async () => {
  const cwd = newFolder();
  const watch = (url: string, ...more: string[]) =>
    startMrs(['watch', url, '--every', '1s', '--log', 'watch.jsonl', ...more], { cwd });
  let end = () => {};
  await using first = await serve([[R, A], [A], 503, [R, A]], () => end());
  writeFileSync(
    join(cwd, 'fleet.yaml'),
    `deployments: [{ name: ata, feed: "${first.url}" }, { name: b, feed: x.json }]\n`,
  );
  const one = watch('fleet.yaml');
  end = () => void one.child.kill('SIGTERM');
  const left = leftIn(cwd, await one.ended);
  expect([left.code, left.lastLine]).toEqual([
    1,
    'outcome: nonconformant (1 feed, 4 reads, 1 finding, 3 warnings)',
  ]);
  const name = 'r \\u{001b}[31m# #[error]';
  expect(left.stdout.split('\n').slice(0, 2)).toEqual([
    expect.stringMatching(
      /^\S+Z ✗ ata running-vanished: vla_D .* it is gone, and would run until \S+ \(read 2\)$/,
    ),
    expect.stringMatching(/^\S+Z ! ata outage: the outage begins: answered 503 \(read 3\)$/),
  ]);
  expect(left.stdout).toContain(`returned: vla_D ${name}: it is back after `);
  expect(left.report).toMatchObject({
    ...{ judge: 'feed', outcome: 'nonconformant', subject: { text: 'ata' } },
    items: [
      { id: 'running-vanished', verdict: 'failed', severity: 'wrong-data' },
      { id: 'outage', verdict: 'warned', seen: '2 times' },
      { id: 'returned', verdict: 'warned' },
      { id: 'ata', verdict: 'passed', seen: '4 reads, of which 3 gave a list' },
    ],
  });
  expect(Object.keys(left.files).filter((file) => file.startsWith('reports/watch/'))).toHaveLength(4);

  // While nobody watched, a record went, and half a line was left.
  const log = join(cwd, 'watch.jsonl');
  writeFileSync(log, `${readFileSync(log, 'utf8')}{"at":"20`);
  await using second = await serve([[A, record(300, 600, { src_id: 'c' })]], () => end());
  writeFileSync(join(cwd, 'fleet.yaml'), `deployments: [{ name: ata, feed: "${second.url}" }]\n`);
  const other = watch('fleet.yaml', '--format', 'json');
  end = () => void other.child.kill('SIGTERM');
  const { code, stdout, report } = leftIn(cwd, await other.ended);
  const vanished = { event: 'running-vanished', record: ['vla_D', 'r \u001b[31m##[error]'], read: 5 };
  expect([code, linesOf(stdout)]).toEqual([1, [expect.objectContaining(vanished)]]);
  for (const alive of ['\u001b', '##[']) expect(stdout).not.toContain(alive);
  expect(report?.tally).toBe('1 feed, 5 reads, 2 findings, 3 warnings');
  expect(linesOf(readFileSync(log, 'utf8')).map(({ event, read }) => [event, read])).toEqual([
    ...[
      ['running-vanished', 2],
      ['outage', 3],
      ['outage', 4],
      ['returned', 4],
      ['state', undefined],
    ],
    ...[
      ['running-vanished', 5],
      ['state', undefined],
    ],
  ]);
});

test('a feed that is never read is incomplete', async () => {
  await using server = await serve([503, 503, 503]);
  const { code, stdout, lastLine, report } = await run(['watch', `${server.url}?key=hunter2`, '--for', '1s']);
  expect([code, lastLine]).toEqual([3, 'outcome: incomplete (1 feed, 1 read, 0 findings, 1 warning)']);
  expect(report?.items.at(-1)?.reason).toBe(
    `No read of ${server.url}?… gave a list. The last one: answered 503.`,
  );
  expect(stdout).not.toContain('hunter2');
});

test('the keys of a URL and of a header are in no output', async () => {
  const [key, header, cwd] = ['Key9911aaBBzz77', 'Header4422ccDD', newFolder()];
  let end = () => {};
  await using server = await serve([[{ ...R, src_id: key, site_id: header }], [A]], () => end());
  const { child, ended } = startMrs(['watch', '--every', '1s', '--log', 'x', '--header', 'X-Key=env:KEY'], {
    ...{ cwd, env: { MRS_FEED: `${server.url}?key=${key}`, KEY: header } },
  });
  end = () => void child.kill('SIGTERM');
  const left = leftIn(cwd, await ended);
  expect([left.code, left.stdout]).toEqual([
    1,
    expect.stringContaining('running-vanished: ‹$KEY› ‹key of the URL›'),
  ]);
  expectNowhere(left, [key, header]);
});

/** Arguments, and what is said. */
const MISTAKES: readonly [args: string, says: string][] = [
  ['', 'Name a feed by its URL, or a fleet file; mrs watch --help shows all.'],
  ['x.json http://127.0.0.1:9', '"x.json" is not a URL. Name the URLs of feeds, or one fleet file.'],
  ['files.yaml', 'files.yaml has no feed at a URL. Add one, as { name: ata, feed: https://… }.'],
  ['http://a.example/?a http://a.example/?b', 'Two feeds are called http://a.example/?…. Give them names'],
  ['http://a.example http://b.example --header A=env:KEY', '--header would go to several hosts.'],
  ['http://user:hunter2@a.example', 'The URL of the feed contains a user name or a password.'],
  ['http://a.example --log none/x', 'The log "none/x" cannot be read and written (ENOENT).'],
  ['http://a.example --every 10ms', '--every is "10ms". Give a duration from 1s to 1d.'],
];
for (const [args, says] of MISTAKES)
  test(`mrs watch ${args} is an error`, async () => {
    const cwd = newFolder();
    writeFileSync(join(cwd, 'files.yaml'), 'deployments: [{ name: a, feed: ods.json }]\n');
    const given = args.split(' ').filter(Boolean);
    const { code, stdout, stderr } = await run(['watch', ...given], { cwd, env: { KEY: 'hunter2' } });
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)]);
    expect(stderr).not.toContain('hunter2');
  });
