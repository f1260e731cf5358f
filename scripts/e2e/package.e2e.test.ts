/** The package as its users get it: packed from a fresh copy, and installed where nothing else is. */
import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, _baseTest as test } from '@playwright/test';
import { startMock } from '../index.ts';
import { env, pack, root, run } from './testing/packed.ts';

const require = createRequire(import.meta.url);
const tsc = require.resolve('typescript/bin/tsc');
const attw = join(dirname(require.resolve('@arethetypeswrong/cli/package.json')), 'dist', 'index.js');
const publint = join(root, 'node_modules', 'publint', 'src', 'cli.js');

/** One after the other: they share the folder, which takes long to make. */
test.describe.configure({ mode: 'default' });

let temporary: string;
let tarball: string;
/** The folder of somebody who installed the package. */
let user: string;

test.beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'mrs-contract-package-'));
  user = join(temporary, 'user');
  mkdirSync(user);
  tarball = await pack(temporary);
  writeManifests(`../${basename(tarball)}`);
  await run(
    'npm',
    ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball],
    user,
  );
});

test.afterAll(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));

const { packages, lockfileVersion } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
/** The locked packages that users need, by their path. */
const production = Object.entries<{ dev?: true }>(packages).filter(([path, { dev }]) => path && !dev);

/** With the repository's locked versions: what is in npm's cache after `npm ci` is enough, without a network. */
function writeManifests(file: string): void {
  const { name, version, dependencies, bin } = packages[''];
  const manifest = { name: 'user', private: true, dependencies: { [name]: `file:${file}` } };
  writeFileSync(join(user, 'package.json'), JSON.stringify(manifest));
  writeFileSync(
    join(user, 'package-lock.json'),
    JSON.stringify({
      name: 'user',
      lockfileVersion,
      packages: {
        '': manifest,
        [`node_modules/${name}`]: { version, resolved: `file:${file}`, dependencies, bin },
        ...Object.fromEntries(production),
      },
    }),
  );
}

test('npm installs the package and the locked production packages, and no other', () => {
  const installed = JSON.parse(readFileSync(join(user, 'node_modules/.package-lock.json'), 'utf8'));
  expect(Object.keys(installed.packages).sort()).toEqual(
    ['node_modules/mrs-contract', ...production.map(([path]) => path)].sort(),
  );
});

test('the tarball holds what is run, and nothing of how it is made', () => {
  const installed = join(user, 'node_modules', 'mrs-contract');
  const files = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(installed, path)).isFile())
    .map((path) => path.replaceAll(sep, '/'));
  const allowed = [
    /^(LICENSE|README\.md|package\.json|openapi\.yaml|openapi\.d\.ts|tests\/(requirements|(?:feed|client)-rules)\.yaml)$/,
    /^((scripts\/judge|tests|tests\/(server|client|feed|fleet))\/report\/\w+\.schema\.json|mocks\/control\.openapi\.(yaml|d\.ts))$/,
    /^tests\/client\/corpus\/(reactive\.ts|proactive\.ts|reader\.py|reader\.sh|feed_reader\.py)$/,
    /^(tests\/fleet\/inventory\.schema\.json|(mocks|tests|tests\/client|tests\/feed|tests\/fleet|tests\/traffic)\/README\.md|CHANGELOG\.md|tests\/feed\/examples\/ods\.json)$/,
    /^mocks\/contract\/profiles\/[\w-]+\.overlay\.yaml$/,
    /^mocks\/control\/dashboard\/\w[\w-]*\.(html|css|js)$/,
    /^dist\/(proof|openapi|control\.openapi|requirements|(?:feed|client)-rules)\.json$/,
    /^dist\/(scripts\/(mrs|command-line|index|interruption))\.(js|d\.ts)$/,
    /^dist\/(mocks|tests|scripts\/(commands|certify|fleet|judge|mock|prove|proxy|verify))\/((?!testing\/)[\w-]+\/)*(?!.*\.test\.)[\w.-]+\.(js|d\.ts)$/,
  ];
  expect(files.filter((file) => !allowed.some((one) => one.test(file)))).toEqual([]);
  expect(files).toEqual(
    expect.arrayContaining([
      'LICENSE',
      'README.md',
      'mocks/README.md',
      'tests/feed/README.md',
      'tests/feed/examples/ods.json',
      'openapi.yaml',
      'openapi.d.ts',
      'tests/requirements.yaml',
      'tests/feed-rules.yaml',
      'tests/client-rules.yaml',
      'tests/report/common.schema.json',
      'tests/server/report/report.schema.json',
      'scripts/fleet/fleet-file.schema.json',
      'scripts/judge/report/traffic.schema.json',
      'tests/client/report/certificate.schema.json',
      'tests/client/corpus/reactive.ts',
      'tests/client/corpus/proactive.ts',
      'tests/client/corpus/reader.py',
      'tests/client/corpus/reader.sh',
      'mocks/contract/profiles/nrao-ods.overlay.yaml',
      'mocks/control/dashboard/index.html',
      'mocks/control/dashboard/page.js',
      'dist/openapi.json',
      'dist/control.openapi.json',
      'dist/requirements.json',
      'dist/feed-rules.json',
      'dist/client-rules.json',
      'dist/mocks/index.js',
      'dist/mocks/index.d.ts',
      'dist/scripts/mrs.js',
      'dist/tests/playwright.js',
      'dist/tests/server/7-errors.spec.js',
      'dist/tests/client/corpus/reactive.js',
    ]),
  );
});

