/** The whole suite, as `mrs verify` runs it, against deployments that are right, wrong, open, down or hostile. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import type { Report } from '../tests/support/report/report.ts';
import { isBinding, ledger } from '../tests/support/requirements.ts';
import { type Answer, client, html, json, startDeployment, type Traits } from './deployment.ts';

/** More would only wait for each other. */
const AT_ONCE = 3;

/** Traits are made anew for each run, since some remember what was asked before. */
type MakeTraits = () => Partial<Traits>;

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
  directory: string;
  /** Absent if none was written. */
  report?: Report;
}

const root = fileURLToPath(new URL('..', import.meta.url));

test.beforeEach(() => test.setTimeout(180_000));

test('a correct deployment is conformant, at a cost of three tokens and one request for each question', async () => {
  await using deployment = await startDeployment();
  const run = await verify(deployment.env);
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' });
  expect(run.report).toMatchObject({ outcome: 'conformant', counts: { failed: 0, 'could-not-run': 0 } });
  expect(run.report?.counts.passed).toBe(ledger.filter(isBinding).length);
  expect(run.stdout.trimEnd().split('\n').at(-1)).toMatch(/^outcome: conformant \(\d+ passed, 0 failed, /);
  expect(deployment.tokens).toHaveLength(3);
  expect(run.report?.requests).toBe(deployment.calls.length);
  expect(deployment.calls.length).toBeLessThanOrEqual(25);
  for (const line of run.stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
});

const defects: Record<string, { traits: MakeTraits; fails: string[] }> = {
  'answers a token request with 201': {
    traits: () => ({ issued: (token) => json(201, { token }) }),
    fails: ['MRS-4.1a'],
  },
  'has a field besides token': {
    traits: () => ({ issued: (token) => json(200, { token, token_type: 'Bearer' }) }),
    fails: ['MRS-4.1l'],
  },
  'issues a number': {
    traits: () => ({ issued: () => json(200, { token: 12_345_678 }) }),
    fails: ['MRS-2a'],
  },
  'sends the token as text/html': {
    traits: () => ({ issued: (token) => html(200, JSON.stringify({ token })) }),
    fails: ['MRS-4.1k'],
  },
  'wants an Authorization header at the token endpoint': {
    traits: () => ({ issuesFor: ({ headers }, valid) => valid && headers.authorization !== undefined }),
    fails: ['MRS-4.1a', 'MRS-4.1b'],
  },
  'issues a token for any form': {
    traits: () => ({ issuesFor: () => true }),
    fails: ['MRS-4.1e', 'MRS-4.1f', 'MRS-4.1g', 'MRS-4.1h', 'MRS-4.1i', 'MRS-4.1j'],
  },
  'takes any secret': {
    traits: () => ({
      issuesFor: ({ form }) =>
        form.get('grant_type') === 'client_credentials' &&
        form.get('client_id') === client.id &&
        form.has('client_secret'),
    }),
    fails: ['MRS-4.1j'],
  },
  'issues one token and no second': {
    traits: () => {
      let issued = 0;
      return { issuesFor: (_, valid) => valid && issued++ === 0 };
    },
    fails: ['MRS-4.1m', 'MRS-5.6b'],
  },
  'gives the data to no token': {
    traits: () => ({ opens: () => false }),
    fails: ['MRS-4.2a'],
  },
  'serves the data as HTML': {
    traits: () => ({ data: () => html(200, '<table></table>') }),
    fails: ['MRS-4.2b'],
  },
  'gives the data without a token': {
    traits: () => ({ opens: ({ kind }) => kind === 'valid' || kind === 'missing' }),
    fails: ['MRS-1.3'],
  },
  'gives the data to any token': {
    traits: () => ({ opens: ({ kind }) => kind !== 'missing' }),
    fails: ['MRS-5.5a', 'MRS-5.5b', 'MRS-5.6a', 'MRS-7a'],
  },
  'takes tokens that look like its own': {
    traits: () => ({
      send: (answer, { path, token }) =>
        path === '/ods_data/' && answer.status === 401 && token?.startsWith('tok-')
          ? json(200, { requests: [{ number: 1 }] })
          : answer,
    }),
    fails: ['MRS-5.5b'],
  },
  'takes a token once': {
    traits: () => ({ opens: ({ kind, uses }) => kind === 'valid' && uses === 1 }),
    fails: ['MRS-5.3b'],
  },
  'lets no token expire': {
    traits: () => ({ opens: ({ kind }) => kind === 'valid' || kind === 'expired' }),
    fails: ['MRS-5.6a', 'MRS-7a'],
  },
  'answers an expired token with 401': {
    traits: () => ({ refusedToken: () => json(401, { error: 'expired' }) }),
    fails: ['MRS-7a'],
  },
  'sends an expired token to a log-in page': {
    traits: () => ({ refusedToken: () => ({ status: 302, headers: { location: '/login' } }) }),
    fails: ['MRS-7a'],
  },
  'refuses the second token that it issues': {
    traits: () => {
      const first = { seen: '' };
      return {
        send(answer, { path, token = '' }) {
          if (path !== '/ods_data/' || answer.status !== 200) return answer;
          first.seen ||= token;
          return token === first.seen ? answer : json(403, {});
        },
      };
    },
    fails: ['MRS-5.6b'],
  },
  'has no health check': {
    traits: () => ({ health: () => json(404, {}) }),
    fails: ['MRS-4.3a'],
  },
  'wants a token for its health check': {
    traits: () => ({ health: ({ token }) => json(token ? 200 : 403, {}) }),
    fails: ['MRS-4.3b'],
  },
};

for (const [nth, group] of chunks(Object.entries(defects), 10).entries())
  test(`a deployment that is wrong in one way fails what names it, and that alone (${nth + 1})`, async () => {
    await inParallel(group, async ([what, { traits, fails }]) => {
      const run = await judge(traits());
      expect.soft(failedIn(run), `a deployment that ${what}`).toEqual(fails);
      expect.soft(run, what).toMatchObject({ code: 1, stderr: '', report: { outcome: 'nonconformant' } });
    });
  });

test('each requirement is failed by a deployment that is wrong', () => {
  const failed = new Set(Object.values(defects).flatMap(({ fails }) => fails));
  expect([...failed].toSorted()).toEqual(
    ledger
      .filter(isBinding)
      .map(({ id }) => id)
      .toSorted(),
  );
});

const permitted: Record<string, MakeTraits> = {
  'refuses all with 403, and issues what looks like a JWT': () => ({
    refusedToken: () => json(403, { error: 'no' }),
    mint: (serial) =>
      `eyJhbGciOiJIUzI1NiJ9.${base64url(`{"n":${serial}}`)}.${base64url(`signature ${serial}!!`)}`,
  }),
  'answers a missing token with a page to log in, and wrong forms with an empty 400': () => ({
    refusedToken: ({ kind }) => (kind === 'missing' ? html(200) : json(403, {})),
    refusedForm: () => ({ status: 400 }),
    mint: (serial) => `a+/${serial}bc+d/e==`,
  }),
  'redirects those without a token, and compresses what it sends': () => ({
    refusedToken: ({ kind }) =>
      kind === 'missing' ? { status: 302, headers: { location: '/login' } } : json(403, {}),
    send: (answer) => (answer.body ? compressed(answer) : answer),
  }),
  'has a base path, issues the same token until it expires, and sends its data with a charset': () => ({
    basePath: '/api/v1',
    mint: (serial, current) => current ?? `tok-${serial}-abcdefghij`,
    data: () => ({
      status: 200,
      headers: { 'content-type': 'Application/JSON; charset="utf-8"' },
      body: '[1, 2]',
    }),
  }),
  'keeps the newest token alone alive, serves an empty object, and is healthy as 204 elsewhere': () => ({
    opens: ({ kind, newest }) => kind === 'valid' && newest,
    data: () => json(200, {}),
    healthPath: '/status/live',
    health: () => ({ status: 204 }),
  }),
  'has no data, is healthy as text, and tells no wrong form from another': () => ({
    data: () => ({ status: 204 }),
    health: () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'OK' }),
    refusedForm: () => html(404),
  }),
  'sends data that is new each time, and long tokens': () => {
    let nth = 0;
    return {
      data: () => json(200, { at: ++nth, requests: Array(nth).fill({ id: nth }) }),
      mint: (serial) => `${serial}.${'abcdefgh'.repeat(500)}`,
    };
  },
  'is unwell, and refuses everybody with an empty 200': () => ({
    health: () => json(503, { up: false }),
    refusedToken: ({ kind }) => ({ status: kind === 'expired' ? 403 : 200 }),
  }),
  'puts data and errors in one envelope, with status 200': () => ({
    data: () => json(200, { status: 'ok', result: [{ number: 1 }] }),
    refusedToken: ({ kind }) =>
      kind === 'expired' ? json(403, {}) : json(200, { status: 'error', message: 'Log in.' }),
  }),
  'issues tokens of one character': () => ({ mint: (serial) => 'xpq'[serial] ?? 'z' }),
};

