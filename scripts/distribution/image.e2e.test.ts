/** The image: rules for its Dockerfile, and its steps and programs run in a plain directory, since tests have no daemon. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMock } from '../../mocks/index.ts';
import { env, run } from '../e2e/testing/packed.ts';
import { readYaml, root } from './testing/step.ts';

interface Instruction {
  name: string;
  value: string;
}

/** The stages of the Dockerfile: each begins with FROM. */
const stages = readStages(readFileSync(join(root, 'Dockerfile'), 'utf8'));
const [build = [], image = []] = stages;
const valuesOf = (stage: Instruction[], name: string) =>
  stage.filter((one) => one.name === name).map(({ value }) => value);

function readStages(text: string): Instruction[][] {
  const found: Instruction[][] = [];
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n');
  for (const line of lines.filter((one) => one.trim() !== '')) {
    const [, name = '', value = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    if (name === 'FROM') found.push([]);
    found.at(-1)?.push({ name, value });
  }
  return found;
}

test('the base image is pinned by digest, and the same in every stage', () => {
  const bases = stages
    .flatMap((stage) => valuesOf(stage, 'FROM'))
    .map((value) => /node:\S+/.exec(value)?.[0]);
  expect(bases).toHaveLength(2);
  expect(new Set(bases).size).toBe(1);
  expect(bases[0]).toMatch(/^node:24\.\d+\.\d+-alpine[\d.]+@sha256:[0-9a-f]{64}$/);
});

test('the image runs as a user without rights, and knows no secret', () => {
  expect(valuesOf(image, 'USER')).toEqual(['node']);
  expect(image.findIndex(({ name }) => name === 'USER')).toBeGreaterThan(
    image.findLastIndex(({ name }) => ['RUN', 'COPY'].includes(name)),
  );
  const given = stages.flatMap((stage) => [...valuesOf(stage, 'ARG'), ...valuesOf(stage, 'ENV')]);
  expect(given.map((value) => value.split('=')[0])).toEqual(['VERSION', 'REVISION', 'CREATED', 'MRS_HOST']);
  expect(stages.flatMap((stage) => valuesOf(stage, 'ADD'))).toEqual([]);
});

/** What a clone in use has in addition to its sources and what is built of them. */
const LEFT_OUT = /^(node_modules|reports|test-results|\.git|.*\.tgz)$/;

describe('what the image holds', () => {
  let temporary: string;
  /** As /opt/mrs-contract. */
  let app: string;
  /** The working directory, which cannot be written to. */
  let readOnly: string;
  /** As the tmpfs at /tmp. */
  let writable: string;

  beforeAll(async () => {
    temporary = mkdtempSync(join(tmpdir(), 'mrs-image-'));
    const folder = join(temporary, 'build');
    [readOnly, writable] = [join(temporary, 'read-only'), join(temporary, 'writable')];
    cpSync(root, folder, { recursive: true, filter: (path) => !LEFT_OUT.test(relative(root, path)) });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const [development, packing = '', production = ''] = valuesOf(build, 'RUN');
    expect([development, production]).toEqual([
      expect.stringMatching(/^npm ci /), // The copy has the installed packages.
      expect.stringContaining('--omit=dev'),
    ]);
    await run('sh', ['-e', '-c', packing], folder, { ...env, npm_config_ignore_scripts: 'true' });
    // To install them takes as long as all the rest, and the test of the package does so: these are copies.
    app = join(folder, 'app');
    for (const [path] of locked.filter(([name]) => !name.includes('/node_modules/')))
      cpSync(join(root, path), join(app, path), { recursive: true });
    await run('sh', ['-e', '-c', production.replace(/^npm ci .*? && /, '')], folder, env);
    mkdirSync(readOnly, { mode: 0o555 });
    mkdirSync(writable);
    chmodSync(writable, 0o777);
    chmodSync(temporary, 0o755);
  });

  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  /** The production packages, by their path. */
  const locked = Object.entries<{ dev?: true }>(packages).filter(([path, { dev }]) => path && !dev);

  afterAll(() => rmSync(temporary, { recursive: true, force: true, maxRetries: 5 }));

  /** How a container starts a program: with the environment of the image, and where tests may, a user that no one knows. */
  const container = () => ({
    cwd: readOnly,
    env: {
      PATH: process.env.PATH ?? '',
      TMPDIR: writable,
      ...Object.fromEntries(valuesOf(image, 'ENV').map((one) => one.split('='))),
    },
    ...(process.getuid?.() === 0 && { uid: 12_345, gid: 12_345 }),
  });

  const mrs = (...args: string[]) =>
    new Promise<{ code: number; stdout: string; stderr: string }>((resolve) => {
      execFile(
        join(app, 'dist/scripts/mrs.js'),
        args,
        { ...container(), timeout: 280_000 },
        (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? -1) : 0, stdout, stderr }),
      );
    });

  test('mrs verify runs where only the directory of temporary files and that of the reports can be written to', async () => {
    const { code, stdout, stderr } = await mrs('verify', '--report-dir', join(writable, 'reports'));
    expect(code, stdout + stderr).toBe(0);
    expect(readdirSync(join(writable, 'reports'))).toContain('report.json');
    expect(readdirSync(readOnly)).toEqual([]);
  });

  test('the client of compose.yaml prints what it reads from the mock', async () => {
    const { mock: service, client } = readYaml('compose.yaml').services;
    expect(service.command.join(' ')).toContain('--log text');
    await using mock = await startMock({ port: 0 });
    const [program = '', path = ''] = client.entrypoint;
    const variables = { ...container().env, ...client.environment, MRS_BASE_URL: mock.url };
    const reader = spawn(program, [path.replace('/opt/mrs-contract', app)], {
      ...container(),
      env: variables,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      for await (const line of createInterface({ input: reader.stdout })) {
        expect(line).toMatch(/^read \d+ characters of JSON$/);
        return;
      }
      throw new Error('The client ended without printing a line.');
    } finally {
      reader.kill('SIGKILL');
    }
  });

  test('the health check passes while the mock listens, and fails after it', async () => {
    const [check = ''] = valuesOf(image, 'HEALTHCHECK');
    const [program = '', ...args] = JSON.parse(check.slice(check.indexOf('CMD [') + 'CMD '.length));
    const mock = spawn(join(app, 'dist/scripts/mrs.js'), ['mock', '--port', '0'], {
      ...container(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = new Promise<number | null>((resolve) => mock.once('close', resolve));
    try {
      const port = await portOf(mock);
      const health = () =>
        new Promise<number>((resolve) => {
          const variables = { ...container().env, MRS_PORT: port };
          execFile(program, args, { ...container(), env: variables }, (error) =>
            resolve(error ? Number(error.code) : 0),
          );
        });
      expect(await health()).toBe(0);
      mock.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(await health()).toBe(1);
    } finally {
      mock.kill('SIGKILL');
    }
  });
});

/** The port that the mock prints, once it says that it listens to other containers. */
async function portOf(mock: ChildProcess): Promise<string> {
  let port: string | undefined;
  const lines: string[] = [];
  if (mock.stdout)
    for await (const line of createInterface({ input: mock.stdout, signal: AbortSignal.timeout(60_000) })) {
      lines.push(line);
      port ??= /listens on http:\/\/[\d.]+:(\d+)/.exec(line)?.[1];
      if (port === undefined || line !== 'and on every address of this machine') continue;
      mock.stdout.resume(); // Else the pipe would fill up.
      return port;
    }
  throw new Error(`The mock did not print its address. It printed:\n${lines.join('\n')}`);
}
