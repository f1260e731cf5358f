/** The step of action.yml, run as a runner runs it. */
import { mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { good } from '../../tests/feed/testing/sample-feed.ts';
import { isAlive } from '../e2e/testing/processes.ts';
import { startMock } from '../mock/index.ts';
import {
  createWorkshop,
  type Ended,
  outputsIn,
  readYaml,
  root,
  runStep,
  type Workshop,
} from './testing/step.ts';

const action = readYaml('action.yml');
const step = action.runs.steps.find(({ id }: { id?: string }) => id === 'mrs');
const SECRET = 'a 100% secret\nof "two" lines; $(touch pwned)';

interface Used extends Ended {
  outputs: Record<string, string>;
  summary: string;
}

/** Uses the action with these inputs, and the defaults for others. `env` is that of the job. */
async function use(
  workshop: Workshop,
  inputs: Record<string, string>,
  env: Record<string, string> = {},
  cancelled?: Promise<unknown>,
): Promise<Used> {
  const { temporary } = workshop;
  const [output, summary] = [join(temporary, 'output'), join(temporary, 'summary.md')];
  for (const file of [output, summary]) writeFileSync(file, '');
  const variables: Record<string, string> = {
    ...{ GITHUB_ACTIONS: 'true', GITHUB_ACTION_PATH: root, RUNNER_TEMP: temporary },
    ...{ GITHUB_OUTPUT: output, GITHUB_STEP_SUMMARY: summary },
    ...env,
  };
  for (const name of Object.keys(inputs)) expect(action.inputs).toHaveProperty([name]);
  for (const [name, value] of Object.entries<string>(step.env)) {
    const [, input = ''] = /^\$\{\{ inputs\.([a-z-]+) \}\}$/.exec(value) ?? [];
    variables[name] = inputs[input] ?? action.inputs[input].default;
  }
  const ended = await runStep(
    workshop,
    ['bash', '-e', '-o', 'pipefail', '-c', step.run],
    variables,
    cancelled,
  );
  const outputs = outputsIn(readFileSync(output, 'utf8'));
  return { ...ended, outputs, summary: readFileSync(summary, 'utf8') };
}

/** What a run of `mrs` writes for this outcome. */
const outputsOf = (outcome: string, exitCode: number, passed: string, failed: string, mode: string) => ({
  ...{ outcome, 'exit-code': String(exitCode), passed, failed, warned: '', 'could-not-run': '0' },
  'report-directory': `reports/${mode}`,
});

/** Nothing that was hidden in a value ran: it would have left a file where a step or a program works. */
function expectNothingRan({ folder, temporary }: Workshop): void {
  const names = [folder, temporary].flatMap((path) => readdirSync(path));
  expect(names).not.toContain('pwned');
}

/** The workspace with a feed; `fields` are those of its only record. */
function workspaceWithFeed(fields: object, name = 'ods.json'): Workshop {
  const workshop = createWorkshop();
  writeFileSync(join(workshop.folder, name), JSON.stringify({ ods_data: [{ ...good, ...fields }] }));
  return workshop;
}

const AT = '--at=2030-01-01';

test('every input reaches the step as a variable, or another step', () => {
  const text = readFileSync(join(root, 'action.yml'), 'utf8').split(/^runs:/m)[1] ?? '';
  for (const name of Object.keys(action.inputs)) expect(text).toMatch(new RegExp(`inputs\\.${name}\\b`));
  for (const [name, { value }] of Object.entries<{ value: string }>(action.outputs))
    expect(value).toBe(`\${{ steps.mrs.outputs.${name} }}`);
});

test('a conformant deployment passes, and its secret is masked and in no argument', async () => {
  await using mock = await startMock({ port: 0, clients: [{ id: 'acme', secret: SECRET }] });
  const workshop = createWorkshop();
  const { code, outputs, summary, stdout } = await use(
    workshop,
    { 'base-url': mock.url, 'client-id': 'acme', 'client-secret': SECRET, 'token-lifetime': '15m' },
    { MRS_MOCK_CONTROL_KEY: mock.controlKey ?? '' },
  );
  expect(code, stdout).toBe(0);
  expect(outputs).toEqual(outputsOf('conformant', 0, '21', '0', 'verify'));
  expect(summary).toContain('conformant');
  const report = readdirSync(join(workshop.folder, 'reports', 'verify'));
  expect(report).toEqual(expect.arrayContaining(['report.html', 'junit.xml', 'summary.md']));

  const masks = SECRET.split('\n').map((line) => `::add-mask::${line.replace('%', '%25')}`);
  expect(stdout.split('\n').slice(0, 2)).toEqual(masks);
  const seen = workshop.seen();
  // No package by its name: whoever has that in a registry would get the secret.
  expect(seen[0]).toMatchObject({ program: 'npm', argv: expect.arrayContaining(['ci', '--prefix', root]) });
  for (const { argv } of seen.filter(({ program }) => program === 'npm'))
    expect(argv.join(' ')).not.toMatch(/mrs-contract@/);
  for (const { argv } of seen) expect(argv.join('\n')).not.toContain('of "two" lines');
  const knowing = seen.filter(({ env }) => Object.values(env).includes(SECRET)).map(({ argv }) => argv[1]);
  expect(knowing).toEqual(['verify']);
  expectNothingRan(workshop);
});

test('a deployment with a defect fails the step, unless a baseline accepts it', async () => {
  await using mock = await startMock({ defect: 'any-grant-type' });
  const { id = '', secret = '' } = mock.clients[0] ?? {};
  const workshop = createWorkshop();
  const inputs = { 'base-url': mock.url, 'client-id': id, 'client-secret': secret, 'token-lifetime': '15m' };
  const env = { MRS_MOCK_CONTROL_KEY: mock.controlKey ?? '' };
  const failed = await use(workshop, { ...inputs, args: '--quiet\n\n--timeout=20s\r\n' }, env);
  expect(failed.code, failed.stdout).toBe(1);
  expect(failed.outputs).toMatchObject({ outcome: 'nonconformant', 'exit-code': '1', failed: '1' });
  expect(failed.stdout).toContain('::error title=mrs verify MRS-');
  const entry = { requirement: 'MRS-4.1f', reason: 'It is known.', owner: 'ops', until: '2999-01-01' };
  writeFileSync(join(workshop.folder, 'known.yaml'), JSON.stringify([entry]));
  const accepted = await use(workshop, { ...inputs, args: '--baseline=known.yaml' }, env);
  expect(accepted.outputs, accepted.stdout).toMatchObject({ outcome: 'accepted', 'exit-code': '0' });
  expect(accepted.code).toBe(0);
});

const WRONG = { src_ra_j2000_deg: 400 };
const CASES: [result: string, failOn: string, exitCode: number, fields: object, args: string][] = [
  ['error', 'incomplete\nerror', 2, {}, '--no-such-option'],
  ['incomplete', 'never', 3, {}, `${AT}\n--body-limit=0.0001`],
];
for (const [result, failOn, exitCode, fields, args] of CASES)
  test(`a feed that is ${result} ${failOn.includes(result) ? 'fails' : 'passes'} with fail-on ${JSON.stringify(failOn)}`, async () => {
    const workshop = workspaceWithFeed(fields);
    const used = await use(workshop, { mode: 'feed', feed: 'ods.json', args, 'fail-on': failOn });
    expect(used.outputs).toMatchObject({ outcome: result, 'exit-code': String(exitCode) });
    expect(used.code, used.stdout).toBe(failOn.includes(result) ? exitCode : 0);
  });

test('a fleet is judged with the secrets of the job, and its counts are those of deployments', async () => {
  await using mock = await startMock({ port: 0, clients: [{ id: 'acme', secret: SECRET }] });
  const workshop = workspaceWithFeed(WRONG);
  const service = {
    ...{ name: 'service', baseUrl: mock.url, clientId: 'acme', tokenLifetime: '15m' },
    ...{ clientSecret: { env: 'SERVICE_SECRET' }, mockControlKey: { env: 'CONTROL_KEY' } },
  };
  const fleet = { deployments: [service, { name: 'feed', feed: 'ods.json' }] };
  writeFileSync(join(workshop.folder, 'our fleet.json'), JSON.stringify(fleet));
  const env = { SERVICE_SECRET: SECRET, CONTROL_KEY: mock.controlKey ?? '' };
  const inputs = { mode: 'fleet', fleet: 'our fleet.json' };
  const { code, outputs, summary, stdout, stderr } = await use(workshop, inputs, env);
  expect(code, stdout + stderr).toBe(1);
  expect(outputs).toEqual(outputsOf('nonconformant', 1, '1', '1', 'fleet'));
  expect(summary).toContain('service');

  expectNothingRan(workshop);
});

test('the arguments of a client are the lines of command, whatever is in them', async () => {
  const workshop = createWorkshop();
  writeFileSync(
    join(workshop.folder, 'client.cjs'),
    "require('node:fs').writeFileSync('argv.json', JSON.stringify(process.argv.slice(2)));",
  );
  const lines = [
    'a b',
    '$(touch pwned)',
    '`touch pwned`',
    '"q\'',
    '; touch pwned',
    '*',
    '--report-dir=x',
    "'",
  ];
  const { code, outputs, stdout } = await use(workshop, {
    mode: 'certify',
    command: [process.execPath, 'client.cjs', ...lines].join('\n'),
    args: '--scenario=ended-early',
  });
  expect(JSON.parse(readFileSync(join(workshop.folder, 'argv.json'), 'utf8'))).toEqual(lines);
  // It called nothing.
  expect(outputs).toMatchObject({ outcome: 'incomplete', 'report-directory': 'reports/certify' });
  expect(code, stdout).toBe(Number(outputs['exit-code']));
  expectNothingRan(workshop);
});

test('a value that looks like an option is a value, and a package that is named is installed', async () => {
  const workshop = workspaceWithFeed({});
  const { outputs } = await use(workshop, { mode: 'fleet', fleet: '--help' });
  expect(outputs).toMatchObject({ outcome: 'error', 'exit-code': '2' });
  const name = '--prefix=/$(touch pwned)';
  const used = await use(workshop, { mode: 'feed', feed: 'ods.json', args: AT, package: name });
  expect(used.outputs).toMatchObject({ outcome: 'conformant' });
  const installs = workshop.seen().filter(({ program }) => program === 'npm');
  expect(installs.at(-1)?.argv.slice(-2)).toEqual(['--', name]);
  expectNothingRan(workshop);
});

const REFUSED: [Record<string, string>, message: string][] = [
  [{ mode: 'verify; touch pwned' }, 'mode is "verify; touch pwned".'],
  [{}, 'base-url is empty.'],
  [{ mode: 'fleet', profile: 'nrao-ods' }, 'profile is not for a fleet.'],
  [{ 'fail-on': 'warning' }, 'fail-on has "warning".'],
  [{ mode: 'a\r\n::stop-commands::x' }, 'mode is "a%0D%0A::stop-commands::x".'],
];
test('a mistake in the inputs is refused in one line, before anything is installed', async () => {
  for (const [inputs, message] of REFUSED) {
    const workshop = createWorkshop();
    const { code, stdout, outputs } = await use(workshop, inputs);
    expect({ code, outputs }, message).toEqual({ code: 2, outputs: { outcome: 'error', 'exit-code': '2' } });
    expect(stdout).toContain(`::error title=mrs-contract::${message}`);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(workshop.seen()).toEqual([]);
    expectNothingRan(workshop);
  }
});

test('a step that judges nothing does not pass, nor by the report of an earlier run', async () => {
  await using mock = await startMock({ port: 0 });
  const client = { 'base-url': mock.url, 'client-id': 'demo', 'client-secret': 'demo-secret' };
  for (const [mode, inputs] of [
    ['verify', { ...client, args: '--dry-run' }],
    ['feed', { feed: 'missing.json', 'fail-on': 'never' }],
  ] as const) {
    const workshop = createWorkshop();
    const old = join(workshop.folder, 'reports', mode);
    mkdirSync(old, { recursive: true });
    writeFileSync(join(old, 'report.json'), '{ "outcome": "conformant" }');
    const { code, outputs } = await use(workshop, { mode, ...inputs });
    expect(code).toBe('fail-on' in inputs ? 0 : 2);
    expect(outputs).toMatchObject({ outcome: 'error', 'exit-code': '2' });
    expect(readdirSync(old)).toEqual([]);
  }
});

test('a package that cannot be installed is an error, with what npm printed', async () => {
  const workshop = createWorkshop({ failInstall: true });
  const { code, outputs, stdout, stderr } = await use(workshop, { mode: 'feed', feed: 'ods.json' });
  expect({ code, outputs }).toEqual({ code: 2, outputs: { outcome: 'error', 'exit-code': '2' } });
  expect(stderr).toContain('npm error 404');
  expect(stdout).toContain('cannot be installed');
});

/** A server whose answers never end, and a promise of its first request. */
async function startHanging() {
  let asked = () => {};
  const first = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const server = createServer(() => asked());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, first, [Symbol.dispose]: () => server.close().closeAllConnections() };
}