test('a deployment that differs where the specification is open is conformant', async () => {
  await inParallel(Object.entries(permitted), async ([what, traits]) => {
    const run = await judge(traits());
    expect.soft(failedIn(run), `a deployment that ${what}`).toEqual([]);
    expect.soft(run, what).toMatchObject({ code: 0, stderr: '', report: { outcome: 'conformant' } });
  });
});

test('the verdict does not hang on what the secret is', async () => {
  await inParallel(['1', 'json', 'object'], async (clientSecret) => {
    const run = await judge({ clientSecret });
    expect
      .soft(run, `the secret ${clientSecret}`)
      .toMatchObject({ code: 0, report: { outcome: 'conformant' } });
    const ids = run.report?.exchanges.map(({ id }) => id) ?? [];
    expect.soft(ids, `the secret ${clientSecret}`).toEqual(ids.map((_, at) => `x${at + 1}`));
  });
});

test('a token answer that is nested without measure is not parsed, and is no fault of the run', async () => {
  const body = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
  const run = await judge({ issued: () => ({ ...json(200, null), body }) });
  expect(run, run.stderr).toMatchObject({ code: 3, report: { outcome: 'incomplete', problems: [] } });
  expect(failedIn(run)).toEqual([]);
});

test('where no answer can be had, or none that decides anything, the run is incomplete', async () => {
  await using deployment = await startDeployment();
  await deployment[Symbol.asyncDispose]();
  const runs: [string, () => Promise<Run>][] = [
    ['down', () => verify(deployment.env)],
    ['503', () => judge({ send: () => ({ status: 503 }) })],
    ['429', () => judge({ send: () => ({ status: 429, headers: { 'retry-after': '60' } }) })],
    ['a long lifetime', () => judge({ tokenLifetimeMs: 86_400_000 })],
  ];
  await inParallel(runs, async ([what, start]) => {
    const run = await start();
    expect.soft(run, what).toMatchObject({ code: 3, stderr: '', report: { outcome: 'incomplete' } });
    expect.soft(failedIn(run), what).toEqual([]);
  });
});

