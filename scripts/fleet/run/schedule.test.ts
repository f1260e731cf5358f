import { expect, _baseTest as test } from '@playwright/test';
import { type Job, runJobs } from './schedule.ts';

/** Jobs that a test ends, with a record of what ran at the same time. */
function jobsOn(hosts: readonly (string | undefined)[]) {
  const running: number[] = [];
  const started: number[] = [];
  let most = 0;
  const ends: (() => void)[] = [];
  const jobs = hosts.map(
    (host, at): Job => ({
      host,
      run: () =>
        new Promise((resolve) => {
          started.push(at);
          running.push(at);
          most = Math.max(most, running.length);
          ends[at] = () => {
            running.splice(running.indexOf(at), 1);
            resolve();
          };
        }),
    }),
  );
  return { jobs, running, started, end: (at: number) => ends[at]?.(), most: () => most };
}

const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('at most the given number of jobs run at a time', async () => {
  const { jobs, running, end, most } = jobsOn(['a', 'b', 'c', 'd', 'e']);
  const all = runJobs(jobs, 2, never);
  while (running.length > 0) {
    end(running[0] as number);
    await settled();
  }
  await all;
  expect(most()).toBe(2);
});

test('two jobs of one host never run at a time, and others go first', async () => {
  const { jobs, started, end } = jobsOn(['a', 'a', 'b', undefined, undefined]);
  const all = runJobs(jobs, 10, never);
  await settled();
  expect(started).toEqual([0, 2, 3, 4]);
  end(0);
  await settled();
  expect(started).toEqual([0, 2, 3, 4, 1]);
  for (const at of [1, 2, 3, 4]) end(at);
  await all;
});

test('no job starts after an interruption, and those that run are waited for', async () => {
  const interruption = new AbortController();
  const { jobs, started, end } = jobsOn(['a', 'b', 'c']);
  let hasEnded = false;
  const all = runJobs(jobs, 2, interruption.signal).then(() => {
    hasEnded = true;
  });
  await settled();
  interruption.abort();
  end(0);
  await settled();
  expect([started, hasEnded]).toEqual([[0, 1], false]);
  end(1);
  await all;
});

test('job that rejects keeps others from starting, and those that run are waited for', async () => {
  const { jobs, started, end } = jobsOn(['a', 'b']);
  const broken: Job = { host: undefined, run: () => Promise.reject(new Error('no space')) };
  let message = '';
  const all = runJobs([jobs[0] as Job, broken, jobs[1] as Job], 2, never).catch((error: Error) => {
    message = error.message;
  });
  await settled();
  expect([started, message]).toEqual([[0], '']);
  end(0);
  await all;
  expect([started, message]).toEqual([[0], 'no space']);
});
