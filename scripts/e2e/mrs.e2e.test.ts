/** What `mrs` makes of its environment and of mistyped options. */
import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { expect, _baseTest as test } from '@playwright/test';
import { mrs, mrsHere, program, startMrs } from './testing/mrs.ts';

test('an empty variable is as one that is not set', async () => {
  // An empty host would be every address, and an empty seed the same tokens everywhere.
  const env = { MRS_HOST: '', MRS_RECORDS: '', MRS_SEED: '', MRS_PORT: '' };
  const { stderr } = await mrsHere(['mock', '--starts-at', 'never'], { env });
  expect(stderr).toMatch(/^startsAt is "never"/);
});

for (const name of ['constructor', '__proto__'])
  test(`${name} is not a command`, async () => {
    const stderr = `error: unknown command '${name}'\n`;
    expect(await mrsHere([name])).toEqual({ code: 2, stdout: '', stderr });
  });

test('what stands behind a mistyped option is not repeated', async () => {
  const { code, stderr } = await mrsHere(['mock', '--clent=a:hunter2']);
  expect([code, stderr]).toEqual([2, expect.stringContaining("unknown option '--clent=…'")]);
  expect(stderr).not.toContain('hunter2');
});

for (const [version, code, output] of [
  ['20.18.9', 2, 'mrs needs Node.js 20.19 or later, and this is 20.18.9. Install a later one.\n'],
  ['20.19.0', 0, ''],
] as const)
  test(`Node.js ${version} exits with ${code}`, async () => {
    const versions = `{ value: { ...process.versions, node: '${version}' } }`;
    const preload = `data:text/javascript,Object.defineProperty(process, 'versions', ${versions})`;
    const run = await mrs(['--version'], {
      env: { NODE_OPTIONS: `--import "${preload.replaceAll('"', '%22')}"` },
    });
    expect(run).toMatchObject({ code, stderr: output });
  });

test('too few open files for its own modules are one sentence, and code 2', async () => {
  const limited = ['-c', 'ulimit -n 26; exec "$0" "$@"', process.execPath, program, 'mock'];
  const run = await promisify(execFile)('sh', limited).catch((error) => error);
  expect(run).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^mrs could not be loaded: (EMFILE|Cannot find (module|package)).+\n$/),
  });
});

/** What `mrs mock` prints that is called twice, one call after the other, and then ended. */
async function mockLines(args: string[], variables: Record<string, string> = {}): Promise<string[]> {
  const { child } = startMrs(['mock', '--port', '0', ...args], { env: variables });
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
    if (lines.push(line) > 1) continue;
    const url = /http:[^" ]+/.exec(line)?.[0];
    for (const _ of [1, 2]) await (await fetch(`${url}/health/`)).text(); // The first is printed before the second ends.
    child.kill('SIGTERM');
  }
  return lines;
}

test('mock --log json prints where it listens, and then each call, as objects', async () => {
  const [ready, call] = (await mockLines(['--log', 'json'])).map((line) => JSON.parse(line));
  const key = expect.stringMatching(/^[\w-]{32}$/);
  expect(ready).toMatchObject({ event: 'ready', key, pid: expect.any(Number) });
  expect(call).toMatchObject({ event: 'call', path: '/health/', status: 200, reason: 'healthy' });
  const [given] = await mockLines(['--log', 'json'], { MRS_MOCK_CONTROL_KEY: 'a-key-of-mine' });
  expect(given).toContain('"ready"');
  expect(given).not.toContain('a-key-of-mine');
});

test('mock --log text prints each call into a pipe, which has none by default, and how to move its clock', async () => {
  const shown = async (args: string[]) => {
    const lines = await mockLines(args);
    const calls = lines.filter((line) => line.endsWith(' 200 healthy'));
    return [calls, lines.find((line) => line.includes('"advance"'))];
  };
  expect(await shown(['--log', 'text'])).toEqual([
    [1, 2].map(() => expect.stringMatching(/^[\d:.]{12} {2}- {9}GET \/health\/ {5}200 healthy$/)),
    expect.stringContaining(`'{"action": "advance", "until": "next-expiry"}'`),
  ]);
  // Without tokens, no expiry is next.
  expect(await shown(['--profile', 'static-feed'])).toEqual([
    [],
    expect.stringContaining(`'{"action": "advance", "by": "1h"}'`),
  ]);
});

test('a baseline that ends in the past is refused', async () => {
  const args = ['baseline', 'write', test.info().outputPath('known.yaml'), '--owner', 'ops'];
  const { code, stderr } = await mrsHere([...args, '--until', '2020-01-01']);
  expect([code, stderr]).toEqual([
    2,
    '--until is 2020-01-01, which is over. Name a day that is still to come, or today.\n',
  ]);
});
