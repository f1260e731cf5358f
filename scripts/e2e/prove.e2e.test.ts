/** The command, from end to end on a few deployments. */
import { expect, _baseTest as test } from '@playwright/test';
import { mrs, mrsHere } from './testing/mrs.ts';

test('a few deployments and clients are proved, and nothing is said of the others', async () => {
  const names = ['expired-401', 'json-body', 'missing-token-redirect'];
  const { code, stdout } = await mrs(['prove', ...only(names)]);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toContainEqual(expect.stringMatching(/^expired-401( ·)+ ✗$/));
  expect(lines.slice(-2)).toEqual([
    'proof: 1/1 defects caught for the stated reason, 1/1 variants accepted',
    'clients: 1/1 wrong clients caught for the stated reason, 0/0 permitted clients certified',
  ]);
  expect(code).toBe(0);
});

test('--list names every deployment, in 80 columns', async () => {
  const { code, stdout } = await mrsHere(['prove', '--list']);
  expect(stdout).toMatch(/^\d+ defects\. /);
  expect(stdout).toContain('\nnever-expires\n    accepts a token forever.\n');
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(code).toBe(0);
});

for (const [names, listed, unlisted] of [
  [
    ['json-body', 'pages'],
    ['\njson-body\n', '\npages\n'],
    ['stampede', 'never-expires'],
  ],
  [
    ['json-body', 'expired-401'],
    ['\njson-body\n', '\nexpired-401\n'],
    ['pages', 'never-expires'],
  ],
  [['expired-401'], ['\nexpired-401\n'], ['clients', 'json-body']],
] as const)
  test(`--list with ${names.join(' and ')} lists these, and no others`, async () => {
    const { code, stdout } = await mrsHere(['prove', '--list', ...only(names)]);
    for (const one of listed) expect(stdout).toContain(one);
    for (const one of unlisted) expect(stdout).not.toContain(one);
    expect(code).toBe(0);
  });

test('prove with an unknown name prints the nearest of clients and deployments, and proves nothing', async () => {
  for (const [name, nearest] of [
    ['json-bodi', 'json-body'],
    ['never-expire', 'never-expires'],
    ['expired-402', 'expired-401'],
  ] as const) {
    const { code, stdout, stderr } = await mrsHere(['prove', ...only(['stampede', name])]);
    expect(stderr).toBe(
      `"${name}" is not the name of a defect, variant, client, reader or feed. The nearest is "${nearest}"; mrs prove --list lists all.\n`,
    );
    expect([code, stdout]).toEqual([2, '']);
  }
});

test('mock --defect with an unknown name prints the nearest one', async () => {
  const { code, stderr } = await mrsHere(['mock', '--defect', 'never-expire']);
  expect(stderr).toMatch(/^There is no defect "never-expire"\. The nearest is "never-expires"; mrs .*\n$/);
  expect(code).toBe(2);
});

const only = (names: readonly string[]) => names.flatMap((name) => ['--only', name]);
