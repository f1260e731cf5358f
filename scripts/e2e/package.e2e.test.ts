/** The package as its users get it: packed, and installed where nothing else is. */
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
import { tmpdir } from 'node:os';
import { basename, join, sep } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMock } from '../mock/index.ts';
import { env, root, run } from './testing/packed.ts';

const tsc = join(root, 'node_modules/typescript-7/bin/tsc');
const publint = join(root, 'node_modules', 'publint', 'src', 'cli.js');

let temporary: string;
let tarball: string;
/** The folder of a user who installed the package. */
let user: string;

beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), 'mrs-contract-package-'));
  user = join(temporary, 'user');
  mkdirSync(user);
  // From what was built before the tests.
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', temporary], root);
  tarball = join(temporary, stdout.trim());
  writeManifests(`../${basename(tarball)}`);
  await run(
    'npm',
    ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', tarball],
    user,
  );
});

afterAll(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));

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

test('npm installs the package and the locked production packages, few and small, and no other', () => {
  const modules = join(user, 'node_modules');
  const installed = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'));
  expect(Object.keys(installed.packages).sort()).toEqual(
    ['node_modules/mrs-contract', ...production.map(([path]) => path)].sort(),
  );
  expect(Object.keys(installed.packages).length).toBeLessThan(30);
  const sizes = readdirSync(modules, { recursive: true, encoding: 'utf8' }).map(
    (path) => statSync(join(modules, path)).size,
  );
  expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThan(12_000_000);
});

test('the tarball is small, and holds what is run and nothing of how it is made', () => {
  const installed = join(user, 'node_modules', 'mrs-contract');
  const found = readdirSync(installed, { recursive: true, encoding: 'utf8' })
    .map((path) => ({ path: path.replaceAll(sep, '/'), entry: statSync(join(installed, path)) }))
    .filter(({ entry }) => entry.isFile());
  const files = found.map(({ path }) => path);
  const allowed = [
    /^(LICENSE|README\.md|AGENTS\.md|CHANGELOG\.md|package\.json|openapi\.yaml|openapi\.d\.ts|tests\/(?:requirements|feed-rules|watch-rules|client-rules)\.yaml)$/,
    /^(tests\/report\/report\.schema\.json|scripts\/fleet\/fleet-file\.schema\.json|mocks\/control\.openapi\.(yaml|d\.ts))$/,
    /^tests\/client\/corpus\/(reactive\.ts|reader\.py|reader\.sh|feed_reader\.py)$/,
    /^((mocks|tests|tests\/(client|feed|report|server|server\/draft|traffic)|scripts\/(fleet|prove))\/README\.md|tests\/feed\/examples\/ods\.json)$/,
    /^mocks\/contract\/profiles\/[\w-]+\.overlay\.yaml$/,
    /^dist\/profiles\/[\w-]+\.json$/,
    /^mocks\/control\/page\/\w[\w-]*\.(html|css|js)$/,
    /^dist\/(openapi|control\.openapi|requirements|feed-corpus|(?:feed|watch|client)-rules|profiles\/[\w-]+)\.json$/,
    /^dist\/(prism\.cjs|THIRD-PARTY-LICENSES)$/,
    /^dist\/(scripts\/(mrs|command-line))\.(js|d\.ts)$/,
    /^dist\/(mocks|tests|scripts\/(commands|certify|fleet|judge|mock|prove|proxy|verify))\/((?!testing\/)[\w-]+\/)*(?!.*\.test\.)[\w.-]+\.(js|d\.ts)$/,
  ];
  expect(files.filter((file) => !allowed.some((one) => one.test(file)))).toEqual([]);
  expect(files).toEqual(expect.arrayContaining(NEEDED));
  const sizes = found.map(({ entry }) => entry.size);
  expect(statSync(tarball).size).toBeLessThan(1_300_000);
  expect(sizes.reduce((total, size) => total + size, 0)).toBeLessThan(4_400_000);
  expect(sizes.filter((size) => size > 100_000).length).toBe(2); // Prism, and the licences of its packages.
});

