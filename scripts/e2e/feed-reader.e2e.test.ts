/** The reader of a feed in the documentation is certified. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, _baseTest as test } from '@playwright/test';
import { certificateOf } from '../../tests/client/judge.ts';
import { examine } from '../certify/examine.ts';
import { programClient, startProcessReaper } from '../certify/program.ts';
import { subjectUnder } from '../certify/scenarios.ts';

const PROGRAM = fileURLToPath(new URL('../../tests/client/corpus/feed_reader.py', import.meta.url));
/** The start of a process keeps a processor busy. */
const AT_ONCE = 6;
/** Long enough for a busy machine: a scenario ends when all has been seen. */
const DEADLINE_SECONDS = 240;

test('feed_reader.py is certified', async () => {
  test.skip(spawnSync('python3', ['--version']).status !== 0, 'python3 is not installed');
  const scratch = test.info().outputPath('scratch');
  mkdirSync(scratch, { recursive: true });
  const { catalogue, scenarios } = await subjectUnder('static-feed');
  const reaper = startProcessReaper(scratch);
  const start = programClient(['python3', PROGRAM], {}, reaper);
  const limits = { atOnce: AT_ONCE, deadlineSeconds: DEADLINE_SECONDS };
  const runs = await examine({ start, scratch, scenarios, profile: 'static-feed', ...limits });
  reaper.close();
  const { outcome, rules, scenarios: played } = certificateOf(runs, catalogue);
  expect(rules.flatMap(({ findings }) => findings.map(({ seen }) => seen))).toEqual([]);
  expect(played.map(({ name, state }) => `${name} ${state}`)).toEqual(
    scenarios.map(({ name }) => `${name} seen`),
  );
  expect(outcome).toBe('conformant');
});