test('a deployment that breaks down on every request is nonconformant', async () => {
  const run = await judge({ send: () => json(500, { error: 'oh' }) });
  expect(run).toMatchObject({ code: 1, report: { outcome: 'nonconformant' } });
  expect(failedIn(run)).toContain('MRS-4.1a');
});

test('where the operator gives an expired token, no lifetime is waited for', async () => {
  const expired = 'tok-old-abcdefghij';
  const traits: Partial<Traits> = {
    tokenLifetimeMs: 86_400_000,
    send: (answer, { token }) => (token === expired ? json(403, {}) : answer),
  };
  const run = await judge(traits, { MRS_EXPIRED_TOKEN: expired, MRS_HEALTH_PATHS: '' });
  expect(run).toMatchObject({ code: 0, report: { outcome: 'conformant', counts: { 'not-applicable': 2 } } });
  expect(seenIn(run).includes(expired), 'the expired token was left behind').toBe(false);
});

test('neither the secret nor a token leaves the run, however a deployment sends them back', async () => {
  const mints: Traits['mint'][] = [
    (serial) => `tok/${serial}+abc=&<"'>-${base64url('a secret thing')}`,
    (serial) => `eyJhbGciOiJIUzI1NiJ9.${base64url(`{"n":${serial}}`)}.${base64url(`signature ${serial}`)}`,
  ];
  await inParallel(mints, async (mint) => {
    const seen = new Set<string>();
    const traits: Partial<Traits> = {
      mint: (serial, current) => {
        const token = mint(serial, current);
        seen.add(token);
        return token;
      },
      send: (answer, { form, token, headers }) => {
        for (const value of [form.get('client_secret'), token]) if (value) seen.add(value);
        const said = [...seen, headers.authorization ?? ''].filter(Boolean).flatMap(written);
        const page = said.join('\n').repeat(answer.status === 200 ? 1 : 40);
        const echo = said
          .filter((one) => /^[\x20-\x7e]+$/.test(one))
          .map((one, nth) => [`x-echo-${nth}`, one]);
        const { 'content-type': type = '' } = answer.headers ?? {};
        const tells = answer.status !== 200 || !type.includes('json');
        const isData = answer.body?.includes('requests');
        return {
          status: answer.status,
          headers: {
            ...answer.headers,
            ...Object.fromEntries(echo),
            'set-cookie': `t=${encodeURIComponent(said[0] ?? '')}`,
          },
          body: tells
            ? page
            : isData
              ? JSON.stringify({ requests: said, [said[0] ?? '']: 1 })
              : (answer.body ?? ''),
        };
      },
    };
    await using deployment = await startDeployment(traits);
    const run = await verify(deployment.env);
    expect(run, run.stdout).toMatchObject({ code: 0, report: { outcome: 'conformant' } });
    const left = seenIn(run);
    for (const value of [deployment.traits.clientSecret, ...deployment.tokens])
      for (const form of written(value))
        expect.soft(left.includes(form), `${form} was left behind`).toBe(false);
    expect(left).toContain('‹client secret›');
    expect(left).toContain('‹token 1›');
  });
});

