/** `mrs certify` as a person or a CI job gives it: what is wrong is told before any client is started. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { certifyCommand } from '../commands/certify.ts';
import { certify, only, program } from './testing/certify-run.ts';

test.describe.configure({ timeout: 60_000 });

const wrong: [string, string[], RegExp][] = [
  ['no program', [], /^Give the program to examine behind --/],
  [
    'a secret in an argument',
    ['--', 'a', '--key={MRS_CLIENT_SECRET}'],
    /everybody on a machine can read arg/,
  ],
  ['an unknown placeholder', ['--', 'a', '{MRS_URL}'], /\{MRS_URL\}, which is no placeholder/],
  ['an alias of nothing', ['--env', 'URL=MRS_URL'], /^--env takes the name that your client reads/],
  ['an alias that is a value', ['--env', 'URL=http://x'], /^--env takes the name/],
  ['an unknown scenario', only('steadi'), /^There is no scenario "steadi"\. The nearest is "steady"/],
  ['no process', ['--processes', '0'], /^--processes is "0"\. Give a whole number from 1 to 999\./],
  ['part of a process', ['--processes', '1.5'], /^--processes is "1\.5"/],
  ['too many processes', ['--processes', '1000'], /^--processes is "1000"/],
  ['none at once', ['--at-once', 'all'], /^--at-once is "all"/],
  ['a deadline that is no duration', ['--deadline', 'soon'], /--deadline/],
  ['an unknown profile', ['--profile', 'nrao'], /nrao/],
  [
    'a profile without tokens',
    ['--profile', 'static-feed'],
    /has no tokens, so that there is nothing to exa/,
  ],
  ['an unknown option', ['--strikt'], /unknown option '--strikt'/],
  ['reports in a file', ['--report-dir', '/dev/null/reports'], /^No report can be written to "\/dev\/null/],
];

for (const [what, args, said] of wrong)
  test(`${what} is told in a sentence, before a client is started or a report removed`, async () => {
    const [place, started] = [test.info().outputPath('reports'), test.info().outputPath('started')];
    mkdirSync(place);
    writeFileSync(join(place, 'report.json'), 'of the last run');
    const command = certifyCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    const client = args.includes('--') || what === 'no program' ? [] : ['--', 'touch', started];
    const run = command.parseAsync(['--report-dir', place, ...args, ...client], { from: 'user' });
    await expect(run).rejects.toThrow(said);
    expect(existsSync(started)).toBe(false);
    expect(readFileSync(join(place, 'report.json'), 'utf8')).toBe('of the last run');
  });

test('a program that cannot be started is told with exit code 2, and nothing is left of it', async () => {
  const { code, stdout, stderr, files, left } = await certify(['--', 'no-such-program']);
  expect(stderr).toMatch(/^"no-such-program" could not be started \(ENOENT\)\. Give the program .*\n$/);
  expect({ code, stdout, files, left }).toEqual({ code: 2, stdout: '', files: {}, left: [] });
});

test('the scenarios are listed without a program, in 80 columns', async () => {
  const { code, stdout, files } = await certify(['--list']);
  expect(stdout).toContain('\n  expires (3 s)               the token expires when agreed\n');
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect([code, files]).toEqual([0, {}]);
});

test('what stands behind the program is for the program', async () => {
  const shows = program(
    "console.log(process.argv.slice(2).join(' '), process.env.URL === process.env.MRS_BASE_URL)",
  );
  const alias = ['--env', 'URL=MRS_BASE_URL'];
  const { code, files } = await certify([
    ...alias,
    ...only('steady'),
    '--',
    ...shows,
    '--strict',
    '--list',
    '{x}',
  ]);
  expect(files['output/steady.txt']).toBe('--strict --list {x} true\n');
  expect(code).toBe(3);
});

test('the client runs in the environment of its user, but for what is of another deployment', async () => {
  const shows = program(`
    const { NODE_OPTIONS, PATH, MRS_READERS, ...env } = process.env;
    console.log(NODE_OPTIONS, MRS_READERS, PATH.length > 0, env.NO_PROXY);
    console.log(Object.entries(env).filter(([, value]) => value === 'of-another').join() || 'nothing');
  `);
  const other = [
    'MRS_EXPIRED_TOKEN',
    'MRS_MOCK_CONTROL_KEY',
    'MRS_TOKEN_VAULT',
    'MRS_CLIENT_SECRET',
    'MRS_BASE_URL',
  ];
  const { files } = await certify([...only('steady'), '--', ...shows], {
    ...Object.fromEntries(other.map((name) => [name, 'of-another'])),
    ...{ NODE_OPTIONS: '--no-deprecation', MRS_READERS: '5', NO_PROXY: 'intern.example' },
  });
  expect(files['output/steady.txt']).toBe(
    '--no-deprecation 5 true intern.example,127.0.0.1,localhost\nnothing\n',
  );
});
