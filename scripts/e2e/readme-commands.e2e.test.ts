/** Runs what the documents show: commands, with what they print, and tests in several languages, with a client to test. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test as base, expect } from 'vitest';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { startMock } from '../mock/index.ts';
import { blocksOf, commandsIn, documents, readDocument } from './testing/documents.ts';
import { type Ended, mrsHere, program, startMrs } from './testing/mrs.ts';
import { untilGone } from './testing/processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const typesGenerator = join(root, 'node_modules/openapi-typescript/bin/cli.js');
const execute = promisify(execFile);
const KEY = 'a-key-of-the-test';

/** Blocks that are not run, by their first command, with the reason. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'export MRS_BASE_URL=https://mrs.example.org/api MRS_CLIENT_ID=acme MRS_TOKEN_LIFETIME=60 MRS_HEALTH_PATHS=/health/':
    'needs a deployment of the reader',
  'npx mrs certify -- sh -c \'API=$MRS_BASE_URL exec ./client --id "$MRS_CLIENT_ID"\'':
    'needs a client of the reader',
  'npx mrs verify --baseline known.yaml': 'needs a deployment of the reader',
  'npx mrs fleet run --history history.jsonl': 'needs deployments of the reader',
  'npx mrs certify --profile static-feed -- node dist/tests/client/corpus/run.js reader-default-list':
    'starts 22 programs; the proof examines this reader',
  'npx mrs prove': 'takes minutes; CI runs it',
  'npm run bench': 'takes minutes, and its figures are those of one machine',
};

/** Commands that find something wrong, as the documents say. */
const EXIT_CODE_1 = /^npx mrs (certify -- node dist|feed tests)|mrs feed - |npx mrs verify --base-url/;

/** Commands in two documents, which leave nothing that others need. They are run once. */
const IN_TWO_DOCUMENTS = [
  'npx mrs certify -- node dist/tests/client/corpus/run.js new-token-every-third-call',
  'npx mrs feed tests/feed/examples/ods.json --at 2030-01-01',
];
const known = new Map<string, Ended>();

interface Served {
  url: string;
  greeting: string;
  /** Ends it by this signal. Returns what it printed. */
  end(signal: NodeJS.Signals): Promise<string>;
}

/** The folder in which the commands run, and what a mock and a proxy of them have. */
const test = base.extend<{ folder: string; served: { mock?: Served; proxy?: Served } }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from this pattern.
  folder: async ({}, use) => use(prepareFolder(outputPath('work'))),
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of the fixtures from this pattern.
  served: async ({}, use) => {
    const served: { mock?: Served; proxy?: Served } = {};
    await use(served);
    for (const one of Object.values(served)) await one.end('SIGTERM');
  },
});

/** A folder with what the commands refer to, and with an `npx` that runs this build and what is installed next to it. */
function prepareFolder(folder: string): string {
  mkdirSync(join(folder, 'bin'), { recursive: true });
  for (const name of ['dist', 'mocks', 'tests']) symlinkSync(join(root, name), join(folder, name));
  const programs = { mrs: program, 'openapi-typescript': typesGenerator };
  const lines = Object.entries(programs).map(
    ([name, file]) => `[ "$1" = ${name} ] && shift && exec ${process.execPath} ${file} "$@"`,
  );
  const shim = ['#!/bin/sh', ...lines, 'exit 97\n'].join('\n');
  writeFileSync(join(folder, 'bin/npx'), shim, { mode: 0o755 });
  return folder;
}

/** Starts the mock or the proxy of a command on a free port, and waits for the end of its greeting. */
async function serve(words: string[], cwd: string): Promise<Served> {
  const { child, ended } = startMrs([...words, '--port', '0'], { cwd, env: { MRS_MOCK_CONTROL_KEY: KEY } });
  let printed = '';
  await new Promise<void>((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text) => {
      printed += text;
      if (/\/__mock\/clock|Ctrl-C ends it/.test(printed)) resolve();
    });
    void ended.then(({ code, stderr }) =>
      reject(new Error(`${words.join(' ')} ended with ${code}: ${printed}${stderr}`)),
    );
  });
  return {
    url: / on (http:\/\/127\.0\.0\.1:\d+)/.exec(printed)?.[1] ?? '',
    greeting: printed,
    async end(signal) {
      child.kill(signal);
      return (await ended).stdout;
    },
  };
}