test('a token that its answer writes with escapes does not leave the run', async () => {
  await using deployment = await startDeployment({
    mint: (serial) => `token/${serial}/abcdef`,
    issued: (token) => ({ ...json(200, null), body: `{"token":"${token.replaceAll('/', '\\/')}"}` }),
  });
  const run = await verify(deployment.env);
  expect(run.code, run.stdout).toBe(0);
  expect(seenIn(run).includes('abcdef'), 'a token was left behind').toBe(false);
});

const right = { MRS_BASE_URL: 'http://127.0.0.1:9', MRS_CLIENT_ID: 'station', MRS_CLIENT_SECRET: 'hunter2' };
const mistakes: Record<string, { env: Record<string, string>; args?: string[]; says: RegExp }> = {
  'no client': { env: { MRS_BASE_URL: 'http://127.0.0.1:9' }, says: /^MRS_CLIENT_ID is not set\. / },
  'no URL': {
    env: right,
    args: ['--base-url', 'mrs.example'],
    says: /^MRS_BASE_URL is not an http or https URL\. /,
  },
  'no path': { env: right, args: ['--health-paths', 'health'], says: /^MRS_HEALTH_PATHS holds "health"\. / },
  'no file': {
    env: right,
    args: ['--client-secret-file', '/nowhere/at/all'],
    says: /\(ENOENT\)\. Name a file/,
  },
  'a client without an address': {
    env: { MRS_CLIENT_ID: 'station' },
    says: /^MRS_CLIENT_ID is set, but MRS_BASE_URL is not\. /,
  },
};

test('a mistake in the configuration gets one sentence and exit code 2, and leaves no report from before', async () => {
  await inParallel(Object.entries(mistakes), async ([what, { env, args = [], says }]) => {
    const directory = newDirectory();
    writeFileSync(join(directory, 'report.json'), '{"outcome":"conformant"}');
    const run = await verify(env, args, directory);
    expect.soft(run, what).toMatchObject({ code: 2, stdout: '' });
    expect.soft(run.stderr, what).toMatch(says);
    expect.soft(run.stderr, what).not.toMatch(/^\s+at |node:|hunter2/m);
    expect.soft(run.stderr.trimEnd().split('\n').length, `${what}: ${run.stderr}`).toBeLessThanOrEqual(2);
    expect.soft(run, what).not.toHaveProperty('report');
  });
});

test('no secret is taken from the command line', async () => {
  const run = await verify(right, ['--client-secret', 'hunter2']);
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toMatch(/^error: unknown option '--client-secret'/);
  expect(run.stderr).not.toContain('hunter2');
});

