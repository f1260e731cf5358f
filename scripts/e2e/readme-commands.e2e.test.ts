/** Runs the commands in the documents, and compares what they print with what the documents show. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { _baseTest as base, expect } from '@playwright/test';
import { consoleBlocks, documents, readDocument } from './testing/documents.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const program = join(root, 'dist/scripts/mrs.js');
const KEY = 'a-key-of-the-test';

/** Blocks that are not run, by their first command, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'export MRS_BASE_URL=https://mrs.example.org/api MRS_CLIENT_ID=acme MRS_TOKEN_LIFETIME=60':
    'needs a deployment of the reader',
  'npx mrs certify --env API=MRS_BASE_URL -- python3 client.py --id {MRS_CLIENT_ID}':
    'needs a client of the reader',
  'npx mrs verify --baseline known.json': 'needs a deployment of the reader',
  'npx mrs certify --listen': 'waits for a client; listen.e2e.test.ts tests it',
  'npx mrs fleet run --at-once 4 --history history': 'needs deployments of the reader',
  'npx mrs prove': 'takes minutes; CI runs it',
  'npm run bench': 'takes minutes, and its figures are those of one machine',
};

/** Commands that find something wrong, as the documents say. */
const EXIT_CODE_1 = /^npx mrs (certify( --profile static-feed)? -- node dist|feed tests)|mrs feed - /;

/** Commands that leave nothing that others need. They are run once. */
const IN_TWO_DOCUMENTS = [
  'npx mrs certify -- node dist/tests/client/corpus/run.js new-token-every-third-call',
  'npx mrs certify --profile static-feed -- node dist/tests/client/corpus/run.js reader-default-list',
  'npx mrs feed tests/feed/examples/ods.json --at 2030-01-01',
];
const known = new Map<string, ReturnType<typeof run>>();

const test = base.extend<{ folder: string; mocks: Mocks }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this pattern.
  folder: async ({}, use, info) => use(prepareFolder(info.outputPath('work'))),
  mocks: async ({ folder }, use) => {
    const mocks = createMocks(folder);
    await use(mocks);
    await mocks.stop();
  },
});

/** A folder with what the commands refer to, and with `npx` and `npm` that run this build. */
function prepareFolder(folder: string): string {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const name of ['dist', 'mocks', 'tests']) symlinkSync(join(root, name), join(folder, name));
  const shims = {
    npx: `[ "$1" = mrs ] && shift && exec ${process.execPath} ${program} "$@"; exit 97`,
    npm: `[ "$1" = ci ] && exit; [ "$1" = run ] && shift && exec ${process.execPath} ${program} "$@"; exit 97`,
  };
  for (const [name, script] of Object.entries(shims)) {
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'bin', name), 0o755);
  }
  return folder;
}

/** The environment without the variables of a run that this one is part of. */
function environment(folder: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(MRS_|GITHUB_|NODE_OPTIONS$|FORCE_COLOR$)/.test(name),
  );
  return { ...Object.fromEntries(own), PATH: `${folder}/bin:${process.env.PATH}` };
}

interface Mocks {
  /** Starts the mock of a command on a free port, in place of an earlier one. Returns what it prints. */
  start(command: string): Promise<string>;
  /** A command with the address of the mock, and the variables that its reader has set. */
  adapt(command: string): Promise<{ command: string; env: NodeJS.ProcessEnv }>;
  /** Starts the proxy of a command in front of the mock. */
  startProxy(command: string): Promise<void>;
  /** Ends it by Ctrl-C. Returns what it printed; nothing if none runs. */
  endProxy(): Promise<string>;
  stop(): Promise<void>;
}