async function tokenOf(url: string): Promise<string> {
  const form = { grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' };
  const headers = { accept: 'application/json' };
  const response = await fetch(`${url}/token/`, { method: 'POST', headers, body: new URLSearchParams(form) });
  return ((await response.json()) as { token: string }).token;
}

/** In this process where it needs no shell. */
async function run(command: string, cwd: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const [, words] = /^(?:npx mrs|npm run) ([\w ./:={}-]+)$/.exec(command) ?? [];
  if (words !== undefined) return mrsHere(words.split(' '), { cwd });
  const variables = { PATH: `${cwd}/bin:${process.env.PATH}`, HOME: process.env.HOME, ...env };
  const { status, stdout, stderr } = spawnSync('bash', ['-c', command], {
    ...{ cwd, env: variables, encoding: 'utf8' },
  });
  return { code: status, stdout, stderr };
}

/** Figures differ from run to run, and what a busy machine shows of how a client renews; other words must not. */
const masked = (text: string): string =>
  text
    .replaceAll(/\d[\d., {2}]*/g, '#')
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/strategy: \w+/g, 'strategy: #');

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
  const blocks = blocksOf(readDocument(document), 'console')
    .map((block) => ({ commands: commandsIn(block), output: block.output }))
    .filter(({ commands }) => !NOT_RUN[commands[0] ?? '']);
  // What these do is the rest of CI.
  if (blocks.length === 0 || document === 'CONTRIBUTING.md') continue;

  test(`the commands in ${document} print what it shows`, async ({ folder, served }) => {
    if (document === 'tests/report/README.md') await mrsHere(['verify'], { cwd: folder }); // It judges that run again.
    for (const { commands, output } of blocks) {
      let printed = '';
      for (const command of commands.filter((one) => one !== 'npm ci' && one !== 'npm test')) {
        const words = command.split(' ').slice(2);
        if (/^npx mrs mock(?!.*--(assumptions|list))/.test(command)) {
          await served.mock?.end('SIGTERM');
          served.mock = await serve(words, folder);
          printed += served.mock.greeting;
        } else if (command.startsWith('npx mrs proxy')) {
          const to = words.map((word) => word.replace('http://127.0.0.1:4010', served.mock?.url ?? ''));
          served.proxy = await serve(to, folder);
        } else {
          const { mock, proxy } = served;
          const here = command
            .replaceAll('http://127.0.0.1:4010', mock?.url ?? '')
            .replaceAll('http://127.0.0.1:4020', proxy?.url ?? '');
          const env = mock && here.includes(mock.url) ? { TOKEN: await tokenOf(mock.url), KEY } : {};
          const ended = known.get(here) ?? (await run(here, folder, env));
          if (IN_TWO_DOCUMENTS.includes(here)) known.set(here, ended);
          expect(ended.code, `${command}\n${ended.stdout}${ended.stderr}`).toBe(
            EXIT_CODE_1.test(command) ? 1 : 0,
          );
          printed += ended.stdout;
          // The last line has a stable form, so its figures count as well.
          if (command.includes('mrs verify --base-url'))
            expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe(output.at(-1));
        }
      }
      printed = ((await served.proxy?.end('SIGINT')) ?? '') + printed;
      delete served.proxy;
      expectShown(output, printed);
    }
  });
}

test('every block that is not run is in a document', () => {
  const blocks = documents.flatMap((path) => blocksOf(readDocument(path), 'console'));
  const first = blocks.map((block) => commandsIn(block)[0]);
  expect(Object.keys(NOT_RUN).filter((command) => !first.includes(command))).toEqual([]);
});

test('the script in mocks/README.md starts a mock, runs the tests with its address, and stops it', async ({
  folder: cwd,
}) => {
  const tests = '#!/bin/sh\nhead -n 1 mock.log > ready.json\nexec curl -s $MRS_BASE_URL/health/\n';
  writeFileSync(join(cwd, 'run-your-tests'), tests, { mode: 0o755 });
  const [block] = blocksOf(readDocument('mocks/README.md'), 'bash');
  // A mock that is left running must not keep standard error open, for which this would wait.
  const script = `exec 2> errors.txt\n${block?.text}`;
  const env = { PATH: `${cwd}/bin:${process.env.PATH}`, HOME: process.env.HOME };
  const ended = await execute('bash', ['-ec', script], { cwd, env }).catch((error) => error);
  expect(ended.code ?? 0, readFileSync(join(cwd, 'errors.txt'), 'utf8')).toBe(0);
  expect(JSON.parse(ended.stdout)).toEqual({ status: 'ok' });
  const ready = JSON.parse(readFileSync(join(cwd, 'ready.json'), 'utf8'));
  expect(ready).not.toHaveProperty('key');
  await untilGone(ready.pid);
});

