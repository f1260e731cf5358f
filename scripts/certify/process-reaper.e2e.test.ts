/** What is watched ends with the program that watched it. */
import { spawn } from 'node:child_process';
import { expect, _baseTest as test } from '@playwright/test';
import { isAlive, untilGone } from '../e2e/testing/processes.ts';
import { startProcessReaper } from './process-reaper.ts';

const group = () => spawn('sleep', ['60'], { detached: true, stdio: 'ignore' }).pid as number;

test('those that are watched are ended when the watching ends, and those that were let go are not', async () => {
  const [watched, gone, other] = [group(), group(), group()];
  const reaper = startProcessReaper(test.info().outputPath('scratch'));
  for (const pid of [watched, gone]) reaper.watch(pid);
  reaper.forget(gone);
  reaper.close();
  await untilGone(watched);
  expect([gone, other].map(isAlive)).toEqual([true, true]);
  for (const pid of [gone, other]) process.kill(pid);
});

test('one that has gone before is nothing to stumble over', async () => {
  const [gone, watched] = [group(), group()];
  const reaper = startProcessReaper(test.info().outputPath('scratch'));
  for (const pid of [gone, watched]) reaper.watch(pid);
  process.kill(gone);
  await untilGone(gone);
  reaper.close();
  await untilGone(watched);
});