test('a secret is read from a file, without the line break at its end', async () => {
  await using deployment = await startDeployment({ clientSecret: 'from a file' });
  const { MRS_CLIENT_SECRET: _, ...env } = deployment.env;
  const directory = newDirectory();
  writeFileSync(join(directory, 'secret'), 'from a file\n');
  const run = await verify(
    env,
    ['--client-secret-file', join(directory, 'secret')],
    join(directory, 'reports'),
  );
  expect(run, run.stderr).toMatchObject({ code: 0 });
});

test('a bare Prism, which knows no token from another, fails what tells them apart', async () => {
  const prism = spawn(
    process.execPath,
    [
      join(root, 'node_modules/@stoplight/prism-cli/dist/index.js'),
      'mock',
      join(root, 'openapi.yaml'),
      '-p',
      '0',
      '-m',
      'false',
    ],
    { stdio: ['ignore', 'pipe', 'ignore'] },
  );
  try {
    let url = '';
    for await (const line of createInterface(prism.stdout)) {
      url = /listening on (http:\/\/\S+)/.exec(line)?.[1] ?? '';
      if (url) break;
    }
    const run = await verify({
      ...{ MRS_BASE_URL: url, MRS_CLIENT_ID: 'demo', MRS_CLIENT_SECRET: 'demo-secret' },
      ...{ MRS_TOKEN_LIFETIME: '1', MRS_HEALTH_PATHS: '/health/' },
    });
    expect(failedIn(run)).toEqual(['MRS-4.1h', 'MRS-4.1j', 'MRS-5.5a', 'MRS-5.5b', 'MRS-5.6a', 'MRS-7a']);
    expect(run.code).toBe(1);
  } finally {
    prism.kill();
  }
});

/** The whole of `mrs verify`, in a process that knows of nothing but `env`. */
async function verify(
  env: Record<string, string>,
  args: string[] = [],
  directory = newDirectory(),
): Promise<Run> {
  const child = spawn(process.execPath, [join(root, 'dist/scripts/mrs.js'), 'verify', ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env, MRS_REPORT_DIR: directory },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  const file = join(directory, 'report.json');
  const report = existsSync(file) && { report: JSON.parse(readFileSync(file, 'utf8')) };
  return { code, stdout, stderr, directory, ...report };
}

async function judge(traits: Partial<Traits>, env: Record<string, string> = {}): Promise<Run> {
  await using deployment = await startDeployment(traits);
  return await verify({ ...deployment.env, ...env });
}

/** The ids of the requirements that failed, in order. */
const failedIn = ({ report }: Run): string[] =>
  (report?.requirements ?? []).filter(({ verdict }) => verdict === 'failed').map(({ id }) => id);

/** All that a run left behind: what it printed, and every file of its directory. */
function seenIn({ stdout, stderr, directory }: Run): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const names = files.map(({ parentPath, name }) => join(parentPath, name));
  return [stdout, stderr, ...names, ...names.map((name) => readFileSync(name, 'utf8'))].join('\n');
}

function newDirectory(): string {
  const directory = test.info().outputPath(randomUUID());
  mkdirSync(directory, { recursive: true });
  return directory;
}

/** Runs `task` on each of `items`, a few at a time. */
async function inParallel<Item>(items: Item[], task: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) await task(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function chunks<Item>(items: Item[], size: number): Item[][] {
  return items.flatMap((_, at) => (at % size === 0 ? [items.slice(at, at + size)] : []));
}

/** `value` in the ways in which a deployment may write it. */
function written(value: string): string[] {
  const percent = encodeURIComponent(value);
  return [
    value,
    percent,
    percent.replace(/%../g, (hex) => hex.toLowerCase()),
    new URLSearchParams([['', value]]).toString().slice(1),
    JSON.stringify(value).slice(1, -1),
    value.replace(
      /[&<>"']/g,
      (one) => `&${{ '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }[one]};`,
    ),
    Buffer.from(value).toString('base64'),
    base64url(value),
  ];
}

const base64url = (text: string) => Buffer.from(text).toString('base64url');

function compressed({ status, headers, body = '' }: Answer): Answer {
  return { status, headers: { ...headers, 'content-encoding': 'gzip' }, body: gzipSync(body) };
}