/** A client of each language runs this one, in its folder: it keeps its token in a file, and renews it unless RENEWS is "no". */
const CLIENT = `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
const [url, client_id, client_secret] = process.argv.slice(2);
const accept = 'application/json';
async function obtain() {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret });
  const answer = await fetch(url + '/token/', { method: 'POST', headers: { accept }, body });
  writeFileSync('token', (await answer.json()).token);
}
const read = () => fetch(url + '/ods_data/', { headers: { accept, authorization: 'Bearer ' + readFileSync('token') } });
if (!existsSync('token')) await obtain();
const { status } = await read();
if (status === 403 && process.env.RENEWS !== 'no') {
  await obtain();
  await read();
}
`;

interface Recipe {
  /** What must be installed, by a command that shows it. */
  needs: readonly string[];
  /** The files in addition to the client; `test` is what the document shows. */
  files(test: string): Record<string, string>;
  command: readonly string[];
  passes: RegExp;
}

const NODE = process.execPath;
const RECIPES: Record<string, Recipe> = {
  js: {
    needs: [NODE, '--version'],
    files: (test) => ({
      'expiry.test.mjs': test,
      'client.js': `import { execFile } from 'node:child_process';
        import { promisify } from 'node:util';
        export const createClient = (...client) => ({
          readData: () => promisify(execFile)(process.execPath, ['client.mjs', ...client]),
        });`,
    }),
    command: [NODE, '--test'],
    passes: /a token that expires between two calls is renewed[\s\S]*\n\S+ pass 1\n/,
  },
  python: {
    needs: ['python3', '-c', 'import pytest'],
    files: (test) => ({
      'test_expiry.py': `${test}
import subprocess


class YourClient:
    def __init__(self, *client):
        self.client = client

    def read_data(self):
        subprocess.run(["${NODE}", "client.mjs", *self.client], check=True)
`,
    }),
    command: ['python3', '-m', 'pytest', '-q', '-p', 'no:cacheprovider'],
    passes: /1 passed/,
  },
  go: {
    needs: ['go', 'version'],
    files: (test) => ({
      'go.mod': 'module client\n\ngo 1.19\n',
      'expiry_test.go': test,
      'client.go': `package client
import "os/exec"
type yourClient []string
func NewYourClient(client ...string) yourClient { return client }
func (c yourClient) ReadData() {
	if err := exec.Command("${NODE}", append([]string{"client.mjs"}, c...)...).Run(); err != nil { panic(err) }
}
`,
    }),
    command: ['go', 'test', './...'],
    passes: /^ok\s+client/,
  },
  java: {
    needs: ['java', '-version'],
    files: (test) => ({
      'ExpiryTest.java': test
        .replaceAll(/^import .*org\.junit.*\n/gm, '')
        .trimEnd()
        .replace(
          /\}$/,
          `record YourClient(String url, String id, String secret) {
          void readData() throws Exception {
            new ProcessBuilder("${NODE}", "client.mjs", url, id, secret).start().waitFor();
          }
        }
        @interface Test {}
        static void assertTrue(boolean holds) { if (!holds) throw new AssertionError(); }
        public static void main(String[] none) throws Exception {
          new ExpiryTest().expiryBetweenTwoCalls();
          System.out.println("1 passed");
        }
      }`,
        ),
    }),
    command: ['java', 'ExpiryTest.java'],
    passes: /1 passed/,
  },
};

for (const [language, { needs, files, command, passes }] of Object.entries(RECIPES))
  test(`the test in ${language} passes for a client that renews its token, and fails for another`, async ({
    folder,
    skip,
  }) => {
    const [installed = '', ...shows] = needs;
    await execute(installed, shows).catch(() => skip(`${needs.join(' ')} fails.`));
    const shown = blocksOf(readDocument('mocks/README.md'), language).find(({ text }) =>
      /\btest/i.test(text),
    );
    for (const renews of ['yes', 'no']) {
      const cwd = join(folder, renews);
      mkdirSync(cwd);
      const all = { ...files(shown?.text ?? ''), 'client.mjs': CLIENT };
      for (const [name, text] of Object.entries(all)) writeFileSync(join(cwd, name), text);
      await using mock = await startMock({ controlKey: KEY });
      const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
      const own = { MRS_BASE_URL: mock.url, MRS_MOCK_CONTROL_KEY: KEY, RENEWS: renews };
      const caches = { GOCACHE: join(folder, 'cache'), GOFLAGS: '-mod=mod' };
      const [program = '', ...args] = command;
      const ended = await execute(program, args, { cwd, env: { ...env, ...own, ...caches } }).catch(
        (error) => error,
      );
      const shownBy = `${ended.stdout}${ended.stderr}`;
      expect([ended.code ?? 0, passes.test(ended.stdout)], shownBy).toEqual(
        renews === 'yes' ? [0, true] : [1, false],
      );
    }
  });