test('the package has no script that npm would run or warn of where it is installed', () => {
  const manifest = readFileSync(join(user, 'node_modules', 'mrs-contract', 'package.json'), 'utf8');
  const { scripts } = JSON.parse(manifest);
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(scripts).not.toHaveProperty([name]);
});

test('the tarball is small', () => {
  const installed = join(user, 'node_modules', 'mrs-contract');
  const sizes = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    .map((path) => statSync(join(installed, path)))
    .filter((entry) => entry.isFile())
    .map(({ size }) => size);
  const sum = sizes.reduce((total, size) => total + size, 0);
  expect(statSync(tarball).size).toBeLessThan(940_000);
  expect(sum).toBeLessThan(3_200_000);
  expect(Math.max(...sizes)).toBeLessThan(100_000);
});

test('publint finds no mistake in the package', async () => {
  const { stdout } = await run(process.execPath, [publint, 'run', '--strict', tarball], temporary);
  expect(stdout).toContain('All good!');
});

test('every entry that a program imports has types that match', async () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const documents = Object.keys(exports).filter((name) => name.endsWith('.yaml')); // They are read, not imported.
  const left = ['--exclude-entrypoints', ...documents.map((name) => name.slice('./'.length))];
  const args = [attw, tarball, '--profile', 'esm-only', '--format', 'ascii', ...left];
  const { stdout } = await run(process.execPath, args, temporary);
  expect(stdout).toContain('"mrs-contract/control"');
});

test('mrs verify judges the mock, and finds it conformant', async () => {
  const { stdout } = await run('npx', ['--no-install', 'mrs', 'verify'], user);
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(/^outcome: conformant/);
  expect(existsSync(join(user, 'reports', 'verify', 'report.json'))).toBe(true);
});

test('mrs certify examines the client that comes with it', async () => {
  const client = join('node_modules', 'mrs-contract', 'dist', 'tests', 'client', 'corpus', 'reactive.js');
  const args = [
    'certify',
    '--scenario',
    'data-500-once',
    '--report-dir',
    'certificate',
    '--',
    'node',
    client,
  ];
  const { code, stdout } = await run('node_modules/.bin/mrs', args, user).catch((error) => error);
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
    /^outcome: incomplete \(\d+ passed, 0 failed, 0 warned, /,
  );
  expect(code).toBe(3); // One scenario does not try everything.
  expect(existsSync(join(user, 'certificate', 'report.schema.json'))).toBe(true);
});

test('mrs prove catches a wrong client and certifies a permitted one', async () => {
  const names = ['--only', 'json-body', '--only', 'pages'];
  const { stdout } = await run('npx', ['--no-install', 'mrs', 'prove', ...names], user);
  expect(stdout).toContain('1/1 wrong clients caught for the stated reason, 1/1 permitted clients certified');
});

for (const command of ['npx --no-install mrs', 'node_modules/.bin/mrs'])
  test(`${command} mock answers, and ends on SIGTERM`, async () => {
    const [program = '', ...args] = `${command} mock --port 0`.split(' ');
    // To the whole process group, as a terminal does: npx does not pass a signal on to what it runs.
    const mock = spawn(program, args, { cwd: user, env, detached: true });
    const signal = (name: NodeJS.Signals) => process.kill(-Number(mock.pid), name);
    const ended = new Promise<number | null>((resolve) => mock.once('close', resolve));
    try {
      const url = await firstUrl(mock.stdout);
      expect((await fetch(`${url}/health/`)).status).toBe(200);
      signal('SIGTERM');
      const code = await ended;
      if (program !== 'npx') expect(code).toBe(0);
      await expect(fetch(`${url}/health/`)).rejects.toThrow('fetch failed');
    } finally {
      try {
        signal('SIGKILL'); // npx may have ended and the mock not.
      } catch {} // All have ended, as they should.
    }
  });