/** What neither publint nor another test of this file would miss. */
const NEEDED = [
  ...['LICENSE', 'README.md', 'CHANGELOG.md', 'tests/feed/examples/ods.json'],
  ...['mocks', 'tests/feed', 'scripts/fleet', 'tests/traffic'].map((folder) => `${folder}/README.md`),
  ...['reactive.ts', 'reader.py', 'reader.sh'].map((file) => `tests/client/corpus/${file}`),
  ...[
    'mocks/contract/profiles/nrao-ods.overlay.yaml',
    'mocks/control/page/page.js',
    'dist/THIRD-PARTY-LICENSES',
  ],
];

test('the package is built before it is packed, and has no script that npm would run where it is installed', () => {
  const { scripts } = JSON.parse(readFileSync(join(user, 'node_modules/mrs-contract/package.json'), 'utf8'));
  expect(scripts.prepack).toBe('node scripts/build.mjs');
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare'])
    expect(scripts).not.toHaveProperty([name]);
});

test('publint finds no mistake in the package', async () => {
  const { stdout } = await run(process.execPath, [publint, 'run', '--strict', tarball], temporary);
  expect(stdout).toContain('All good!');
});

test('mrs certify examines the client that comes with it', async () => {
  const client = 'node_modules/mrs-contract/dist/tests/client/corpus/reactive.js';
  const args = `certify --scenario data-500-once --report-dir certificate -- node ${client}`.split(' ');
  const { code, stdout } = await run('node_modules/.bin/mrs', args, user).catch((error) => error);
  expect(stdout.trimEnd().split('\n').at(-1)).toMatch(
    /^outcome: incomplete \(\d+ passed, 0 failed, 0 warned, /,
  );
  expect(code).toBe(3); // One scenario does not try everything.
  expect(existsSync(join(user, 'certificate', 'report.json'))).toBe(true);
});

test('startMock, the matchers and the types of the contract can be imported by both module systems', async () => {
  // Playwright is a peer, which users install: nothing else in this file may have it.
  mkdirSync(join(user, 'node_modules/@playwright'), { recursive: true });
  for (const name of ['@playwright/test', 'playwright', 'playwright-core'])
    symlinkSync(join(root, 'node_modules', name), join(user, 'node_modules', name));
  for (const [name, text] of Object.entries(IMPORTERS)) writeFileSync(join(user, name), text);
  const library = ['--lib', 'es2022,dom,esnext.disposable', '--typeRoots', 'none'];
  const options = ['--strict', '--target', 'es2022', ...library];
  const check = async (...args: string[]) => {
    const found = await run(process.execPath, [tsc, ...options, ...args], user).catch((error) => error);
    return found.stdout.match(/^\S.*?: error TS\d+.*/gm);
  };
  const { 'own.spec.mts': _, ...importers } = IMPORTERS;
  const faults = await check('--module', 'nodenext', '--skipDefaultLibCheck', ...Object.keys(importers));
  expect(faults).toEqual([expect.stringContaining('misuse.mts(2,14): error TS2322')]);
  // The types of Playwright itself need those of Node.js.
  const bundled = ['--module', 'esnext', '--moduleResolution', 'bundler', '--noEmit', '--skipLibCheck'];
  expect(await check(...bundled, 'use.mts', 'own.spec.mts')).toBeNull();
  for (const name of ['use.mjs', 'use.cjs']) {
    const { stdout } = await run(process.execPath, [name], user);
    expect(stdout.trim(), name).toBe('200 string string');
  }
});

const USE = `const path: keyof paths = '/token/';
const health: keyof control = '/__mock/health';
async function use() {
  const mock = await startMock({ port: 0 });
  const [client] = mock.clients;
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: client?.id ?? '',
    client_secret: client?.secret ?? '',
  });
  const headers = { accept: 'application/json' };
  const answer = await fetch(mock.url + path, { method: 'POST', headers, body });
  const { token } = (await answer.json()) as Body;
  console.log(answer.status, typeof token, typeof health);
  await mock.close();
}
type Body = paths['/token/']['post']['responses'][200]['content']['application/json'];
void use();
`;

const OWN_TEST = `import { expect, test } from 'mrs-contract/playwright';

test('an expired token is refused', async ({ mrs }) => {
  const answer = await mrs.readData({ token: 'expired' });
  expect(answer).toHaveStatus(403);
  expect(answer).toGiveNoData();
  expect(await mrs.readData({ token: 'none' })).toGiveNoData();
  expect(await mrs.readData()).toGiveData();
  expect(await mrs.requestToken({ form: { client_secret: 'wrong-secret' } })).toGiveNoToken();
  expect(await mrs.requestToken()).toGiveToken();
});
`;

/** A fixture that asks also when no test runs any more. */
const WORKER_TEST = `import { expect, test } from 'mrs-contract/playwright';

const own = test.extend<object, { health: number }>({
  health: [async ({ mrs }, use) => {
    await use((await mrs.checkHealth('/health/')).status);
    await mrs.checkHealth('/health/');
  }, { scope: 'worker' }],
});
own('the health check is there', ({ health }) => expect(health).toBe(200));
`;

/** Programs of users. Types of an ES module are named as such in a CommonJS module (TypeScript's resolution-mode). */
const IMPORTERS = {
  'use.mts': `import { startMock } from 'mrs-contract';
import type { paths as control } from 'mrs-contract/control';
import type { paths } from 'mrs-contract/openapi';
${USE}`,
  'use.cts': `import type { paths as control } from 'mrs-contract/control' with { 'resolution-mode': 'import' };
import type { paths } from 'mrs-contract/openapi' with { 'resolution-mode': 'import' };
const startMock = async (options: { port: number }) => (await import('mrs-contract')).startMock(options);
${USE}`,
  'misuse.mts': `import type { paths } from 'mrs-contract/openapi';
export const path: keyof paths = '/no/';
`,
  'own.spec.mts': OWN_TEST,
};

test("a user's own tests use the fixture and the matchers", async () => {
  const project = join(user, 'own');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'own.spec.ts'), OWN_TEST);
  writeFileSync(join(project, 'worker.spec.ts'), WORKER_TEST);
  const wrong = OWN_TEST.replace('(403)', '(401)').replace("'none' })).toGiveNo", "'none' })).toGive");
  const worse = wrong.replace("secret' } })).toGiveNo", "secret' } })).toGive");
  const soft = worse
    .replace('(await mrs.readData()).toGive', '(await mrs.readData()).toGiveNo')
    .replace('(await mrs.requestToken()).toGive', '(await mrs.requestToken()).toGiveNo');
  writeFileSync(join(project, 'wrong.spec.ts'), soft.replaceAll('expect(a', 'expect.soft(a'));
  await using mock = await startMock({ tokenLifetime: 60, records: 3 });
  const [client] = mock.clients;
  const json = join(project, 'report.json');
  const variables = {
    ...env,
    PLAYWRIGHT_TRANSFORM_CACHE_DIR: join(project, 'cache'),
    MRS_BASE_URL: mock.url,
    MRS_CLIENT_ID: client?.id,
    MRS_CLIENT_SECRET: client?.secret,
    MRS_TOKEN_LIFETIME: '60',
    MRS_MOCK_CONTROL_KEY: mock.controlKey,
    PLAYWRIGHT_JSON_OUTPUT_NAME: json,
  };
  const args = ['test', '--reporter=line,json', '--workers=1', '--timeout=0'];
  const cli = join(user, 'node_modules/@playwright/test/cli.js');
  const { code, stdout } = await run(process.execPath, [cli, ...args], project, variables).catch(
    (error) => error,
  );
  expect(code).toBe(1);
  for (const shown of [
    ...['2 passed', '1 failed', '1) wrong.spec.ts:3'],
    'Expected: status 401\n    Seen:     a read with the token "expired": 403, application/json',
    'Expected: an answer with the data\n    Seen:     a read with the token "none": 401, application/json',
    'Expected: an answer without the data\n    Seen:     a read with the token "valid": 200, application/json',
    'Expected: an answer with status 200 and the field token\n    Seen:     a form: 401, application/json',
    'Expected: an answer without a token\n    Seen:     a form: 200, application/json, JSON object (token) with a token',
  ])
    expect(stdout).toContain(shown);

  const [own] = JSON.parse(readFileSync(json, 'utf8')).suites;
  const [{ steps, attachments }] = own.specs[0].tests[0].results;
  const titles = steps.map(({ title }: { title: string }) => title);
  expect(titles).toEqual(
    expect.arrayContaining([
      ...['a form with valid credentials', 'a wait of 67 s, until the token has expired'],
      ...['a read with the token "expired"', 'a read with the token "none"', 'a form'],
    ]),
  );
  const textOf = (name: string): string =>
    Buffer.from(attachments.find((one: { name: string }) => one.name === name).body, 'base64').toString();
  expect(JSON.parse(textOf('a read with the token "expired": request and answer'))).toMatchObject({
    ...{ at: expect.stringMatching(/^\d{4}-/), request: { path: '/ods_data/' }, response: { status: 403 } },
  });
  expect(textOf('a read with the token "none": curl')).toBe(
    `curl --include --compressed --url '${mock.url}/ods_data/' --header 'accept: application/json'`,
  );
  expect(textOf('a form: curl')).toContain('‹the secret of the test›');
  expect(stdout).not.toContain('not a part of any test');
  expect(stdout).not.toContain(client?.secret);
  const shown = attachments.map(({ name }: { name: string }) => textOf(name)).join('\n');
  for (const hidden of [client?.secret, 'wrong-secret']) expect(shown).not.toContain(hidden);
});

