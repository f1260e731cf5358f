/** `mrs certify` as a process: how it starts a client, and what it prints. */
import { expect, _baseTest as test } from '@playwright/test';
import { certify, only, program } from './testing/certify-run.ts';

test('a program that cannot be started exits with code 2 and leaves nothing', async () => {
  const { code, stdout, stderr, files, left } = await certify(['--', 'no-such-program']);
  expect(stderr).toMatch(/^"no-such-program" could not be started \(ENOENT\)\. Give the program .*\n$/);
  expect({ code, stdout, files, left }).toEqual({
    code: 2,
    stdout: 'Examining the client in 15 scenarios\n',
    files: {},
    left: [],
  });
});

test('--list prints the scenarios in 80 columns without a program', async () => {
  const { code, stdout, files } = await certify(['--list']);
  expect(stdout).toContain('\nexpires (3 s)\n    the token expires when agreed.\n');
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect([code, files]).toEqual([0, {}]);
});

test('--list under a profile without tokens prints what readers are examined on, in 80 columns', async () => {
  const { code, stdout } = await certify(['--list', '--profile', 'static-feed']);
  expect(stdout).toContain('\nrec-z-times\n    the feed writes Z after times.\n');
  expect(stdout).toContain('\nRFC 9110 section 15.4.5 not-modified\n');
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(code).toBe(0);
});

test('options after the program are passed to the program', async () => {
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

test('the client inherits the environment except variables of another deployment', async () => {
  const shows = program(`
    const { NODE_OPTIONS, PATH, MRS_READERS, ...env } = process.env;
    console.log(NODE_OPTIONS, MRS_READERS, PATH.length > 0, env.NO_PROXY);
    console.log(Object.entries(env).filter(([, value]) => value === 'of-another').join() || 'nothing');
  `);
  const other = ['MRS_EXPIRED_TOKEN', 'MRS_MOCK_CONTROL_KEY', 'MRS_CLIENT_SECRET', 'MRS_BASE_URL'];
  const { files } = await certify([...only('steady'), '--', ...shows], {
    ...Object.fromEntries(other.map((name) => [name, 'of-another'])),
    ...{ NODE_OPTIONS: '--no-deprecation', MRS_READERS: '5', NO_PROXY: 'intern.example' },
  });
  expect(files['output/steady.txt']).toBe(
    '--no-deprecation 5 true intern.example,127.0.0.1,localhost\nnothing\n',
  );
});