async function firstUrl(output: NodeJS.ReadableStream): Promise<string> {
  const seen: string[] = [];
  for await (const line of createInterface({ input: output })) {
    seen.push(line);
    const url = line.match(/http:\/\/[\w.:]+/)?.[0];
    if (url) {
      output.resume(); // Else the pipe would fill up.
      return url;
    }
  }
  throw new Error(`The mock ended without printing a URL. It printed: ${seen.join('\n')}`);
}

test('startMock and the types of the contract can be imported', async () => {
  writeFileSync(
    join(user, 'use.mts'),
    `import { startMock } from 'mrs-contract';
import type { paths } from 'mrs-contract/openapi';
type Body = paths['/token/']['post']['responses'][200]['content']['application/json'];
const path: keyof paths = '/token/';
await using mock = await startMock({ port: 0 });
const [client] = mock.clients;
const body = new URLSearchParams({
  grant_type: 'client_credentials',
  client_id: client?.id ?? '',
  client_secret: client?.secret ?? '',
});
const headers = { accept: 'application/json' };
const answer = await fetch(mock.url + path, { method: 'POST', headers, body });
const { token } = (await answer.json()) as Body;
console.log(answer.status, typeof token);
`,
  );
  writeFileSync(
    join(user, 'misuse.mts'),
    "import type { paths } from 'mrs-contract/openapi';\nexport const path: keyof paths = '/no/';\n",
  );
  const options = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--skipDefaultLibCheck'];
  const library = ['--lib', 'es2022,dom,esnext.disposable', '--typeRoots', 'none'];
  const { stdout: faults } = await run(
    process.execPath,
    [tsc, ...options, ...library, 'use.mts', 'misuse.mts'],
    user,
  ).catch((error: { stdout: string }) => error);
  expect(faults.match(/^\S.*?: error TS\d+/gm)).toEqual(['misuse.mts(2,14): error TS2322']);
  const { stdout } = await run(process.execPath, ['use.mjs'], user);
  expect(stdout.trim()).toBe('200 string');
});

test("a user's own tests use the fixture and the matchers", async () => {
  // Playwright is a peer, which users install: nothing else in this file may have it.
  mkdirSync(join(user, 'node_modules/@playwright'), { recursive: true });
  for (const name of ['@playwright/test', 'playwright', 'playwright-core'])
    symlinkSync(join(root, 'node_modules', name), join(user, 'node_modules', name));
  const project = join(user, 'own');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'own.spec.ts'), OWN_TEST);
  writeFileSync(
    join(project, 'wrong.spec.ts'),
    OWN_TEST.replace('(403)', '(401)').replace("'none' })).toGiveNo", "'none' })).toGive"),
  );
  await using mock = await startMock({ tokenLifetime: 60 });
  const [client] = mock.clients;
  const variables = {
    ...env,
    PLAYWRIGHT_TRANSFORM_CACHE_DIR: join(project, 'cache'),
    MRS_BASE_URL: mock.url,
    MRS_CLIENT_ID: client?.id,
    MRS_CLIENT_SECRET: client?.secret,
    MRS_TOKEN_LIFETIME: '60',
    MRS_MOCK_CONTROL_KEY: mock.controlKey,
  };
  const args = [
    join(user, 'node_modules/@playwright/test/cli.js'),
    'test',
    '--reporter=line',
    '--workers=1',
    '--timeout=0',
  ];
  const right = await run(process.execPath, [...args, 'own'], project, variables).catch((error) => error);
  expect(right.stdout).toContain('2 passed');
  const wrong = await run(process.execPath, [...args, 'wrong'], project, variables).catch((error) => error);
  expect(wrong.code).toBe(1);
  expect(wrong.stdout).toContain('2 failed');
  expect(wrong.stdout).toContain(
    'Expected: status 401\n    Seen:     a read with an expired token: 403, application/json',
  );
  expect(wrong.stdout).toContain(
    'Expected: an answer with the data\n    Seen:     a read without a token: 401, application/json',
  );
  expect(wrong.stdout).not.toContain(client?.secret);
});

const OWN_TEST = `import { expect, test } from 'mrs-contract/playwright';

test('an expired token is refused', async ({ mrs }) => {
  const answer = await mrs.readData({ token: 'expired' });
  expect(answer).toHaveStatus(403);
  expect(answer).toGiveNoData();
});

test('a read without a token gets no data', async ({ mrs }) => {
  expect(await mrs.readData({ token: 'none' })).toGiveNoData();
  expect(await mrs.readData()).toGiveData();
});
`;