test('a job that is cancelled leaves a report to upload, and no process', async () => {
  using server = await startHanging();
  const workshop = createWorkshop();
  const client = { 'client-id': 'acme', 'client-secret': SECRET, 'token-lifetime': '15m' };
  const inputs = { ...client, 'base-url': server.url, args: '--timeout=1h' };
  const { code, outputs, stdout, stderr } = await use(workshop, inputs, {}, server.first);
  expect(code, stdout + stderr).toBe(3);
  expect(outputs).toMatchObject({
    ...{ outcome: 'incomplete', 'exit-code': '3', 'report-directory': 'reports/verify' },
  });
  expect(workshop.seen().filter(({ pid }) => isAlive(pid))).toEqual([]);
  const text = readFileSync(join(workshop.folder, 'reports/verify/report.json'), 'utf8');
  expect(text).toContain('Interrupted after ');
  expect(text).not.toContain(JSON.stringify(SECRET).slice(1, -1));
});

test('a job that is cancelled while packages are installed runs nothing, and leaves no process', async () => {
  const workshop = createWorkshop();
  const log = join(workshop.temporary, 'seen.jsonl');
  writeFileSync(log, '');
  const installs = new Promise<void>((resolve) => {
    const watcher = watch(log, () => {
      watcher.close();
      resolve();
    });
  });
  const inputs = { mode: 'feed', feed: 'ods.json' };
  const { code, outputs, stdout } = await use(workshop, inputs, { HANG_INSTALL: '1' }, installs);
  expect({ code, outputs }, stdout).toEqual({
    code: 2,
    outputs: { outcome: 'error', 'exit-code': '2', 'report-directory': 'reports/feed' },
  });
  expect(stdout).toContain('The step was cancelled before the run began.');
  expect(workshop.seen().map(({ program }) => program)).toEqual(['npm']);
  expect(workshop.seen().filter(({ pid }) => isAlive(pid))).toEqual([]);
});
