/** However `mrs certify` ends, no client is left. */
import { chmodSync, writeFileSync } from 'node:fs';
import { expect, _baseTest as test } from '@playwright/test';
import { certify, only, program, reference, scenariosIn, startCertify } from './testing/certify-run.ts';
import { isAlive, pidsIn, untilGone } from './testing/processes.ts';

/** Says which process it is, to a file, and goes on. */
const telling = (file: string, then: string) =>
  program(`import { appendFileSync } from 'node:fs';
    const tell = () => appendFileSync(${JSON.stringify(file)}, process.pid + '\\n');
    ${then}`);

const fileOfPids = () => test.info().outputPath('pids');

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`on ${signal} what was seen is reported, the rest is skipped, and the client is gone`, async () => {
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
    mrs.kill(signal);
    const { code, report, left, lastLine } = await ended;
    expect(isAlive(client)).toBe(false);
    expect(scenariosIn(report)).toMatchObject([
      { name: 'expires', result: 'out of time' },
      { name: 'parallel', result: 'skipped', calls: 0 },
    ]);
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

test('where a client cannot be started in the middle of a run, those that run are ended', async () => {
  const file = fileOfPids();
  const idle = telling(file, 'tell(); process.on("SIGTERM", () => {}); setInterval(() => {}, 1000);');

  const once = test.info().outputPath('once');
  // It takes away the right to run it, so that the next scenario finds none.
  writeFileSync(once, `#!/bin/sh\nchmod 644 "$0"\nexec ${idle.join(' ')}\n`);
  chmodSync(once, 0o755);
  const args = [...only('steady', 'expires'), '--at-once', '1', '--deadline', '1', '--', once];
  const { code, stderr, left } = await certify(args);
  const [client = 0] = await pidsIn(file);
  expect(stderr).toContain(`"${once}" could not be started (EACCES).`);
  expect([code, left, isAlive(client)]).toEqual([2, [], false]);
});

test('a client that has left its group with the pipes keeps nobody from ending, and is ended', async () => {
  test.skip(process.platform !== 'linux', 'setsid is not there');
  const file = fileOfPids();
  const away = `setsid sh -c 'echo $$ >>"${file}"; exec sleep 60' & wait`;
  const { code } = await certify([...only('steady'), '--deadline', '1', '--', 'sh', '-c', away]);
  const [pid = 0] = await pidsIn(file);
  expect([code, isAlive(pid)]).toEqual([3, false]);
});
