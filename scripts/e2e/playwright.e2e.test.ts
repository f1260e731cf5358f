/** The suite as a user of Playwright runs it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeAll, expect, test } from 'vitest';
import { judgeAll } from '../../tests/server/judge.ts';
import { foreignEvidence } from '../../tests/server/support/evidence-file.ts';
import type { Verdict } from '../../tests/support/verdict.ts';
import { startMock } from '../mock/index.ts';
import { newFolder } from './testing/mrs.ts';
import { root } from './testing/packed.ts';

interface Suite {
  specs: { title: string; tests: { results: { status: string; error?: { message: string } }[] }[] }[];
  suites?: Suite[];
}

const testsIn = ({
  specs,
  suites = [],
}: Suite): Partial<Record<'id' | 'status' | 'message', string | undefined>>[] => [
  ...specs.flatMap(({ title, tests }) =>
    tests.map(({ results: [result] }) => ({
      ...{ id: title.split(' ', 1)[0], status: result?.status },
      ...(result?.error && { message: result.error.message }),
    })),
  ),
  ...suites.flatMap(testsIn),
];

/** Where the suite is compiled to, which takes longer than to run it: that of the run around the tests, if it has one. */
let cache: string;
beforeAll(() => {
  cache = process.env.PLAYWRIGHT_TRANSFORM_CACHE_DIR || newFolder();
});

async function play(args: string[], variables: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, ['node_modules/@playwright/test/cli.js', 'test', ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...variables },
  });
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: (await ended)[0], stdout, stderr };
}

const STATUS: Partial<Record<Verdict, string>> = {
  passed: 'passed',
  failed: 'failed',
  'could-not-run': 'failed',
  'not-applicable': 'skipped',
};

test('Playwright gives the verdicts of mrs verify, with what was expected and seen', async () => {
  const directory = newFolder();
  // With a token that lives for longer than the run waits, it has every verdict. Playwright starts anew after each failure.
  await using mock = await startMock({ defect: 'any-grant-type' });
  const [client] = mock.clients;
  const { code, stdout, stderr } = await play(['--reporter=json', '--output', directory], {
    ...{ MRS_BASE_URL: mock.url, MRS_CLIENT_ID: client?.id, MRS_CLIENT_SECRET: client?.secret },
    ...{ MRS_TOKEN_LIFETIME: '900', MRS_MAX_WAIT: '1' },
    PLAYWRIGHT_TRANSFORM_CACHE_DIR: cache,
  });
  expect([stderr, code]).toEqual(['', 1]);
  const [run, ...tests] = (JSON.parse(stdout).suites as Suite[]).flatMap(testsIn);
  expect(run).toEqual({ id: 'The', status: 'passed' });

  const { verdicts } = judgeAll(
    foreignEvidence(readFileSync(join(directory, 'evidence.har'), 'utf8'), 'evidence.har').evidence,
  );
  expect(new Set(verdicts.map(({ verdict }) => verdict)).size).toBe(4);
  expect(tests.map(({ id, status }) => `${id} ${status}`).sort()).toEqual(
    verdicts.map(({ id, verdict }) => `${id} ${STATUS[verdict]}`).sort(),
  );
  const messages = Object.fromEntries(tests.map(({ id, message }) => [id, message]));
  expect(messages['MRS-4.1f']).toContain('Expected: no token\nSeen:\n  a form with another grant_type: 200');
  expect(messages['MRS-7a']).toContain('Could not run. ');
});

test('Playwright itself judges no mock in CI', async () => {
  const variables = { CI: 'true', PLAYWRIGHT_TRANSFORM_CACHE_DIR: cache };
  const lost = await play(['--reporter=list', '--output', newFolder()], variables);
  expect([lost.code, lost.stdout]).toEqual([1, expect.stringContaining('is not set, and CI is set')]);
  expect(lost.stdout).not.toMatch(/\d passed/);
});

test('Playwright itself takes no secret with a cache that all users share, or that others can write to', async () => {
  // Named as the one that all users share, and filled, so that nothing is compiled again.
  const shared = join(newFolder(), `playwright-transform-cache-${process.geteuid?.()}`);
  cpSync(cache, shared, { recursive: true });
  chmodSync(shared, 0o777);
  for (const [named, says] of [
    [{}, 'PLAYWRIGHT_TRANSFORM_CACHE_DIR is not set'],
    [{ PLAYWRIGHT_TRANSFORM_CACHE_DIR: shared }, 'which another user can write to'],
  ] as const) {
    const run = await play([], {
      ...{ MRS_BASE_URL: 'http://127.0.0.1:9', MRS_CLIENT_ID: 'station', MRS_CLIENT_SECRET: 'hunter2' },
      ...{ MRS_REPORT_DIR: newFolder(), TMPDIR: dirname(shared), ...named },
    });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toContain(says);
    expect(run.stderr).not.toMatch(/hunter2|^\s+at /m);
  }
});
