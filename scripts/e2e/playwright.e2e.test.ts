/** The suite as a user of Playwright runs it. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, _baseTest as test } from '@playwright/test';
import { judgeAll } from '../../tests/server/judge.ts';
import { writeEvidence } from '../../tests/server/support/evidence-file.ts';
import { startMock } from '../index.ts';
import { observe } from '../prove/worker.ts';
import { root } from './testing/packed.ts';
import { newDirectory } from './testing/verify-run.ts';

/** Together they have each verdict. */
const DEPLOYMENTS = [{}, { variant: 'data-204' }, { defect: 'expired-401' }, { defect: 'no-renewal' }];

let cache: string;
test.beforeAll(() => {
  cache = newDirectory(); // Of both tests: to translate the suite takes longer than to run it.
});

/** The status of each test, by project and id, of a run with the JSON reporter. */
async function play(args: string[], variables: NodeJS.ProcessEnv) {
  const child = spawn(
    process.execPath,
    ['node_modules/@playwright/test/cli.js', 'test', '--reporter=json', ...args],
    {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PLAYWRIGHT_TRANSFORM_CACHE_DIR: cache,
        ...variables,
      },
    },
  );
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  expect(stderr).toBe('');
  const { suites }: { suites: Suite[] } = JSON.parse(stdout);
  const tests = suites.flatMap(specsIn);
  return { code, tests };
}

interface Spec {
  title: string;
  tests: { projectName: string; results: { status: string; error?: { message: string } }[] }[];
}
interface Suite {
  specs: Spec[];
  suites?: Suite[];
}
interface Ended {
  project: string;
  id: string;
  status?: string;
  message?: string;
}
const specsIn = ({ specs, suites = [] }: Suite): Ended[] => [
  ...specs.flatMap(({ title, tests }) =>
    tests.map(({ projectName, results: [result] }) => ({
      project: projectName,
      id: title.split(' ', 1)[0] ?? '',
      ...(result && { status: result.status }),
      ...(result?.error && { message: result.error.message }),
    })),
  ),
  ...suites.flatMap(specsIn),
];

const STATUS = { passed: 'passed', failed: 'failed', 'could-not-run': 'failed', 'not-applicable': 'skipped' };

test('Playwright and mrs verify give the same verdicts', async () => {
  const folder = join(newDirectory(), 'evidence');
  mkdirSync(folder);
  const expected = [];
  for (const deployment of DEPLOYMENTS) {
    const project = Object.values(deployment)[0] ?? 'none';
    const evidence = await observe(deployment, undefined);
    writeFileSync(join(folder, project), writeEvidence(evidence));
    for (const { id, verdict } of judgeAll(evidence).verdicts)
      expected.push({ project, id, status: STATUS[verdict] });
  }
  const { tests } = await play(['--config', 'scripts/e2e/testing/parity.config.ts'], {
    MRS_TEST_EVIDENCE: folder,
  });
  const order = (one: Pick<Ended, 'project' | 'id'>) => `${one.project} ${one.id}`;
  const sorted = <T extends { project: string; id: string }>(all: T[]) =>
    all.toSorted((a, b) => order(a).localeCompare(order(b)));
  expect(sorted(tests).map(({ project, id, status }) => ({ project, id, status }))).toEqual(sorted(expected));
  expect(new Set(expected.map(({ status }) => status)).size).toBe(3);
});

test('Playwright is red for a defect, with what was expected and seen', async () => {
  const directory = newDirectory();
  await using mock = await startMock({ defect: 'expired-401', tokenLifetime: 60 });
  const [client] = mock.clients;
  const { code, tests } = await play(['-g', 'MRS-7a', '--output', join(directory, 'output')], {
    MRS_BASE_URL: mock.url,
    MRS_CLIENT_ID: client?.id,
    MRS_CLIENT_SECRET: client?.secret,
    MRS_TOKEN_LIFETIME: '60',
    MRS_MOCK_CONTROL_KEY: mock.controlKey,
  });
  expect(code).toBe(1);
  expect(tests.map(({ id, status }) => [id, status])).toEqual([
    ['The', 'passed'],
    ['MRS-7a', 'failed'],
  ]);
  expect(tests[1]?.message).toContain(
    'Expected: status 403\nSeen:\n  the data with the expired token: 401, application/json',
  );
});