function createMocks(folder: string): Mocks {
  let child: ChildProcess | undefined;
  let url = '';
  let proxy: { child: ChildProcess; url: string; printed(): string } | undefined;

  async function stop(): Promise<void> {
    if (!child || child.exitCode !== null) return;
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child.kill('SIGTERM');
    await ended;
  }

  async function endProxy(): Promise<string> {
    if (!proxy) return '';
    const { child: running, printed } = proxy;
    proxy = undefined;
    const closed = new Promise((resolve) => running.once('close', resolve));
    running.kill('SIGINT');
    await closed;
    return printed();
  }

  return {
    async stop() {
      await endProxy();
      await stop();
    },
    endProxy,
    async startProxy(command) {
      const args = command.replaceAll('http://127.0.0.1:4010', url).split(' ').slice(2);
      const env = { ...environment(folder), MRS_MOCK_CONTROL_KEY: KEY };
      const running = spawn(process.execPath, [program, ...args, '--port', '0'], { cwd: folder, env });
      let printed = '';
      await new Promise<void>((resolve, reject) => {
        running.stdout.setEncoding('utf8').on('data', (text) => {
          printed += text;
          if (printed.includes('Ctrl-C ends it')) resolve();
        });
        running.once('exit', (code) => reject(new Error(`${command} ended with ${code}: ${printed}`)));
      });
      const [, own = ''] = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(printed) ?? [];
      proxy = { child: running, url: own, printed: () => printed };
    },
    async start(command) {
      await stop();
      const args = command.split(' ').slice(2);
      const env = { ...environment(folder), MRS_MOCK_CONTROL_KEY: KEY };
      const started = spawn(process.execPath, [program, ...args, '--port', '0'], { cwd: folder, env });
      child = started;
      const greeting = await new Promise<string>((resolve, reject) => {
        let printed = '';
        started.stdout.setEncoding('utf8').on('data', (text) => {
          printed += text;
          // What the greeting ends with; workers have no clock to move.
          if (/\/__mock\/clock|Bearer \$TOKEN"\n+$/.test(printed)) resolve(printed);
        });
        started.once('exit', (code) => reject(new Error(`${command} ended with ${code}: ${printed}`)));
      });
      url = /http:\/\/127\.0\.0\.1:\d+/.exec(greeting)?.[0] ?? '';
      return greeting;
    },
    async adapt(command) {
      if (proxy && command.includes('127.0.0.1:4020'))
        return { command: command.replaceAll('http://127.0.0.1:4020', proxy.url), env: {} };
      if (!command.includes('127.0.0.1:4010')) return { command, env: {} };
      const form = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };
      const headers = { accept: 'application/json' };
      const body = new URLSearchParams(form);
      const response = await fetch(`${url}/token/`, { method: 'POST', headers, body });
      const { token } = (await response.json()) as { token: string };
      return { command: command.replaceAll('http://127.0.0.1:4010', url), env: { TOKEN: token, KEY } };
    },
  };
}

/** Figures differ from run to run; the words must not. */
const masked = (text: string): string => text.replaceAll(/\d[\d., {2}]*/g, '#').replaceAll(/[ \t]+/g, ' ');

/** Each line of `shown` is in `printed`, in this order. */
function expectShown(shown: readonly string[], printed: string): void {
  const text = masked(printed);
  let from = 0;
  for (const line of shown) {
    if (line.trim() === '…') continue;
    const at = text.indexOf(masked(line).trim(), from);
    expect(at, `"${line}" is not in this order in what was printed:\n${printed}`).toBeGreaterThanOrEqual(0);
    from = at;
  }
}

for (const document of documents) {
  const blocks = consoleBlocks(readDocument(document)).filter(({ commands }) => !NOT_RUN[commands[0] ?? '']);
  // What these do is the rest of CI.
  if (blocks.length === 0 || document === 'CONTRIBUTING.md') continue;

  test(`the commands in ${document} print what it shows`, async ({ folder, mocks }) => {
    if (document === 'tests/README.md') prepareReports(folder);
    for (const { commands, output } of blocks) {
      let printed = '';
      for (const shown of commands) {
        if (/^npx mrs mock(?!.*--(assumptions|list))/.test(shown)) printed += await mocks.start(shown);
        else if (shown.startsWith('npx mrs proxy')) await mocks.startProxy(shown);
        else {
          const { command, env } = await mocks.adapt(shown);
          const ended = known.get(command) ?? run(command, { ...environment(folder), ...env }, folder);
          if (IN_TWO_DOCUMENTS.includes(command)) known.set(command, ended);
          expect(ended.status, `${shown}\n${ended.stdout}${ended.stderr}`).toBe(
            EXIT_CODE_1.test(shown) ? 1 : 0,
          );
          printed += ended.stdout;
          // The last line has a stable form, so its figures count as well.
          if (shown === 'npm run verify')
            expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe(output.at(-1));
        }
      }
      expectShown(output, (await mocks.endProxy()) + printed);
    }
  });
}

const run = (command: string, env: NodeJS.ProcessEnv, cwd: string) =>
  spawnSync('bash', ['-c', command], { cwd, env, encoding: 'utf8' });

/** Two reports to compare. */
function prepareReports(folder: string): void {
  execFileSync(process.execPath, [program, 'verify'], { cwd: folder, env: environment(folder) });
  for (const name of ['before', 'after'])
    copyFileSync(join(folder, 'reports/verify/report.json'), join(folder, `${name}.json`));
}

test('every block that is not run is in a document', () => {
  const first = documents.flatMap((path) =>
    consoleBlocks(readDocument(path)).map(({ commands }) => commands[0]),
  );
  expect(Object.keys(NOT_RUN).filter((command) => !first.includes(command))).toEqual([]);
});
