/** A client that is a program: how it is started, and that nothing of it is left. */
import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { isAlive, pidsIn, untilGone } from '../e2e/testing/processes.ts';
import { type ClientVariables, programClient, startProcessReaper } from './program.ts';

const variables: ClientVariables = {
  MRS_BASE_URL: 'http://127.0.0.1:1',
  MRS_DATA_URL: 'http://127.0.0.1:1/ods_data/',
  MRS_CLIENT_ID: 'client-1',
  MRS_CLIENT_SECRET: 'of-the-mock',
  MRS_CLIENT_SECRET_FILE: '/tmp/secret',
  MRS_TOKEN_LIFETIME: '3',
};

/** Starts a program, and returns what the reaper was sent. */
async function start(command: readonly string[]) {
  const watched = new Set<number>();
  const reaper = {
    watch: (pid: number) => void watched.add(pid),
    forget: (pid: number) => void watched.delete(pid),
    close: () => {},
  };
  const client = await programClient(command, reaper)(variables, 'steady', () => {});
  const printed = (text: string) =>
    expect.poll(() => client.output?.(), { interval: 20, timeout: 10_000 }).toContain(text);
  return { client, watched, printed };
}

const shell = (script: string, ...args: string[]) => start(['sh', '-c', script, 'sh', ...args]);

test('it is ended with SIGTERM first, what it says then is kept, and the reaper lets it go', async () => {
  const { client, watched, printed } = await shell(
    "trap 'echo last words; exit 0' TERM; sleep 1000 & echo up; wait",
  );
  await printed('up');
  expect(watched.size).toBe(1);
  await client.stop();
  expect(await client.ended).toEqual({ code: 0 });
  expect(client.output?.()).toMatch(/^up\n(.*\n)?last words\n(.*\n)?$/); // The shell may say, before or after, what was terminated.
  expect(watched.size).toBe(0);
});

test('one that ignores SIGTERM is killed, with what it has started', async () => {
  const file = outputPath('pids');
  const { client } = await shell(
    'trap \'\' TERM; (trap \'\' TERM; sleep 60) & echo $$ >>"$1"; echo $! >>"$1"; wait; sleep 60',
    file,
  );
  const pids = await pidsIn(file, 2);
  await client.stop();
  await Promise.all(pids.map(untilGone));
});

test('what it left behind in its group goes with it, when it has ended by itself long before', async () => {
  const file = outputPath('pids');
  const { client } = await shell('sleep 60 & echo $! >>"$1"', file);
  const [left = 0] = await pidsIn(file);
  await client.ended;
  expect(isAlive(left)).toBe(true);
  await client.stop();
  await untilGone(left);
});

/** In a group of its own, as shells with job control start each job; in a session of its own, as daemons are. */
const JOB = `set -m; sh -c 'echo $$ >>"$1"; echo away; exec sleep 600' sh "$1" & wait`;
const DAEMON = `setsid sh -c 'echo $$ >>"$1"; echo away; exec sleep 600' sh "$1" & wait`;

for (const [what, script, isEnded] of [
  ['left its group', JOB, true],
  ['left its group, and whose parent is gone', JOB.replace('& wait', '& exit'), true],
  [
    'left its group under a name with brackets',
    JOB.replace('exec sleep', 'cp "$(command -v sleep)" "$1) 9 (x"; exec "$1) 9 (x"'),
    true,
  ],
  ['is a daemon that has the environment of the client', DAEMON, false],
] as const)
  test(`a process that ${what} and holds the pipes is ${isEnded ? 'ended as well' : 'left alone, and waited for by no one'}`, async ({
    skip,
  }) => {
    skip(process.platform !== 'linux', 'only Linux shows the session of a process, and has setsid');
    const file = outputPath('pids');
    const { client, printed } = await start(['bash', '-c', script, 'bash', file]);
    const [away = 0] = await pidsIn(file);
    await printed('away');
    await client.stop();
    if (isEnded) return untilGone(away);
    expect(isAlive(away)).toBe(true);
    process.kill(away);
  });

test('one that prints without an end is read without an end', async () => {
  const { client, printed } = await shell('yes "out" & yes "err" >&2');
  await printed('left out');
  await client.stop();
  expect(client.output?.().length).toBeLessThan(66_000);
});

/** A process group of its own. */
const group = () => spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).pid as number;
const reaping = () => startProcessReaper(outputPath('scratch'));

test('those that are watched are ended when the watching ends, those that were let go are not, and one may be gone', async () => {
  const [watched, gone, letGo, other] = [group(), group(), group(), group()];
  const reaper = reaping();
  for (const pid of [gone, watched, letGo]) reaper.watch(pid);
  reaper.forget(letGo);
  process.kill(gone);
  await untilGone(gone);
  reaper.close();
  await untilGone(watched);
  expect([letGo, other].map(isAlive)).toEqual([true, true]);
  for (const pid of [letGo, other]) process.kill(pid);
});