test('own tests without a deployment end with one sentence each', async () => {
  const project = join(user, 'lost');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(project, 'own.spec.ts'), OWN_TEST);
  const cli = join(user, 'node_modules/@playwright/test/cli.js');
  const variables = { ...env, PLAYWRIGHT_TRANSFORM_CACHE_DIR: join(project, 'cache') };
  const { code, stdout } = await run(
    process.execPath,
    [cli, 'test', '--reporter=line'],
    project,
    variables,
  ).catch((error) => error);
  expect(code).toBe(1);
  expect(stdout).toContain('MRS_BASE_URL is not set');
  expect(stdout).not.toMatch(/^\s+at /m);
});

test("package that Yarn with Plug'n'Play installed judges its mock, and finds it conformant", async ({
  skip,
}) => {
  const folder = join(temporary, 'yarn');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  writeFileSync(join(folder, 'yarn.lock'), ''); // Otherwise Yarn looks for a project in the folders above.
  const source = '@yarnpkg/cli-dist@4.18.1';
  const npmExec = ['exec', '--yes', '--prefer-offline', `--package=${source}`, '--', 'yarn'];
  // In CI, Yarn refuses to change a lock file.
  const yarn = (...args: string[]) =>
    run('npm', [...npmExec, ...args], folder, { ...env, YARN_ENABLE_TELEMETRY: '0', CI: '' });
  const { message } = (await yarn('--version').catch((error: Error) => error)) as Partial<Error>;
  skip(message !== undefined, `${source} cannot be installed: ${message}`);
  await yarn('add', `mrs-contract@file:${tarball}`);
  const { stdout } = await yarn('run', 'mrs', 'verify', '--mock', '--quiet');
  expect(stdout).toMatch(/^outcome: conformant/m);
});
